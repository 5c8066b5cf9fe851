"""Writes what is recorded of deals: claims with slots over facts, the ranking's reasons, and passages as they stand."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Claim, Draft, Evidence, Gap, Menu, Option
from workers.grounding.health import number, text_of
from workers.language.question_forms import ANY, form
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join
from workers.reasoning.empty_answer import write_nothing

MOST_PASSAGES = 6
MOST_OPTIONS = 60
NOTHING = "I found no such deal in the records."


def write_answer(brief: Brief) -> Draft:
    """The answer to the kind of question; what was tried when nothing was found."""
    writer = {
        "deal_profile": write_profile,
        "deal_events": write_events,
        "deal_list": write_list,
        "deal_lessons": write_lessons,
        "deal_levers": write_lessons,
        "deal_risks": write_lessons,
    }.get(brief.intent.question_type, write_precedents)
    if brief.intent.question_type == "deal_change":
        return write_read_only(brief)
    if writer in {write_profile, write_events} and summary_of(brief.evidence):  # none is named, some meet conditions
        writer = write_list
    draft = writer(brief) if brief.evidence else None
    if draft is None:
        return write_nothing(brief, NOTHING)
    menus = menus_of(brief) if summary_of(brief.evidence) else ()
    return draft.model_copy(update={"missing": (*draft.missing, *brief.gaps), "menus": menus})


# --- what was found -------------------------------------------------------------------------------------------


def summary_of(items: Sequence[Evidence]) -> Evidence | None:
    """What counts the deals and says how the question was understood."""
    return next((e for e in items if has(e, "count", "with_add_ons")), None)


def records_of(items: Sequence[Evidence]) -> list[Evidence]:
    """The deals themselves."""
    return [e for e in items if has(e, "name", "sector")]


def passages_of(items: Sequence[Evidence], *tells_of: str) -> list[Evidence]:
    """Passages, of some kinds when these are named."""
    found = [e for e in items if has(e, "text", "source")]
    return [e for e in found if text_of(e, "tells_of") in tells_of] if tells_of else found


# --- one writer a kind of question ----------------------------------------------------------------------------


def write_precedents(brief: Brief) -> Draft | None:
    """The nearest deals with why each is there, what they have in common, and what memos say."""
    first, deals = summary_of(brief.evidence), records_of(brief.evidence)
    if first is None or not deals:
        return None
    names = [f"*{{{e.id}.name}}*" for e in deals[:3]]
    lead = f"The nearest of {{{first.id}.searched}} deals: {join(names)}."
    asked = f" Read as: {{{first.id}.conditions}}." if has(first, "conditions") else ""
    return Draft(
        headline=Claim(template=lead + asked, evidence=(first.id, *(e.id for e in deals[:3]))),
        what_changed=tuple(map(card, deals)),
        metrics=common_claims(first),
        docs=tuple(map(passage_claim, passages_of(brief.evidence, "lever", "risk")[:MOST_PASSAGES])),
        missing=gaps_of(first),
        confidence="high" if len(deals) > 1 else "medium",
    )


def write_lessons(brief: Brief) -> Draft | None:
    """What raised value or what went wrong, from memos of the deals that meet the conditions, or of the nearest."""
    first, deals = summary_of(brief.evidence), records_of(brief.evidence)
    told = passages_of(brief.evidence, "lever", "risk")
    if first is None:
        return None
    k = first.id
    kind = {"deal_levers": "lever", "deal_risks": "risk"}.get(brief.intent.question_type, "lever and no risk")
    of = f"nearest of {{{k}.searched}}" if deals else f"({{{k}.conditions}})"
    which = f"the {{{k}.count}} {of} deals" if deals else f"the {{{k}.count}} deals {of}"
    if told:
        names = [f"*{{{e.id}.deal}}*" for e in {text_of(e, "deal"): e for e in reversed(told)}.values()][::-1][:3]
        template = f"What memos say of {which}, among them {join(names)}, stands below."
    else:
        template = f"In the memos of {which} I recognised no {kind}."
    return Draft(
        headline=Claim(template=template, evidence=(k, *(e.id for e in told[:3]))),
        docs=tuple(map(passage_claim, told)),
        metrics=common_claims(first),
        what_changed=tuple(map(card, deals)),
        missing=gaps_of(first),
        confidence="medium",
    )


def write_profile(brief: Brief) -> Draft | None:
    """What is recorded of the deals that are named, what happened to them, what memos say."""
    deals = records_of(brief.evidence)
    if not deals:
        return None
    events = [e for e in brief.evidence if e.kind == "event"]
    compared = compared_claim(deals)
    lines = [Claim(template=f"{record_line(e)}.", evidence=(e.id,)) for e in deals]
    return Draft(
        headline=compared or lines[0],
        what_changed=(
            *(description_claim(e) for e in deals if has(e, "description")),
            *(lines if compared else lines[1:]),
            *map(event_claim, events),
        ),
        docs=tuple(map(passage_claim, passages_of(brief.evidence)[: 2 * MOST_PASSAGES])),
        confidence="high",
    )


def compared_claim(deals: Sequence[Evidence]) -> Claim | None:
    """Which of two deals ended better, where it is said of both what came back."""
    if len(deals) != 2 or not all(has(e, "multiple") for e in deals):
        return None
    better, worse = sorted(deals, key=lambda e: number(e, "multiple"), reverse=True)
    if number(better, "multiple") == number(worse, "multiple"):
        return None
    b, w = better.id, worse.id
    return Claim(
        template=f"*{{{b}.name}}* ended better: {{{b}.result}}; *{{{w}.name}}*: {{{w}.result}}.", evidence=(b, w)
    )


def write_events(brief: Brief) -> Draft | None:
    """The add-ons and the exit of the deals that are named."""
    deals = records_of(brief.evidence)
    if not deals:
        return None
    events = [e for e in brief.evidence if e.kind == "event"]
    k = deals[0].id
    ended = f"; it is {{{k}.status}}" + (f", {{{k}.years}}" if has(deals[0], "years") else "")
    ended += f", {{{k}.result}}" if has(deals[0], "result") else ""
    counted = f"{{{k}.add_ons_words}}" if has(deals[0], "add_ons_words") else "no add-ons"
    return Draft(
        headline=Claim(template=f"*{{{k}.name}}* has {counted} on record{ended}.", evidence=(k,)),
        what_changed=tuple(map(event_claim, events)),
        docs=tuple(map(passage_claim, passages_of(brief.evidence)[:MOST_PASSAGES])),
        confidence="high",
    )


def write_list(brief: Brief) -> Draft | None:
    """How many deals meet the conditions, in groups where that was asked, and the first of them.

    A word that was not read comes before the number: it is no count of what was asked.
    """
    first, deals = summary_of(brief.evidence), records_of(brief.evidence)
    if first is None:
        return None
    k = first.id
    asked = f" ({{{k}.conditions}})" if has(first, "conditions") else ""
    words = f", of those whose record speaks of {{{k}.words}}" if has(first, "words") else ""
    lead = f"{{{k}.count}} of {{{k}.searched}} deals{asked}{words}."
    if has(first, "left_out"):
        lead = f"I can't tell by {{{k}.left_out}}, which no record speaks of; by the rest it is {lead}"
    groups = [e for e in brief.evidence if has(e, "group", "deals")]
    return Draft(
        headline=Claim(template=lead, evidence=(k,)),
        what_changed=tuple(map(card, deals)),
        metrics=(*(group_claim(e) for e in groups), *common_claims(first)),
        missing=gaps_of(first),
        confidence="medium" if gaps_of(first) or has(first, "left_out") else "high",
    )


def write_read_only(brief: Brief) -> Draft:
    """Nothing is changed: the records are what was loaded."""
    names = [f"*{{{e.id}.name}}*" for e in records_of(brief.evidence)]
    what = f": what is recorded of {join(names)} stands as it was" if names else ""
    return Draft(
        headline=Claim(
            template=f"I only read deals, so nothing was changed{what}. "
            "Records change by loading them: oracle deals load.",
            evidence=tuple(e.id for e in records_of(brief.evidence)),
        ),
        confidence="high",
    )


# --- claims ---------------------------------------------------------------------------------------------------


def card(item: Evidence) -> Claim:
    """A deal in a line: its name, where and when, how it stands, why it is here and how it differs."""
    k = item.id
    parts = [f"*{{{k}.name}}*", f"{{{k}.sector}}, {{{k}.region}}", when_words(item)]
    reasons = [f"{{{k}.{name}}}" for name in ("reasons", "differs") if has(item, name)]
    if not reasons:
        reasons = [f"{{{k}.{name}}}" for name in ("add_ons_words", "result") if has(item, name)]
    return Claim(template=" · ".join([*parts, *reasons]), evidence=(k,))


def when_words(item: Evidence) -> str:
    """Its years and its status."""
    k = item.id
    return f"{{{k}.years}}, {{{k}.status}}" if has(item, "years") else f"{{{k}.status}}"


def record_line(item: Evidence) -> str:
    """A deal in a sentence."""
    k = item.id
    addons = f", {{{k}.add_ons_words}}" if has(item, "add_ons_words") else ""
    platform = ", a platform" if text_of(item, "platform") == "platform" else ""
    seller = f", bought from {{{k}.seller}}" if has(item, "seller") else ""
    result = f", {{{k}.result}}" if has(item, "result") else ""
    return f"*{{{k}.name}}*: {{{k}.sector}}, {{{k}.region}}, {when_words(item)}{platform}{addons}{seller}{result}"


def description_claim(item: Evidence) -> Claim:
    """What a deal is, as it is recorded."""
    return Claim(template=f"*{{{item.id}.name}}*: “{{{item.id}.description}}”", evidence=(item.id,))


def event_claim(item: Evidence) -> Claim:
    """What happened to a deal, and when."""
    k = item.id
    date = f"{{{k}.date}}" if has(item, "date") else "no date"
    what = f"{{{k}.description}}" if has(item, "description") else f"{{{k}.what}}"
    other = (
        f" ({{{k}.other}})" if has(item, "other") and text_of(item, "other") not in text_of(item, "description") else ""
    )
    return Claim(template=f"{date}: *{{{k}.deal}}*, {{{k}.what}}: {what}{other}", evidence=(k,))


def passage_claim(item: Evidence) -> Claim:
    """A passage, word for word, with what it tells of."""
    k = item.id
    kind = {"lever": "Lever", "risk": "Risk"}.get(text_of(item, "tells_of"), "")
    return Claim(template=f"{kind}{' – ' * bool(kind)}*{{{k}.deal}}*, {{{k}.source}}: “{{{k}.text}}”", evidence=(k,))


def group_claim(item: Evidence) -> Claim:
    """How many deals a group has."""
    return Claim(template=f"{{{item.id}.group}}: {{{item.id}.deals}}", evidence=(item.id,))


def common_claims(first: Evidence) -> tuple[Claim, ...]:
    """What the deals that are shown have in common: add-ons, how they ended, for how long they were held."""
    k = first.id
    if number(first, "count") < 2:
        return ()
    parts = (
        [f"{{{k}.with_add_ons}} made add-ons, {{{k}.add_ons_total}} in all"] if number(first, "with_add_ons") else []
    )
    held = ""
    if has(first, "median_held_years"):
        of = "" if number(first, "dated") == number(first, "realized") else f" of the {{{k}.dated}} with both years"
        held = f" (held {{{k}.median_held_years}} years at the median{of})"
    parts += [f"{{{k}.realized}} realized{held}"] if number(first, "realized") else []
    return (Claim(template=f"Of these {{{k}.count}}: {'; '.join(parts)}.", evidence=(k,)),) if parts else ()


def gaps_of(first: Evidence) -> tuple[Gap, ...]:
    """Places that no deal lies in, and a ranking that was not learned."""
    gaps = []
    if has(first, "unknown"):
        gaps.append(Gap(text=f"The records have no deal in {text_of(first, 'unknown')}.", tool="deal_search"))
    if has(first, "unspoken"):
        words = text_of(first, "unspoken")
        gaps.append(Gap(text=f"No record speaks of {words}; the answer leaves that out.", tool="deal_search"))
    notes = filter(None, (text_of(first, n) for n in ("unread", "groups_left", "far", "ranking_note")))
    gaps.extend(Gap(text=note, tool="deal_search") for note in notes)
    return tuple(gaps)


# --- what may be asked next -----------------------------------------------------------------------------------


def menus_of(brief: Brief) -> tuple[Menu, ...]:
    """Menus that narrow the answer: sector, region, status, platform, add-ons."""
    labels = brief.landscape.labels
    return (
        menu("Sector", "sector", labels.get("deal_sector", ())),
        menu("Region", "region", labels.get("deal_region", ())),
        menu("Status", "status", ("current", "realized")),
        menu("Platform", "platform", ("yes", "no")),
        menu("Add-ons", "add-ons", ("yes", "no")),
    )


def menu(name: str, kind: str, values: Sequence[str]) -> Menu:
    """A menu whose first option takes the condition away."""
    options = [Option(value=form(kind, value), label=value) for value in values[:MOST_OPTIONS]]
    either = Option(value=form(kind, ANY), label=f"any {name.lower()}")
    return Menu(name=name, kind=f"[{kind}:", options=(either, *options))
