"""A tool, a context, limits and a clock to put together in tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from workers.contracts import Landscape, ToolOutput
from workers.ports import Limits, ToolContext
from workers.toolkit.cache import Cache
from workers.toolkit.clock import SystemClock
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Tool, ToolArgs
from workers.toolkit.tool_call import CallSession, Wrapped, worth_keeping

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PATIENT_MS = 60_000
"""A limit that no test is meant to reach."""


class EchoArgs(ToolArgs):
    query: str
    k: int = 3


def echo(args: EchoArgs, context: ToolContext) -> ToolOutput:
    return ToolOutput(summary=f"{args.query} × {args.k}", data={"query": args.query})


def make_tool(
    run: Callable[[Any, ToolContext], ToolOutput] = echo,
    *,
    name: str = "echo",
    access: Any = "read",
    landscape: Callable[[ToolContext], Landscape] | None = None,
) -> Tool:
    return Tool(name=name, description="Echoes.", access=access, args=EchoArgs, run=run, landscape=landscape)


def make_context(now: datetime = NOON, *, timezone: str = "UTC", agent: str = "research") -> ToolContext:
    return ToolContext(request_id="request-1", agent=agent, now=now, timezone=timezone)


def make_limits(**changes: Any) -> Limits:
    values: dict[str, Any] = {
        "tools": ("echo",),
        "max_tool_calls": 100,
        "overflow": "stop",
        "tool_timeout_ms": PATIENT_MS,
        "tools_total_ms": PATIENT_MS,
        "parallel": True,
        "refine": 1,
        "max_steps": 8,
        "validators": (),
    }
    return Limits(**{**values, **changes})


def new_cache(clock: Callable[[], float] = SystemClock.monotonic_ms, **options: Any) -> Cache[ToolOutput]:
    return Cache(worth_keeping, clock, **options)


def make_session(
    *tools: Tool,
    limits: Limits | None = None,
    context: ToolContext | None = None,
    cache: Cache[ToolOutput] | None = None,
    clock: Callable[[], float] = SystemClock.monotonic_ms,
    timeout_ms: int | None = None,
    cache_ttl_s: int = 0,
) -> CallSession:
    wrapped = {t.name: Wrapped(t, timeout_ms, cache_ttl_s) for t in tools or (make_tool(),)}
    return CallSession(
        wrapped,
        context or make_context(),
        limits or make_limits(tools=tuple(wrapped)),
        cache=cache or new_cache(),
        redactor=Redactor(),
        monotonic_ms=clock,
    )


class ManualClock:
    """Milliseconds that pass only when told to."""

    def __init__(self) -> None:
        self.at_ms = 0.0

    def __call__(self) -> float:
        return self.at_ms
