"""Ids of single requests, users, orders … that a question names: what no aggregate source can tell of."""

from __future__ import annotations

import re

PLACE = re.compile(r"(?<![\w.])/[A-Za-z_{][\w{}./:-]*|https?://\S+")
NOT_ONE = re.compile(
    r"v?\d+(?:\.\d+)+(?:[-+]\w+)?|p\d\d+|\d+(?:ms|s|m|min|h|d|kb|mb|gb|xx|k|am|pm|%)?|v\d+|[45]\d\ds?|\d{4}-\d\d-\d\d.*|"
    r"(?:[a-z]+[-_])+v?\d|sha-?\d+|[a-z]{1,3}\d",
    re.IGNORECASE,
)
WHAT = (
    r"(?:request|req|trace|transaction|txn|correlation|session|order|booking|payment|charge|posting|job|run|message|"
    r"ticket|user|account|customer|tenant|patient|member|subscriber|client|org|organisation|workspace|device|driver|rider)"
)
PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b[\w.+-]+@[\w-]+\.[\w.]*\w",
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        r"\b[a-z]{1,10}[_-](?=\w*\d)\w{4,}\b(?:-\w+)*",
        r"\b(?=[a-f-]*\d)(?=[\d-]*[a-f])[0-9a-f]{4,}(?:-[0-9a-f]{4,})+\b",
        r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b",
        rf"(?:\b{WHAT}(?: (?:id|number|no\.?|with id))?[ :#=]+)#?(\d{{3,}}|(?=[\w-]*\d)[\w-]{{5,}})\b",
    )
)


def identifiers(text: str) -> tuple[str, ...]:
    """The ids of a text, in order; versions, times, levels and paths are none."""
    rest = PLACE.sub(lambda m: " " * len(m.group()), text)
    found: list[tuple[int, str]] = []
    for pattern in PATTERNS:
        for match in pattern.finditer(rest):
            name = match[match.lastindex or 0].rstrip(".-")
            start = match.start(match.lastindex or 0)
            if not NOT_ONE.fullmatch(name) or (match.lastindex and name.isdigit()):
                found.append((start, name))
    kept = [f for f in sorted(found) if not any(f[1] != o[1] and f[1] in o[1] for o in found)]
    return tuple(dict.fromkeys(name for _, name in kept))
