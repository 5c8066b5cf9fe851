"""What is wrong by the connected sources: the series that moved, what the last deploys brought, new log lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from workers.contracts import Deploy
from workers.sources.causes.incident import Alert, Commit, Flag, Incident, LogPattern, Notice, Part, Release, Series
from workers.sources.causes.onset import Move
from workers.sources.causes.symptoms import Symptoms
from workers.sources.evidence.deployed_changes_result import Delivery, carried
from workers.sources.metrics.analysis import Analysis
from workers.sources.metrics.measurement import Measured
from workers.sources.metrics.onset import Change

NONE: frozenset[str] = frozenset()
LOAD = "request_rate"
"""What a series of requests is called, whatever its server calls it."""


def connected_symptoms(
    question: str,
    service: str,
    analysis: Analysis,
    change: Change,
    deliveries: Sequence[Delivery],
    later: Sequence[Deploy] = (),
    patterns: Sequence[LogPattern] = (),
    flags: Sequence[Flag] = (),
    notices: Sequence[Notice] = (),
) -> Symptoms:
    """What is wrong.

    Args:
        question: what is asked, whose words say what went wrong.
        service: whose metric it is; empty when that is not known.
        analysis: the metric that is asked about, and those beside it.
        change: how it moved.
        deliveries: what the last deploys before it moved brought.
        later: deploys from then until it came back.
    """
    asked = analysis.culprit or analysis.main
    measured = {id(m): m for m in (asked, analysis.main, *analysis.related)}
    moves = sorted(moves_of(measured.values(), service), key=lambda m: m.at)
    labels = " ".join(value for _, value in asked.resolved.applied)
    blame = analysis.breakdown.blame if analysis.breakdown and analysis.breakdown.explains else None
    incident = Incident(
        alert=Alert(service, asked.resolved.known.name, f"{question} {labels}", moment(change.at)),
        series=tuple(m.series for m in moves),
        patterns=tuple(patterns),
        commits=tuple(Commit.of(one) for _, one in carried(deliveries)),
        releases=(*map(release_of, deliveries), *(Release(d.service, d.commit, d.version, d.at, NONE) for d in later)),
        flags=tuple(flags),
        notices=tuple(notices),
        part=Part(blame.label, blame.value, blame.share) if blame else None,
        recovered=moment(change.ended_at) if change.ended_at is not None else None,
    )
    return Symptoms(incident, tuple(moves), change.at)


def moves_of(measured: Iterable[Measured], service: str) -> Iterator[Move]:
    """The metrics that left their level, with the level before and the one after."""
    for one in measured:
        change, entry = one.reading.change, one.resolved.known.entry
        if change is not None and one.reading.moved:
            name = LOAD if entry.role == "traffic" else one.resolved.known.name
            series = Series(service, name, one.times.tolist(), one.values.tolist())
            yield Move(series, change.at, change.baseline, change.level)


def release_of(delivery: Delivery) -> Release:
    """A deploy with the commits that it is known to have brought."""
    found = delivery.deploy
    holds = frozenset(c.commit for c in found.changes) if delivery.source else None
    return Release(found.deploy.service, found.deploy.commit, found.deploy.version, found.deploy.at, holds)


def moment(seconds: float) -> datetime:
    """Epoch seconds as a time."""
    return datetime.fromtimestamp(seconds, UTC)
