"""A plan -> a `ValidPlan`, or `PlanRejected` with the rule it broke. Each agent names its rules in config."""

from __future__ import annotations

from collections.abc import Mapping

from workers.contracts import Plan, ValidPlan
from workers.errors import PlanRejected
from workers.ports import Asked, Rule

NOVEL = "NOVEL"
"""The pattern of a plan that fits no known question."""


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


def time_budget(plan: Plan, asked: Asked) -> str:
    """Of the time for all tools each of the steps that run in turn gets at least a third of what one call may take."""
    limits = asked.limits
    needed = len(plan.steps) * limits.tool_timeout_ms / 3
    if limits.parallel or needed <= limits.tools_total_ms:
        return ""
    return f"{len(plan.steps)} steps need {needed:.0f} ms, there are {limits.tools_total_ms} ms for all"


RULES: Mapping[str, Rule] = {
    "max_steps": max_steps,
    "time_budget": time_budget,
    "tools_allowed": tools_allowed,
    "order": order,
}


def rule_of(name: str, asked: Asked) -> Rule:
    """A validator by its name: one of these, or one of the agent's own."""
    return asked.rules[name] if name in asked.rules else RULES[name]


def check_plan(plan: Plan, asked: Asked) -> ValidPlan:
    """Apply the agent's rules.

    Raises:
        PlanRejected: names the first rule that fails.
    """
    names = tuple(dict.fromkeys(("order", *asked.limits.validators)))  # what waits for nothing would wait for ever
    for name in names:
        if reason := rule_of(name, asked)(plan, asked):
            raise PlanRejected(f"{name}: {reason}")
    return ValidPlan(plan=plan, checked=names)
