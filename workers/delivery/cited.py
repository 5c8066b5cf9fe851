"""PURE. Which evidence an answer rests on, and which of it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workers.contracts import Answer, Claim, Evidence, RequestLog

MIN_SAMPLES = 8
MAX_LINK = 1_000
WEB = re.compile(r"https?://[^\s/?#<>\"|\\]+[^\s<>\"|\\]*")
SECTIONS = (
    ("what_changed", "What changed"),
    ("metrics", "Metrics"),
    ("code", "Code"),
    ("docs", "Docs"),
    ("next_steps", "Next"),
)


def claims_of(answer: Answer) -> Iterator[Claim]:
    """Every claim, in the order in which it is shown."""
    yield answer.headline
    for key, _ in SECTIONS:
        yield from getattr(answer, key)


def cited_evidence(log: RequestLog) -> list[Evidence]:
    """The evidence that any claim cites, once each, in order of first mention."""
    if log.answer is None:
        return []
    known = {e.id: e for e in log.evidence}
    keys = dict.fromkeys(k for claim in claims_of(log.answer) for k in claim.evidence)
    return [known[k] for k in keys if k in known]


def link_of(item: Evidence) -> str:
    """Its web address; empty when it has none that can be opened from a message."""
    url = item.url or ""
    fits = len(url) <= MAX_LINK and url.isascii() and WEB.fullmatch(url)
    return url if fits else ""


def charted(log: RequestLog) -> tuple[Evidence, Evidence | None] | None:
    """The metric to draw, and the first other one that moved; only what headline or metrics claims cite."""
    if log.answer is None:
        return None
    known = {e.id: e for e in log.evidence if len(e.series) >= MIN_SAMPLES}
    keys = dict.fromkeys(k for claim in (log.answer.headline, *log.answer.metrics) for k in claim.evidence)
    items = [known[k] for k in keys if k in known]
    if not items:
        return None
    return items[0], next((e for e in items[1:] if moved(e)), None)


def moved(item: Evidence) -> bool:
    """Whether its values changed, by its own facts."""
    direction = item.facts.get("direction")
    return direction is not None and direction.value in {"rose", "fell"}


def first_code(answer: Answer, known: Mapping[str, Evidence]) -> Evidence | None:
    """The first code with an excerpt that the headline or the code claims cite."""
    keys = dict.fromkeys(k for claim in (answer.headline, *answer.code) for k in claim.evidence)
    items = (known[k] for k in keys if k in known)
    return next((e for e in items if e.kind == "code" and e.excerpt.strip()), None)
