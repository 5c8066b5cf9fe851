"""traces: where requests lost their time, where failures began, and who called whom, by their spans."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field

from workers.contracts import Fact, Landscape, ToolOutput
from workers.errors import NotConnected, ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.sources.traces.backend import Found, Search, TraceBackend
from workers.sources.traces.evidence import Analysis, analyse, summary_title, trace_evidence
from workers.sources.traces.trace_source import connect
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

UNCONNECTED = "no traces are connected: set traces.url (a Tempo or a Jaeger) or traces.files in oracle.yaml"
TIME = "RFC 3339, now, today, yesterday, N hours ago, N days ago"
TRACE_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
NAMES_S = 300.0
MOST_NAMES = 2_000


class TracesArgs(ToolArgs):
    """Which traces."""

    trace_id: str = Field("", max_length=64, description="one trace, whole; the other arguments then do not count")
    service: str = Field("", max_length=200, description="service that a span is of, whole")
    operation: str = Field("", max_length=200, description="name of a span, whole, such as POST /pay")
    since: str = Field("1 hour ago", max_length=200, description=f"from when: {TIME}")
    until: str = Field("", max_length=200, description=f"until when: {TIME}; empty is now")
    min_ms: float = Field(0, ge=0, le=1e9, description="the span took so many milliseconds or more")
    errors_only: bool = Field(False, description="the span failed")
    limit: int = Field(20, ge=1, le=100, description="how many traces at most, the newest")


class Traces:
    """The backend, and the names of services that it knew last."""

    def __init__(self, settings: Settings) -> None:
        self.backend = connect(settings.core.traces)
        self.names = Landscape()
        self.named_at = float("-inf")

    def connected(self) -> TraceBackend:
        """The backend. Raises: ToolUnavailable: there is none."""
        if self.backend is None:
            raise NotConnected(UNCONNECTED)
        return self.backend

    def ping(self) -> str:
        """What it is. Raises: ToolUnavailable."""
        return self.connected().ping()

    def landscape(self, context: ToolContext) -> Landscape:
        """Names of services; those of before while it does not answer, which is not tried again at once."""
        del context
        if self.backend is None or time.monotonic() - self.named_at < NAMES_S:
            return self.names
        self.named_at = time.monotonic()
        try:
            self.names = Landscape(labels={"service": self.backend.services()[:MOST_NAMES]})
        except ToolUnavailable:
            return self.names
        return self.names

    def run(self, args: TracesArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"traces", "spans", "slow", "failing", "repeated", "calls", "skipped", "more"}``, durations
        in ms. Raises: ToolError."""
        backend = self.connected()
        if args.trace_id:
            check(args)
            found = backend.trace(args.trace_id)
            locator, extra = f"trace:{args.trace_id}", {}
            nothing = ToolOutput(status="empty", reason=f"there is no trace {args.trace_id}{told_skipped(found)}")
        else:
            search = read_search(args, context)
            found = backend.search(search)
            locator, extra = locator_of(args), span_facts(search)
            nothing = nothing_found(args, found, backend) if not found.spans else ToolOutput()
        if not found.spans:
            return nothing
        analysis = analyse(found.spans)
        evidence = trace_evidence(analysis, locator, extra | read_facts(found), backend.page)
        return ToolOutput(summary=summary_title(analysis), data=as_json(analysis, found), evidence=evidence)


def read_search(args: TracesArgs, context: ToolContext) -> Search:
    """The arguments as a search. Raises: ToolArgumentError: the times are no span."""
    zone = read_zone(context.timezone)
    since, until = (read_typed_time(said or "now", context.now, zone) for said in (args.since, args.until))
    if since is None or until is None or since >= until:
        raise ToolArgumentError(f"since, until: {args.since!r}, {args.until!r} are no span of time; write {TIME}")
    return Search(
        since=since,
        until=until,
        service=args.service.strip(),
        operation=args.operation.strip(),
        min_ms=args.min_ms,
        errors_only=args.errors_only,
        limit=args.limit,
    )


def nothing_found(args: TracesArgs, found: Found, backend: TraceBackend) -> ToolOutput:
    """That no trace is like that, and which services there are when the one that is asked for is none."""
    wanted = [
        f"of service {args.service}" if args.service else "",
        f"with a span {args.operation}" if args.operation else "",
        f"of {args.min_ms:g} ms or more" if args.min_ms else "",
        "that failed" if args.errors_only else "",
        f"since {args.since}",
        f"until {args.until}" if args.until else "",
    ]
    reason = f"there is no trace {' '.join(filter(None, wanted))}{told_skipped(found)}"
    try:
        services = backend.services() if args.service else ()
    except ToolUnavailable:
        services = ()
    if services and args.service.lower() not in {name.lower() for name in services}:
        reason = f"no service is called {args.service} in the traces"
        return ToolOutput(status="empty", reason=reason, nearest=nearest_names([args.service], services, 5))
    return ToolOutput(status="empty", reason=reason)


def told_skipped(found: Found) -> str:
    """That something could not be read, at the end of a sentence."""
    number = sum(found.skipped.values())
    return f"; {number} items could not be read: {', '.join(sorted(found.skipped))}" if number else ""


def locator_of(args: TracesArgs) -> str:
    """What was searched for, such as ``traces?service=shop&since=1 hour ago``."""
    asked: Mapping[str, Any] = args.model_dump(exclude={"trace_id"}, exclude_defaults=True) | {"since": args.since}
    return f"traces?{'&'.join(f'{name}={value}' for name, value in asked.items())}"


def span_facts(search: Search) -> dict[str, Fact]:
    """The span of time that was searched, and what for."""

    def at(moment: datetime) -> Fact:
        return Fact(value=moment.isoformat(), unit="time")

    asked = {"of_service": search.service, "of_operation": search.operation}
    return {"span_start": at(search.since), "span_end": at(search.until)} | {
        name: Fact(value=value) for name, value in asked.items() if value
    }


def read_facts(found: Found) -> dict[str, Fact]:
    """What of the traces was not read."""
    counts = {"skipped": sum(found.skipped.values()), "unanswered": found.unanswered}
    facts = {name: Fact(value=number, unit="count") for name, number in counts.items() if number}
    return facts | ({"more": Fact(value=True)} if found.more else {})


def as_json(analysis: Analysis, found: Found) -> dict[str, Any]:
    """All that is told, as plain JSON."""
    return {
        "traces": len(analysis.roots),
        "spans": len(analysis.forest.spans),
        "slow": [
            {
                "service": p.service,
                "name": p.name,
                "self_ms": round(p.self_ms, 3),
                "share": round(p.share, 4),
                "count": p.count,
                "trace_id": p.longest.trace_id,
                "span_id": p.longest.span_id,
            }
            for p in analysis.slow
        ],
        "failing": [
            {
                "service": o.service,
                "name": o.name,
                "traces": o.traces,
                "share": round(o.share, 4),
                "trace_id": o.example.trace_id,
                "span_id": o.example.span_id,
            }
            for o in analysis.failing
        ],
        "repeated": [
            {
                "service": r.service,
                "name": r.name,
                "parent": r.parent.label,
                "count": r.count,
                "ms": round(r.wall_ms, 3),
            }
            for r in analysis.repeated
        ],
        "calls": [
            {
                "caller": e.caller,
                "callee": e.callee,
                "calls": e.calls,
                "error_share": round(e.error_share, 4),
                "p50_ms": round(e.p50_ms, 3),
                "p95_ms": round(e.p95_ms, 3),
            }
            for e in analysis.edges
        ],
        "skipped": dict(found.skipped),
        "more": found.more,
    }


def check(args: TracesArgs) -> None:
    """Raises: ToolArgumentError: the id of a trace is none."""
    if args.trace_id and not TRACE_ID.fullmatch(args.trace_id):
        raise ToolArgumentError(f"trace_id: {args.trace_id[:64]!r} is no id of a trace: letters, digits, - and _")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    traces = resources.shared(Traces)
    return Tool(
        name="traces",
        source="traces",
        key="traces",
        purpose="look into traces",
        description=(
            "Spans of requests: where their time went (self time without that of calls), where failures began, the "
            "same call many times under one span, who calls whom with error shares and p95. By one trace_id, or by "
            "service, operation, span of time, duration and failure. It reads the newest traces that match, a sample "
            "of what ran, so their number is no request rate. Reads only."
        ),
        access="read",
        args=TracesArgs,
        run=traces.run,
        ping=traces.ping,
        landscape=traces.landscape,
        check=check,
    )
