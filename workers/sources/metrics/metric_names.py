"""The names that a server holds: metrics that can be asked for, values of labels, alerts."""

from __future__ import annotations

import time
from datetime import datetime

from workers.contracts import Landscape, MetricInfo
from workers.sources.metrics.alerts import alert_names
from workers.sources.metrics.deadline_pool import DeadlinePool
from workers.sources.metrics.label_roles import part_of
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.resolved_metric import Resolved

BACK_S = 7 * 86_400
MOST_VALUES = 500
MOST_PLACES = 12  # labels of a server that no catalogue names
MOST_OF_PLACE = 200  # a label with more values tells requests or people, not places
PLACE = "metric_"
"""Before the name of a server's own label, so that it is not taken for another source's: ``metric_cluster``."""
BUDGET_S = 4.0  # for each of two rounds; both together stay within what the landscape of a tool may take


def read_landscape(server: Server, now: datetime) -> Landscape:
    """What can be asked of a server.

    Args:
        server: where.
        now: the moment asked about; label values of the week before it count.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    last = now.timestamp()
    first = last - BACK_S
    server.names()
    side = DeadlinePool[tuple[Resolved, ...]](server.backend.parallel, time.monotonic() + BUDGET_S)
    metrics = list(server.catalogue.metrics.values())
    found = side.run([(k.name, lambda k=k: server.candidates(k, last)) for k in metrics])  # type: ignore[misc]
    usable = [(k, r[0]) for k, r in zip(metrics, found, strict=True) if r]
    names = tuple(dict.fromkeys(n for _, r in usable for n in r.filtered))
    return Landscape(
        metrics=tuple(
            MetricInfo(name=k.name, unit=k.entry.unit, aliases=k.entry.aliases, role=k.entry.role) for k, _ in usable
        ),
        labels=label_values(server, names, first, last) | place_values(server, names, first, last),
        alerts=alert_names(server, first, last)[:MOST_VALUES],
    )


def label_values(server: Server, names: tuple[str, ...], first: float, last: float) -> dict[str, tuple[str, ...]]:
    """Logical label -> its values on some metrics, whatever each of them calls it."""
    carriers: dict[tuple[str, str], list[str]] = {}
    for name in names:
        for label in server.catalogue.labels:
            physical = server.spelling(name, label)
            if physical:
                carriers.setdefault((label, physical), []).append(name)
    side = DeadlinePool[tuple[str, ...]](server.backend.parallel, time.monotonic() + BUDGET_S)
    read = server.backend.label_values
    answers = side.run([(label, lambda p=p, m=m: read(p, tuple(m), first, last)) for (label, p), m in carriers.items()])  # type: ignore[misc]
    out: dict[str, tuple[str, ...]] = {}
    for (label, _), values in zip(carriers, answers, strict=True):
        out[label] = tuple(dict.fromkeys((*out.get(label, ()), *(values or ()))))[:MOST_VALUES]
    return out


def place_values(server: Server, names: tuple[str, ...], first: float, last: float) -> dict[str, tuple[str, ...]]:
    """``metric_LABEL`` -> its values, for labels that no catalogue names: a cluster, region, version or environment."""
    known = {spelt for label in server.catalogue.labels for spelt in server.catalogue.physical(label)}
    carriers: dict[str, list[str]] = {}
    for name in names:
        for label in server.labels(name) - known:
            carriers.setdefault(label, []).append(name)
    side = DeadlinePool[tuple[str, ...]](server.backend.parallel, time.monotonic() + BUDGET_S)
    read, asked = server.backend.label_values, sorted(carriers, key=lambda x: (-len(carriers[x]), x))[:MOST_PLACES]
    answers = side.run([(x, lambda x=x: read(x, tuple(carriers[x]), first, last)) for x in asked])  # type: ignore[misc]
    found = {x: values for x, values in zip(asked, answers, strict=True) if values and len(values) <= MOST_OF_PLACE}
    return {f"{PLACE}{x}": v for x, v in found.items() if part_of(x, v) not in {"within", "status", "verb"}}
