"""What is remembered: threads, contexts, the vault of notes, and how all of it is searched."""
