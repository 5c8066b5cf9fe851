"""Series that a highly available pair of servers writes twice: which label tells the copies apart, and one of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from workers.sources.metrics.backend import Floats, Frame, Series
from workers.sources.metrics.name_words import tokens

WRITERS = frozenset("replica prometheus collector scraper monitor receiver vmagent agent".split())
"""Words in labels that name who wrote a series down, or one of several that serve: only the values tell which."""
MOST_COPIES = 4
COUNTED = re.compile(r"_(?:total|count|sum|bucket)$")
REPEATED = 0.8  # share of the series that have a copy, at least
ALIKE = 0.9  # share of the moments at which copies agree, at least
STEPS = 3.0  # so many samples one copy of a counter may be behind another
SELECTOR = r"[A-Za-z_:][\w:]*(?:\{(?:\"(?:[^\"\\]|\\.)*\"|[^{}\"])*\})?"
OVER_TIME = re.compile(rf"\b[a-z_]+\((?:\s*[\d.]+\s*,)?\s*{SELECTOR}\[[^\]]+\]\s*\)")


def may_tell_copies(labels: Iterable[str]) -> list[str]:
    """The labels that may tell copies apart, by their names."""
    return sorted(label for label in labels if WRITERS & set(tokens(label)))


def are_copies(frame: Frame, label: str, *, counted: bool) -> bool:
    """Whether series that differ in one label alone are the same series, written down by several.

    Args:
        frame: raw samples, about one a moment.
        label: which one.
        counted: they are counters, whose copies may be a few samples behind; others must be equal.
    """
    groups: dict[tuple[tuple[str, str], ...], list[Floats]] = {}
    for series in frame.series:
        if label in series.labels:
            groups.setdefault(without(series, label), []).append(series.values)
    pairs = [rows for rows in groups.values() if len(rows) > 1]
    if not pairs or len(pairs) < REPEATED * len(groups):
        return False
    return float(np.mean([agree(rows, counted=counted) for rows in pairs])) >= ALIKE


def without(series: Series, label: str) -> tuple[tuple[str, str], ...]:
    """The labels of a series but one."""
    return tuple(sorted((k, v) for k, v in series.labels.items() if k != label))


def agree(rows: Sequence[Floats], *, counted: bool) -> bool:
    """Whether the copies of one series say the same."""
    first, *others = rows
    for other in others:
        both = np.isfinite(first) & np.isfinite(other)
        if not both.any():
            return False
        apart = np.abs(first[both] - other[both])
        grown = np.diff(first[both])
        step = float(grown[grown > 0].mean()) if counted and (grown > 0).any() else 0.0
        if float((apart <= STEPS * step + 1e-9 * np.abs(first[both])).mean()) < ALIKE:
            return False
    return True


def count_once(promql: str, label: str) -> str:
    """An expression in which each series that is written down several times counts once, the most recent copy or the
    highest of them: what a range of each says is joined before anything is summed."""
    return OVER_TIME.sub(lambda found: f"max without ({label}) ({found[0]})", promql)


def say_copies(label: str, values: Iterable[str]) -> str:
    """One sentence on series that are written down several times."""
    told = sorted(values)
    return f"Each series is there {len(told)} times ({label} {', '.join(told)}) and is counted once"
