"""Words that deny: "not", "never", "nobody", "isn't"."""

from __future__ import annotations

import re

DENIERS = "not never no none nothing neither nor without cannot".split()
CONTRACTED = r"n['’]t\b"
"""The end of "isn't"."""
NEGATION = rf"(?:(?<![\w'’-])(?:{'|'.join(DENIERS)})(?![\w'’-])|{CONTRACTED})"
"""A part of a word with a hyphen denies nothing: "a no-op deploy", "never-ending"."""
NOBODY = r"\b(?:nobody|nowhere)\b"
LACKING = rf"(?:{NEGATION}|\b(?:nobody|unable|unknown|unclear|missing|lack(?:s|ing)?)\b)"
"""What says that something is not there or not known."""
NEGATED = re.compile(rf"{NEGATION}|{NOBODY}", re.IGNORECASE)


def is_negated(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether something is denied in a text, or in the part of it from ``start`` to ``end``."""
    return NEGATED.search(text[start:end]) is not None
