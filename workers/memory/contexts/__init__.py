"""What a conversation is about, kept within a budget of tokens."""
