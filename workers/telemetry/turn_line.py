"""The log of a request -> the line of its turn: which way it went through router, task and tools, and for how long.

It holds structure and timings only; what people wrote stands in the request's own line, redacted as configured.
"""

from __future__ import annotations

from typing import Any

from workers.contracts import RequestLog

HOPS = (("router", ("route",)), ("task", ("intent", "execute", "synthesize")), ("style", ("style",)))
"""The hops of a turn, three at most, and the timings that each consists of."""


def turn_line(log: RequestLog) -> dict[str, Any]:
    """The line's keys; times in milliseconds.

    ``trace_id`` is the request's id, for a request that another one delegated the id of that one. ``hops``: each with
    its time. ``tools``: each call with its record. ``tokens``, ``cost_usd``: of language models.
    """
    times = log.timings_ms
    hops = [
        {"hop": hop, "ms": round(sum(times.get(name, 0.0) for name in names), 2)}
        for hop, names in HOPS
        if any(name in times for name in names)
    ]
    return {
        "trace_id": trace_of(log),
        "request_id": log.request_id,
        "agent": agent_label(log),
        "sensitivity": log.route.sensitivity if log.route else "low",
        "priority": log.route.priority if log.route else "normal",
        "outcome": outcome_of(log),
        "reasoner": log.reasoner,
        "hops": hops,
        "total_ms": times.get("total", 0.0),
        "tool_ms": round(sum(c.end_ms - c.start_ms for c in log.tool_calls), 2),
        "tools": [
            {"name": c.name, "status": c.status, "start_ms": c.start_ms, "end_ms": c.end_ms} for c in log.tool_calls
        ],
        "tokens": log.usage.tokens,
        "cost_usd": log.usage.cost_usd,
    }


def trace_of(log: RequestLog) -> str:
    """The trace that a request belongs to."""
    return log.question.trace or log.request_id


def agent_label(log: RequestLog) -> str:
    """The task of the agent that answered; ``none`` for a refusal."""
    return log.route.task if log.route else "none"


def outcome_of(log: RequestLog) -> str:
    """``answered``, ``asked_back``, ``refused``, or ``failed`` when a call ended in an error or a timeout."""
    if any(call.status in {"error", "timeout"} for call in log.tool_calls):
        return "failed"
    kinds = {"answer": "answered", "clarify": "asked_back", "refusal": "refused"}
    return kinds[log.answer.kind] if log.answer else "failed"
