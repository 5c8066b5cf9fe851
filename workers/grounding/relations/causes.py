"""Causes: without evidence of both ends and of their order in time, a cause is a hypothesis."""

from __future__ import annotations

import re

from workers.grounding.lexicon import CAUSE, words
from workers.grounding.relations.orders import events, meant
from workers.grounding.relations.reading import Reading, sentence_around

BACKWARD = words(
    r"because(?: of)?|due to|owing to|thanks to|as a result of|caused by|triggered by|driven by|resulted from|results? from|"
    r"stem(?:s|med) from"
)
RETOLD = frozenset({"doc", "web", "message", "incident", "note", "log", "tool", "event", "trace"})
SHORTLY_S = 15 * 60
UNSHOWN = "a cause needs evidence of both ends and their order"


def cause_status(reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, with the reason, for a claim that may give a cause."""
    text = reading.unquoted()
    match = CAUSE.search(text)
    if match is None or any(i.kind in RETOLD for i in reading.scope.indexes):
        return "supported", ""
    start, end = sentence_around(text, match.start())
    left, right = text[start : match.start()], text[match.end() : end]
    if BACKWARD.match(match.group()):
        if not left.strip():
            right, _, left = right.partition(", ")
        left, right = right, left
    known = events(reading)
    cause, effect = meant(left, known, reading), meant(right, known, reading)
    if cause is None or effect is None or cause.row is effect.row:
        return "hypothesis", UNSHOWN
    lead = (effect.at - cause.at).total_seconds()
    if lead < -30:
        return "struck", "the cause comes after the effect"
    if lead > SHORTLY_S or not re.match("deploy|change", cause.row.table):
        return "hypothesis", UNSHOWN
    return "supported", ""
