"""The reasoner with a language model: every question is one prompt, every answer a checked object, or `ModelFailed`.

Nothing here is trusted: what comes back is held against the question, the names that exist and the agent's rules
(`workers.reasoning.replies`); what it claims is held against the evidence by grounding.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from workers.contracts import (
    Claim,
    Draft,
    Intent,
    ModelCall,
    Plan,
    Question,
    Role,
    Scalar,
    Step,
    ToolOutput,
    Usage,
)
from workers.errors import ModelFailed, StoreUnavailable
from workers.ports import Brief, Thinking, ToolSpec, Turn
from workers.reasoning import replies
from workers.reasoning.messages import Ask, ModelDoor, Reply, first_object
from workers.reasoning.prompts import PromptBook, Rendered
from workers.reasoning.replies import Unusable
from workers.reasoning.untrusted import as_data, evidence_data, landscape_data, output_data, texts_in, visible
from workers.sections import Models

logger = logging.getLogger(__name__)
R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)
CHARS_PER_TOKEN = 3
CACHED = {"type": "ephemeral"}
KEPT_MESSAGES, LONGEST_MESSAGE, LONGEST_MISTAKE = 5, 2_000, 400


class Purse(Protocol):
    """What people may still spend today."""

    def empty(self, question: Question) -> str:
        """Why nothing is left for this question, or nothing."""
        ...

    def spend(self, question: Question, usage: Usage) -> None:
        """Note what was used."""
        ...


class ClaudeReasoner:
    """Thinks about one request with a language model. Every method may raise `ModelFailed`.

    Args:
        thinking: for which request.
        models: roles and budgets.
        door: to the models.
        book: the prompts.
        purse: what may be spent today.
    """

    def __init__(self, thinking: Thinking, models: Models, door: ModelDoor, book: PromptBook, purse: Purse) -> None:
        self.thinking, self.models, self.door, self.book, self.purse = thinking, models, door, book, purse
        self.landscape = thinking.landscape
        self.record = Record(thinking.calls)

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `workers.ports.Reasoner`."""
        return self.record.calls

    # --- what is asked ----------------------------------------------------------------------------------------

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Role ``router``."""
        prompt = self.book.get("router").render(agents=agents, question=question.text, context=question.context)

        def read(reply: replies.RouteReply) -> tuple[str, float]:
            if reply.agent not in agents:
                raise Unusable(f"there is no agent {reply.agent!r}")
            return reply.agent, reply.confidence

        return self.object("router", prompt, replies.RouteReply, read)

    def read_intent(self, question: Question, now: datetime) -> Intent:
        """Role ``intent``."""
        prompt = self.book.get("intent_classifier").render(
            question=question.text,
            context=question.context,
            landscape=landscape_data(self.landscape),
            now=now.isoformat(timespec="minutes"),
            timezone=question.timezone,
        )
        return self.object(
            "intent", prompt, replies.IntentReply, lambda r: replies.intent_from(r, question, self.landscape, now)
        )

    def make_plan(self, question: Question, intent: Intent, standing: Plan) -> Plan:
        """Role ``planner``. ``standing``: what the rules would do."""
        tools = self.tools()
        prompt = self.book.get("planner").render(
            question=question.text,
            context=question.context,
            intent=intent.model_dump(mode="json"),
            landscape=landscape_data(self.landscape),
            tools=tools,
            standing=plan_data(standing),
            max_steps=self.thinking.limits.max_steps,
        )

        def read(reply: replies.PlanReply) -> Plan:
            name = standing.pattern if same_calls(reply, standing) else "NOVEL"
            return replies.plan_from(reply, question, intent, self.thinking, name)

        return self.object("planner", prompt, replies.PlanReply, read, replies.plan_schema(tools))

    def refine_query(self, step: Step, output: ToolOutput) -> dict[str, Scalar] | None:
        """Role ``planner``: better arguments for a call that found nothing."""
        question = self.thinking.question
        tool = next(t for t in self.tools() if t.name == step.tool)
        prompt = self.book.get("refine").render(
            question=question.text,
            landscape=landscape_data(self.landscape),
            step={"tool": step.tool, "args": step.args, "purpose": step.purpose},
            outcome=output_data(output),
            tool=tool,
        )
        known = replies.known_to(question, self.landscape).plus(output.nearest, map(str, step.args.values()))

        def read(reply: replies.RefineReply) -> dict[str, Scalar] | None:
            return replies.args_from(reply, step, known, self.thinking)

        return self.object("planner", prompt, replies.RefineReply, read, replies.refine_schema(tool))

    def choose_steps(self, brief: Brief, turns: Sequence[Turn], standing: Plan) -> tuple[Step, ...]:
        """Role ``executor``: the next calls of the loop; none when it is done."""
        question, limits = brief.question, self.thinking.limits
        prompt = self.book.get("executor").render(
            question=question.text,
            context=question.context,
            intent=brief.intent.model_dump(mode="json"),
            landscape=landscape_data(self.landscape),
            standing=plan_data(standing),
            max_turns=limits.max_turns,
        )
        messages = [user(*prompt.user), *(m for turn in turns for m in turn_messages(turn))]
        if brief.notes:
            messages.append(user(f"Still needed: <data>{as_data(brief.notes)}</data>"))
        known = replies.known_to(question, self.landscape).plus(
            (text for turn in turns for o in turn.outputs for text in texts_in(output_data(o))),
            (str(v) for turn in turns for s in turn.steps for v in s.args.values()),
        )
        before = sum(len(turn.steps) for turn in turns)
        _, reply = self.ask("executor", prompt, tuple(merged(messages)), tools=self.tools())
        steps = []
        for number, use in enumerate(reply.tool_uses, before + 1):
            purpose = replies.PURPOSE.get(use.name, "look further")
            steps.append(Step(id=f"call_{number}", tool=use.name, args=replies.args_of(use.args), purpose=purpose))
        return tuple(self.allowed(step, known) for step in steps)

    def allowed(self, step: Step, known: replies.Known) -> Step:
        """A call as it may be made: one with an invented place asks for nothing, and the tool says so."""
        try:
            replies.check_args(step, (), known, self.thinking)
        except Unusable:
            return step.model_copy(update={"args": {}})
        return step

    def write_answer(self, brief: Brief, plain: Draft) -> Draft:
        """Role ``synthesis``. ``plain``: what the rules would write."""
        question = brief.question
        gaps = [gap.text for gap in brief.gaps]
        if not brief.evidence:
            prompt = self.book.get("oracle/no_context").render(
                question=question.text, intent=brief.intent.model_dump(mode="json"), gaps=gaps
            )
        else:
            prompt = self.book.get("oracle/synthesis").render(
                question=question.text,
                context=question.context,
                intent=brief.intent.model_dump(mode="json"),
                evidence=[evidence_data(e) for e in brief.evidence],
                gaps=gaps,
                suspect=brief.suspect.model_dump(mode="json") if brief.suspect else None,
                plain=draft_data(plain),
                draft=draft_data(brief.draft) if brief.draft else None,
                struck=[f"{v.id}: {v.reason}" for v in brief.struck],
            )
        told = "\n".join((self.book.get("oracle/system").render().system, prompt.system))
        return self.object("synthesis", prompt, replies.DraftReply, lambda r: replies.draft_from(r, brief, told))

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Role ``style``."""
        shown = [{"id": i, "template": c.template} for i, c in enumerate(claims)]
        prompt = self.book.get("style").render(claims=shown)
        return self.object("style", prompt, replies.StyleReply, lambda r: replies.templates_from(r, claims))

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """Role ``compression``: a summary, then the last messages as they are."""
        last = [m[:LONGEST_MESSAGE] for m in messages[-KEPT_MESSAGES:]]
        if len(messages) <= KEPT_MESSAGES:
            return tuple(last)
        prompt = self.book.get("oracle/compression").render(
            messages=list(messages[:-KEPT_MESSAGES]), most_words=most_tokens // 2
        )
        said = "\n".join(messages)
        summary = self.object("compression", prompt, replies.CompressReply, lambda r: replies.summary_from(r, said))
        return (summary, *last)

    def skip(self, role: Role, why: str) -> None:
        """It is not asked any more: a stage before failed in a way that lasts."""
        self.record.add((ModelCall(role=role, model=self.models.roles[role].model, status="resting", reason=why),))

    # --- how it is asked --------------------------------------------------------------------------------------

    def tools(self) -> tuple[ToolSpec, ...]:
        """The agent's tools, described by their prompts where there are any."""
        specs = self.thinking.toolbox.specs(self.thinking.limits)
        return tuple(self.described(spec) for spec in specs)

    def described(self, spec: ToolSpec) -> ToolSpec:
        """A tool with the description of ``prompts/tools``."""
        name = f"tools/{spec.name}"
        text = self.book.get(name).render().system if name in self.book.prompts else spec.description
        return ToolSpec(spec.name, text, spec.parameters)

    def object(
        self,
        role: Role,
        prompt: Rendered,
        model: type[M],
        read: Callable[[M], R],
        schema: Mapping[str, Any] | None = None,
    ) -> R:
        """Ask for one object; what cannot be used is asked for once more, with the reason.

        Raises:
            ModelFailed: there was none, or none that can be used.
        """
        wanted = schema or model.model_json_schema()
        messages = [user(*prompt.user)]
        for last in (False, True):
            call, reply = self.ask(role, prompt, tuple(messages), schema=wanted)
            try:
                return read(model.model_validate_json(first_object(reply.text)))
            except ValidationError as error:
                mistake = first_mistake(error)
            except Unusable as error:
                mistake = str(error)
            mistake = visible(mistake)[:LONGEST_MISTAKE]
            self.record.spoil(call, mistake)
            if last:
                break
            messages += [
                {"role": "assistant", "content": reply.text.strip() or "{}"},
                user(f"This cannot be used: {mistake}. Answer once more with the whole object, mended."),
            ]
        raise ModelFailed("its answer could not be used")

    def ask(
        self,
        role: Role,
        prompt: Rendered,
        messages: tuple[Mapping[str, Any], ...],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: tuple[ToolSpec, ...] = (),
    ) -> tuple[ModelCall, Reply]:
        """One question within every budget. Raises: ModelFailed, LeaseLost."""
        system = (self.book.get("oracle/system").render().system, prompt.system)
        budget, used = self.models.budget, used_by(self.calls)
        seconds_left = budget.request_s - sum(c.ms for c in self.calls) / 1000
        wanted = sum(len(json.dumps(m, default=str)) for m in (*system, *messages)) // CHARS_PER_TOKEN
        why = ""
        if seconds_left <= 0:
            why = f"the {budget.request_s:g} s of thinking for one question are used up"
        elif used.tokens + wanted > budget.request_tokens:
            why = f"the {budget.request_tokens:,} tokens for one question would not be enough"
        elif used.cost_usd >= budget.request_usd:
            why = f"the ${budget.request_usd:.2f} for one question are used up"
        why = why or self.left_today()
        if why:
            refused = ModelCall(
                role=role, model=self.models.roles[role].model, status="budget", prompt=prompt.label, reason=why
            )
            self.record.add((refused,))
            raise ModelFailed(why, lasting=True)
        asked = Ask(system, messages, schema, tools)
        calls, reply = self.door.ask(role, asked, seconds_left, self.thinking.check, prompt.label, self.note)
        if reply is None:
            raise ModelFailed(calls[-1].reason, lasting=calls[-1].status not in {"invalid", "refused"})
        return calls[-1], reply

    def note(self, call: ModelCall) -> None:
        """An attempt ended: it is recorded and paid for, whoever stopped it."""
        self.record.add((call,))
        self.note_spending(call.usage)

    def left_today(self) -> str:
        """Why nothing may be spent, or nothing."""
        try:
            return self.purse.empty(self.thinking.question)
        except StoreUnavailable as error:
            logger.warning("what may be spent today cannot be read: %s", error)
            return "what may be spent today cannot be read"

    def note_spending(self, usage: Usage) -> None:
        """Note what was used; an answer that was paid for is not lost because that fails."""
        try:
            self.purse.spend(self.thinking.question, usage)
        except StoreUnavailable as error:
            logger.warning("what was spent could not be noted: %s", error)


class Record:
    """The calls of one request, written by the threads of its steps."""

    def __init__(self, calls: Sequence[ModelCall]) -> None:
        self.lock = threading.Lock()
        self.calls = tuple(calls)

    def add(self, calls: Sequence[ModelCall]) -> None:
        """They were made."""
        with self.lock:
            self.calls = (*self.calls, *calls)

    def spoil(self, call: ModelCall, reason: str) -> None:
        """Its answer could not be used."""
        bad = call.model_copy(update={"status": "invalid", "reason": reason})
        with self.lock:
            self.calls = tuple(bad if c is call else c for c in self.calls)


def used_by(calls: Sequence[ModelCall]) -> Usage:
    """What calls used together."""
    return sum((c.usage for c in calls), Usage())


def user(*texts: str) -> dict[str, Any]:
    """A message of the user's side; what stays the same from question to question ends at a mark of the cache."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if len(blocks) > 1:
        blocks[0]["cache_control"] = CACHED
    return {"role": "user", "content": blocks}


def first_mistake(error: ValidationError) -> str:
    """What is wrong with an object, in a sentence."""
    found = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, found["loc"])) or "the answer"
    return f"{place}: {found['msg']}"


def plan_data(plan: Plan) -> dict[str, Any]:
    """The steps of a plan for a planner."""
    return {"query_intent": plan.query_intent, "steps": [s.model_dump(mode="json") for s in plan.steps]}


def same_calls(reply: replies.PlanReply, standing: Plan) -> bool:
    """Whether it is the rules' own plan, but for words."""
    return [(s.tool, s.args) for s in reply.steps] == [(s.tool, s.args) for s in standing.steps]


def draft_data(draft: Draft) -> dict[str, Any]:
    """A draft as a writer gives it."""
    claim_fields = {"template", "evidence", "status"}
    sections = ("what_changed", "metrics", "code", "docs", "next_steps")
    return {
        "headline": draft.headline.model_dump(mode="json", include=claim_fields),
        **{s: [c.model_dump(mode="json", include=claim_fields) for c in getattr(draft, s)] for s in sections},
        "missing": [gap.text for gap in draft.missing],
        "confidence": draft.confidence,
    }


def turn_messages(turn: Turn) -> list[dict[str, Any]]:
    """A turn of the loop as the model's calls and their results, fenced as data."""
    uses = [{"type": "tool_use", "id": s.id, "name": s.tool, "input": dict(s.args)} for s in turn.steps]
    results = [
        {"type": "tool_result", "tool_use_id": s.id, "content": f"<data>{as_data(output_data(o))}</data>"}
        for s, o in zip(turn.steps, turn.outputs, strict=True)
    ]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def merged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Words of the user's side right after results stand in the same message; the end of the last one is cached."""
    out: list[dict[str, Any]] = []
    for message in messages:
        blocks = [dict(b) for b in message["content"]]
        if out and out[-1]["role"] == message["role"]:
            out[-1] = {**out[-1], "content": [*out[-1]["content"], *blocks]}
        else:
            out.append({"role": message["role"], "content": blocks})
    out[-1]["content"][-1]["cache_control"] = CACHED
    return out
