"""What the bot says by itself, as blocks."""
