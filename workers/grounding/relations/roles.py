"""Which of a metric's values is told: the one from before, the one of now, the peak; and what is told of it."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workers.grounding.evidence_values import Number
from workers.grounding.relations.reading import Reading, clause_around
from workers.grounding.specific_match import Mention, interval

FIELDS = (
    ("before", re.compile(r"(^|_)(baseline|before|previous|prev|prior|old|from)(_|$)", re.IGNORECASE)),
    ("peak", re.compile(r"(^|_)(peak|max|maximum|min|minimum|highest|lowest|worst)(_|$)", re.IGNORECASE)),
    ("now", re.compile(r"(^|_)(current|after|now|new|latest|to)(_|$)", re.IGNORECASE)),
)
FILL = r"(?:(?:a|the|its|about|around|roughly|some|nearly|almost|just|only|over|under|well|of|at|up to|p\d\d)\s*)*"
BEFORE_LEAD = re.compile(
    rf"(?:\bfrom|\bused to (?:be|take|need|sit at)|\binstead of|\bbaseline(?: (?:of|was|is|value))*:?|\b(?:usual|normal|previous|former)(?:ly)?|"
    rf"\bbefore:)\s*{FILL}$",
    re.IGNORECASE,
)
BEFORE_TAIL = re.compile(
    r"^\s*(?:\w+ )?(?:before(?! \d| the \w+ (?:rose|fell|fired))|(?:is|was|were|being) (?:the )?(?:usual|normal|norm)|previously|formerly|originally|"
    r"at (?:baseline|first)|earlier|in the baseline|used to be)\b|^\s*(?:→|->)",
    re.IGNORECASE,
)
NOW_LEAD = re.compile(
    rf"(?:\bto|\bnow|\bcurrently|\bat present|\btoday|\bstands? at|→|->)(?: is| are| takes?| needs?)?:?\s*{FILL}$",
    re.IGNORECASE,
)
NOW_TAIL = re.compile(r"^\s*(?:now|at present|currently|at the moment|as of now|these days|today)\b", re.IGNORECASE)
PEAK_LEAD = re.compile(
    rf"\b(?:peak\w*|max\w*|worst|highest|topped out|as high as)(?: (?!than|from)\w+)?\s*{FILL}$", re.IGNORECASE
)
PEAK_TAIL = re.compile(r"^\s*(?:at (?:its |the )?(?:peak|worst|highest)|peak|maximum)\b", re.IGNORECASE)
LEADS = (("before", BEFORE_LEAD), ("now", NOW_LEAD), ("peak", PEAK_LEAD))
TAILS = (("before", BEFORE_TAIL), ("now", NOW_TAIL), ("peak", PEAK_TAIL))
WEAK = re.compile(rf"(?:\bfrom|\bto|→|->)\s*{FILL}$", re.IGNORECASE)
WAS_PEAK = re.compile(r"\b(?:peak|max|worst|highest|low)\w*", re.IGNORECASE)


@lru_cache(maxsize=4096)
def field_role(field: str) -> str:
    """The role that a field's name gives."""
    return next((name for name, p in FIELDS if p.search(field)), "")


def role_of(number: Number) -> str:
    """The role that the evidence gives a value, by its field's name or the words beside it."""
    if number.field and (found := field_role(number.field)):
        return found
    text, shown = number.row.text, number.text.lower()
    if text[:1] in {"-", "+"} and number.row.table.endswith("diff lines"):
        return "before" if text[0] == "-" else "now"
    at = text.find(shown)
    if at < 0:
        return ""
    lead, tail = text[max(0, at - 40) : at], text[at + len(shown) :]
    if re.match(r'"?\s*(?:→|->|to\b)', tail) or re.search(r"\b(?:from|was|instead of|used to be):?\s*$", lead):
        return "before"
    if re.search(r'(?:→|->|\bto|\bnow(?: is)?)\s*"?$', lead):
        return "now"
    return "peak" if re.search(r"\b(?:peak|max(?:imum)?|lowest|highest)\s*$", lead) else ""


def roles_of(mention: Mention) -> set[str]:
    """The roles of everything that a written value can stand for."""
    single = [s.values[0] for s in mention.supports if len(s.values) == 1]
    if len(single) != len(mention.supports):
        return {""}
    return {role_of(v) for v in single if isinstance(v, Number)}


def role_said(mention: Mention, reading: Reading) -> str:
    """The role that the claim's words give a value; none when they disagree."""
    start, end = clause_around(reading.text, mention.specific.start)
    lead, tail = (
        reading.text[start : mention.specific.start],
        reading.text[mention.specific.end : max(end, mention.specific.end)],
    )
    said = {n for n, p in LEADS if p.search(lead)} | {n for n, p in TAILS if p.match(tail)}
    if said == {"before"} and WAS_PEAK.search(reading.text[start:end]):
        return ""
    return said.pop() if len(said) == 1 else ""


def check_roles(reading: Reading) -> str:
    """A value told as that of before must not be the one of now, and the other way round, nor the peak."""
    for mention in reading.values():
        said, held = role_said(mention, reading), roles_of(mention)
        if held == {"peak"} and WEAK.search(reading.text[: mention.specific.start]):
            continue
        if said and held and "" not in held and said not in held and any(others(mention, said)):
            return f"{mention.specific.text} is not the value {NAMES[said]}"
    return ""


NAMES = {"before": "from before", "now": "of now", "peak": "at the peak"}


def others(mention: Mention, role: str) -> Iterator[bool]:
    """Whether the same row has a value in the role that is told, and another one."""
    low, high = interval(mention.specific)
    rows = {id(r) for s in mention.supports for r in s.rows}
    values = [v for s in mention.supports for v in s.values if isinstance(v, Number)]
    for number in (n for v in values for n in v.row.numbers):
        if id(number.row) in rows and role_of(number) == role and number.dimension == values[0].dimension:
            yield mention.slot or not low <= number.value <= high
