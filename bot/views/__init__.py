"""PURE: what the bot says by itself, as blocks."""
