"""promql and list_metrics: any expression on the connected source of metrics, and what that source holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from promql_parser import VectorSelector
from pydantic import Field

from workers.contracts import ToolOutput
from workers.errors import ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.sources.metrics.backend import Backend
from workers.sources.metrics.bucket_edges import divisor_of, finite_bounds, histogram_of
from workers.sources.metrics.expression_query import Expression, evaluate, read_expression, why_empty
from workers.sources.metrics.expression_result import (
    MOST_SERIES,
    data_of,
    describe,
    instant_evidence,
    range_evidence,
    summarize,
    unit_of_values,
    with_finer_onsets,
)
from workers.sources.metrics.measurement import flaws_of
from workers.sources.metrics.metric_list import list_metrics, listed_evidence, logical, logical_evidence
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.metrics_source import catalogue_options, open_server
from workers.sources.metrics.name_words import TIME_UNITS, tokens
from workers.sources.metrics.series_checks import DAY_S, read_unit
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

PROMQL = (
    "Evaluate one PromQL expression on the connected Prometheus, at one moment or over a range (at most 31 "
    "days, 11,000 points a series). Of each series (at most 50): first, last, lowest, highest, mean, and when "
    "it changed. For usual questions on latency, errors or traffic metrics_query finds more in one call; "
    'list_metrics knows the names. Example: {"query": "topk(5, sum by (endpoint) '
    '(rate(http_requests_total{status=~\\"5..\\"}[5m])))", "start": "-6h"}.'
)

LIST_METRICS = (
    "List the metrics of the connected Prometheus that fit some words or an endpoint: name, type, help, "
    "labels with their values, number of series; and the names that metrics_query takes for them. Use it "
    'before promql, or when a metric is not found. Example: {"words": "cache", "endpoint": "/api/search"}.'
)


class PromqlArgs(ToolArgs):
    """What to evaluate, and when."""

    query: str = Field(
        "",
        max_length=4_000,
        description="one PromQL expression, with real names: sum by (status) (rate(http_requests_total[5m]))",
    )
    start: str = Field(
        "", max_length=60, description="of a range: RFC 3339 or -6h; without it the query is of one moment"
    )
    end: str = Field("", max_length=60, description="of a range: RFC 3339, -1h or now, which it is when empty")
    step: str = Field("", max_length=20, description="of a range: 30s, 5m; chosen for about 300 points when empty")
    at: str = Field("", max_length=60, description="the one moment: RFC 3339 or -6h; now when empty")


class ListArgs(ToolArgs):
    """Which metrics."""

    words: str = Field(
        "",
        max_length=300,
        description="words that name, help, labels or a usual name of the metric hold, all of them: db latency, "
        "cache; all metrics when empty",
    )
    endpoint: str = Field("", max_length=300, description="only metrics with a label of this value: /api/search")


def build_promql(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)

    def run(args: PromqlArgs, context: ToolContext) -> ToolOutput:
        return run_expression(args, context, lambda: resources.shared(open_server).backend)

    return Tool(
        name="promql",
        purpose="evaluate an expression on the metrics",
        description=PROMQL,
        access="read",
        args=PromqlArgs,
        run=run,
    )


def run_expression(args: PromqlArgs, context: ToolContext, connect: Callable[[], Backend]) -> ToolOutput:
    """Evaluate an expression.

    Returns: ``data = {"query", "start", "end", "step_s", "unit", "count", "series": [{"labels", "points",
        "onset_at"}]}``: at most 50 series of at most 240 points ``[time, value]``; ``count`` is of all series.

    Raises:
        ToolArgumentError: there is no expression, a time is none, or it would be too much.
        ToolUnavailable: no source is connected, or it cannot evaluate the expression.
    """
    asked = read_expression(args.query, args.start, args.end, args.step, args.at, context.now)
    backend = connect()
    frame = evaluate(backend, asked)
    bounds, doubt = read_buckets(backend, asked)
    found, flaws = summarize(frame, bounds), flaws_of(frame)
    lost = {"unavailable": list(flaws)} if flaws else {}
    if not found:
        why, nearest = why_empty(backend, asked)
        why = "; ".join((why, *flaws))
        return ToolOutput(status="empty", reason=why, nearest=nearest, data=data_of(asked, found) | lost)
    found = with_finer_onsets(found, asked, backend)
    evidence = instant_evidence(asked, found, backend) if asked.instant else range_evidence(asked, found, backend)
    left = len(found) - MOST_SERIES
    cut = f"{MOST_SERIES} of {len(found)} series are shown; aggregate, such as sum by (…), or ask for topk(10, …)"
    changed = sum(one.change is not None for one in found)
    count = f"{len(found)} series" + (f", {changed} of them changed" if changed else "")
    first = describe(found[0], unit_of_values(asked, found))
    return ToolOutput(
        summary=first if len(found) == 1 else f"{count}; {first}",
        data=data_of(asked, found) | lost,
        evidence=evidence,
        reason="; ".join(filter(None, [cut if left > 0 else "", counter_hint(asked), doubt, *flaws])),
    )


def read_buckets(backend: Backend, asked: Expression) -> tuple[tuple[float, ...], str]:
    """Of a quantile of a histogram: the bounds of its buckets, in its unit, and a doubt of that; else nothing."""
    histogram, end = histogram_of(asked.text), float(asked.grid.end)
    if not histogram:
        return (), ""
    try:
        texts = backend.label_values("le", (f"{histogram}_bucket",), asked.grid.start - DAY_S, end)
        told_s = time_factor(histogram)
        doubt = read_unit(backend, asked.text, histogram, told_s, end).doubt if told_s else ""
    except ToolUnavailable:
        return (), ""
    return finite_bounds(texts, 1 / divisor_of(asked.text)), doubt


def time_factor(name: str) -> float:
    """Seconds in the unit of time that a name says; 0 where it says none."""
    return next((TIME_UNITS[word] for word in reversed(tokens(name)) if word in TIME_UNITS), 0.0)


def counter_hint(asked: Expression) -> str:
    """What to ask instead of a counter's total since its start; empty when it is not what is asked for."""
    name = asked.tree.name if isinstance(asked.tree, VectorSelector) else ""
    return f"{name} counts since its start: rate(…[5m]) of it says what happens per second" if is_counter(name) else ""


def is_counter(name: str | None) -> bool:
    """Whether a metric's name says that it only grows."""
    return bool(name) and str(name).endswith(("_total", "_count", "_sum", "_bucket"))


def build_list_metrics(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown, or those of metrics_query are wrong."""
    NoOptions.model_validate(options)
    catalogue_options(resources.settings)

    def run(args: ListArgs, context: ToolContext) -> ToolOutput:
        return run_list(args, context, resources.shared(open_server))

    return Tool(
        name="list_metrics",
        purpose="list the metrics",
        description=LIST_METRICS,
        access="read",
        args=ListArgs,
        run=run,
    )


def run_list(args: ListArgs, context: ToolContext, server: Server) -> ToolOutput:
    """List metrics.

    Returns: ``data = {"count", "metrics": [{"name", "kind", "help", "labels", "series"}], "logical": [names]}``.

    Raises:
        ToolArgumentError: an endpoint that no metric carries.
        ToolUnavailable: the source does not answer.
    """
    words, at = args.words.split(), context.now.timestamp()
    rows, count = list_metrics(server, words, args.endpoint.strip(), at)
    known = logical(server, words, at)
    data = {"count": count, "metrics": [asdict(r) for r in rows], "logical": [k.name for k in known]}
    if not rows:
        return no_metric(args, server, at, data)
    locator = " ".join(filter(None, [args.words, args.endpoint])) or "all metrics"
    evidence = listed_evidence(rows, count, locator)
    cut = f"{len(rows)} of {count} metrics are shown; give words to see others" if len(rows) < count else ""
    first = ", ".join(r.name for r in rows[:5])
    return ToolOutput(
        summary=f"{count} metric{'s' * (count != 1)}: {first}" + (", …" if count > 5 else ""),
        data=data,
        evidence=(*evidence, logical_evidence(known)) if known else evidence,
        reason=cut,
    )


def no_metric(args: ListArgs, server: Server, at: float, data: dict[str, Any]) -> ToolOutput:
    """No metric fits: names that come near, or the endpoints that there are."""
    families = server.holdings.inventory(at)
    routes = dict.fromkeys(v for f in families.values() if (label := f.label_of("endpoint")) for v in f.labels[label])
    if args.endpoint and args.endpoint not in routes:
        near = nearest_names([args.endpoint], routes) or tuple(routes)[:5]
        return ToolOutput(
            status="empty", reason=f"no metric has a label of the value {args.endpoint!r}", nearest=near, data=data
        )
    words = [*args.words.split(), args.words]
    near = nearest_names(words, [*server.catalogue.metrics, *server.names()], limit=5, least=55)
    within = f" with {args.endpoint}" if args.endpoint else ""
    return ToolOutput(status="empty", reason=f"no metric{within} fits {args.words!r}", nearest=near, data=data)
