"""The verifier: a language model that judges whether statements follow from the evidence that they cite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from workers.errors import ModelFailed
from workers.ports import CheckedClaim
from workers.reasoning.model.prompts import PromptBook
from workers.reasoning.model.replies.answer import VerdictsReply
from workers.reasoning.model.structured_call import StructuredCalls
from workers.reasoning.model.untrusted_data import visible

NOT_SAID = "the evidence does not say this"
CALLS = 2
"""Of one judgement: statements that the first leaves out are asked for once more."""
LONGEST_LINE = 200
Verdicts = dict[str, tuple[str, str]]
"""By the id of a statement: entailed, partly or not, and the line that decides."""
Show = Callable[[Collection[str]], Sequence[Mapping[str, Any]]]
"""The evidence of some ids, as a verifier reads it."""


def judge_claims(asking: StructuredCalls, book: PromptBook, claims: Sequence[CheckedClaim], show: Show) -> Verdicts:
    """What the evidence says of each statement; those without a verdict were not judged.

    Args:
        asking: within whose budget, by which models.
        book: the prompts.
        claims: what is judged.
        show: the evidence that they cite.
    """
    entry = asking.models.roles.get("verifier")
    if entry is None or not entry.enabled:
        return {}

    def read(reply: VerdictsReply) -> Verdicts:
        return {v.id: (v.verdict, " ".join(visible(v.line).split())[:LONGEST_LINE]) for v in reply.verdicts}

    verdicts: Verdicts = {}
    for _ in range(CALLS):
        left = [c for c in claims if c.id not in verdicts]
        if not left:
            break
        prompt = book.get("verifier").render(
            evidence=show({i for claim in left for i in claim.evidence}),
            claims=[{"id": c.id, "kind": kind_of(c), "claim": c.text, "evidence": c.evidence} for c in left],
        )
        try:
            verdicts |= asking.object("verifier", prompt, VerdictsReply, read)
        except ModelFailed:
            break
    return verdicts


def kind_of(claim: CheckedClaim) -> str:
    """What is to be judged: a statement, a hypothesis, a next step."""
    return "next step" if claim.id.startswith("next_steps.") else claim.status.replace("supported", "statement")
