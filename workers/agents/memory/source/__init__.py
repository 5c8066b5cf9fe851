"""What is remembered: notes of the vault, threads, memories, and how all of it is searched."""
