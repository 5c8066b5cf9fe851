"""Lengths of time that follow from moments: between two of them, or until now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from workers.grounding.evidence_values import Instant
from workers.grounding.literals import Specific
from workers.grounding.mentions import Mention, Scope, Support
from workers.grounding.number_match import interval
from workers.grounding.value_format import say_duration

UNTIL_NOW = re.compile(r"\b(?:ago|now|still|since|so far|been|open|old|running|lasts|for)\b", re.IGNORECASE)
NEWEST = re.compile(r"\b(?:newest|latest|last)\b", re.IGNORECASE)
MOST_INSTANTS = 10


def is_window(moment: Instant) -> bool:
    """Whether a moment is an end of what was asked for, not something that happened."""
    return moment.field.startswith("window") and moment.field != "window_last"


def from_instants(said: Specific, own: Sequence[Mention], scope: Scope) -> Iterator[Support]:
    """The time between two moments, or from one until now."""
    low, high = interval(said)
    if not said.bound and said.value >= 5:
        low, high = said.value - max(said.tolerance, 1), said.value + max(said.tolerance, 1)
    picked = picked_instants(own, scope) if said.dimension == "s" else []
    for a, b in combinations(picked, 2):
        gap = abs((a.at - b.at).total_seconds())
        if not (a.dated and b.dated):
            gap = min(gap % 86_400, -gap % 86_400)
        windows = sum(is_window(i) for i in (a, b))
        if a.clocked == b.clocked and gap and low <= gap <= high and windows != 1:
            first, last = sorted((a, b), key=lambda i: i.at)
            step = f"from {first.text} to {last.text} = {say_duration(gap)}, written as {said.text}"
            yield Support((first, last), (first.row, last.row), step, gap)
    for moment in picked if UNTIL_NOW.search(scope.text) else ():
        gap = (scope.voice.now - moment.at).total_seconds()
        if gap > 0 and moment.clocked and low <= gap <= high and not is_window(moment):
            step = f"from {moment.text} until now = {say_duration(gap)}, written as {said.text}"
            yield Support((moment,), (moment.row,), step, gap)


def picked_instants(own: Sequence[Mention], scope: Scope) -> list[Instant]:
    """The moments to measure between: those that the claim writes, those of its lines, the first and the last."""
    written = [v for m in own if m.specific.kind in {"time", "date"} for s in m.supports for v in s.values]
    out: list[Instant] = [v for v in written if isinstance(v, Instant)][:MOST_INSTANTS]
    for index in scope.indexes:
        every = [i for i in index.instants if not i.field.startswith("newest") or NEWEST.search(scope.text)]
        if len(every) > MOST_INSTANTS:
            near = sorted(every, key=lambda i: -scope.nearness(i.row))[: MOST_INSTANTS - 2]
            every = [*(i for i in near if scope.nearness(i.row)), every[0], every[-1]]
        out.extend(every)
    return list(dict.fromkeys(out))
