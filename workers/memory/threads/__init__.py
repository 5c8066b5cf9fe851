"""Threads that a person keeps: entries are pushed, read, listed, sought and synced."""
