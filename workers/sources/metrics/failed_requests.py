"""How many requests failed within a window: their share, times how many there were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from workers.contracts import Fact
from workers.sources.metrics.measurement import Measured


def count_facts(measured: Measured, others: Iterable[Measured], entity: str) -> Iterator[tuple[str, Fact]]:
    """``failed`` and ``requests`` of the window, beside a share of errors; nothing where the requests of the same
    things were not measured with it.

    Moments without either value are left out: where samples are missing, less is counted than there was.
    """
    entry, applied = measured.resolved.known.entry, dict(measured.resolved.applied)
    traffic = next((m for m in others if is_traffic(m) and dict(m.resolved.applied) == applied), None)
    if entry.role != "errors" or entry.unit != "ratio" or traffic is None or traffic.view != measured.view:
        return
    inside = measured.times > measured.view.start
    rate, share = traffic.values[inside], measured.values[inside]
    known = np.isfinite(rate) & np.isfinite(share)
    counted = rate[known] * measured.view.step
    yield "requests", Fact(value=round(float(counted.sum())), unit="count", entity=entity)
    yield "failed", Fact(value=round(float((counted * share[known]).sum())), unit="count", entity=entity)


def is_traffic(measured: Measured) -> bool:
    """Whether it says how many requests there are each second."""
    entry = measured.resolved.known.entry
    return entry.role == "traffic" and entry.unit == "/s"
