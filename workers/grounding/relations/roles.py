"""Which of a metric's values is told: the one from before, the one of now, the peak."""

from __future__ import annotations

import re

from workers.grounding.evidence_values import Number
from workers.grounding.mentions import Mention
from workers.grounding.number_match import interval
from workers.grounding.relations.reading import CLAUSE, Reading, numbers_of, span_around

FIELDS = (
    ("before", re.compile(r"(^|_)(baseline|before|previous|prev|prior|old|from)(_|$)", re.IGNORECASE)),
    ("peak", re.compile(r"(^|_)(peak|max|maximum|min|minimum|highest|lowest|worst)(_|$)", re.IGNORECASE)),
    ("now", re.compile(r"(^|_)(current|after|now|new|latest|to)(_|$)", re.IGNORECASE)),
)
FILL = r"(?:(?:a|the|its|about|around|roughly|some|nearly|almost|just|only|over|under|well|of|at|up to|p\d\d)\s*)*"
USUAL = r"\b(?:usual|normal|previous|former)(?:ly)?"
NOUN = r"\bbaseline(?: (?:of|was|is|value))*:?"
LEADS = tuple(
    (role, re.compile(rf"(?:{words}){FILL}$", re.IGNORECASE))
    for role, words in (
        ("before", rf"(?:\bfrom|\bused to (?:be|take|need|sit at)|\binstead of|{NOUN}|{USUAL}|\bbefore:)\s*"),
        ("now", r"(?:\bto|\bnow|\bcurrently|\bat present|\btoday|\bstands? at|→|->)(?: is| are| takes?| needs?)?:?\s*"),
        ("peak", r"\b(?:peak\w*|max\w*|worst|highest|topped out|as high as)(?: (?!than|from)\w+)?\s*"),
    )
)
EVENT = r"(?! \d| the \w+ (?:rose|fell|fired))"
TAILS = tuple(
    (role, re.compile(rf"^\s*(?:{words})", re.IGNORECASE))
    for role, words in (
        ("before", rf"(?:\w+ )?(?:before{EVENT}|previously|formerly|originally|at (?:baseline|first)|earlier)\b"),
        ("before", r"(?:\w+ )?(?:is|was|were|being) (?:the )?(?:usual|normal|norm)\b|→|->"),
        ("now", r"(?:now|at present|currently|at the moment|as of now|these days|today)\b"),
        ("peak", r"(?:at (?:its |the )?(?:peak|worst|highest)|peak|maximum)\b"),
    )
)  # fmt: skip
WEAK = re.compile(rf"(?:\bfrom|\bto|→|->)\s*{FILL}$", re.IGNORECASE)
EXTREME = re.compile(r"\b(?:peak|max|worst|highest|low)\w*", re.IGNORECASE)
NAMES = {"before": "from before", "now": "of now", "peak": "at the peak"}


def role_of(number: Number) -> str:
    """The role that the evidence gives a value, by its field's name, the sign of its line, or the words beside it."""
    found = next((name for name, p in FIELDS if p.search(number.field)), "")
    text, at = number.row.text, number.row.text.find(number.text.lower())
    if found or at < 0:
        return found
    if text[:1] in {"-", "+"} and number.row.table.endswith("diff lines"):
        return "before" if text[0] == "-" else "now"
    lead, tail = text[max(0, at - 40) : at], text[at + len(number.text) :]
    if re.match(r'"?\s*(?:→|->|to\b)', tail) or re.search(r"\b(?:from|was|instead of|used to be):?\s*$", lead):
        return "before"
    if re.search(r'(?:→|->|\bto|\bnow(?: is)?)\s*"?$', lead):
        return "now"
    return "peak" if re.search(r"\b(?:peak|max(?:imum)?|lowest|highest)\s*$", lead) else ""


def role_said(mention: Mention, reading: Reading) -> str:
    """The role that the claim's words give a value; none when they disagree."""
    text, one = reading.text, mention.specific
    start, end = span_around(CLAUSE, text, one.start)
    said = {n for n, p in LEADS if p.search(text[start : one.start])}
    said |= {n for n, p in TAILS if p.match(text[one.end : max(end, one.end)])}
    if len(said) != 1 or (said == {"before"} and EXTREME.search(text[start:end])):
        return ""
    return said.pop()


def check_roles(reading: Reading) -> str:
    """A value told as that of before must not be the one of now, and the other way round, nor the peak."""
    for mention in reading.values():
        values, said = numbers_of(mention), role_said(mention, reading)
        held = {role_of(v) for v in values}
        if not said or "" in held or not held:
            continue
        if held == {"peak"} and WEAK.search(reading.text[: mention.specific.start]):
            continue
        low, high = interval(mention.specific)
        rivals = (n for v in values for n in v.row.numbers if role_of(n) == said and n.dimension == values[0].dimension)
        if said not in held and any(mention.slot or not low <= n.value <= high for n in rivals):
            return f"“{mention.specific.text}” is not the value {NAMES[said]}"
    return ""
