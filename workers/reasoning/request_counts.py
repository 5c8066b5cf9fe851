"""How many, of how many, and within which time: what a figure needs beside it before anybody acts on it."""

from __future__ import annotations

from datetime import datetime, timedelta

from workers.contracts import Evidence
from workers.grounding.health import number, text_of
from workers.reasoning.claim_phrases import has

FEW = 20
"""A share or a percentile of fewer requests moves with each of them."""
NOW = timedelta(minutes=2)


def counted(item: Evidence, name: str, one: str, many: str = "") -> str:
    """``1 error``, ``3 errors``: a count as a slot, with its noun."""
    return f"{{{item.id}.{name}}} {one if number(item, name) == 1 else many or f'{one}s'}"


def sampled(item: Evidence, name: str, one: str = "request") -> str:
    """``1,114 requests``, ``only 3 requests``: what a figure rests on."""
    return f"{'only ' if is_few(item, name) else ''}{counted(item, name, one)}"


def is_few(item: Evidence, name: str) -> bool:
    """Whether too few were counted to trust a figure."""
    return has(item, name) and number(item, name) < FEW


def has_span(item: Evidence) -> bool:
    """Whether it says which time it is of."""
    return has(item, "window_start", "window_end")


def said_span(item: Evidence, beside: Evidence | None = None) -> str:
    """`` since 00:00 UTC today``, `` from … to …``; nothing when the evidence beside it is of the same time."""
    if not has_span(item) or (beside is not None and same_span(item, beside)):
        return ""
    k = item.id
    end = datetime.fromisoformat(text_of(item, "window_end"))
    if item.observed_at is not None and abs(item.observed_at - end) <= NOW:
        return f" since {{{k}.window_start}}"
    return f" from {{{k}.window_start}} up to {{{k}.window_end}}"


def same_span(item: Evidence, other: Evidence) -> bool:
    """Whether two are of one time, to the minute."""
    spans = ([datetime.fromisoformat(text_of(e, n)) for e in (item, other)] for n in ("window_start", "window_end"))
    return has_span(other) and all(abs(one - two) < timedelta(minutes=1) for one, two in spans)
