"""A language model first, the rules when it cannot: every stage ends in something, and what was missing is said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from workers.contracts import (
    Claim,
    Draft,
    Gap,
    Intent,
    Landscape,
    ModelCall,
    Plan,
    Question,
    Role,
    Scalar,
    Step,
    ToolOutput,
)
from workers.engine.validate import NOVEL
from workers.errors import ConfigError, ModelFailed
from workers.ports import Brief, Turn
from workers.reasoning.model.reasoner import ModelReasoner
from workers.reasoning.rules import RulesReasoner

logger = logging.getLogger(__name__)
T = TypeVar("T")
DID: Mapping[Role, str] = {"intent": "read", "planner": "planned", "executor": "searched", "synthesis": "written"}


class FallbackReasoner:
    """Implements `workers.ports.Reasoner`. After a failure that lasts, the rest of the stage is the rules' work."""

    def __init__(self, claude: ModelReasoner, rules: RulesReasoner) -> None:
        self.claude, self.rules = claude, rules
        self.name = "rules"
        self.failed = ""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `ModelReasoner.calls`."""
        return self.claude.calls

    def attempt(self, role: Role, work: Callable[[], T], other: Callable[[], T]) -> T:
        """What the model says; what the rules say when it fails, or failed before in a way that lasts."""
        if self.failed:
            self.claude.skip(role, self.failed)
            return other()
        try:
            return work()
        except ModelFailed as error:
            self.failed = str(error) if error.lasting else self.failed
        except ConfigError as error:
            logger.warning("the rules go on: %s", error)
            self.failed = "one of its prompts cannot be filled"
            self.claude.skip(role, self.failed)
        return other()

    # --- reading ----------------------------------------------------------------------------------------------

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """The model chooses; the rules take the first."""
        return self.attempt(
            "router",
            lambda: self.claude.choose_agent(question, agents),
            lambda: self.rules.choose_agent(question, agents),
        )

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """A summary and the last messages; without a model those that fit."""
        return self.attempt(
            "compression",
            lambda: self.claude.compress(messages, most_tokens),
            lambda: self.rules.compress(messages, most_tokens),
        )

    def read_intent(self, question: Question, landscape: Landscape, now: datetime) -> Intent:
        """What the model reads."""
        return self.attempt(
            "intent",
            lambda: self.claude.read_intent(question, now),
            lambda: self.rules.read_intent(question, landscape, now),
        )

    # --- planning ---------------------------------------------------------------------------------------------

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """What the model plans, the rules' plan before its eyes; of some agents a known plan needs no planner."""
        standing = self.rules.make_plan(question, intent, landscape)
        if self.rules.module.KEEPS_KNOWN_PLANS and standing.pattern != NOVEL:
            return standing
        return self.attempt("planner", lambda: self.claude.make_plan(question, intent, standing), lambda: standing)

    def replan(self, brief: Brief) -> Plan | None:
        """What the rules would try."""
        return self.rules.replan(brief)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """What the model would rather ask."""
        if self.failed:
            return self.rules.refine_query(step, output, intent)
        return self.attempt(
            "planner",
            lambda: self.claude.refine_query(step, output),
            lambda: self.rules.refine_query(step, output, intent),
        )

    def choose_steps(self, brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        """The model's next calls; when it fails, the rules' plan, unless something was called already."""
        standing = self.rules.make_plan(brief.question, brief.intent, self.claude.landscape)
        ours = self.claude.thinking.limits.tools
        called = any(step.tool in ours and step.args for turn in turns for step in turn.steps)
        return self.attempt(
            "executor",
            lambda: self.claude.choose_steps(brief, turns, standing),
            lambda: () if called else standing.steps,
        )

    # --- writing ----------------------------------------------------------------------------------------------

    def write_answer(self, brief: Brief) -> Draft:
        """What the model writes, the rules' draft before its eyes."""
        plain = self.rules.write_answer(brief)
        self.name = self.claude.models.roles["synthesis"].model
        return self.attempt(
            "synthesis",
            lambda: completed(self.claude.write_answer(brief, plain), brief, plain.banner, say_missing(self.calls)),
            lambda: self.write_plainly(brief, ""),
        )

    def write_plainly(self, brief: Brief, why: str) -> Draft:
        """By the rules."""
        self.name = self.rules.name
        plain = self.rules.write_answer(brief)
        return completed(plain, brief, plain.banner, say_missing(self.calls, why or reason_of(self.calls)))

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Better words for what the model wrote."""
        if self.name == self.rules.name or not self.claude.models.roles["style"].enabled:
            return self.rules.restyle(claims)
        return self.attempt("style", lambda: self.claude.restyle(claims), lambda: self.rules.restyle(claims))


def completed(draft: Draft, brief: Brief, *lines: str | None) -> Draft:
    """A draft with lines above it in place of its own, and with what its plan could not show among what is missing."""
    told = {gap.text for gap in draft.missing}
    more = (Gap(text=text) for text in brief.plan.uncertainties if text not in told)
    banner = " ".join(dict.fromkeys(line for line in lines if line)) or None
    return draft.model_copy(update={"banner": banner, "missing": (*draft.missing, *more)})


def say_missing(calls: Sequence[ModelCall], writing: str = "") -> str | None:
    """The line above an answer of which the rules did a part: which, and why.

    Args:
        calls: all of the request.
        writing: why the rules wrote; empty when the model did.
    """
    newest = {call.role: call for call in calls if call.role != "synthesis" and not call.prompt.startswith("refine")}
    failed: dict[Role, str] = {r: say_failure(newest[r]) for r in DID if r in newest and newest[r].status != "ok"}
    if writing:
        failed["synthesis"] = writing
    if not failed:
        return None
    *rest, last_one = (DID[role] for role in DID if role in failed)
    done = f"{', '.join(rest)} and {last_one}" if rest else last_one
    tail = "; the evidence below is complete, the wording is plain" if writing else ""
    return f"{done.capitalize()} without the language model ({list(failed.values())[-1]}){tail}."


def reason_of(calls: Sequence[ModelCall]) -> str:
    """Why the model is not asked any more."""
    return next((say_failure(c) for c in reversed(calls) if c.status != "ok"), "it was not asked")


def say_failure(call: ModelCall) -> str:
    """Why a call came to nothing; what the model itself said of it is not repeated."""
    return "its answer could not be used" if call.status == "invalid" else call.reason
