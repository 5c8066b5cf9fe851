"""How many tokens of a language model a text takes, about."""

from __future__ import annotations

CHARS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """The tokens of a text, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)
