"""Forms that menus put behind a question: ``[sector: Payments]``."""

from __future__ import annotations

import re

ANY = "any"
"""The value that takes a condition away."""
MOST_CHARS = 80


def form(kind: str, value: str) -> str:
    """The form of a value."""
    return f"[{kind}: {in_form(value)}]"


def in_form(value: str) -> str:
    """A value as it stands in a form, whose brackets it must not close."""
    return re.sub(r"[\[\]\n]", "", value)[:MOST_CHARS].strip()
