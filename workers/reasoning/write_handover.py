"""What no known plan covers: the passages nearest to the question, each with its place, and no verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import DOC_FILE, code_claim, doc_claim, has, of_kind, said_claim
from workers.reasoning.empty_answer import CONNECT_MODEL, lead_handover, write_nothing
from workers.reasoning.relevance import share_of

MOST, MOST_OF_KIND = 5, 2
KINDS = ("doc", "note", "message", "code", "change", "web")
LIKE = 0.2
"""Of the question's words, so many must stand in a passage that is shown."""


def write_handover(brief: Brief) -> Draft:
    """The nearest passages of documents, notes, threads, code and changes, best first; or that nothing was found."""
    hits = nearest(brief)
    if not hits:
        return write_nothing(brief, "I found nothing that speaks of this.")
    connect = () if brief.without_model else (CONNECT_MODEL,)
    claims = {item.id: hit_claim(item) for item in hits}
    return Draft(
        headline=Claim(template=lead_handover(brief.without_model)),
        what_changed=tuple(claims[e.id] for e in hits if e.kind == "change"),
        code=tuple(claims[e.id] for e in hits if e.kind == "code"),
        docs=tuple(claims[e.id] for e in hits if e.kind in {"doc", "note", "message", "web"}),
        missing=(*connect, *(g for g in brief.gaps if g.tool != "metrics_query")),
        confidence="low",
    )


def nearest(brief: Brief) -> list[Evidence]:
    """At most five passages, by the share of the question's words that they hold; a source's first before seconds."""
    share = partial(share_of, brief=brief)
    found: list[tuple[int, float, Evidence]] = []
    for kind in KINDS:
        items = [e for e in distinct(of_kind(brief.evidence, kind)) if share(e) >= LIKE]  # type: ignore[arg-type]
        items.sort(key=lambda e: (not has(e, "key"), -share(e)))
        found += [(place, -share(e), e) for place, e in enumerate(items[:MOST_OF_KIND])]
    found.sort(key=lambda row: row[:2])
    return [item for _, _, item in found[:MOST]]


def distinct(items: Sequence[Evidence]) -> list[Evidence]:
    """Each place once; a document's lines are no code."""
    shown = (e for e in reversed(items) if not has(e, "setting") and (e.kind != "code" or not is_document(e)))
    return list({e.locator: e for e in shown}.values())[::-1]


def is_document(item: Evidence) -> bool:
    """Whether lines are of a document."""
    return DOC_FILE.search(text_of(item, "path")) is not None


def hit_claim(item: Evidence) -> Claim:
    """One passage in a line: its place, and what it says that is nearest."""
    k = item.id
    if item.kind in {"note", "message", "web"}:
        return said_claim(item)
    if item.kind == "doc":
        return doc_claim(item)
    if item.kind == "code":
        return code_claim(item)
    file = f", {{{k}.file_1}}" if has(item, "file_1") else f"; {{{k}.cut}}" if has(item, "cut") else ""
    author = f" by {{{k}.author}}" if text_of(item, "author") else ""
    return Claim(template=f"{{{k}.short}} “{{{k}.subject}}”{author}, {{{k}.at}}{file}.", evidence=(k,))
