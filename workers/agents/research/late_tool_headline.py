"""A tool that did not answer in time is told of under what is missing; the headline says what others found."""

from __future__ import annotations

from workers.agents.research.relevance import covers, names_subject
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    change_claim,
    code_claim,
    doc_claim,
    named_alerts,
    say_metric,
    went_out,
)
from workers.reasoning.empty_answer import WENT_WRONG, lost_tools

SECTIONS = ("metrics", "what_changed", "code", "docs")
"""Of a draft, in the order in which they may lend the headline its words."""


def lead_with_answer(draft: Draft, brief: Brief) -> Draft:
    """A headline that only tells which tool was late gives way to what another tool found, if any did."""
    head, late = draft.headline, WENT_WRONG["timeout"]
    lost = {name: how for name, how in lost_tools(brief).items() if how == late}
    if head.evidence or not any(name in head.template and how in head.template for name, how in lost.items()):
        return draft
    written = [claim for section in SECTIONS for claim in getattr(draft, section) if claim.evidence]
    best = (written or [c for e in brief.evidence if answers(e, brief) for c in claims_of(e)])[:1]
    if not best:
        return draft
    rest = {s: tuple(c for c in getattr(draft, s) if c != best[0]) for s in SECTIONS}
    told = {gap.tool for gap in draft.missing}
    gaps = [gap for gap in brief.gaps if gap.tool in lost and gap.tool not in told]
    own = [] if gaps or told & set(lost) else [Gap(text=head.template, tool=next(iter(lost)))]
    return draft.model_copy(
        update={"headline": best[0], **rest, "missing": (*draft.missing, *gaps, *own), "confidence": "low"}
    )


def answers(item: Evidence, brief: Brief) -> bool:
    """Whether it speaks of what was asked: of most of its words, or of a subject (``search`` of /api/search)."""
    names = [s.rstrip("/").rpartition("/")[2] for s in brief.intent.subjects]
    return covers(item, brief) or any(names_subject(item, name) for name in names if name)


def claims_of(item: Evidence) -> tuple[Claim, ...]:
    """What a piece of evidence says, in a sentence; nothing for what only counts or lists."""
    write = {"deploy": went_out, "change": change_claim, "code": code_claim, "doc": doc_claim}.get(item.kind)
    if item.kind == "metric":
        return (Claim(template=f"{say_metric(item)}.", evidence=(item.id,)),)
    return tuple(map(alert_claim, named_alerts((item,)))) if write is None else (write(item),)
