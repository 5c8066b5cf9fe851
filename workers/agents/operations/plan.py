"""The plan of a question about operations: its pattern filled, or steps composed for a novel one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.novel_plan import compose
from workers.agents.operations.parameters import with_span
from workers.contracts import Intent, Landscape, PatternStep, Plan, Scalar, Step
from workers.engine.validate import NOVEL

SLOT = re.compile(r"\{([^{}]+)\}")


def make_plan(inquiry: Inquiry, intent: Intent, landscape: Landscape, max_steps: int) -> Plan:
    """The steps of the pattern in its order, exactly; a novel question gets steps of its own."""
    if inquiry.pattern == NOVEL:
        return compose(inquiry, intent, landscape, max_steps)
    values = with_span(inquiry.parameters.values, intent)
    return Plan(
        pattern=inquiry.pattern,
        query_intent=inquiry.entry.query_intent,
        steps=tuple(fill_step(step, values) for step in inquiry.entry.steps),
        uncertainties=inquiry.entry.uncertainties,
        verification_tips=inquiry.entry.verification_tips,
    )


def fill_step(step: PatternStep, values: Mapping[str, str]) -> Step:
    """Fill the slots known now; those with a dot wait for the run."""
    args: dict[str, Scalar] = {}
    for name, value in step.args.items():
        filled = fill(value, values) if isinstance(value, str) else value
        if filled != "":
            args[name] = filled
    return Step(id=step.id, tool=step.tool, args=args, purpose=fill(step.purpose, values), after=step.after)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}``, by nothing when it has no value; ``{step.fact}`` stays."""
    filled = SLOT.sub(lambda m: m[0] if "." in m[1] else values.get(m[1], ""), text)
    return re.sub(r" {2,}", " ", filled).strip()
