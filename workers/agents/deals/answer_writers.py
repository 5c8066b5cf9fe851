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
    }.get(brief.intent.question_type, write_precedents)
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
    """What raised value and what went wrong in the nearest deals, from their memos; then those deals."""
    first, deals = summary_of(brief.evidence), records_of(brief.evidence)
    told = passages_of(brief.evidence, "lever", "risk")
    if first is None or not deals:
        return None
    if not told:
        lead = Claim(
            template=f"In the memos of the {{{first.id}.count}} nearest deals I recognised no lever and no risk.",
            evidence=(first.id,),
        )
    else:
        first_of_each = list({text_of(e, "deal"): e for e in reversed(told)}.values())[::-1][:3]
        names = [f"*{{{e.id}.deal}}*" for e in first_of_each]
        lead = Claim(
            template=f"What memos say of the deals nearest to this, among them {join(names)}, stands below.",
            evidence=(first.id, *(e.id for e in first_of_each)),
        )
    return Draft(
        headline=lead,
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
    lead = Claim(template=f"{record_line(deals[0])}.", evidence=(deals[0].id,))
    return Draft(
        headline=lead,
        what_changed=(
            *(description_claim(e) for e in deals if has(e, "description")),
            *(Claim(template=f"{record_line(e)}.", evidence=(e.id,)) for e in deals[1:]),
            *map(event_claim, events),
        ),
        docs=tuple(map(passage_claim, passages_of(brief.evidence)[: 2 * MOST_PASSAGES])),
        confidence="high",
    )


def write_events(brief: Brief) -> Draft | None:
    """The add-ons and the exit of the deals that are named."""
    deals = records_of(brief.evidence)
    if not deals:
        return None
    events = [e for e in brief.evidence if e.kind == "event"]
    k = deals[0].id
    ended = f"; it is {{{k}.status}}" + (f", {{{k}.years}}" if has(deals[0], "years") else "")
    counted = f"{{{k}.add_ons_words}}" if has(deals[0], "add_ons_words") else "no add-ons"
    return Draft(
        headline=Claim(template=f"*{{{k}.name}}* has {counted} on record{ended}.", evidence=(k,)),
        what_changed=tuple(map(event_claim, events)),
        docs=tuple(map(passage_claim, passages_of(brief.evidence)[:MOST_PASSAGES])),
        confidence="high",
    )


def write_list(brief: Brief) -> Draft | None:
    """How many deals meet the conditions, in groups where that was asked, and the first of them."""
    first, deals = summary_of(brief.evidence), records_of(brief.evidence)
    if first is None:
        return None
    k = first.id
    asked = f" ({{{k}.conditions}})" if has(first, "conditions") else ""
    words = f", of those whose record speaks of {{{k}.words}}" if has(first, "words") else ""
    groups = [e for e in brief.evidence if has(e, "group", "deals")]
    return Draft(
        headline=Claim(template=f"{{{k}.count}} of {{{k}.searched}} deals{asked}{words}.", evidence=(k,)),
        what_changed=tuple(map(card, deals)),
        metrics=(*(group_claim(e) for e in groups), *common_claims(first)),
        missing=gaps_of(first),
        confidence="medium" if gaps_of(first) else "high",
    )


# --- claims ---------------------------------------------------------------------------------------------------


def card(item: Evidence) -> Claim:
    """A deal in a line: its name, where and when, how it stands, why it is here and how it differs."""
    k = item.id
    parts = [f"*{{{k}.name}}*", f"{{{k}.sector}}, {{{k}.region}}", when_words(item)]
    reasons = [f"{{{k}.{name}}}" for name in ("reasons", "differs") if has(item, name)]
    if not reasons and has(item, "add_ons_words"):
        reasons = [f"{{{k}.add_ons_words}}"]
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
    return f"*{{{k}.name}}*: {{{k}.sector}}, {{{k}.region}}, {when_words(item)}{platform}{addons}"


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
    notes = filter(None, (text_of(first, n) for n in ("unspoken", "unread", "groups_left", "far", "ranking_note")))
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
