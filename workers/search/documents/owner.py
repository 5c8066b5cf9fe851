"""PURE. Who owns what a section is about, as it says itself: "Team platform.", "Owner: @search"."""

from __future__ import annotations

import re

NAME = r"(?P<{0}>[@#]?\w[\w&/@#-]*(?: (?!is\b|are\b|was\b|has\b|have\b|will\b|can\b|owns?\b)[\w&/@#-]+){{0,3}})"
END = r"(?=\s*(?:[.;,(|*]|$))"
START = r"(?:^|(?<=[.;!?)]\s)|(?<=[-*|]\s)|(?<=\*\*))"
OWNER = re.compile(
    rf"{START}(?:Team {NAME.format('team')}{END}"
    rf"|(?i:owners?|owning team|owned by|maintained by|maintainers?|escalate to|responsible)(?:\*\*)?\s*"
    rf"(?::|\||(?<=by)|(?<=to))(?:\*\*)?\s*{NAME.format('named')}{END})",
    re.MULTILINE,
)


WRAPPED = re.compile(r"(?<!\n)\n(?!\s*(?:[-*#|>\n]|\d+[.)]))")


def owner_in(text: str) -> str:
    """The owner that a text names; empty when it names none."""
    match = OWNER.search(WRAPPED.sub(" ", text))
    if match is None:
        return ""
    return f"team {match['team']}" if match["team"] else match["named"]
