"""The tools over past deals: those nearest to a question, what is recorded of one, and those that meet conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from workers.agents.deals.source.conditions import Conditions, event_of, read_conditions
from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.evidence import (
    deal_evidence,
    event_evidence,
    passage_evidence,
    ranked_evidence,
    summary_evidence,
)
from workers.agents.deals.source.listing import Listing, Order, by_year, group_counts, list_deals, order_of
from workers.agents.deals.source.names import deals_named, nearest_deals
from workers.agents.deals.source.passage_kinds import LEVER, RISK, passage_kind
from workers.agents.deals.source.portfolio import UNLOADED, Portfolio, is_loaded, open_portfolio
from workers.agents.deals.source.ranker import near_ones, rank
from workers.agents.deals.source.reasons import listed
from workers.agents.deals.source.search import MOST, DealIndex, admitted, find_candidates, unspoken
from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST_NAMES = 2_000
LOST = 0.05
"""A text that is no nearer than this to any record has no word in common with any, nor their meaning."""
FAR = 0.25
"""A text that is no nearer than this to any record is about something else."""
MOST_EVENTS, MOST_GROUPS, MOST_TOLD = 40, 30, 12
KINDS_TOLD = {"": (LEVER, RISK), "both": (LEVER, RISK), "lever": (LEVER,), "risk": (RISK,)}
HELD_FIELDS = (
    "the records hold sector, region, status, years, platform and add-ons, and of descriptions I read places, firms, "
    "who sold and how often the money came back"
)


class SearchArgs(ToolArgs):
    """What precedents are sought for."""

    query: str = Field(
        max_length=2_000,
        description="the deal that precedents are sought for, in plain words; sector, region, status, years, platform "
        "and add-ons are read from it",
    )
    limit: int = Field(5, ge=1, le=20, description="how many deals")
    tells: Literal["", "lever", "risk", "both"] = Field(
        "", description="passages of memos that tell of this, of all deals that meet the conditions"
    )


class ProfileArgs(ToolArgs):
    """Which deals."""

    name: str = Field(max_length=2_000, description="name or id of a deal, or a text that names one or several")
    passages: bool = Field(True, description="with what memos say of it")


class ListArgs(ToolArgs):
    """Which deals are listed and counted."""

    query: str = Field(
        max_length=2_000,
        description="conditions in plain words: sector, region, status, years, platform, with or without add-ons; "
        "[sector: X] and the like are exact",
    )
    group_by: Literal["", "sector", "region", "status", "year", "invested", "exited"] = Field(
        "", description="count by this (year: of the exit where the query speaks of exits); empty: no groups"
    )
    order: Order = Field("newest", description="which come first")
    limit: int = Field(10, ge=1, le=100, description="how many deals are listed; all are counted")


class DealTools:
    """The loaded deals, and what is asked of them."""

    def __init__(self, portfolio: Portfolio) -> None:
        self.portfolio = portfolio

    def index(self) -> DealIndex:
        """The index. Raises: ToolUnavailable: no deals are loaded, or they are damaged."""
        try:
            return self.portfolio.index()
        except DealDataError as error:
            raise ToolUnavailable(str(error)) from error

    def open(self) -> None:
        """Open the index, before the time of a call begins; nothing where no deals are loaded."""
        if is_loaded(self.portfolio.folder.parent):
            with suppress(DealDataError, ToolUnavailable):  # told by the call
                self.portfolio.index().warm()
                passage_kind("")  # loads the encoder

    def prepare(self) -> None:
        """Open the index and the ranker."""
        self.open()
        self.portfolio.ranker()

    def landscape(self, context: ToolContext) -> Landscape:
        """Names of sectors, regions and deals, and those that descriptions tell."""
        del context
        if not is_loaded(self.portfolio.folder.parent):
            return Landscape()
        book = self.portfolio.book()
        return Landscape(
            labels={
                "deal_sector": tuple(s.name for s in book.sectors),
                "deal_region": tuple(r.name for r in book.regions),
                "deal": tuple(d.name for d in book.deals[:MOST_NAMES]),
                "deal_told": tuple(islice(book.names_told, MOST_NAMES)),
            }
        )

    def ping(self) -> str:
        """How many deals there are, and how they are ranked; or that none are loaded, which is no fault."""
        if not is_loaded(self.portfolio.folder.parent):
            return UNLOADED
        try:
            count = len(self.portfolio.book().deals)
        except DealDataError as error:
            raise ToolUnavailable(str(error)) from error
        learned, note = self.portfolio.ranker_header()
        how = f"ranked by a model of {learned.created}" if learned else note
        return f"{count:,} deals; {how}"

    def search(self, args: SearchArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"searched", "rows"}``, the best precedent first, then passages about them."""
        del context
        index = self.index()
        learned, note = self.portfolio.ranker()
        found = find_candidates(index, args.query)
        if args.tells and found.conditions.words:
            return told_of(index, found.conditions, args)
        ranked = near_ones(rank(found, learned, MOST), found.conditions)[: args.limit]
        if not ranked:
            return none_meets(index, found.conditions)
        kinds = KINDS_TOLD[args.tells]
        if found.closest < LOST and not found.conditions.words:
            return ToolOutput(status="empty", reason="no record speaks of what the question is about")
        deals = [r.deal for r in ranked]
        how = {"ranking_note": note} | notes_of(found.conditions)
        if lost := unspoken(index, args.query):
            how["unspoken"] = listed(lost)
        if found.terms and found.closest < FAR:
            meet = "; these meet its conditions" if found.conditions.words else ""
            how["far"] = f"No record is near to this in words or meaning{meet}."
        items = (
            summary_evidence(index, deals, found.conditions, len(index.book.deals), how),
            *ranked_evidence(index, ranked, found),
            *passage_evidence(index.book, deals, kinds=kinds),
        )
        rows = [as_row(e) for e in items[1 : len(deals) + 1]]
        return ToolOutput(
            summary=f"{len(deals)} of {len(found.deals)} candidates: {', '.join(d.name for d in deals[:3])}",
            data={"searched": len(index.book.deals), "rows": rows},
            evidence=items,
        )

    def profile(self, args: ProfileArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"rows"}``: the record of each deal that is named, what happened to it, and passages.

        Where none is named and all is said by conditions, those that meet them, as `listing` has it.
        """
        index = self.index()
        named = deals_named(args.name, index.book)
        if not named and (read := read_conditions(args.name, index.book, index.year)).words and not read.topic:
            return self.listing(ListArgs(query=args.name), context)
        if not named:
            wanted, near = nearest_deals(args.name, index.book)
            return ToolOutput(status="empty", reason=f"no deal is called {listed((wanted,))}", nearest=near)
        ids = {d.id for d in named}
        events = list({e.id: e for i in ids for e in index.book.events_of.get(i, ())}.values())
        events.sort(key=lambda e: (e.date is None, e.date or "", e.id))
        items = (
            *(deal_evidence(index, d) for d in named),
            *(event_evidence(index.book, e) for e in events[:MOST_EVENTS]),
            *(passage_evidence(index.book, named, every=True) if args.passages else ()),
        )
        first = items[0].model_copy(update={"graph": summary_evidence(index, named, Conditions(), 0).graph})
        return ToolOutput(
            summary=f"{', '.join(d.name for d in named)}: {len(events)} events",
            data={"rows": [as_row(e) for e in items[: len(named)]], "events": [as_row(e) for e in items[len(named) :]]},
            evidence=(first, *items[1:]),
        )

    def listing(self, args: ListArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "groups", "rows"}``: all deals that meet the conditions are counted."""
        del context
        index = self.index()
        read = read_conditions(args.query, index.book, index.year)
        found = list_deals(index, read, order_of(args.query, args.order))
        if read.unread:
            return ToolOutput(status="empty", reason=f"I can't list by {listed(read.unread)}: {HELD_FIELDS}")
        nowhere = read.unknown and not (read.regions or read.told)
        if nowhere or (found.unheld and not (found.words or read.words)):
            return none_meets(index, read, found)
        group_by = event_of(args.query) if args.group_by == "year" else args.group_by
        groups = group_counts(index.book, found.deals, group_by)
        read = replace(read, words=tuple(w for w in read.words if w not in {f"not “{u}”" for u in found.unheld}))
        told = {"words": found.words} | notes_of(read)
        if found.unheld:
            told["left_out"] = listed(found.unheld)
        if len(groups) > MOST_GROUPS:
            left = len(groups) - MOST_GROUPS
            told["groups_left"] = f"{left} more groups are not shown, {'older' if by_year(group_by) else 'smaller'}."
        shown = groups[-MOST_GROUPS:] if by_year(group_by) else groups[:MOST_GROUPS]
        first = summary_evidence(index, found.deals, read, len(index.book.deals), told)
        listed_deals = [deal_evidence(index, d) for d in found.deals[: args.limit]]
        return ToolOutput(
            summary=f"{len(found.deals)} deals",
            data={"count": len(found.deals), "groups": dict(groups), "rows": [as_row(e) for e in listed_deals]},
            evidence=(first, *(group_evidence(group_by, name, n) for name, n in shown), *listed_deals),
        )


def told_of(index: DealIndex, read: Conditions, args: SearchArgs) -> ToolOutput:
    """Passages of the deals that meet every condition."""
    allowed = admitted(index, read, everywhere=False)
    deals = [d for d, kept in zip(index.book.deals, allowed.tolist(), strict=True) if kept]
    passages = passage_evidence(index.book, deals, kinds=KINDS_TOLD[args.tells], most=MOST_TOLD)
    first = summary_evidence(index, deals, read, len(index.book.deals))
    return ToolOutput(
        summary=f"{len(passages)} passages of {len(deals)} deals",
        data={"searched": len(index.book.deals), "rows": [as_row(e) for e in passages]},
        evidence=(first, *passages),
    )


def none_meets(index: DealIndex, read: Conditions, found: Listing | None = None) -> ToolOutput:
    """No deal meets the conditions, or none of those that do (``found``) speaks of some words: what there is."""
    unknown = f"; the records have no deal in {', '.join(read.unknown)}" if read.unknown else ""
    asked = ", ".join(read.words)
    counted = Counter(d.status for d in index.book.deals)
    there = ", ".join(f"{n:,} {status}" for status, n in sorted(counted.items()))
    reason = f"of {len(index.book.deals):,} deals ({there}) none meets the conditions: {asked or 'none'}{unknown}"
    if found and found.unheld and not found.words:
        reason = (
            f"of {len(index.book.deals):,} deals ({there}) the record of none speaks of {listed(found.unheld)}{unknown}"
        )
    elif found and found.words and not found.deals:
        meet = f"{found.meeting:,} deals meet the conditions ({asked})" if asked else f"of {found.meeting:,} deals"
        reason = f"{meet}, but the record of none speaks of {found.words}{unknown}"
    return ToolOutput(
        status="empty",
        reason=reason,
        data={"count": 0, "conditions": list(read.words)},
    )


def notes_of(read: Conditions) -> dict[str, str]:
    """What a question names that binds nothing."""
    years = f"I did not use the years {', '.join(read.unread)}: name one year, or a span." if read.unread else ""
    return {"unread": years} if years else {}


def group_evidence(kind: str, name: str, count: int) -> Evidence:
    """How many deals are of a group."""
    facts = {"group": Fact(value=name, entity=kind), "deals": Fact(value=count, unit="count", entity=name)}
    return Evidence(kind="row", title=f"{name}: {count} deals", locator=f"deals:by-{kind}", facts=facts)


def as_row(item: Evidence) -> dict[str, Any]:
    """Evidence as plain JSON."""
    return {name: fact.value for name, fact in item.facts.items()}


def deal_tool(
    resources: Resources,
    name: str,
    purpose: str,
    description: str,
    args: type[ToolArgs],
    run: Callable[..., ToolOutput],
) -> Tool:
    """A tool that reads the deals."""
    tools = resources.shared(shared_tools)
    return Tool(
        name=name,
        source="deals",
        purpose=purpose,
        description=description,
        access="read",
        args=args,
        run=lambda asked, context: run(tools, asked, context),
        ping=tools.ping,
        landscape=tools.landscape if args is ListArgs else None,
        prepare=tools.prepare if args is SearchArgs else tools.open,
    )


def shared_tools(settings: Any) -> DealTools:
    """The tools of an installation share one index."""
    return DealTools(open_portfolio(settings))


def build_deal_search(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    return deal_tool(
        resources,
        "deal_search",
        "find the nearest deals",
        "Past deals that are precedents for a described one, ranked, each with why it has its place and how it differs "
        "(sector, region), and with passages of memos that tell of levers and risks. Status, years, platform and "
        "add-ons in the query are conditions; sector and region weigh. Reads only.",
        SearchArgs,
        DealTools.search,
    )


def build_deal_profile(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    return deal_tool(
        resources,
        "deal_profile",
        "read what is recorded of a deal",
        "What is recorded of one or several named deals: sector, region, years, status, description, add-ons and exit "
        "with dates, passages of memos. Reads only.",
        ProfileArgs,
        DealTools.profile,
    )


def build_deal_list(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    return deal_tool(
        resources,
        "deal_list",
        "list and count deals",
        "Counts and lists past deals that meet conditions, all of which bind, also those of sector and region; grouped "
        "when asked. Reads only.",
        ListArgs,
        DealTools.listing,
    )
