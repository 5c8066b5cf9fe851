"""How many tokens of a language model a text takes, about."""

from __future__ import annotations

CHARS_PER_TOKEN = 4
"""Of English and code; in UTF-8 as many bytes, so that other scripts are not taken for shorter than they are."""


def count_tokens(text: str) -> int:
    """The tokens of a text, at four bytes each, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // CHARS_PER_TOKEN)


def fitting(text: str, most_tokens: int) -> str:
    """The beginning of a text that takes at most so many tokens."""
    room = max(most_tokens, 0) * CHARS_PER_TOKEN
    head = text[:room]
    raw = head.encode("utf-8", "surrogatepass")
    return head if len(raw) <= room else raw[:room].decode("utf-8", "ignore")
