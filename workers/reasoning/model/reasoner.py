"""The reasoner with a language model: what it says is a checked object, or `ModelFailed`.

Nothing here is trusted: what it names in words that are shown is held against what people named and what was found,
what it claims is held against the evidence by grounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workers.contracts import Claim, ModelCall, Question, Role
from workers.ports import Brief, CheckedClaim, Finding, ReasoningContext, ToolSpec, Workbench
from workers.reasoning.model.compression import compress_texts
from workers.reasoning.model.investigation import Investigation
from workers.reasoning.model.model_call import Reply
from workers.reasoning.model.model_client import ModelClient
from workers.reasoning.model.own_tools import OWN_TOOLS
from workers.reasoning.model.prompts import PromptBook, Rendered
from workers.reasoning.model.replies.allowed_words import Unusable
from workers.reasoning.model.replies.answer import (
    RouteReply,
    StyleReply,
    templates_from,
)
from workers.reasoning.model.structured_call import StructuredCalls
from workers.reasoning.model.token_budget import SpendingLimit
from workers.reasoning.model.transcript import Transcript, user
from workers.reasoning.model.untrusted_data import evidence_data, landscape_data
from workers.reasoning.model.verification import Verdicts, judge_claims
from workers.settings.schema import Models

KEPT_MESSAGES, LONGEST_MESSAGE = 5, 2_000
PARTS = ("intent_classifier", "planner", "executor", "oracle/synthesis", "oracle/no_context")
"""The prompts that an investigation's system text is made of, after that of the agent."""


class ModelReasoner:
    """Thinks about one request with a language model. Every method may raise `ModelFailed`.

    Args:
        thinking: for which request.
        models: roles and budgets.
        client: to the models.
        book: the prompts.
        spending_limit: what may be spent today.
    """

    def __init__(
        self,
        thinking: ReasoningContext,
        models: Models,
        client: ModelClient,
        book: PromptBook,
        spending_limit: SpendingLimit,
    ) -> None:
        self.thinking, self.models, self.book = thinking, models, book
        self.asking = StructuredCalls(thinking, models, client, book, spending_limit)

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `workers.ports.Reasoner`."""
        return self.asking.account.calls

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Role ``router``."""
        prompt = self.book.get("router").render(agents=agents, question=question.text, context=question.context)

        def read(reply: RouteReply) -> tuple[str, float]:
            if reply.agent not in agents:
                raise Unusable(f"there is no agent {reply.agent!r}")
            return reply.agent, reply.confidence

        return self.asking.object("router", prompt, RouteReply, read)

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """Role ``compression``: a summary, then the last messages as they are."""
        last = [m[:LONGEST_MESSAGE] for m in messages[-KEPT_MESSAGES:]]
        if len(messages) <= KEPT_MESSAGES:
            return tuple(last)
        summary = compress_texts(self.asking, self.book, messages[:-KEPT_MESSAGES], most_tokens // 2)
        return (summary, *last)

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Role ``style``."""
        shown = [{"id": i, "template": c.template} for i, c in enumerate(claims)]
        prompt = self.book.get("style").render(claims=shown, tone=self.thinking.tone)
        return self.asking.object("style", prompt, StyleReply, lambda r: templates_from(r, claims))

    # --- the investigation ------------------------------------------------------------------------------------

    def investigate(self, brief: Brief, bench: Workbench) -> Finding:
        """Role ``investigator``, and ``verifier`` for what it claims."""
        prompt, tools = self.investigator(brief), self.tools()
        own = (replace(tool, parameters=untitled(tool.parameters)) for tool in OWN_TOOLS)
        entry, offered = self.models.roles["investigator"], (*tools, *own)

        def ask(transcript: Transcript, forced: str) -> Reply:
            messages, sent = transcript.marked(), transcript.sent
            _, reply = self.asking.reply("investigator", prompt, messages, tools=offered, sent=sent, forced=forced)
            transcript.sent = len(messages)
            return reply

        return Investigation(
            brief=brief,
            bench=bench,
            transcript=Transcript([user(*prompt.user)]),
            ask=ask,
            verify=lambda claims: self.verify(claims, bench),
            used=lambda: self.asking.account.share_used,
            tools={tool.name: tool for tool in tools},
            types=self.thinking.module.QUESTION_TYPES,
            max_turns=self.thinking.limits.max_turns,
            most_chars=entry.context_chars,
            told="\n".join((self.book.get("oracle/system").render().system, prompt.system)),
        ).run()

    def investigator(self, brief: Brief) -> Rendered:
        """The system text, the same from question to question, and the first message."""
        question, module = brief.question, self.thinking.module
        values = {"types": module.QUESTION_TYPES, "max_turns": self.thinking.limits.max_turns}
        parts = [self.book.get(name).render(**values) for name in PARTS]
        contracts = [f"{t.name}({', '.join(t.parameters['properties'])})" for t in self.tools()]
        own = {"contracts": contracts, **module.prompt_values()}
        parts = [*(self.book.get(name).render(**own) for name in module.PROMPTS), *parts]
        first = self.book.get("question").render(
            question=question.text,
            context=question.context,
            remembered=question.remembered,
            landscape=landscape_data(brief.landscape),
            now=question.received_at.isoformat(timespec="minutes"),
            timezone=question.timezone,
            intent=brief.intent.model_dump(mode="json", exclude_none=True),
            advice=[{"tool": s.tool, "args": s.args, "purpose": s.purpose} for s in brief.plan.steps],
        )
        label = "+".join(part.label for part in parts)
        return Rendered(label, "\n\n".join(part.system for part in parts), first.user)

    def verify(self, claims: Sequence[CheckedClaim], bench: Workbench) -> Verdicts:
        """Role ``verifier``: see `judge_claims`."""
        return judge_claims(
            self.asking, self.book, claims, lambda ids: [evidence_data(e) for e in bench.evidence if e.id in ids]
        )

    # --- with which tools -------------------------------------------------------------------------------------

    def tools(self) -> tuple[ToolSpec, ...]:
        """The agent's tools, described by their prompts where there are any."""
        specs = self.thinking.toolbox.specs(self.thinking.limits)
        return tuple(self.described(spec) for spec in specs)

    def described(self, spec: ToolSpec) -> ToolSpec:
        """A tool with the description of ``prompts/tools``."""
        name = f"tools/{spec.name}"
        text = self.book.get(name).render().system if name in self.book.prompts else spec.description
        return replace(spec, description=text, parameters=untitled(spec.parameters))

    def skip(self, role: Role, why: str) -> None:
        """It is not asked any more: it failed before in a way that lasts."""
        self.asking.skip(role, "resting", why)


def untitled(schema: Any) -> Any:
    """A JSON schema without the titles that repeat the names of its fields."""
    if isinstance(schema, Mapping):
        return {k: untitled(v) for k, v in schema.items() if k != "title" or not isinstance(v, str)}
    return [untitled(part) for part in schema] if isinstance(schema, list | tuple) else schema
