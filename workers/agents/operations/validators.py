"""The rules that a plan of operations is held to."""

from __future__ import annotations

from workers.contracts import Plan
from workers.engine.validate import NOVEL
from workers.ports import Asked

OPS_INTENT = "ops_investigation"
OPS_FIRST, OPS_WITHIN = ("get_active_incidents", "get_deployment_status"), 3
OPS_SIGNALS = (
    "incident", "outage", "down", "degraded", "health", "status", "unhealthy", "latency", "slow", "p95", "p50",
    "timeout", "ttft", "tail", "error", "error rate", "5xx", "rate limit", "throttle", "spike", "regression",
    "elevated", "anomaly", "now", "today", "yesterday", "last", "past", "since", "over the", "in the last",
)  # fmt: skip
SQL_TOOL = "safe_sql_query"


def is_ops_like(question: str, query_intent: str) -> bool:
    """Whether a question may be of how things stand (R4.4): its plan says so, or one of the signals stands in it."""
    text = question.lower()
    return query_intent == OPS_INTENT or any(signal in text for signal in OPS_SIGNALS)


def ops_first(plan: Plan, asked: Asked) -> str:
    """Whoever asks how things stand is told of incidents and health: both are looked at within the first steps.

    Known plans have their own fixed steps.
    """
    if plan.pattern != NOVEL or not is_ops_like(asked.question, plan.query_intent):
        return ""
    early = [s.tool for s in plan.steps[:OPS_WITHIN]]
    missing = [tool for tool in OPS_FIRST if tool not in early]
    return f"{missing[0]} must be among the first {OPS_WITHIN} steps" if missing else ""


def sql_rules(plan: Plan, asked: Asked) -> str:
    """A query that would be refused is not planned; one with a slot is checked when that is filled."""
    queries = (s for s in plan.steps if s.tool == SQL_TOOL and not any("{" in str(v) for v in s.args.values()))
    return next((why for s in queries if (why := asked.mistakes(s.tool, s.args))), "")
