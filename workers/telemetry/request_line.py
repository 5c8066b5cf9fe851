"""The log of a request -> the keys of its one log line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from workers.contracts import Answer, RequestLog, ToolCall

UserText = Literal["full", "redacted", "hash"]
QUESTION_CHARS = 4_000
SUMMARY_CHARS = 300
STRUCTURE = frozenset(
    {"request_id", "question_type", "pattern", "query_intent", "id", "tool", "step", "after", "status", "start", "end"}
)
"""Keys whose text is ours, not the user's."""


def request_line(log: RequestLog, user_text: UserText = "full") -> dict[str, Any]:
    """The line's keys: request_id, user_question, intent_record, plan, tool_calls, final_answer_summary.

    Args:
        log: everything about the request.
        user_text: ``full``; ``redacted`` replaces every text that a user wrote or that may repeat it; ``hash`` replaces
            each by its own hash, so that equal texts can still be counted. Structure, names of tools, states and
            timings stay in each mode.
    """
    line = {
        "request_id": log.request_id,
        "user_question": shorten(log.question.text, QUESTION_CHARS),
        "intent_record": log.intent and log.intent.model_dump(mode="json"),
        "plan": log.plan and log.plan.model_dump(mode="json"),
        "tool_calls": [call_line(call) for call in log.tool_calls],
        "final_answer_summary": log.answer and answer_line(log.answer),
    }
    if user_text == "full":
        return line
    return {key: value if key in STRUCTURE else veil(value, user_text) for key, value in line.items()}


def call_line(call: ToolCall) -> dict[str, Any]:
    """One tool call: tool, input, truncated output summary, and its record."""
    return {
        "tool": call.name,
        "input": dict(call.args),
        "output_summary": shorten(call.summary, SUMMARY_CHARS),
        "status": call.status,
        "start_ms": call.start_ms,
        "end_ms": call.end_ms,
        "attempt": call.attempt,
        "cached": call.cached,
        "step": call.step,
    }


def answer_line(answer: Answer) -> str:
    """The headline, as it was said."""
    return shorten(answer.headline.text or answer.headline.template, SUMMARY_CHARS)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def veil(value: Any, user_text: UserText) -> Any:
    """Every text in a JSON value replaced, but for those under `STRUCTURE` keys."""
    if isinstance(value, str):
        if user_text == "hash":
            return f"sha256:{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()[:16]}"
        return "[redacted:text]"
    if isinstance(value, Mapping):
        return {k: v if k in STRUCTURE else veil(v, user_text) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [veil(v, user_text) for v in value]
    return value
