"""What the search tools return: evidence, and words on what was not found."""
