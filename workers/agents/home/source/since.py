"""Since when something is as it is, and when it was last otherwise, from its history. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.agents.home.source.model import UNKNOWN, Moment, State


@dataclass(frozen=True)
class Span:
    """From when to when something was as asked. ``end`` None: it still is; not ``exact``: it may have begun earlier."""

    start: datetime
    end: datetime | None
    exact: bool = True


def current_span(state: State, past: Sequence[Moment]) -> Span:
    """Since when it is what it is. What a restart of Home Assistant interrupts goes on.

    Args:
        state: as it is now.
        past: its values, oldest first; the first one held when the history began.
    """
    known = [m for m in past if m.value not in UNKNOWN]
    at, first = len(known), True
    while at and known[at - 1].value == state.value:
        at -= 1
        first = at == 0
    if at == len(known):
        return Span(state.changed, None)
    if not first:
        return Span(known[at].at, None)
    before = state.changed <= known[at].at
    return Span(min(state.changed, known[at].at), None, exact=before)


def last_span(past: Sequence[Moment], values: frozenset[str]) -> Span | None:
    """When it was last one of these values, before now; None when it was not in this history."""
    for place in range(len(past) - 1, -1, -1):
        if past[place].value in values:
            end = past[place + 1].at if place + 1 < len(past) else None
            first = place
            while first and past[first - 1].value in values:
                first -= 1
            return Span(past[first].at, end, exact=first > 0)
    return None


def changes_in(past: Sequence[Moment]) -> int:
    """How often the value changed."""
    known = [m.value for m in past if m.value not in UNKNOWN]
    return sum(a != b for a, b in itertools.pairwise(known))


def say_length(seconds: float) -> str:
    """``2 h 10 min``, ``3 days 4 h``, ``45 s``: two parts at most."""
    minutes, days = round(seconds / 60), int(seconds // 86_400)
    if seconds < 60:
        return f"{round(seconds)} s"
    if days:
        hours = round((seconds - days * 86_400) / 3_600)
        return f"{days} day{'s' if days > 1 else ''}" + (f" {hours} h" if hours else "")
    hours, rest = divmod(minutes, 60)
    return " ".join(filter(None, (f"{hours} h" if hours else "", f"{rest} min" if rest else "")))
