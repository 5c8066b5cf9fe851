"""PURE. A plan -> a `ValidPlan`, or `PlanRejected` with the rule it broke. Each agent names its rules in config."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from workers.contracts import Intent, Landscape, Plan, ValidPlan
from workers.errors import PlanRejected
from workers.ports import Limits

Rule = Callable[[Plan, Intent, Landscape, Limits], "str"]
DEPLOY = re.compile(r"deploy|release|roll-?out|ship|push|v\d", re.IGNORECASE)
CODE_KINDS = frozenset({"locate_code", "explain_code", "debug_incident"})
BEHAVIOUR_KINDS = frozenset({"debug_incident", "operations_status", "traffic"})
DOC_KINDS = frozenset({"design_overview", "alerting", "conceptual"})


def max_steps(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> str:
    """Short plans only."""
    del intent, landscape
    too_many = len(plan.steps) > limits.max_steps
    return f"{len(plan.steps)} steps, at most {limits.max_steps} are allowed" if too_many else ""


def tools_allowed(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> str:
    """Only tools of the agent's list."""
    del intent, landscape
    foreign = [s.tool for s in plan.steps if s.tool not in limits.tools]
    return f"{foreign[0]} is not a tool of this agent" if foreign else ""


def order(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> str:
    """Ids are unique, and a step waits only for earlier ones."""
    del intent, landscape, limits
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


def research_grounding(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> str:
    """R0.5, R0.8: what a question speaks of decides which tools must be asked before anything is claimed."""
    del limits
    tools = {s.tool for s in plan.steps}
    kind = intent.question_type
    named = names_something(intent, landscape)
    needed = {
        "metrics_query": named or kind in BEHAVIOUR_KINDS,
        "repo_search": named or kind in CODE_KINDS,
        "doc_search": kind in DOC_KINDS,
    }
    missing = [tool for tool, wanted in needed.items() if wanted and tool not in tools]
    if kind in {"request_lookup", "user_lookup"}:
        missing = []
    return f"a {kind} question about {', '.join(intent.subjects) or 'the system'} needs {missing[0]}" if missing else ""


RULES: Mapping[str, Rule] = {
    "max_steps": max_steps,
    "tools_allowed": tools_allowed,
    "order": order,
    "research_grounding": research_grounding,
}


def check_turn(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> ValidPlan:
    """The steps of one turn of a loop: their order. What they may call, and how often, the wrappers decide.

    Raises:
        PlanRejected: a step waits for one that does not come before it.
    """
    if reason := order(plan, intent, landscape, limits):
        raise PlanRejected(f"order: {reason}")
    return ValidPlan(plan=plan, checked=("order",))


def still_needed(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> str:
    """What the agent's rules miss in the steps that a loop took; how many they are does not matter."""
    rules = (RULES[name] for name in limits.validators if name != "max_steps")
    return next((reason for rule in rules if (reason := rule(plan, intent, landscape, limits))), "")


def check_plan(plan: Plan, intent: Intent, landscape: Landscape, limits: Limits) -> ValidPlan:
    """Apply the agent's rules.

    Raises:
        PlanRejected: names the first rule that fails.
    """
    names = tuple(dict.fromkeys(("order", *limits.validators)))  # what waits for nothing would wait for ever
    for name in names:
        if reason := RULES[name](plan, intent, landscape, limits):
            raise PlanRejected(f"{name}: {reason}")
    return ValidPlan(plan=plan, checked=names)
