"""Which sentences say of themselves that they are a decision. PURE."""

from __future__ import annotations

import re

DECISION = re.compile(r"^\W{0,4}(?:decision|decided)\b\W{0,3}", re.IGNORECASE)


def is_decision(text: str) -> bool:
    """Whether a message begins as a decision does that is written down: ``Decision: …``, ``Decided …``."""
    return DECISION.match(text) is not None


def decisions_in(text: str) -> tuple[str, ...]:
    """The lines of a text that are decisions, word for word."""
    return tuple(line.strip() for line in text.splitlines() if is_decision(line))
