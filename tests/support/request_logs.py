"""Logs to store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from workers.contracts import (
    Answer,
    Claim,
    Evidence,
    Fact,
    Intent,
    Plan,
    Question,
    RequestLog,
    Step,
    ToolCall,
)

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def make_log(
    request_id: str = "0123456789abcdef",
    text: str = "Why is it slow?",
    *,
    at: datetime = NOON,
    kind: Literal["answer", "clarify", "refusal"] | None = "answer",
    **changes: Any,
) -> RequestLog:
    """A full log; ``kind`` None stands for a request that is not answered yet."""
    values: dict[str, Any] = {
        "request_id": request_id,
        "question": Question(request_id=request_id, text=text, received_at=at),
        "intent": Intent(question_type="debug_incident", subjects=("/api/x",)),
        "plan": Plan(pattern="P", query_intent="q", steps=(Step(id="m", tool="t", args={"query": "a"}, purpose="p"),)),
        "tool_calls": (ToolCall(name="t", args={"query": "a"}, start_ms=1.5, end_ms=3, status="ok", step="m"),),
        "evidence": (
            Evidence(
                id="E1", kind="metric", title="p95", locator="up", facts={"peak": Fact(value=1.9, unit="s", at=at)}
            ),
        ),
        "answer": kind and Answer(kind=kind, headline=Claim(template="It is {E1.peak}", text="It is 1.9 s")),
        "grounded": kind == "answer",
        "timings_ms": {"total": 12.5},
    }
    return RequestLog(**{**values, **changes})


def unchanged(log: RequestLog) -> RequestLog:
    return log
