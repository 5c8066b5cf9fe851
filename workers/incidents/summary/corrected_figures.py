"""Figures that their writer set right: what was said with the old one stands no more."""

from __future__ import annotations

import re
from collections import defaultdict

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.utterances import Utterance

FIGURE = r"(?P<figure>\d+ (?:in|of) \d+|one in \w+|\d[\d.,]*\d|\d)"
INSTEAD_OF = re.compile(r"(?<![\d:.])\d[\d.,]*k?(?: [\w/%-]+){0,4},? (?:and )?not ~?(?P<figure>\d[\d.,]*\d|\d)(?!:?\d)")
"""A figure and the one that it takes the place of: "187, not 212"."""
TAKEN_BACK = re.compile(
    r"\b(?:scrap|scratch|strike|correction (?:to|of)) (?:(?:my|the|that|our) )?"
    rf"[\"“]?~?{FIGURE}(?=\W*$|[%,.:;])"
    rf"|[\"“]{FIGURE.replace('figure', 'quoted')} ?%?[\"”] (?:was|were|is wrong|counted|came)\b"
)
"""A figure that is taken back by itself: "scrap 1 in 6", "correction to my 40%"."""


COUNTS = re.compile(r"\d|\bone in\b")


def instead_of(remark: Utterance) -> re.Pattern[str] | None:
    """What finds the figure that a remark puts another one in the place of; None when it does not."""
    found = INSTEAD_OF.search(remark.low) if remark.stated and not remark.bot else None
    return finder(found["figure"]) if found else None


def takes_back(remark: Utterance) -> re.Pattern[str] | None:
    """What finds the figure that a remark takes back, with none in its place; None when it does not."""
    found = TAKEN_BACK.search(remark.low) if remark.stated and not remark.bot else None
    return finder(found["figure"] or found["quoted"]) if found else None


def finder(figure: str) -> re.Pattern[str]:
    """What finds a figure, and not a longer one."""
    return re.compile(rf"(?<![\d.,]){re.escape(figure)}(?![\d.]*\d)")


def withdrawn(talk: Conversation) -> frozenset[str]:
    """The words of what people said with a figure that they themselves set right later."""
    said: dict[str, list[Utterance]] = defaultdict(list)
    gone: set[str] = set()
    for remark in talk.people:
        if figure := instead_of(remark) or takes_back(remark):
            gone.update([old.text for old in said[remark.message.user] if figure.search(old.low)][-1:])
        if COUNTS.search(remark.low):
            said[remark.message.user].append(remark)
    return frozenset(gone)
