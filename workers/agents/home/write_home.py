"""Writes how things of the home stand, since when, and what is proposed; short, each value from its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.home.language.request import Found, HomeRequest
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
        return write_proposal(brief, proposed[0])
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
    return write_states(brief, found)


CHANGING = frozenset({"home_change", "home_routine"})
"""Plans that propose something."""


def write_unchanged(brief: Brief) -> Draft:
    """Why nothing is proposed: it is so already, may not be, cannot be, or the home did not answer."""
    states = [e for e in brief.evidence if "state" in e.facts]
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


def write_proposal(brief: Brief, item: Evidence) -> Draft:
    """What waits for a person: one line a thing."""
    lines = tuple(
        Claim(template=f"{{{e.id}.name}}: {{{e.id}.move}}", evidence=(e.id,))
        for e in brief.evidence
        if "move" in e.facts
    )
    return Draft(
        headline=Claim(template=f"Proposed: {{{item.id}.change}}", evidence=(item.id,)),
        what_changed=lines[:MOST],
        missing=brief.gaps,
        confidence="high",
    )


def write_states(brief: Brief, found: Found) -> Draft:
    """How things stand: yes or no for one, the count for several, and each of them."""
    count = next((e for e in brief.evidence if "looked_at" in e.facts), None)
    states = [e for e in brief.evidence if "state" in e.facts]
    missing = [*brief.gaps, *(Gap(text=f"Not understood: “{word}”.") for word in found.unknown)]
    if count is not None and "unknown" in count.facts:
        missing.append(Gap(text=f"No state is known of: {count.facts['unknown'].value}.", tool="home_assistant_states"))
    if len(states) > MOST:
        missing.append(Gap(text=f"{len(states) - MOST} more are not listed; Show proof has them."))
    lines = tuple(state_claim(e) for e in states[:MOST])
    if count is None:
        return write_nothing(brief, "I found no state of that.")
    if count.facts["looked_at"].value == 1 and states:
        return Draft(headline=state_claim(states[0], since=True), missing=tuple(missing), confidence="high")
    k = count.id
    if "asked" not in count.facts:
        head = Claim(template=f"{{{k}.looked_at}} things there:", evidence=(k,))
        if len(lines) == 1:
            head, lines = lines[0], ()
        return Draft(headline=head, metrics=lines, missing=tuple(missing), confidence="high")
    if not states and "unknown" in count.facts:
        some = "None of those whose state is known is" if count.facts["known"].value else "I can't tell whether one is"
        head = Claim(template=f"{some} {{{k}.asked}}; {{{k}.looked_at}} things are there.", evidence=(k,))
        return Draft(headline=head, missing=tuple(missing), confidence="low")
    if not states:
        head = Claim(template=f"None of the {{{k}.looked_at}} things I looked at is {{{k}.asked}}.", evidence=(k,))
        return Draft(headline=head, missing=tuple(missing), confidence="high")
    many = "are" if count.facts["matching"].value != 1 else "is"
    head = Claim(template=f"{{{k}.matching}} of {{{k}.looked_at}} {many} {{{k}.asked}}:", evidence=(k,))
    return Draft(headline=head, metrics=lines, missing=tuple(missing), confidence="high")


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
        return Draft(headline=Claim(template=f"{request.lacks}{changed}"), missing=brief.gaps)
    if found.unknown:
        names = [n for e in entities for n in (e.name, *e.aliases)] + [e.area for e in entities if e.area]
        near = [n for word in found.unknown for n in ranked_names(word, dict.fromkeys(names), NEAR)]
        nearest = tuple(dict.fromkeys(near))[:NEAR]
        gap = (Gap(text=f"Nearest names: {', '.join(nearest)}."),) if nearest else ()
        said = " and ".join(f"“{word}”" for word in found.unknown[:3])
        text = f"Nothing in the home that I may see is called {said}.{changed}"
        return Draft(headline=Claim(template=text), missing=(*gap, *brief.gaps))
    return Draft(headline=Claim(template="I did not understand what of the home is meant."), missing=(Gap(text=FORMS),))
