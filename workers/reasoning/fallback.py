"""A language model drives, the rules go on when it cannot: every question ends in something, and why is said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from workers.contracts import (
    Answer,
    Claim,
    Draft,
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
from workers.errors import ConfigError, ModelFailed
from workers.ports import Brief, Finding, Workbench
from workers.reasoning.model.reasoner import ModelReasoner
from workers.reasoning.rules import RulesReasoner

logger = logging.getLogger(__name__)
T = TypeVar("T")
WITHOUT = "Written without the language model ({why}); the evidence below is complete, the wording is plain."
"""The line above an answer of the rules where a model was to drive."""
SURE = 0.8
"""An agent that claims a question so surely for the rules is taken without asking a model; a guess of theirs is not."""


class FallbackReasoner:
    """Implements `workers.ports.Reasoner`. After a failure that lasts, the rest of the stage is the rules' work."""

    def __init__(self, model: ModelReasoner, rules: RulesReasoner) -> None:
        self.model, self.rules = model, rules
        self.name = rules.name
        self.failed = ""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `ModelReasoner.calls`."""
        return self.model.calls

    @property
    def drives(self) -> bool:
        """Always: what failed in one role may do in another, and the rules' plan is run when it does not."""
        return True

    def attempt(self, role: Role, work: Callable[[], T], other: Callable[[], T]) -> T:
        """What the model says; what the rules say when it fails, or failed before in a way that lasts."""
        if self.failed:
            self.model.skip(role, self.failed)
            return other()
        try:
            return work()
        except ModelFailed as error:
            self.failed = str(error) if error.lasting else self.failed
        except ConfigError as error:
            logger.warning("the rules go on: %s", error)
            self.failed = "one of its prompts cannot be filled"
            self.model.skip(role, self.failed)
        return other()

    # --- reading ----------------------------------------------------------------------------------------------

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Whom the rules are sure of; else whom the model chooses."""
        chosen = self.rules.choose_agent(question, agents)
        if chosen[1] >= SURE or len(agents) < 2:
            return chosen
        return self.attempt("router", lambda: self.model.choose_agent(question, agents), lambda: chosen)

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """A summary and the last messages; without a model those that fit."""
        return self.attempt(
            "compression",
            lambda: self.model.compress(messages, most_tokens),
            lambda: self.rules.compress(messages, most_tokens),
        )

    def read_intent(self, question: Question, landscape: Landscape, now: datetime) -> Intent:
        """What the rules read: the model is told it, and says itself what a question is about."""
        return self.rules.read_intent(question, landscape, now)

    # --- looking ----------------------------------------------------------------------------------------------

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """The rules' plan: advice for a model, the way without one."""
        return self.rules.make_plan(question, intent, landscape)

    def replan(self, brief: Brief) -> Plan | None:
        """What the rules would try."""
        return self.rules.replan(brief)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """What the rules would rather ask."""
        return self.rules.refine_query(step, output, intent)

    def investigate(self, brief: Brief, bench: Workbench) -> Finding | None:
        """What the model finds; None when it fails, so that the plan is run."""

        def work() -> Finding | None:
            finding = self.model.investigate(brief, bench)
            self.name = self.model.models.roles["investigator"].model
            return finding

        return self.attempt("investigator", work, lambda: None)

    # --- writing ----------------------------------------------------------------------------------------------

    def write_answer(self, brief: Brief) -> Draft:
        """By the rules, with a line above that says why."""
        why = reason_of(self.calls)
        draft = self.rules.write_answer(replace(brief, without_model=why))
        lines = (WITHOUT.format(why=why), draft.banner)
        return draft.model_copy(update={"banner": " ".join(line for line in lines if line) or None})

    def tell_found(self, draft: Draft, answer: Answer, brief: Brief) -> Draft:
        """Held against what the rules would write of the same evidence."""
        return self.rules.tell_found(draft, answer, brief)

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Better words for what the model wrote, where that is wanted."""
        entry = self.model.models.roles.get("style")
        if entry is None or not entry.enabled:
            return self.rules.restyle(claims)
        return self.attempt("style", lambda: self.model.restyle(claims), lambda: self.rules.restyle(claims))


def reason_of(calls: Sequence[ModelCall]) -> str:
    """Why the model that was to drive does not write: how its last call ended."""
    last = next((c for c in reversed(calls) if c.role == "investigator"), None)
    return say_failure(last) if last and last.status != "ok" else "it came to no answer"


def say_failure(call: ModelCall) -> str:
    """Why a call came to nothing; what the model itself said of it is not repeated."""
    return "its answer could not be used" if call.status == "invalid" else call.reason
