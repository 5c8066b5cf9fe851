"""Code of one repository: its index, ranking, and whether it holds an answer."""
