"""What was said in a conversation: every word as entries of a thread, and a context within a budget of tokens."""
