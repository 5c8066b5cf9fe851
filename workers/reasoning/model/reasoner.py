"""The reasoner with a language model: every question is one prompt, every answer a checked object, or `ModelFailed`.

Nothing here is trusted: what comes back is held against the question, the names that exist and the agent's rules
(`workers.reasoning.model.replies`); what it claims is held against the evidence by grounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workers.contracts import Claim, Draft, Intent, ModelCall, Plan, Question, Role, Scalar, Step, ToolOutput
from workers.ports import Brief, ReasoningContext, ToolSpec, Turn
from workers.reasoning.model import replies
from workers.reasoning.model.model_client import ModelClient
from workers.reasoning.model.prompts import PromptBook, Rendered
from workers.reasoning.model.replies import Unusable
from workers.reasoning.model.structured_call import StructuredCalls, short
from workers.reasoning.model.token_budget import SpendingLimit
from workers.reasoning.model.transcripts import draft_data, merged, plan_data, turn_messages, user
from workers.reasoning.model.untrusted_data import as_data, evidence_data, landscape_data, output_data, texts_in
from workers.settings.schema import Models

KEPT_MESSAGES, LONGEST_MESSAGE = 5, 2_000


@dataclass(frozen=True)
class Refused:
    """A call of the loop that asked for what it may not: its arguments as the model gave them, and what is wrong."""

    args: dict[str, Scalar]
    mistake: str


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
        self.landscape = thinking.landscape
        self.asking = StructuredCalls(thinking, models, client, book, spending_limit)
        self.refused: dict[str, Refused] = {}

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `workers.ports.Reasoner`."""
        return self.asking.account.calls

    # --- what is asked ----------------------------------------------------------------------------------------

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Role ``router``."""
        prompt = self.book.get("router").render(agents=agents, question=question.text, context=question.context)

        def read(reply: replies.RouteReply) -> tuple[str, float]:
            if reply.agent not in agents:
                raise Unusable(f"there is no agent {reply.agent!r}")
            return reply.agent, reply.confidence

        return self.asking.object("router", prompt, replies.RouteReply, read)

    def read_intent(self, question: Question, now: datetime) -> Intent:
        """Role ``intent``."""
        types = self.thinking.module.QUESTION_TYPES
        prompt = self.book.get("intent_classifier").render(
            question=question.text,
            context=question.context,
            landscape=landscape_data(self.landscape),
            now=now.isoformat(timespec="minutes"),
            timezone=question.timezone,
            types=types,
        )
        return self.asking.object(
            "intent",
            prompt,
            replies.IntentReply,
            lambda r: replies.intent_from(r, question, self.landscape, now, types),
            replies.intent_schema(types),
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
            form=replies.PLAN_FORM,
        )

        def read(reply: replies.PlanReply) -> Plan:
            name = standing.pattern if same_calls(reply, standing) else "NOVEL"
            return replies.plan_from(reply, question, intent, self.thinking, name)

        return self.asking.object("planner", self.of_agent(prompt), replies.PlanReply, read, replies.plan_schema(tools))

    def refine_query(self, step: Step, output: ToolOutput) -> dict[str, Scalar] | None:
        """Role ``planner``: better arguments for a call that found nothing."""
        question = self.thinking.question
        tool = next(t for t in self.tools() if t.name == step.tool)
        outcome = output_data(self.told(step, output))
        prompt = self.book.get("refine").render(
            question=question.text,
            landscape=landscape_data(self.landscape),
            step={"tool": step.tool, "args": self.given(step), "purpose": step.purpose},
            outcome=outcome,
            tool=tool,
        )
        known = replies.known_to(question, self.landscape).plus(texts_in(outcome), map(str, step.args.values()))

        def read(reply: replies.RefineReply) -> dict[str, Scalar] | None:
            return replies.args_from(reply, step, known, self.thinking)

        return self.asking.object("planner", prompt, replies.RefineReply, read, replies.refine_schema(tool))

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
        messages = [user(*prompt.user), *(m for turn in turns for m in turn_messages(self.as_asked(turn)))]
        if brief.notes:
            messages.append(user(f"Still needed: <data>{as_data(brief.notes)}</data>"))
        known = replies.known_to(question, self.landscape).plus(
            (text for turn in turns for o in turn.outputs for text in texts_in(output_data(o))),
            (str(v) for turn in turns for s in turn.steps for v in s.args.values()),
        )
        before = sum(len(turn.steps) for turn in turns)
        _, reply = self.asking.reply("executor", prompt, tuple(merged(messages)), tools=self.tools())
        steps, purposes = [], {tool.name: tool.purpose for tool in self.tools()}
        for number, use in enumerate(reply.tool_uses, before + 1):
            purpose = purposes.get(use.name, ToolSpec.purpose)
            steps.append(Step(id=f"call_{number}", tool=use.name, args=replies.args_of(use.args), purpose=purpose))
        return tuple(self.allowed(step, known) for step in steps)

    def allowed(self, step: Step, known: replies.Known) -> Step:
        """A call as it may be made: one with an invented place asks for nothing; the model is told why."""
        try:
            replies.check_args(step, (), known, self.thinking)
        except Unusable as error:
            args = {name: short(v) if isinstance(v, str) else v for name, v in step.args.items()}
            self.refused[step.id] = Refused(args, short(str(error)))
            return step.model_copy(update={"args": {}})
        return step

    def given(self, step: Step) -> dict[str, Scalar]:
        """The arguments of a call as the model gave them."""
        return self.refused[step.id].args if step.id in self.refused else step.args

    def told(self, step: Step, output: ToolOutput) -> ToolOutput:
        """What came of a call, as the model is told it: of a refused one, what was wrong with its own arguments."""
        refused = self.refused.get(step.id)
        if refused is None or output.status == "ok" or step.tool not in self.thinking.limits.tools:
            return output
        return ToolOutput(status=output.status, reason=refused.mistake)

    def as_asked(self, turn: Turn) -> Turn:
        """A turn with the model's own calls, and what it is told of them."""
        steps = tuple(step.model_copy(update={"args": self.given(step)}) for step in turn.steps)
        return Turn(steps, tuple(self.told(s, o) for s, o in zip(turn.steps, turn.outputs, strict=True)))

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
        prompt = self.of_agent(prompt)
        told = "\n".join((self.book.get("oracle/system").render().system, prompt.system))
        return self.asking.object("synthesis", prompt, replies.DraftReply, lambda r: replies.draft_from(r, brief, told))

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Role ``style``."""
        shown = [{"id": i, "template": c.template} for i, c in enumerate(claims)]
        prompt = self.book.get("style").render(claims=shown)
        return self.asking.object("style", prompt, replies.StyleReply, lambda r: replies.templates_from(r, claims))

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """Role ``compression``: a summary, then the last messages as they are."""
        last = [m[:LONGEST_MESSAGE] for m in messages[-KEPT_MESSAGES:]]
        if len(messages) <= KEPT_MESSAGES:
            return tuple(last)
        prompt = self.book.get("oracle/compression").render(
            messages=list(messages[:-KEPT_MESSAGES]), most_words=most_tokens // 2
        )
        said = "\n".join(messages)
        summary = self.asking.object(
            "compression", prompt, replies.CompressReply, lambda r: replies.summary_from(r, said)
        )
        return (summary, *last)

    def skip(self, role: Role, why: str) -> None:
        """It is not asked any more: a stage before failed in a way that lasts."""
        self.asking.skip(role, "resting", why)

    def of_agent(self, prompt: Rendered) -> Rendered:
        """A prompt behind that of the agent, when it has one: its tools, its data and how far it may go."""
        module = self.thinking.module
        if not module.PROMPT:
            return prompt
        contracts = [f"{t.name}({', '.join(t.parameters['properties'])}): {t.description}" for t in self.tools()]
        own = self.book.get(module.PROMPT).render(contracts=contracts, **module.prompt_values())
        return replace(prompt, label=f"{prompt.label}+{own.label}", system=f"{own.system}\n\n{prompt.system}")

    # --- with which tools -------------------------------------------------------------------------------------

    def tools(self) -> tuple[ToolSpec, ...]:
        """The agent's tools, described by their prompts where there are any."""
        specs = self.thinking.toolbox.specs(self.thinking.limits)
        return tuple(self.described(spec) for spec in specs)

    def described(self, spec: ToolSpec) -> ToolSpec:
        """A tool with the description of ``prompts/tools``."""
        name = f"tools/{spec.name}"
        text = self.book.get(name).render().system if name in self.book.prompts else spec.description
        return replace(spec, description=text)


def same_calls(reply: replies.PlanReply, standing: Plan) -> bool:
    """Whether it is the rules' own plan, but for words."""
    return [(s.tool, s.args) for s in reply.steps] == [(s.tool, s.args) for s in standing.steps]
