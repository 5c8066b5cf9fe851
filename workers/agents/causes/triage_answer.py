"""The answer on alerts: which should wake somebody, which are noise, and why."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.empty_answer import write_nothing

NOTHING = "I found no alert in the files."


def write_triage(brief: Brief) -> Draft:
    """Whom to wake for what, then every alert with its reasons, those that are paged first."""
    first = next((e for e in brief.evidence if has(e, "alerts", "pages")), None)
    decided = [e for e in brief.evidence if has(e, "decision", "alert")]
    if first is None or not decided:
        return write_nothing(brief, NOTHING)
    paged = [e for e in decided if text_of(e, "decision") == "page"]
    others = [e for e in decided if e not in paged]
    sure = {"high": "high", "medium": "medium"}.get(text_of(first, "sure"), "low")
    return Draft(
        headline=headline(first, decided),
        what_changed=tuple(map(decision_claim, (*paged, *others))),
        missing=brief.gaps,
        confidence=sure,
    )


def headline(first: Evidence, decided: Sequence[Evidence]) -> Claim:
    """The decision in a sentence."""
    k = first.id
    if len(decided) == 1:
        return decision_claim(decided[0])
    if has(first, "paged"):
        return Claim(template=f"Page for {{{k}.pages}} of {{{k}.alerts}} alerts: {{{k}.paged}}.", evidence=(k,))
    return Claim(template=f"Suppress all {{{k}.alerts}} alerts: none is worth waking somebody.", evidence=(k,))


def decision_claim(item: Evidence) -> Claim:
    """What is done about an alert, why, and what speaks against it."""
    k = item.id
    name = f"{{{k}.alert}}" + f" ({{{k}.service}} {{{k}.metric_name}})" * has(item, "service", "metric_name")
    why = f": {{{k}.for}}" if has(item, "for") else ""
    unsure = has(item, "against") and text_of(item, "sure") != "high"
    against = f" Against it: {{{k}.against}}." if unsure else ""
    verb = "Page" if text_of(item, "decision") == "page" else "Suppress"
    return Claim(template=f"{verb} {name}{why}.{against}", evidence=(k,))
