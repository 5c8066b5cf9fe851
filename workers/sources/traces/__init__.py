"""Traces: spans of any format, the servers and files that hold them, what they say of slow and failing calls."""
