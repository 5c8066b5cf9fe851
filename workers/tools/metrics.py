"""metrics_query: a metric or an alert over a window, with what changed, when, and what moved with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import Field

from workers.contracts import Landscape, ToolOutput
from workers.ports import ToolContext
from workers.sources.metrics.alert_history import alert_history
from workers.sources.metrics.alert_query import EVERY, NO_RULES, analyse_alert
from workers.sources.metrics.analysis import Missing, analyse
from workers.sources.metrics.catalogue import MetricsOptions, read_options
from workers.sources.metrics.metric_evidence import alert_evidence, count_evidence, deploy_evidence, gather
from workers.sources.metrics.metric_names import read_landscape
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.metrics_source import open_server
from workers.sources.metrics.query_string import AlertQuery, MetricQuery, parse_query
from workers.sources.metrics.report import report, report_missing
from workers.toolkit.tool import Resources, Tool, ToolArgs

DESCRIPTION = (
    "Reads metrics and alerts. query is a structured string: metric=NAME window=24h [compare=previous|day|week] "
    "[by=LABEL] [LABEL=VALUE]…, or alert=NAME [window=24h] (alert=* for all). "
    "window: 90m, 24h, 7d, deploy (since the last deploy), "
    "START/END or since:START in RFC 3339. Returns current value, baseline, change, peak, onset, related metrics, "
    "culprit, deploys and alerts."
)


class MetricsArgs(ToolArgs):
    """Arguments of metrics_query."""

    query: str = Field(min_length=1, description="metric=NAME window=24h LABEL=VALUE, or alert=NAME")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """The tool.

    Raises:
        ValidationError: the options are wrong; names each key.
    """
    checked, told = read_options(options), alert_history(resources.alerts)

    def connect() -> Server:
        server = resources.shared(open_server)
        server.told = told
        return server

    def run(args: MetricsArgs, context: ToolContext) -> ToolOutput:
        query = parse_query(args.query)
        if isinstance(query, AlertQuery):
            return run_alert(query, connect(), context, resources)
        return run_metric(query, connect(), context, resources, checked)

    return Tool(
        name="metrics_query",
        source="metrics",
        key="prometheus.url",
        purpose="look at the metrics",
        description=DESCRIPTION,
        access="read",
        args=MetricsArgs,
        run=run,
        ping=lambda: ping(connect()),
        landscape=lambda context: landscape(resources, connect, context),
        prepare=lambda: load(resources, connect),
    )


def run_metric(
    query: MetricQuery, server: Server, context: ToolContext, resources: Resources, options: MetricsOptions
) -> ToolOutput:
    """Answer a query for a metric."""
    found = analyse(query, server, context.now, resources.deploys, options.budget_ms / 1000)
    if isinstance(found, Missing):
        return ToolOutput(
            status="empty",
            summary=found.reason,
            data=report_missing(found),
            reason=found.reason,
            nearest=found.nearest,
        )
    evidence = gather(found, server.backend)
    return ToolOutput(summary=evidence[0].excerpt, data=report(found), evidence=evidence, reason=found.reason)


def run_alert(query: AlertQuery, server: Server, context: ToolContext, resources: Resources) -> ToolOutput:
    """Answer a query for an alert."""
    found = analyse_alert(query, server, context.now, resources.deploys)
    alerts = tuple(alert_evidence(a, found.window.start, found.window.end) for a in found.alerts)
    if query.alert == EVERY and not alerts and not server.backend.tells_alerts():
        return ToolOutput(status="empty", summary=NO_RULES, data={**found.data, "current": None}, reason=NO_RULES)
    no_rules = not found.alerts and server.backend.lacks_alert_rules()
    counted = count_evidence(found.alerts, found.window.start, found.window.end, no_rules=no_rules)
    count = (counted,) if query.alert == EVERY else ()
    evidence = (*count, *alerts, *(deploy_evidence(d) for d in found.deploys))
    return ToolOutput(summary=evidence[0].excerpt, data=found.data, evidence=evidence, reason=found.reason)


def load(resources: Resources, connect: Callable[[], Server]) -> None:
    """Open the source, when there is one. Raises: ToolUnavailable: it cannot be opened."""
    if resources.settings.core.prometheus.url or resources.settings.core.samples:
        connect()


def landscape(resources: Resources, connect: Callable[[], Server], context: ToolContext) -> Landscape:
    """The names that exist; none when no source is connected."""
    core = resources.settings.core
    if not core.prometheus.url and not core.samples:
        return Landscape()
    return read_landscape(connect(), context.now)


def ping(server: Server) -> str:
    """One line on the source."""
    return server.backend.ping(datetime.now(UTC).timestamp())
