"""Reasons on ranked deals by rules: precedents, levers, risks and a summary, each held against the records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workers.agents.deals.agent_log import Precedent, ReasoningOutput
from workers.agents.deals.answer_writers import card, common_claims, passage_claim, passages_of, records_of, summary_of
from workers.agents.deals.source.evidence import passage_evidence, ranked_evidence, summary_evidence
from workers.agents.deals.source.portfolio import default_portfolio
from workers.agents.deals.source.ranker import RankedDeal
from workers.agents.deals.source.search import DealIndex, find_candidates
from workers.contracts import Claim, Evidence
from workers.grounding.ground import check_claim
from workers.grounding.health import text_of
from workers.grounding.value_format import Voice

RULES = "rules"
VERSIONS = frozenset({"latest", RULES})


def reason(query: str, ranked: Sequence[RankedDeal], prompt_version: str = "latest") -> ReasoningOutput:
    """What follows from ranked deals; what does not hold against the records is left out.

    Raises:
        ValueError: there are no instructions of that version.
    """
    if prompt_version not in VERSIONS:
        raise ValueError(f"there is no prompt version {prompt_version!r}; there are {', '.join(sorted(VERSIONS))}")
    index = default_portfolio().index()
    evidence = evidence_for(index, query, ranked)
    by_id = {e.id: e for e in evidence}
    first, deals = summary_of(evidence), records_of(evidence)
    precedents = [
        Precedent(
            deal_id=text_of(item, "id"), name=text_of(item, "name"), similarity_reason=said, evidence=(item.locator,)
        )
        for item in deals
        if (said := grounded(reason_claim(item), by_id))
    ]
    told = {
        kind: list(filter(None, (cited(e, by_id) for e in passages_of(evidence, kind)))) for kind in ("lever", "risk")
    }
    summary = [
        grounded(claim, by_id) for claim in (*(card(e) for e in deals[:1]), *(common_claims(first) if first else ()))
    ]
    return ReasoningOutput(
        precedents=precedents,
        playbook_levers=told["lever"],
        risk_themes=told["risk"],
        narrative_summary=" ".join(f"{line.rstrip('.')}." for line in summary if line),
    )


def evidence_for(index: DealIndex, query: str, ranked: Sequence[RankedDeal]) -> tuple[Evidence, ...]:
    """The ranked deals and what is said of them, numbered."""
    found, deals = find_candidates(index, query), [r.deal for r in ranked]
    items = (
        summary_evidence(index, deals, found.conditions, len(index.book.deals)),
        *ranked_evidence(index, ranked, found),
        *passage_evidence(index.book, deals),
    )
    return tuple(item.model_copy(update={"id": f"E{number}"}) for number, item in enumerate(items, 1))


def reason_claim(item: Evidence) -> Claim:
    """Why a deal is a precedent, and how it differs."""
    k = item.id
    parts = [f"{{{k}.{name}}}" for name in ("reasons", "differs") if text_of(item, name)]
    return Claim(template="; but ".join(parts), evidence=(k,))


def cited(item: Evidence, by_id: dict[str, Evidence]) -> str:
    """A passage with its place; empty when it does not hold."""
    said = grounded(passage_claim(item), by_id)
    return f"{said} [{item.locator}]" if said else ""


def grounded(claim: Claim, by_id: dict[str, Evidence]) -> str:
    """The text of a claim that holds against its evidence; empty for one that does not, and for an empty one."""
    if not claim.template:
        return ""
    plain = claim.model_copy(update={"template": claim.template.replace("*", "")})
    done = check_claim(plain, by_id, Voice(datetime.now(UTC), "UTC"), "deal", knowledge=False)
    return "" if done.struck else done.claim.text
