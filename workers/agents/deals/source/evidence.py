"""Deals as evidence: every value a named fact, each item with its place in the records."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

from workers.agents.deals.source.conditions import Conditions
from workers.agents.deals.source.features import column, held_years
from workers.agents.deals.source.graph import ADDON_TO, EXITED_VIA, IN_REGION, IN_SECTOR, node
from workers.agents.deals.source.passage_kinds import LEVER, RISK, passage_kind
from workers.agents.deals.source.ranker import RankedDeal
from workers.agents.deals.source.reasons import counted, differences_of, listed, reasons_of, shared_words, years_words
from workers.agents.deals.source.records import Deal, DealBook, Event, Snippet
from workers.agents.deals.source.search import Candidates, DealIndex
from workers.contracts import Evidence, Fact, GraphEdge, GraphNode, Neighbourhood

MOST_PASSAGES, MOST_DRAWN_ADDONS = 4, 4
MOST_MEANT = 24
"""So many passages of an answer are read by their meaning too, some ten milliseconds each; the rest by words alone."""
EXCERPT_CHARS = 600


def locator(deal: Deal) -> str:
    """Where a deal stands in the records."""
    return f"deals:{deal.id}"


def deal_facts(index: DealIndex, deal: Deal) -> dict[str, Fact]:
    """What is recorded of a deal, as facts of its own."""
    book, row = index.book, index.features.table[index.place[deal.id]]
    addons = int(row[column("num_addons")])
    facts = {
        "name": Fact(value=deal.name, entity=deal.name),
        "id": Fact(value=deal.id, entity=deal.name),
        "sector": Fact(value=book.sector_names[deal.sector_id], entity=deal.name),
        "region": Fact(value=book.region_names[deal.region_id], entity=deal.name),
        "status": Fact(value=deal.status, entity=deal.name),
        "add_ons": Fact(value=addons, unit="count", entity=deal.name),
        "platform": Fact(value="platform" if deal.is_platform else "no platform", entity=deal.name),
    }
    texts = {
        "add_ons_words": counted(addons, "add-on"),
        "years": years_words(deal),
        "invested": str(deal.year_invested or ""),
        "exited": str(deal.year_exited or ""),
        "description": deal.description,
        "seller": book.sellers.get(deal.id, ""),
        "result": result_words(book.multiples.get(deal.id)),
    }
    facts |= {name: Fact(value=value, entity=deal.name) for name, value in texts.items() if value}
    if deal.id in book.multiples:
        facts["multiple"] = Fact(value=book.multiples[deal.id], unit="ratio", entity=deal.name)
    if deal.year_invested and (deal.year_exited or deal.status == "current"):
        facts["held_years"] = Fact(value=held_years(deal, index.year), unit="count", entity=deal.name)
    return facts


def result_words(multiple: float | None) -> str:
    """``2.4x the money back``, by what an exit is said to have brought; empty: it is not said."""
    return "" if multiple is None else f"{multiple:g}x the money back" if multiple else "nothing back"


def deal_evidence(index: DealIndex, deal: Deal, extra: dict[str, str] | None = None) -> Evidence:
    """The record of a deal, with what was found out about it beside."""
    facts = deal_facts(index, deal)
    facts |= {name: Fact(value=value, entity=deal.name) for name, value in (extra or {}).items() if value}
    return Evidence(
        kind="row", title=deal.name[:200], locator=locator(deal), excerpt=deal.description[:EXCERPT_CHARS], facts=facts
    )


def ranked_evidence(index: DealIndex, ranked: Sequence[RankedDeal], found: Candidates) -> tuple[Evidence, ...]:
    """Ranked deals, each with why it has its place, and how it differs from what was asked."""
    out = []
    for item in ranked:
        texts = [item.deal.description, *(s.text for s in index.book.snippets_of.get(item.deal.id, ()))]
        reasons = reasons_of(item, found.conditions, shared_words(found.terms, texts), found.most)
        extra = {
            "reasons": "; ".join(reasons),
            "differs": "; ".join(differences_of(item.deal, index.book, found.conditions)),
        }
        out.append(deal_evidence(index, item.deal, extra))
    return tuple(out)


def summary_evidence(
    index: DealIndex, deals: Sequence[Deal], read: Conditions, searched: int, extra: dict[str, str] | None = None
) -> Evidence:
    """How a question was understood, how many deals were looked at, and what those that are shown have in common."""
    addons = [int(index.features.table[index.place[d.id], column("num_addons")]) for d in deals]
    ended = [d for d in deals if d.status == "realized"]
    held = [held_years(d, index.year) for d in ended if d.year_invested and d.year_exited]
    counts = {
        "count": len(deals),
        "searched": searched,
        "with_add_ons": sum(n > 0 for n in addons),
        "add_ons_total": sum(addons),
        "realized": len(ended),
        "current": len(deals) - len(ended),
        **({"median_held_years": round(statistics.median(held)), "dated": len(held)} if held else {}),
    }
    facts = {name: Fact(value=value, unit="count", entity="deals") for name, value in counts.items()}
    words = {"conditions": ", ".join(read.words), "unknown": listed(read.unknown), **(extra or {})}
    facts |= {name: Fact(value=value, entity="deals") for name, value in words.items() if value}
    return Evidence(
        kind="row",
        title=f"{len(deals)} deals",
        locator="deals:search",
        facts=facts,
        graph=neighbourhood(index, deals[:5]),
    )


# --- passages and events ----------------------------------------------------------------------------------------


def passage_evidence(
    book: DealBook,
    deals: Sequence[Deal],
    *,
    every: bool = False,
    kinds: Sequence[str] = (LEVER, RISK),
    most: int = MOST_PASSAGES,
) -> tuple[Evidence, ...]:
    """Passages about some deals: those that tell of levers or risks, at most ``most`` of each; or ``every`` one."""
    kept, counts = [], Counter[str]()
    found = [(deal, snippet) for deal in deals for snippet in book.snippets_of.get(deal.id, ())]
    for i, (deal, snippet) in enumerate(found):
        if not every and all(counts[kind] >= most for kind in kinds):
            break
        kind = passage_kind(snippet.text, by_meaning=i < MOST_MEANT)
        if every or (kind in kinds and counts[kind] < most):
            counts[kind] += 1
            kept.append(passage(snippet, deal, kind))
    return tuple(kept)


def passage(snippet: Snippet, deal: Deal, kind: str) -> Evidence:
    """A passage as it is written; ``kind``: `LEVER`, `RISK` or none."""
    facts = {"deal": deal.name, "source": snippet.source, "text": snippet.text, "deal_id": deal.id}
    facts |= {"tells_of": {LEVER: "lever", RISK: "risk"}.get(kind, "")}
    return Evidence(
        kind="note",
        title=f"{deal.name}, {snippet.source}"[:200],
        locator=f"deals:{deal.id}#{snippet.id}",
        excerpt=snippet.text[:EXCERPT_CHARS],
        facts={name: Fact(value=value, entity=deal.name) for name, value in facts.items() if value},
    )


def event_evidence(book: DealBook, event: Event) -> Evidence:
    """What happened to a deal."""
    deal = book.deal[event.deal_id]
    other = book.deal[event.related_deal_id].name if event.related_deal_id else ""
    facts = {
        "deal": deal.name,
        "what": {"addon": "add-on", "exit": "exit"}[event.type],
        "other": other,
        "date": event.date or "",
        "description": event.description,
    }
    return Evidence(
        kind="event",
        title=f"{deal.name}: {event.description or facts['what']}"[:200],
        locator=f"deals:{deal.id}#{event.id}",
        excerpt=event.description[:EXCERPT_CHARS],
        facts={name: Fact(value=value, entity=deal.name) for name, value in facts.items() if value},
    )


# --- what lies around -------------------------------------------------------------------------------------------


def neighbourhood(index: DealIndex, deals: Sequence[Deal]) -> Neighbourhood | None:
    """Some deals with their sectors, regions, add-ons, platforms and exits, to be drawn."""
    book = index.book
    nodes = {n.id: n for n in (GraphNode(id=node("deal", d.id), label=d.name, kind="deal", weight=1) for d in deals)}
    edges: dict[tuple[str, str, str], GraphEdge] = {}

    def join(source: GraphNode, target: GraphNode, kind: str) -> None:
        nodes.setdefault(source.id, source)
        nodes.setdefault(target.id, target)
        edges.setdefault((source.id, target.id, kind), GraphEdge(source=source.id, target=target.id, type=kind))

    for deal in deals:
        this, at = nodes[node("deal", deal.id)], index.place[deal.id]
        sector, region = book.sector_names[deal.sector_id], book.region_names[deal.region_id]
        join(this, GraphNode(id=node("sector", deal.sector_id), label=sector, kind="sector"), IN_SECTOR)
        join(this, GraphNode(id=node("region", deal.region_id), label=region, kind="region"), IN_REGION)
        for place in index.features.joined[at][:MOST_DRAWN_ADDONS]:
            other, name = book.deals[place], node("deal", book.deals[place].id)
            if index.graph.has_edge(name, this.id):
                join(GraphNode(id=name, label=other.name, kind="add-on", weight=0.3), this, ADDON_TO)
            else:
                join(this, GraphNode(id=name, label=other.name, kind="platform", weight=0.3), ADDON_TO)
        if index.features.table[at, column("has_exit")]:
            label = str(deal.year_exited or "exit")
            join(this, GraphNode(id=node("exit", deal.id), label=label, kind="exit", weight=0.2), EXITED_VIA)
    return Neighbourhood(nodes=tuple(nodes.values()), edges=tuple(edges.values())) if deals else None
