"""The demo team: a small web shop with a history, documents, metrics, and a deploy that went wrong."""
