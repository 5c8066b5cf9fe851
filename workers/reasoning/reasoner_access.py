"""Who thinks in a deployment: about requests, and about errands outside of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workers.contracts import Question
from workers.ports import Compressor, Errand, Reasoners, ReasoningContext, not_interrupted

if TYPE_CHECKING:
    from workers.reasoning.model.prompts import PromptBook
    from workers.reasoning.model.structured_call import StructuredCalls
    from workers.reasoning.rules import RulesReasoner


@dataclass(frozen=True)
class ModelAccess:
    """A language model outside a request's stages. ``writer``: its name; ``call``: opens the calls of an errand."""

    writer: str
    prompts: PromptBook
    call: Callable[[Errand], StructuredCalls]


Rules = Callable[[ReasoningContext], "RulesReasoner"]
"""The rules of the agent that answers."""


def by_rules(rules: Rules) -> Reasoners:
    """No language model is connected."""
    return rules


@dataclass(frozen=True)
class ReasonerAccess:
    """Who thinks about requests. ``ping``: role -> a line on its model; ``model``: for errands; empty without one.
    ``over``: the same with other rules behind it.
    """

    open: Reasoners
    ping: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    model: ModelAccess | None = None
    close: Callable[[], None] = not_interrupted
    over: Callable[[Rules], Reasoners] = by_rules


def compressor_of(access: ReasonerAccess, user_id: str) -> Compressor | None:
    """Who sums up what a person keeps, within that person's budget; None where no language model is connected."""
    model = access.model
    if model is None:
        return None
    from workers.reasoning.model.compression import compress_texts  # noqa: PLC0415 - the SDK takes a second that the rules don't need

    team, _, asker = user_id.rpartition("/")

    def compress(texts: Sequence[str], most_words: int) -> str:
        question = Question(request_id="compression", text="", asker=asker, team=team, received_at=datetime.now(UTC))
        return compress_texts(model.call(Errand(question)), model.prompts, texts, most_words)

    return compress
