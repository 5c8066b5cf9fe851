"""Who owns what a section is about, as it says itself: "Team platform.", "Owner: @search"."""

from __future__ import annotations

import re

NAME = r"(?P<{0}>[@#]?\w[\w&/@#-]*(?: (?!is\b|are\b|was\b|has\b|have\b|will\b|can\b|owns?\b)[\w&/@#-]+){{0,3}})"
END = r"(?=\s*(?:[.;,(|*]|$))"
START = r"(?:^|(?<=[.;!?)]\s)|(?<=[-*|]\s)|(?<=\*\*))"
OWNER = re.compile(
    rf"{START}(?:Team {NAME.format('team')}{END}"
    rf"|(?i:owners?|owning team|owned by|maintained by|maintainers?|escalate to|responsible)(?:\*\*)?\s*"
    rf"(?::|\||(?<=by)|(?<=to))(?:\*\*)?[ \t]*{NAME.format('named')}{END})",
    re.MULTILINE,
)
WRAPPED = re.compile(r"(?<!\n)\n(?!\s*(?:[-*#|>\n]|\d+[.)]))")
HEADER = re.compile(r"^[^|\n]*\|.*\n(?=[ \t|:-]*-[ \t|:-]*\n[^|\n]*\|)", re.MULTILINE)
"""The row above a table's rows: it names columns."""
NOBODY = re.compile(
    r"tb[acd]|to-?do|n/?a|none|nobody|no one|unknown|unowned|unassigned|unclear|pending|vacant|not .+|to be .+|see .+"
    r"|\w",
    re.IGNORECASE,
)
"""What stands where nobody is named."""


def owner_in(text: str) -> str:
    """The owner that a text names; empty when it names none."""
    for match in OWNER.finditer(WRAPPED.sub(" ", HEADER.sub("", text))):
        if not NOBODY.fullmatch((match["team"] or match["named"]).strip("_")):
            return f"team {match['team']}" if match["team"] else str(match["named"])
    return ""
