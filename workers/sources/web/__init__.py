"""Pages of the web as a library: which addresses may be reached, fetching, robots.txt, reading, passages, searching."""
