"""Reasons on ranked deals by a language model; every statement is held against the records, as the rules' are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from workers.agents.deals.agent_log import Precedent, ReasoningOutput
from workers.agents.deals.reasoner import evidence_for, grounded, reason
from workers.agents.deals.source.portfolio import default_portfolio
from workers.agents.deals.source.ranker import RankedDeal
from workers.contracts import Claim, Evidence
from workers.errors import ModelFailed
from workers.grounding.health import text_of

if TYPE_CHECKING:
    from workers.reasoning.model.prompts import PromptBook
    from workers.reasoning.model.structured_call import StructuredCalls

PROMPT = "deals_reasoning"


class Statement(BaseModel):
    """What a model says, and the ids of the evidence that it rests on."""

    model_config = ConfigDict(extra="forbid")

    text: str
    evidence: list[str]


class PrecedentStatement(Statement):
    """Why a deal is a precedent; ``deal``: the id of its evidence."""

    deal: str


class ReasoningReply(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(extra="forbid")

    precedents: list[PrecedentStatement]
    playbook_levers: list[Statement]
    risk_themes: list[Statement]
    narrative_summary: Statement


def reasoner_by_model(
    open_calls: Callable[[str], StructuredCalls], prompts: PromptBook
) -> Callable[..., ReasoningOutput]:
    """A ``reason_fn`` for `run_agent` that asks a language model; the rules reason where it fails.

    Args:
        open_calls: the model's calls for a query, within its budget (`call` of `ModelAccess`).
        prompts: its instructions, by name.
    """

    def reason_by_model(query: str, ranked: Sequence[RankedDeal], prompt_version: str = "latest") -> ReasoningOutput:
        prompt = prompts.get(PROMPT)
        if prompt_version not in {"latest", prompt.version}:
            raise ValueError(f"there is no prompt version {prompt_version!r}; there is {prompt.version}")
        evidence = evidence_for(default_portfolio().index(), query, ranked)
        rows = [{"id": e.id, "title": e.title, **{n: f.value for n, f in e.facts.items()}} for e in evidence]
        filled = prompt.render(query=query, evidence=rows)
        try:
            return open_calls(query).object("summary", filled, ReasoningReply, lambda reply: checked(reply, evidence))
        except ModelFailed:
            return reason(query, ranked)

    return reason_by_model


def checked(reply: ReasoningReply, evidence: Sequence[Evidence]) -> ReasoningOutput:
    """What of a reply holds: statements that cite evidence which bears them out, about deals that were ranked."""
    by_id = {e.id: e for e in evidence}
    precedents: dict[str, Precedent] = {}
    for item in reply.precedents:
        deal = text_of(by_id[item.deal], "id") if item.deal in by_id else ""
        said = held(item, by_id)
        if deal and said and deal not in precedents:
            name = text_of(by_id[item.deal], "name")
            places = tuple(by_id[k].locator for k in item.evidence if k in by_id)
            precedents[deal] = Precedent(deal_id=deal, name=name, similarity_reason=said, evidence=places)
    return ReasoningOutput(
        precedents=list(precedents.values()),
        playbook_levers=[line for s in reply.playbook_levers if (line := placed(s, by_id))],
        risk_themes=[line for s in reply.risk_themes if (line := placed(s, by_id))],
        narrative_summary=held(reply.narrative_summary, by_id),
    )


def held(said: Statement, by_id: dict[str, Evidence]) -> str:
    """The text of a statement that its evidence bears out; empty for any other."""
    known = tuple(k for k in said.evidence if k in by_id)
    return grounded(Claim(template=said.text, evidence=known), by_id) if known else ""


def placed(said: Statement, by_id: dict[str, Evidence]) -> str:
    """The same, with the places in the records."""
    text = held(said, by_id)
    places = ", ".join(dict.fromkeys(by_id[k].locator for k in said.evidence if k in by_id))
    return f"{text} [{places}]" if text else ""
