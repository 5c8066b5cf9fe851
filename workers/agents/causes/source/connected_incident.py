"""What is wrong by the connected sources: the series that moved, what the last deploys brought, new log lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.agents.causes.source.bundle import calls_of
from workers.agents.causes.source.incident import (
    Alert,
    Commit,
    Flag,
    Incident,
    LogPattern,
    Notice,
    Part,
    Release,
    Series,
)
from workers.agents.causes.source.onset import Move, find_move
from workers.agents.causes.source.symptoms import EARLY_S, Symptoms, read_symptoms, text_stems
from workers.contracts import Deploy
from workers.sources.evidence.deployed_changes_result import Delivery, carried
from workers.sources.metrics.analysis import Analysis
from workers.sources.metrics.measurement import Measured
from workers.sources.metrics.onset import Change
from workers.sources.traces.span import Span

SEEN_S = 600.0
"""So long after an onset what is usual is learned from the older half of what was before."""
NONE: frozenset[str] = frozenset()
LOAD = "request_rate"
"""What a series of requests is called, whatever its server calls it."""


@dataclass(frozen=True)
class Begun:
    """What moved: whose metric, since when (epoch seconds), until when; every move, the first ones first, and every
    series that was read. ``labels``: values of labels that it is of; ``part``: which part of it carries it."""

    service: str
    metric: str
    onset: float
    ended: float | None
    moves: tuple[Move, ...]
    series: tuple[Series, ...] = ()
    labels: str = ""
    part: Part | None = None

    @property
    def services(self) -> frozenset[str]:
        """The services of which something moved."""
        return frozenset(m.series.service for m in self.moves) - {""}


def connected_symptoms(
    question: str,
    begun: Begun,
    deliveries: Sequence[Delivery],
    later: Sequence[Deploy] = (),
    patterns: Sequence[LogPattern] = (),
    flags: Sequence[Flag] = (),
    notices: Sequence[Notice] = (),
    spans: Sequence[Span] = (),
) -> Symptoms:
    """What is wrong.

    Args:
        question: what is asked, whose words say what went wrong.
        begun: what moved, when and where.
        deliveries: what the last deploys before it moved brought.
        later: deploys from then until it came back.
    """
    incident = Incident(
        alert=Alert(begun.service, begun.metric, f"{question} {begun.labels}".strip(), moment(begun.onset)),
        series=tuple({id(s): s for s in (*(m.series for m in begun.moves), *begun.series)}.values()),
        patterns=tuple(patterns),
        spans=tuple(spans),
        commits=tuple(Commit.of(one) for _, one in carried(deliveries)),
        releases=(*map(release_of, deliveries), *(Release(d.service, d.commit, d.version, d.at, NONE) for d in later)),
        flags=tuple(flags),
        notices=tuple(notices),
        calls=calls_of(spans),
        part=begun.part,
        recovered=moment(begun.ended) if begun.ended is not None else None,
    )
    return Symptoms(incident, begun.moves, begun.onset)


def measured_beginning(service: str, analysis: Analysis, change: Change, around: Sequence[Series]) -> Begun:
    """What moved by the metric that is asked about, those beside it, and what else moved then.

    Args:
        service: whose metric it is; empty when that is not known.
        analysis: the metric that is asked about, and those beside it.
        change: how it moved.
        around: metrics by service.
    """
    asked = analysis.culprit or analysis.main
    measured = {id(m): m for m in (asked, analysis.main, *analysis.related)}
    moves = list(moves_of(measured.values(), service))
    known = {name for m in measured.values() for name in m.resolved.names}
    others = others_of(around, change.at)
    moves += [m for m in others if m.series.service not in {service, ""} or m.series.metric not in known]
    near = [m.at for m in moves if m.series.service == service and change.at - EARLY_S <= m.at]
    labels = " ".join(value for _, value in asked.resolved.applied)
    blame = analysis.breakdown.blame if analysis.breakdown and analysis.breakdown.explains else None
    return Begun(
        service=service,
        metric=asked.resolved.known.name,
        onset=min([change.at, *near]),  # the first sign of the same service
        ended=change.ended_at,
        moves=tuple(sorted(moves, key=lambda m: m.at)),
        series=tuple(around),
        labels=labels,
        part=Part(blame.label, blame.value, blame.share) if blame else None,
    )


def seen_beginning(question: str, service: str, around: Sequence[Series], until: float) -> Begun | None:
    """What moved of a service by all that is measured of it; None when nothing did.

    Its metric that the question speaks of says when it began, else the first that moved.

    Args:
        service: as a filter names it, where the question names none of ``around``; may be empty.
        until: epoch seconds of the question.
    """
    service = named_service(question, around) or service
    own = [m for m in others_of(around, math.inf) if m.series.service == service]
    if not service or not own:
        return None
    said = text_stems(question)
    metric = max(own, key=lambda m: (len(text_stems(m.series.metric) & said), -m.at)).series.metric
    found = read_symptoms(Incident(Alert(service, metric, question, moment(until)), tuple(around)))
    return Begun(service, metric, found.onset, None, found.moves, tuple(around)) if found.has_onset else None


def named_service(question: str, around: Sequence[Series]) -> str:
    """The service that a question names first; empty when it names none."""
    names = {s.service for s in around}
    written = {n: re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", question, re.IGNORECASE) for n in names}
    return min(((at.start(), -len(n), n) for n, at in written.items() if at), default=(0, 0, ""))[2]


def others_of(around: Sequence[Series], onset: float) -> Iterator[Move]:
    """What left its range not long before an onset or after it."""
    for series in around:
        move = find_move(series, min(onset + SEEN_S, series.times[-1] if len(series.times) else onset))
        if move is not None and (math.isinf(onset) or move.at >= onset - EARLY_S):
            yield move


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
