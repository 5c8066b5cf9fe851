"""One file a format: its text, headings, anchors, list items and links as a `Document`."""
