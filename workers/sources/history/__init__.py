"""Commits, diffs, blame and stack traces."""
