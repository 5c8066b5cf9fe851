"""A plan -> a `ValidPlan`, or `PlanRejected` with the rule it broke. Each agent names its rules in config."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workers.contracts import Intent, Landscape, Plan, Scalar, ValidPlan
from workers.errors import PlanRejected
from workers.ports import Limits

DEPLOY = re.compile(r"deploy|release|roll-?out|ship|push|v\d", re.IGNORECASE)
CODE_KINDS = frozenset({"locate_code", "explain_code", "debug_incident"})
BEHAVIOUR_KINDS = frozenset({"debug_incident", "operations_status", "traffic"})
DOC_KINDS = frozenset({"design_overview", "alerting", "conceptual"})
NOVEL = "NOVEL"
"""The pattern of a plan that fits no known question."""
OPS_INTENT = "ops_investigation"
PLAN_INTENTS = frozenset({OPS_INTENT, "request_lookup", "user_lookup", "traffic", "schema_docs", "other"})
"""What a plan of the operations agent is for, by name."""
OPS_FIRST, OPS_WITHIN = ("get_active_incidents", "get_deployment_status"), 3
OPS_SIGNALS = (
    "incident", "outage", "down", "degraded", "health", "status", "unhealthy", "latency", "slow", "p95", "p50",
    "timeout", "ttft", "tail", "error", "error rate", "5xx", "rate limit", "throttle", "spike", "regression",
    "elevated", "anomaly", "now", "today", "yesterday", "last", "past", "since", "over the", "in the last",
)  # fmt: skip


SQL_TOOL = "safe_sql_query"


def unchecked(tool: str, args: Mapping[str, Scalar]) -> str:
    """No tool is at hand to check its arguments."""
    del tool, args
    return ""


@dataclass(frozen=True)
class Asked:
    """What a plan has to serve: the question's words, what was read from them, what exists, what is allowed.

    ``mistakes``: what is wrong with a tool's arguments, see `ports.Toolbox.mistakes`.
    """

    question: str
    intent: Intent
    landscape: Landscape
    limits: Limits
    mistakes: Callable[[str, Mapping[str, Scalar]], str] = unchecked


Rule = Callable[[Plan, Asked], str]
"""Why a plan breaks a rule, in words; empty when it does not."""


def max_steps(plan: Plan, asked: Asked) -> str:
    """Short plans only."""
    most = asked.limits.max_steps
    return f"{len(plan.steps)} steps, at most {most} are allowed" if len(plan.steps) > most else ""


def tools_allowed(plan: Plan, asked: Asked) -> str:
    """Only tools of the agent's list."""
    foreign = [s.tool for s in plan.steps if s.tool not in asked.limits.tools]
    return f"{foreign[0]} is not a tool of this agent" if foreign else ""


def order(plan: Plan, asked: Asked) -> str:
    """Ids are unique, and a step waits only for earlier ones."""
    del asked
    seen: set[str] = set()
    for step in plan.steps:
        if step.id in seen:
            return f"step {step.id!r} stands twice"
        late = [a for a in step.after if a not in seen]
        if late:
            return f"step {step.id!r} waits for {late[0]!r}, which does not come before it"
        seen.add(step.id)
    return ""


def names_something(intent: Intent, landscape: Landscape) -> bool:
    """The question names an endpoint, a service or a deploy."""
    services = {s.lower() for s in landscape.labels.get("service", ())}
    named = any(s.startswith("/") or s.lower() in services for s in intent.subjects)
    return named or any(DEPLOY.search(h) for h in intent.time_hints)


def research_grounding(plan: Plan, asked: Asked) -> str:
    """R0.5, R0.8: what a question speaks of decides which tools must be asked before anything is claimed."""
    tools = {s.tool for s in plan.steps}
    intent, kind = asked.intent, asked.intent.question_type
    named = names_something(intent, asked.landscape)
    needed = {
        "metrics_query": named or kind in BEHAVIOUR_KINDS,
        "repo_search": named or kind in CODE_KINDS,
        "doc_search": kind in DOC_KINDS,
    }
    missing = [tool for tool, wanted in needed.items() if wanted and tool not in tools]
    if kind in {"request_lookup", "user_lookup"}:
        missing = []
    return f"a {kind} question about {', '.join(intent.subjects) or 'the system'} needs {missing[0]}" if missing else ""


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


def time_budget(plan: Plan, asked: Asked) -> str:
    """Of the time for all tools each of the steps that run in turn gets at least a third of what one call may take."""
    limits = asked.limits
    needed = len(plan.steps) * limits.tool_timeout_ms / 3
    if limits.parallel or needed <= limits.tools_total_ms:
        return ""
    return f"{len(plan.steps)} steps need {needed:.0f} ms, there are {limits.tools_total_ms} ms for all"


def sql_rules(plan: Plan, asked: Asked) -> str:
    """A query that would be refused is not planned; one with a slot is checked when that is filled."""
    queries = (s for s in plan.steps if s.tool == SQL_TOOL and not any("{" in str(v) for v in s.args.values()))
    return next((why for s in queries if (why := asked.mistakes(s.tool, s.args))), "")


RULES: Mapping[str, Rule] = {
    "max_steps": max_steps,
    "time_budget": time_budget,
    "tools_allowed": tools_allowed,
    "order": order,
    "research_grounding": research_grounding,
    "ops_first": ops_first,
    "sql_rules": sql_rules,
}


def check_turn(plan: Plan, asked: Asked) -> ValidPlan:
    """The steps of one turn of a loop: their order. What they may call, and how often, the wrappers decide.

    Raises:
        PlanRejected: a step waits for one that does not come before it.
    """
    if reason := order(plan, asked):
        raise PlanRejected(f"order: {reason}")
    return ValidPlan(plan=plan, checked=("order",))


def still_needed(plan: Plan, asked: Asked) -> str:
    """What the agent's rules miss in the steps that a loop took; how many they are does not matter."""
    rules = (RULES[name] for name in asked.limits.validators if name != "max_steps")
    return next((reason for rule in rules if (reason := rule(plan, asked))), "")


def check_plan(plan: Plan, asked: Asked) -> ValidPlan:
    """Apply the agent's rules.

    Raises:
        PlanRejected: names the first rule that fails.
    """
    names = tuple(dict.fromkeys(("order", *asked.limits.validators)))  # what waits for nothing would wait for ever
    for name in names:
        if reason := RULES[name](plan, asked):
            raise PlanRejected(f"{name}: {reason}")
    return ValidPlan(plan=plan, checked=names)
