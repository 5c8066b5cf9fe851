"""What an incident did, as metrics tell it: a few queries over its time through the tools' wrappers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

from workers.contracts import Evidence, Landscape, RequestLog, ToolOutput, rfc3339
from workers.engine.anomaly import has_moved
from workers.engine.engine import Engine
from workers.grounding.health import text_of
from workers.incidents.summary.metric_impact import ROLES, Measured, gather
from workers.incidents.summary.summary_types import Summary
from workers.ports import ToolContext
from workers.reasoning.label_filters import quoted
from workers.reasoning.metric_selection import filter_of, first_of_role
from workers.reasoning.question_subjects import names_in
from workers.settings.schema import PostmortemSection

TOOL = "metrics_query"
BEFORE, AFTER = timedelta(minutes=30), timedelta(minutes=30)
LONGEST = timedelta(days=30)
DEFAULTS = {"errors": "error_ratio", "latency": "latency_p95", "traffic": "traffic"}
PLACE = ("service", "endpoint")
MOST_PLACES, MOST_OTHERS = 2, 2
NO_TOOL = "no agent may read metrics"


def measure(
    engine: Engine,
    time: PostmortemSection,
    name: str,
    summary: Summary,
    looked: RequestLog | None,
    since: datetime,
    until: datetime,
) -> Measured:
    """Measure an incident from half an hour before it until half an hour after; whatever fails is a gap.

    Args:
        engine: whose tools are used, by an agent that may.
        time: how long that may take.
        name: of this errand, for the tools' audit.
        summary: which services and endpoints it is about, by the names that metrics know.
        looked: what the first look found, which is measured as well; None when there was none.
        since: when it began, aware.
        until: when it was over, aware.
    """
    now = engine.clock.now()
    end = min(until + AFTER, now)
    start = max(min(since, end) - BEFORE, end - LONGEST)
    agent = next((a for a in engine.agents.values() if TOOL in a.limits.tools), None)
    if agent is None:
        return Measured(start=start, end=end, gaps=(NO_TOOL,))
    context = ToolContext(name, agent.name, now)
    landscape = engine.toolbox.landscape(context)
    wanted = list(queries(summary, looked, landscape))
    limits = replace(
        agent.limits,
        max_tool_calls=len(wanted),
        tool_timeout_ms=time.tool_timeout_ms,
        tools_total_ms=time.tools_total_ms,
    )
    session = engine.toolbox.open(context, limits)

    def ask(query: tuple[str, str]) -> tuple[str, ToolOutput]:
        metric, of = query
        text = f"metric={metric} window={rfc3339(start)}/{rfc3339(end)}{of}"
        return f"{metric}{of}", session.call("measure", TOOL, {"query": text})[1]

    with ThreadPoolExecutor(max_workers=4 if agent.limits.parallel else 1) as pool:
        return gather(start, end, pool.map(ask, wanted))


def queries(summary: Summary, looked: RequestLog | None, landscape: Landscape) -> Iterator[tuple[str, str]]:
    """Metrics with their filters, `` endpoint=/pay``: what people feel of each place, then what the first look saw
    move. With no place that metrics know, all requests are measured.
    """
    names = [info.name if (info := first_of_role(landscape, role)) else DEFAULTS[role] for role in ROLES]
    for place in places(summary, looked, landscape) or [""]:
        yield from ((name, place) for name in names)
    others = dict.fromkeys((text_of(m, "metric_name"), place_of(m)) for m in moved(looked))
    yield from [pair for pair in others if pair[0] not in names][:MOST_OTHERS]


def places(summary: Summary, looked: RequestLog | None, landscape: Landscape) -> list[str]:
    """The filters of services and endpoints that the incident is about, the most telling first, none within another."""
    said = (summary.title, *(line.text for line in (*summary.impact, summary.status, *summary.known)))
    found = [place_of(m) for m in moved(looked) if text_of(m, "role") in ROLES]
    found += [filter_of(name, landscape, DEFAULTS["errors"]) for text in said for name in named(text, landscape)]
    kept = list(dict.fromkeys(filter(None, found)))
    whole = [p for p in kept if not any(p != q and set(p.split()) < set(q.split()) for q in kept)]
    return whole[:MOST_PLACES]


def named(text: str, landscape: Landscape) -> Iterable[str]:
    """The names in a text that metrics know."""
    values = {v for label in PLACE for v in landscape.labels.get(label, ())}
    return (name for name in names_in(text, landscape, "debug_incident") if name in values)


def moved(looked: RequestLog | None) -> list[Evidence]:
    """The metrics that the first look saw move."""
    return [e for e in looked.evidence if e.kind == "metric" and has_moved(e)] if looked else []


def place_of(metric: Evidence) -> str:
    """What a metric was measured of, as filters."""
    known = [(label, value) for label in PLACE if (value := text_of(metric, label))]
    return "".join(f" {label}={quoted(value)}" for label, value in known)
