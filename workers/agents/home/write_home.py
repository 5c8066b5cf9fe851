"""Writes how things of the home stand, since when, and what is proposed; short, each value from its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.home.language.request import Found, HomeRequest
from workers.agents.home.language.targets import able_to, kinds_for, placed
from workers.contracts import Claim, Draft, EntityInfo, Evidence, Gap
from workers.language.nearest_names import ranked_names
from workers.ports import Brief
from workers.reasoning.empty_answer import unanswered, write_nothing

MOST = 12
NEAR = 5
FORMS = (
    "Ask how something stands or since when, or order a change: switch, open, close, lock, set a brightness, a "
    "temperature, a position, a volume or a speed."
)


def write_home(brief: Brief, request: HomeRequest, found: Found, entities: Sequence[EntityInfo]) -> Draft:
    """The answer of whichever kind it is."""
    if proposed := [e for e in brief.evidence if "change" in e.facts]:
        return write_proposal(brief, proposed[0], rest_of(request, found, entities))
    if not brief.calls:
        return write_not_understood(brief, request, found, entities)
    if brief.plan.pattern in CHANGING:
        return write_unchanged(brief)
    if not entities and not unanswered(brief):
        text = "There is nothing in the home that Assist may see."
        return Draft(headline=Claim(template=text), missing=said_by(brief))
    if (lost := unanswered(brief)) and not brief.evidence:
        return Draft(headline=Claim(template=f"{lost}, so I can't tell."), missing=said_by(brief))
    if request.kind == "since":
        return write_since(brief, brief.evidence)
    return write_states(brief, request, found)


CHANGING = frozenset({"home_change", "home_routine"})
"""Plans that propose something."""


def write_unchanged(brief: Brief) -> Draft:
    """Why nothing is proposed: it is so already, may not be, cannot be, or the home did not answer."""
    states = [e for e in brief.evidence if "state" in e.facts]
    if needed := [e for e in states if "needed" in e.facts]:
        first, *others = (needed_claim(e) for e in needed)
        head = first.model_copy(update={"template": f"Nothing is proposed: {first.template}"})
        return Draft(headline=head, what_changed=tuple(others), missing=brief.gaps, confidence="high")
    if states:
        first, *others = (
            Claim(template=f"{{{e.id}.name}} is {{{e.id}.state}} already", evidence=(e.id,)) for e in states[:MOST]
        )
        head = first.model_copy(update={"template": f"{first.template}; nothing is proposed."})
        return Draft(headline=head, what_changed=tuple(others), missing=brief.gaps, confidence="high")
    status = brief.calls[-1].status
    heads = {
        "denied": "I may not change that; nothing was changed.",
        "timeout": f"{unanswered(brief)}; nothing was changed or proposed.",
    }
    text = heads.get(status, "Nothing was changed or proposed: that cannot be done now.")
    return Draft(headline=Claim(template=text), missing=said_by(brief))


def said_by(brief: Brief) -> tuple[Gap, ...]:
    """What the tools said."""
    return brief.gaps or tuple(Gap(text=call.summary, tool=call.name) for call in brief.calls if call.summary)


def write_proposal(brief: Brief, item: Evidence, rest: Sequence[str]) -> Draft:
    """What waits for a person: one line a thing; what a scene touches, and why something had to hold."""
    lines = [
        Claim(
            template=f"{{{e.id}.name}}: {{{e.id}.move}}"
            + (f"; touches {{{e.id}.touches}}" if "touches" in e.facts else ""),
            evidence=(e.id,),
        )
        for e in brief.evidence
        if "move" in e.facts
    ]
    reasons = [needed_claim(e) for e in brief.evidence if "needed" in e.facts]
    gaps = (Gap(text=f"Not touched: {', '.join(rest[:MOST])}."),) if rest else ()
    return Draft(
        headline=Claim(template=f"Proposed: {{{item.id}.change}}", evidence=(item.id,)),
        what_changed=(*reasons, *lines)[:MOST],
        missing=(*gaps, *brief.gaps),
        confidence="high",
    )


def rest_of(request: HomeRequest, found: Found, entities: Sequence[EntityInfo]) -> list[str]:
    """Of an order to everything, what is there and cannot be done so: blinds, locks."""
    whole = [t for t in request.targets if t.whole and not (t.names or t.nouns)]
    able = kinds_for(request)
    others = (e for e in entities if e.domain in MOVED and not able_to(e, able) and e.id not in found.ids)
    return [e.name for e in others if any(placed(e, t) for t in whole)]


MOVED = frozenset({"cover", "lock", "valve", "vacuum"})
"""What is neither on nor off and may still be left open or under way."""


def needed_claim(item: Evidence) -> Claim:
    """A state that something had to hold for."""
    k, holds = item.id, item.facts["holds"].value
    return Claim(
        template=f"{{{k}.name}} is {{{k}.state}}, {'as asked' if holds else 'and not'}: {{{k}.needed}}.", evidence=(k,)
    )


def write_states(brief: Brief, request: HomeRequest, found: Found) -> Draft:
    """How things stand: yes or no, the count of several, the highest of them, and each of them."""
    count = next((e for e in brief.evidence if "looked_at" in e.facts), None)
    states = [e for e in brief.evidence if "state" in e.facts]
    missing = [*brief.gaps, *(Gap(text=f"Not understood: “{word}”.") for word in found.unknown)]
    if count is None:
        return write_nothing(brief, "I found no state of that.")
    facts = count.facts
    if "unknown" in facts:
        missing.append(Gap(text=f"No state is known of: {facts['unknown'].value}.", tool="home_assistant_states"))
    if len(states) > MOST:
        missing.append(Gap(text=f"{len(states) - MOST} more are not listed; Show proof has them."))
    head, lines = head_of(request, count, states)
    return Draft(
        headline=head,
        metrics=tuple(lines[:MOST]),
        missing=tuple(missing),
        confidence="low" if "unknown" in facts and not states else "high",
    )


def head_of(request: HomeRequest, count: Evidence, states: Sequence[Evidence]) -> tuple[Claim, list[Claim]]:
    """The first line of how things stand, and the lines below it."""
    k, facts, order = count.id, count.facts, request.conditions.order
    lasting = bool(request.conditions.longer_s or request.conditions.shorter_s)
    lines = [state_claim(e, since=lasting) for e in states]
    some, all_of = facts["matching"].value, facts["looked_at"].value
    if order == "difference" and "difference" in facts:
        return difference_claim(request, count, states), []
    if order and states:
        first = state_claim(states[0], since=order in {"longest", "shortest"})
        said = f"{order.capitalize()} of {{{k}.looked_at}}: {first.template}"
        return first.model_copy(update={"template": said, "evidence": (k, *first.evidence)}), []
    yes = ("Yes: " if bool(some) != request.every else "No: ") if request.whether and "asked" in facts else ""
    if all_of == 1 and states:
        first = state_claim(states[0], since=True)
        kinds = {kind.partition(".")[0] for kind in kinds_for(request)}
        unsure = "unknown" in facts or (bool(kinds) and not {"*", states[0].locator.partition(".")[0]} & kinds)
        return first.model_copy(update={"template": first.template if unsure else f"{yes}{first.template}"}), []
    if "asked" not in facts:
        head = Claim(template=f"{{{k}.looked_at}} things there:", evidence=(k,))
        return (lines[0], []) if len(lines) == 1 else (head, lines)
    if states:
        many = "are" if some != 1 else "is"
        return Claim(template=f"{yes}{{{k}.matching}} of {{{k}.looked_at}} {many} {{{k}.asked}}:", evidence=(k,)), lines
    if "unknown" not in facts:
        text = f"{yes if request.every else ''}None of the {{{k}.looked_at}} things I looked at is {{{k}.asked}}."
    elif facts["known"].value:
        text = f"None of those whose state is known is {{{k}.asked}}; {{{k}.looked_at}} things are there."
    else:
        text = f"I can't tell whether one is {{{k}.asked}}; {{{k}.looked_at}} things are there."
    return Claim(template=text, evidence=(k,)), []


def difference_claim(request: HomeRequest, count: Evidence, states: Sequence[Evidence]) -> Claim:
    """How two things differ, and whether as asked."""
    first, second = states[0].id, states[1].id
    apart, sign = count.facts["difference"].value, request.conditions.sign
    so = isinstance(apart, int | float) and apart * sign > 0
    yes = ("Yes: " if so else "No: ") if request.whether and sign else ""
    template = (
        f"{yes}{{{first}.name}} is {{{first}.state}}, {{{second}.name}} is {{{second}.state}}; "
        f"the difference is {{{count.id}.apart}}."
    )
    return Claim(template=template, evidence=(count.id, first, second))


def state_claim(item: Evidence, *, since: bool = False) -> Claim:
    """``Desk lamp (Lab) is on, 80 %, since 09:14 UTC today (3 h 15 min)``."""
    k = item.id
    place = f" ({{{k}.area}})" if "area" in item.facts else ""
    when = f", since {{{k}.since}} ({{{k}.lasting}})" if since else ""
    is_so = " is" if since else ":"
    return Claim(template=f"{{{k}.name}}{place}{is_so} {{{k}.state}}{when}.", evidence=(k,))


def write_since(brief: Brief, spans: Sequence[Evidence]) -> Draft:
    """Since when each thing is as it is, or when it was last as asked."""
    claims = [claim for item in spans if "state" in item.facts for claim in since_claims(item)]
    if not claims:
        return write_nothing(brief, "I found no history of that.")
    return Draft(headline=claims[0], what_changed=tuple(claims[1:MOST]), missing=brief.gaps, confidence="high")


def since_claims(item: Evidence) -> list[Claim]:
    """``Garage door has been open since 14:06 UTC today (2 h 10 min).``"""
    k, facts = item.id, item.facts
    when = (
        f"since {{{k}.since}} ({{{k}.lasting}})"
        if "since" in facts
        else f"since {{{k}.at_least}} at the latest ({{{k}.lasting}} or more)"
    )
    now = Claim(template=f"{{{k}.name}} has been {{{k}.state}} {when}.", evidence=(k,))
    if "asked" not in facts or facts["holds"].value is True:
        return [now]
    if "last_until" in facts and "last_since" in facts:
        last = (
            f"{{{k}.name}} was last {{{k}.asked}} from {{{k}.last_since}} to {{{k}.last_until}} ({{{k}.last_lasting}})."
        )
        return [Claim(template=last, evidence=(k,)), now]
    if "last_until" in facts:
        return [Claim(template=f"{{{k}.name}} was last {{{k}.asked}} until {{{k}.last_until}}.", evidence=(k,)), now]
    never = f"{{{k}.name}} was not {{{k}.asked}} within the last {{{k}.hours}} hours."
    return [now, Claim(template=never, evidence=(k,))]


def write_not_understood(brief: Brief, request: HomeRequest, found: Found, entities: Sequence[EntityInfo]) -> Draft:
    """Why nothing was looked at or proposed, with the nearest names that are there."""
    changed = " Nothing is proposed." if request.kind == "change" else ""
    if request.lacks:
        return Draft(
            headline=Claim(template=request.lacks if request.lacks.endswith("?") else f"{request.lacks}{changed}"),
            missing=brief.gaps,
        )
    if request.excepted and not found.unknown:
        text = f"Nothing of that is in the home apart from what is left out.{changed}"
        return Draft(headline=Claim(template=text), missing=brief.gaps)
    if found.unknown:
        names = [n for e in entities for n in (e.name, *e.aliases)] + [e.area for e in entities if e.area]
        near = [n for word in found.unknown for n in ranked_names(word, dict.fromkeys(names), NEAR)]
        nearest = tuple(dict.fromkeys(near))[:NEAR]
        gap = (Gap(text=f"Nearest names: {', '.join(nearest)}."),) if nearest else ()
        asked = brief.question.text.lower()
        said = " and ".join(f"“{word}”" if word.lower() in asked else word for word in found.unknown[:3])
        text = f"Nothing in the home that I may see is called {said}.{changed}"
        return Draft(headline=Claim(template=text), missing=(*gap, *brief.gaps))
    return Draft(headline=Claim(template="I did not understand what of the home is meant."), missing=(Gap(text=FORMS),))
