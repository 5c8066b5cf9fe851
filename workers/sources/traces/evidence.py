"""What traces say, as evidence: every value a named fact with its unit, each item with the page of its span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workers.contracts import Evidence, Fact
from workers.sources.traces.calls import CallEdge, RepeatedCalls, repeated_calls, service_map
from workers.sources.traces.failures import FailingOrigin, failing_origin
from workers.sources.traces.self_time import SlowPath, self_ms, slow_paths
from workers.sources.traces.span import Forest, Span, percentile, plant

MOST_SLOW, MOST_FAILING, MOST_REPEATED, MOST_EDGES = 5, 5, 3, 12
MOST_SHOWN, MOST_STEPS = 8, 12
SHOWN = (
    "exception.type exception.message error.message status.message http.request.method http.method http.route url.path "
    "http.target http.response.status_code http.status_code rpc.service rpc.method rpc.grpc.status_code db.system "
    "db.query.text db.statement messaging.destination.name peer.service server.address"
).split()
"""Attributes that are shown of a span, those that tell of errors first."""
PageOf = Callable[[str, str], str | None]


@dataclass(frozen=True)
class Analysis:
    """Whole traces and all that is told of them. ``slow``: see `slow_paths`; ``failing``: `failing_origin`;
    ``repeated``: `repeated_calls`; ``edges``: `service_map`; each the first few. ``roots``: of each trace its longest
    span without a parent."""

    forest: Forest
    roots: tuple[Span, ...]
    slow: tuple[SlowPath, ...]
    failing: tuple[FailingOrigin, ...]
    repeated: tuple[RepeatedCalls, ...]
    edges: tuple[CallEdge, ...]

    @property
    def failed(self) -> frozenset[str]:
        """Ids of traces with a failing span."""
        return frozenset(span.trace_id for span in self.forest.spans if span.error)


def analyse(spans: tuple[Span, ...]) -> Analysis:
    """All that is told of traces. Raises: nothing."""
    forest = plant(spans)
    roots: dict[str, Span] = {}
    for root in forest.roots:
        other = roots.get(root.trace_id)
        if other is None or root.duration_ms > other.duration_ms:
            roots[root.trace_id] = root
    return Analysis(
        forest=forest,
        roots=tuple(roots.values()),
        slow=slow_paths(forest, MOST_SLOW),
        failing=failing_origin(forest)[:MOST_FAILING],
        repeated=repeated_calls(forest)[:MOST_REPEATED],
        edges=service_map(forest)[:MOST_EDGES],
    )


def trace_evidence(found: Analysis, locator: str, extra: dict[str, Fact], page: PageOf) -> tuple[Evidence, ...]:
    """The summary, where failures began, where time went, repeated calls, and who called whom.

    ``locator``, ``extra``: of the summary. A span that is both slow and failing is one item. Empty without spans.
    """
    if not found.roots:
        return ()
    items: dict[str, Evidence] = {}
    paths = [(o.example, o.path, origin_facts(o)) for o in found.failing]
    paths += [(p.longest, p.path, slow_facts(p)) for p in found.slow]
    for span, path, facts in paths:
        own = self_ms(span, found.forest)
        item = span_evidence(span, path, own, facts, page)
        known = items.get(item.locator)
        items[item.locator] = item if known is None else item.model_copy(update={"facts": known.facts | item.facts})
    return (
        summary(found, locator, extra, page),
        *items.values(),
        *(repeated_evidence(calls, page) for calls in found.repeated),
        *(edge_evidence(edge, page) for edge in found.edges),
    )


def summary(found: Analysis, locator: str, extra: dict[str, Fact], page: PageOf) -> Evidence:
    """How many traces there are, how long they took, how many failed and where first."""
    durations = [root.duration_ms for root in found.roots]
    slowest = max(found.roots, key=lambda s: s.duration_ms)
    facts = {
        "traces": count(len(found.roots)),
        "spans": count(len(found.forest.spans)),
        "services": count(len({span.service for span in found.forest.spans})),
        "p50": ms(percentile(durations, 0.5)),
        "p95": ms(percentile(durations, 0.95)),
        "slowest": ms(slowest.duration_ms, slowest.label),
        "slowest_trace": Fact(value=slowest.trace_id, entity=slowest.label),
        "failed_traces": count(len(found.failed)),
        "failed_share": ratio(len(found.failed) / len(found.roots)),
    }
    if found.failing:
        facts["failing_first"] = Fact(value=label_of(found.failing[0]))
    if found.slow:
        facts["most_self_time"] = Fact(value=label_of(found.slow[0]))
        facts["most_self_time_share"] = ratio(found.slow[0].share, label_of(found.slow[0]))
    return Evidence(
        kind="trace",
        title=summary_title(found)[:200],
        locator=locator,
        url=page(slowest.trace_id, slowest.span_id),
        facts=facts | extra,
        observed_at=max(root.start for root in found.roots),
    )


def summary_title(found: Analysis) -> str:
    """The summary in one line."""
    one = len(found.roots) == 1
    longest = max(root.duration_ms for root in found.roots)
    lasted = f"{longest:.1f} ms" if one else f"at most {longest:.1f} ms"
    said = [f"{plural(len(found.roots), 'trace')}, {plural(len(found.forest.spans), 'span')}, {lasted}"]
    if found.slow:
        said.append(f"most time in {label_of(found.slow[0])} ({found.slow[0].share:.0%})")
    if found.failing:
        failed = "failed" if one else f"{len(found.failed)} failed"
        said.append(f"{failed}, first in {label_of(found.failing[0])}")
    return "; ".join(said)


def span_evidence(span: Span, path: tuple[Span, ...], own_ms: float, facts: dict[str, Fact], page: PageOf) -> Evidence:
    """One span, with the way that leads to it and the attributes that tell most."""
    label = span.label
    steps = [step.label for step in path]
    if len(steps) > MOST_STEPS:
        steps = [steps[0], "…", *steps[2 - MOST_STEPS :]]
    attributes = [f"{key}: {span.attributes[key][:300]}" for key in SHOWN if span.attributes.get(key)][:MOST_SHOWN]
    failed = ", failed" if span.error else ""
    return Evidence(
        kind="trace",
        title=f"{label}: {span.duration_ms:.1f} ms, {own_ms:.1f} ms of it itself{failed}"[:200],
        locator=locator_of(span),
        url=page(span.trace_id, span.span_id),
        excerpt="\n".join([" → ".join(steps), *attributes])[:2_000],
        facts={
            "service": Fact(value=span.service, entity=label),
            "name": Fact(value=span.name, entity=label),
            "duration_ms": ms(span.duration_ms, label),
            "self_ms": ms(own_ms, label),
            "error": Fact(value=span.error, entity=label),
            "trace_id": Fact(value=span.trace_id, entity=label),
            "started_at": Fact(value=span.start.isoformat(), unit="time", entity=label),
            **facts,
        },
        observed_at=span.start,
    )


def slow_facts(slow: SlowPath) -> dict[str, Fact]:
    """How much self time a place took over all traces."""
    label = label_of(slow)
    return {
        "self_total_ms": ms(slow.self_ms, label),
        "share": ratio(slow.share, label),
        "count": count(slow.count, label),
    }


def origin_facts(origin: FailingOrigin) -> dict[str, Fact]:
    """In how many traces failures began at a place."""
    label = label_of(origin)
    return {"failing_traces": count(origin.traces, label), "failing_share": ratio(origin.share, label)}


def repeated_evidence(calls: RepeatedCalls, page: PageOf) -> Evidence:
    """A call that is made again and again."""
    label = label_of(calls)
    return Evidence(
        kind="trace",
        title=f"{calls.count} × {label} under one {calls.parent.label}: {calls.wall_ms:.1f} ms"[:200],
        locator=f"{locator_of(calls.parent)}/calls/{calls.example.span_id}",
        url=page(calls.parent.trace_id, calls.parent.span_id),
        facts={
            "service": Fact(value=calls.service, entity=label),
            "name": Fact(value=calls.name, entity=label),
            "parent": Fact(value=calls.parent.label, entity=label),
            "count": count(calls.count, label),
            "parents": count(calls.parents, label),
            "total": ms(calls.total_ms, label),
            "wall": ms(calls.wall_ms, label),
            "share": ratio(calls.share, label),
            "trace_id": Fact(value=calls.parent.trace_id, entity=label),
        },
        observed_at=calls.parent.start,
    )


def edge_evidence(edge: CallEdge, page: PageOf) -> Evidence:
    """The calls of one service to another."""
    label = f"{edge.caller} → {edge.callee}"
    failed = f", {edge.errors} failed" if edge.errors else ""
    return Evidence(
        kind="trace",
        title=f"{label}: {plural(edge.calls, 'call')}, p95 {edge.p95_ms:.1f} ms{failed}"[:200],
        locator=f"{locator_of(edge.slowest)}/from/{edge.caller}/to/{edge.callee}",
        url=page(edge.slowest.trace_id, edge.slowest.span_id),
        facts={
            "caller": Fact(value=edge.caller, entity=label),
            "callee": Fact(value=edge.callee, entity=label),
            "calls": count(edge.calls, label),
            "errors": count(edge.errors, label),
            "error_share": ratio(edge.error_share, label),
            "p50": ms(edge.p50_ms, label),
            "p95": ms(edge.p95_ms, label),
            "traced": Fact(value=edge.traced, entity=label),
        },
        observed_at=edge.slowest.start,
    )


def label_of(place: SlowPath | FailingOrigin | RepeatedCalls) -> str:
    """A place, as people are shown it."""
    return f"{place.service} {place.name}"


def locator_of(span: Span) -> str:
    """Where a span is: ``trace:TRACE#SPAN``."""
    return f"trace:{span.trace_id}#{span.span_id}"


def ms(value: float, entity: str = "") -> Fact:
    """A duration."""
    return Fact(value=round(value, 3), unit="ms", entity=entity)


def count(value: int, entity: str = "") -> Fact:
    """A number of things."""
    return Fact(value=value, unit="count", entity=entity)


def ratio(value: float, entity: str = "") -> Fact:
    """A share, 0 to 1."""
    return Fact(value=round(value, 4), unit="ratio", entity=entity)


def plural(number: int, noun: str) -> str:
    """``1 span``, ``2 spans``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
