"""Which sentences say of themselves that they are a decision. PURE."""

from __future__ import annotations

import re

LABEL = r"\W{0,4}(?:decision|decided|entscheidung|entschieden|beschlossen|decisión|decidido)\b"
BEGINS = re.compile(rf"^{LABEL}\W{{0,3}}", re.IGNORECASE)
WITHIN = re.compile(rf"(?<=[.!?…]\s)(?={LABEL}[^.:!?\n]{{0,60}}:\s)", re.IGNORECASE)
"""Where a sentence within a line begins as a decision does: ``… all night. Decision: we keep it.``"""


def is_decision(text: str) -> bool:
    """Whether a message, or a sentence in it, begins as a decision does that is written down: ``Decision: …``."""
    return BEGINS.match(text) is not None or WITHIN.search(text) is not None


def decisions_in(text: str) -> tuple[str, ...]:
    """The decisions of a text, word for word: each from where it begins to the end of its line."""
    return tuple(found for line in text.splitlines() if (found := decision_of(line.strip())))


def decision_of(line: str) -> str:
    """A line from where its decision begins; empty when it holds none."""
    if BEGINS.match(line):
        return line
    found = WITHIN.search(line)
    return line[found.start() :] if found else ""
