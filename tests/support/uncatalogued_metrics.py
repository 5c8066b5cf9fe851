"""A service in names that no catalogue has, as OpenMetrics text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.support.metric_shapes import Text, histogram, times

POINTS_OF_ENTRY = ("/v9/quote", "/v9/bind", "/v9/claim")
REPLICAS = tuple(f"brk-{i}" for i in range(6))
SITES = ("nord", "sued")


def brokerage(
    path: Path,
    onset: float,
    *,
    hours: float = 30.0,
    slow: Mapping[str, str] | None = None,
    failing: Mapping[str, str] | None = None,
    busy: float = 1.0,
) -> Path:
    """Durations in seconds by entry point, replica and site; outcomes in words; failures of calls in a counter of their
    own; seats of a worker.

    Args:
        path: the file.
        onset: when something happens, epoch seconds.
        hours: how long it has run.
        slow: labels of what gets ten times slower at the onset.
        failing: labels of what fails from the onset on.
        busy: what the traffic is multiplied by at the onset.
    """
    t, text, rng = times(hours), Text(), np.random.default_rng(3)
    after = t > onset
    season = (1 + 0.3 * np.sin(2 * np.pi * t / 86_400)) * np.where(after, busy, 1.0)
    series = [
        ({"point_of_entry": p, "replica": r, "site": SITES[i % 2], "unit_name": "brokerage"}, i)
        for p in POINTS_OF_ENTRY
        for i, r in enumerate(REPLICAS)
    ]
    text.family("brk_handling_seconds", "histogram")
    counts = {}
    for n, (labels, _) in enumerate(series):
        bad = slow is not None and slow.items() <= labels.items()
        level = np.where(after & bad, 2.0, 0.2)
        histogram(text, "brk_handling_seconds", labels, t, 1.5 * season, level, 100 + n)
        counts[n] = rng.poisson(1.5 * 60 * season)
    text.family("brk_replies", "counter")
    for n, (labels, _) in enumerate(series):
        bad = failing is not None and failing.items() <= labels.items()
        wrong = rng.binomial(counts[n], np.where(after & bad, 0.3, 0.002))
        for verdict, count in (("done", counts[n] - wrong), ("crashed", wrong)):
            text.add("brk_replies_total", {**labels, "verdict": verdict}, t, np.cumsum(count))
    text.family("brk_desk_seats", "gauge")
    for replica in REPLICAS:
        for state, seats in (("used", rng.normal(20, 1, len(t)) * np.where(after, busy, 1.0)), ("idle", 60 + 0 * t)):
            text.add("brk_desk_seats", {"replica": replica, "state": state}, t, np.round(seats))
    return text.write(path)
