"""A plan, and better arguments for a call, as a model gives them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import Field

from workers.contracts import Intent, Plan, Question, Scalar, Step
from workers.engine.validate import check_plan
from workers.errors import PlanRejected
from workers.language.negation import LACKING
from workers.ports import ReasoningContext, ToolSpec
from workers.reasoning.model.replies.allowed_words import (
    NAMED,
    Known,
    ReplyModel,
    Unusable,
    copied,
    invented,
    known_to,
    plain,
)
from workers.reasoning.model.untrusted_data import visible

SLOT = re.compile(r"\{([^{}]*)\}")
STEP_ID = r"[a-z][a-z0-9_]{0,30}"
MOST_NUMBER = 10**15
LONGEST_ARGUMENT, LONGEST_TEXT, MOST_NOTES = 1_000, 200, 4
"""Characters of an argument, and of what a step or the whole plan is for; uncertainties, or tips, that are kept."""
PLAN_FORM: Mapping[str, str | int] = {
    "step_id": STEP_ID,
    "longest_argument": LONGEST_ARGUMENT,
    "longest_text": LONGEST_TEXT,
    "most_notes": MOST_NOTES,
}
"""The same, for the prompt of a planner."""
LOOKING = re.compile(
    r"(?:to )?(?:check|collect|compare|confirm|count|determine|establish|examine|explain|fetch|find|gather|get|"
    r"identify|inspect|know|learn|list|locate|look|measure|open the|pinpoint|read|review|rule out|search|see|show|"
    r"spot|tell|trace|understand|verify|watch)\b(?!.*\b(?:you|yours?|please)\b)[^.!?;]*[.?]?",
    re.IGNORECASE,
)
"""One looking at something: all that a step, or who checks an answer, is to do."""
LACKS = re.compile(rf"{LACKING}|\b(?:only|whether|may|might)\b", re.IGNORECASE)
"""What says that something is not there or not known."""


class StepReply(ReplyModel):
    """A planned call; its arguments are checked against the tool's own schema."""

    id: str = Field(pattern=f"^{STEP_ID}$")
    tool: str
    args: dict[str, Any]
    purpose: str = Field(max_length=LONGEST_TEXT)
    after: list[str] = Field(default_factory=list)


class PlanReply(ReplyModel):
    """A plan."""

    query_intent: str = Field(max_length=LONGEST_TEXT)
    steps: list[StepReply] = Field(min_length=1)
    uncertainties: list[str] = Field(default_factory=list)
    verification_tips: list[str] = Field(default_factory=list)


def plan_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """The schema of a plan over the agent's tools: each with its own arguments."""
    texts = {"type": "array", "items": {"type": "string"}}

    def step(tool: ToolSpec) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "id": {"type": "string"},
            "tool": {"const": tool.name},
            "args": dict(tool.parameters),
            "purpose": {"type": "string"},
            "after": texts,
        }
        return {"type": "object", "properties": fields, "required": list(fields)}

    fields = {
        "query_intent": {"type": "string"},
        "steps": {"type": "array", "items": {"anyOf": [step(t) for t in tools]}},
        "uncertainties": texts,
        "verification_tips": texts,
    }
    return {"type": "object", "properties": fields, "required": list(fields)}


def plan_from(reply: PlanReply, question: Question, intent: Intent, thinking: ReasoningContext, name: str) -> Plan:
    """Raises: Unusable: a rule of the agent, a tool's arguments, or a name that nobody named."""
    known = known_to(question, thinking.landscape)
    purposes = {tool.name: tool.purpose for tool in thinking.toolbox.specs(thinking.limits)}
    steps = tuple(step_from(s, known, purposes) for s in reply.steps)
    for step in steps:
        check_args(step, steps, known, thinking)
    plan = Plan(
        pattern=name,
        query_intent=intent_from(reply, known, thinking.module.PLAN_INTENTS),
        steps=steps,
        uncertainties=tuple(t for u in reply.uncertainties[:MOST_NOTES] if LACKS.search(t := plain(u, known))),
        verification_tips=tuple(
            t for v in reply.verification_tips[:MOST_NOTES] if LOOKING.fullmatch(t := plain(v, known))
        ),
    )
    try:
        check_plan(plan, thinking.asked(question.text, intent))
    except PlanRejected as error:
        raise Unusable(str(error)) from error
    return plan


def intent_from(reply: PlanReply, known: Known, names: Collection[str]) -> str:
    """What a plan is for: one of the names that the agent's rules go by, or in words that may be shown."""
    if reply.query_intent.strip() in names:
        return reply.query_intent.strip()
    meant = plain(reply.query_intent, known)
    return meant if LOOKING.fullmatch(meant) else "answer the question"


def args_of(given: Mapping[str, Any]) -> dict[str, Scalar]:
    """Arguments as a tool takes them: plain values, texts as they can be seen."""
    out: dict[str, Scalar] = {}
    for name, value in given.items():
        if isinstance(value, str):
            out[visible(name)] = visible(value)
        elif isinstance(value, int | float) and abs(value) < MOST_NUMBER:
            out[visible(name)] = value
    return out


def step_from(reply: StepReply, known: Known, purposes: Mapping[str, str]) -> Step:
    """A step whose purpose may be shown; where it may not, that of its tool."""
    told = plain(reply.purpose, known)
    purpose = (LOOKING.fullmatch(told) and told.removeprefix("to ")) or purposes.get(reply.tool, ToolSpec.purpose)
    return Step(id=reply.id, tool=reply.tool, args=args_of(reply.args), purpose=purpose, after=tuple(reply.after))


def check_args(step: Step, steps: Sequence[Step], known: Known, thinking: ReasoningContext) -> None:
    """Raises: Unusable: wrong arguments, a slot that nothing fills, or an invented place."""
    whole = {k: v for k, v in step.args.items() if not (isinstance(v, str) and SLOT.search(v))}
    if len(whole) == len(step.args) and (mistake := thinking.toolbox.mistakes(step.tool, step.args)):
        raise Unusable(f"step {step.id}: {mistake}")
    before = earlier(step, steps)
    if any(len(str(v)) > LONGEST_ARGUMENT for v in step.args.values()):
        raise Unusable(f"step {step.id}: an argument is longer than {LONGEST_ARGUMENT:,} characters")
    for value in map(str, step.args.values()):
        for name in (n for names in SLOT.findall(value) for n in names.split("|") if n):
            if name.partition(".")[0] not in before | {"suspect", "window"}:
                raise Unusable(f"step {step.id}: nothing fills the slot {name!r}; name its step in `after`")
        for gap in (" ", ""):  # a slot that stays empty joins what stands on its sides
            if odd := invented(SLOT.sub(gap, value), known, NAMED):
                raise Unusable(f"step {step.id}: nobody named {odd[0]}; ask for what is known, in plain words")
        if taken := copied(SLOT.sub(" ", value), known):
            raise Unusable(f"step {step.id}: “{taken}” is copied from what was read; ask in words of the question")


def earlier(step: Step, steps: Sequence[Step]) -> set[str]:
    """The ids of all steps that a step waits for."""
    waits = {s.id: s.after for s in steps}
    found, todo = set[str](), list(step.after)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(waits.get(name, ()))
    return found


# --- refined query --------------------------------------------------------------------------------------------


class RefineReply(ReplyModel):
    """Better arguments, or none."""

    args: dict[str, Any] | None = None


def refine_schema(tool: ToolSpec) -> dict[str, Any]:
    """Arguments of one tool, or null."""
    args = {"anyOf": [dict(tool.parameters), {"type": "null"}]}
    return {"type": "object", "properties": {"args": args}, "required": ["args"]}


def args_from(reply: RefineReply, step: Step, known: Known, thinking: ReasoningContext) -> dict[str, Scalar] | None:
    """Raises: Unusable."""
    if not reply.args:
        return None
    args = args_of(reply.args)
    check_args(step.model_copy(update={"args": args}), (), known, thinking)
    return args
