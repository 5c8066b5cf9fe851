"""Writes what calendars hold: a day, the next appointment, free or not, slots, who is on call, a proposed change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.calendar.known_names import COMING
from workers.agents.calendar.request import CHANGES, CalendarRequest, read_request
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.calendar_kinds import WRITES
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.empty_answer import CONNECT_MODEL, write_nothing

ALL_DAY = re.compile(r"\ball[- ]day\b|\bwhole day|\bganzt\w+|\b(?:vacation|holidays?|urlaub|away|off)\b", re.IGNORECASE)
MOST = 12
HELD = {
    "negated": "I read this as something that is not to be done.",
    "conditional": "That depends on a condition, and I can neither wait for one nor judge it.",
    "reported": "I read this as what may happen or what somebody else wants, not as an order.",
}
"""Why what reads like an order is none."""
KNOWN = (
    "What is understood: a day, a week or the next appointment, free time, who is on call, and to create, move or "
    "cancel an appointment."
)


def whole_days(asked: CalendarRequest) -> bool:
    """Whether a new appointment lasts whole days."""
    return asked.target.at is None and bool(asked.target.days) and bool(ALL_DAY.search(asked.text))


def write_answer(brief: Brief) -> Draft:
    """The answer by its kind."""
    proposed = [e for e in brief.evidence if has(e, "change")]
    if proposed:
        return write_proposed(proposed[0], brief)
    if brief.plan.pattern == "NOVEL":
        return write_unread(brief)
    failed = [c for c in brief.calls if c.status == "error"]
    if failed and not brief.evidence:
        why, _, others = failed[0].summary.partition("; ")
        text = f"{why[:1].upper()}{why[1:]}." if why else "I could not do that."
        more = [t for t in (others, *(c.summary for c in failed[1:])) if t]
        return Draft(
            headline=Claim(template=text),
            missing=tuple(Gap(text=f"{t[:1].upper()}{t[1:]}.", tool=failed[0].name) for t in more),
        )
    heads = [e for e in brief.evidence if e.locator.startswith("calendars/") or e.locator == "on-call"]
    if not heads:
        return write_nothing(brief, "I found nothing in the calendars.")
    head, rest = heads[0], [e for e in brief.evidence if e not in heads]
    kind = brief.intent.question_type
    if brief.plan.pattern == "calendar_slots":
        draft = write_slots(head, rest)
    elif kind == "calendar_on_call":
        draft = write_on_call(head, rest)
    elif kind == "calendar_free":
        draft = write_free(head, rest)
    elif kind == "calendar_next":
        draft = write_next(head, rest)
    else:
        draft = write_day(head, rest)
    unused = unused_words(brief)
    missing = (*unused, *draft.missing, *state_gaps(head), *other_gaps(brief))
    sure = not has(head, "unknown") and not has(head, "stale") and not unused
    if unused:
        headline = draft.headline.model_copy(update={"template": f"Nearest: {draft.headline.template}"})
        draft = draft.model_copy(update={"headline": headline})
    return draft.model_copy(update={"missing": missing, "confidence": "high" if sure else "medium"})


def unused_words(brief: Brief) -> tuple[Gap, ...]:
    """The words of a request that nothing was made of: with them less may be meant. Those that the calendars were
    searched for were used.
    """
    asked = read_request(brief.question, brief.landscape)
    searched = " ".join(str(step.args.get("words", "")) for step in brief.plan.steps)
    left = [w for w in asked.unread if w not in searched.split()]
    said = ", ".join(f"“{w}”" for w in left)
    out = (Gap(text=f"Not taken into account: {said}."),) if left else ()
    if asked.kind == "create" and asked.strangers:
        who = ", ".join(asked.strangers)
        out = (*out, Gap(text=f"Not invited: {who}. Nobody called so has a calendar here."))
    return out


def write_proposed(item: Evidence, brief: Brief) -> Draft:
    """A change that waits for a person, with what it collides with."""
    head = Claim(template=f"Proposed: {{{item.id}.change}}", evidence=(item.id,))
    conflicts: tuple[Claim, ...] = ()
    if has(item, "conflicts"):
        conflicts = (Claim(template=f"It collides: {{{item.id}.conflicts}}", evidence=(item.id,)),)
    missing = (*unused_words(brief), *brief.gaps)
    return Draft(headline=head, what_changed=conflicts, missing=missing, confidence="high")


def write_day(head: Evidence, rest: Sequence[Evidence]) -> Draft:
    """Appointments in their order."""
    several = "," in text_of(head, "people")
    if not rest:
        text = f"{{{head.id}.people}}: no appointment{called(head)}, {{{head.id}.window}}"
        return Draft(headline=Claim(template=text, evidence=(head.id,)))
    word = "appointment" if len(rest) == 1 else "appointments"
    text = f"{{{head.id}.people}}: {{{head.id}.events}} {word}, {{{head.id}.window}}"
    claims = tuple(say(e, several=several) for e in rest[:MOST])
    clashes = clashing(rest)
    return Draft(
        headline=Claim(template=text, evidence=(head.id,)),
        what_changed=claims,
        next_steps=tuple(
            Claim(template=f"{{{a.id}.title}} and {{{b.id}.title}} overlap for {{{a.id}.owner}}", evidence=(a.id, b.id))
            for a, b in clashes[:4]
        ),
        missing=(Gap(text=f"{len(rest) - MOST} more are not shown."),) if len(rest) > MOST else (),
    )


def write_next(head: Evidence, rest: Sequence[Evidence]) -> Draft:
    """The next one."""
    if not rest:
        text = f"{{{head.id}.people}}: no appointment{called(head)} begins, {{{head.id}.window}}"
        return Draft(headline=Claim(template=text, evidence=(head.id,)))
    one = rest[0]
    text = f"Next for {{{one.id}.owner}}: {{{one.id}.title}}, {{{one.id}.when}}"
    text += f" ({{{one.id}.location}})" if has(one, "location") else ""
    return Draft(headline=Claim(template=text, evidence=(one.id,)))


def write_free(head: Evidence, rest: Sequence[Evidence]) -> Draft:
    """Free or not at a time."""
    busy = [e for e in rest if text_of(e, "busy") == "busy"]
    if not busy:
        text = f"{{{head.id}.people}}: free, {{{head.id}.window}}"
        others = tuple(say(e) for e in rest)
        return Draft(headline=Claim(template=text, evidence=(head.id,)), what_changed=others)
    who = ", ".join(dict.fromkeys(f"{{{e.id}.owner}}" for e in busy[:1]))
    text = f"{who} is busy then: {{{busy[0].id}.title}}, {{{busy[0].id}.when}}"
    more = tuple(say(e, several=True) for e in busy[1:MOST])
    return Draft(headline=Claim(template=text, evidence=(busy[0].id,)), what_changed=more)


def write_slots(head: Evidence, rest: Sequence[Evidence]) -> Draft:
    """The free spans, and the rules they were found by."""
    rules = f"{{{head.id}.rules}}; {{{head.id}.hours}}"
    if not rest:
        text = f"No slot is free for {{{head.id}.people}}, {{{head.id}.window}}"
        return Draft(
            headline=Claim(template=text, evidence=(head.id,)),
            what_changed=(Claim(template=f"Looked for: {rules}", evidence=(head.id,)),),
        )
    first = rest[0]
    text = f"{{{head.id}.people}} are free {{{first.id}.when}}"
    text = text.replace(" are ", " is ") if "," not in text_of(head, "people") else text
    claims = tuple(
        Claim(template=f"{{{e.id}.when}}" + (f" ({{{e.id}.also}})" if has(e, "also") else ""), evidence=(e.id,))
        for e in rest[:MOST]
    )
    looked = Claim(template=f"Looked for: {rules}; {{{head.id}.window}}", evidence=(head.id,))
    return Draft(headline=Claim(template=text, evidence=(head.id, first.id)), what_changed=(*claims, looked))


def write_on_call(head: Evidence, rest: Sequence[Evidence]) -> Draft:
    """Who has a shift, or that nobody has, and the next one."""
    after = (Claim(template=f"Next: {{{head.id}.next}}", evidence=(head.id,)),) if has(head, "next") else ()
    if not rest:
        text = f"Nobody is on call for {{{head.id}.teams}}, {{{head.id}.at}}"
        return Draft(headline=Claim(template=text, evidence=(head.id,)), what_changed=after)
    one = rest[0]
    text = f"{{{one.id}.person}} is on call for {{{one.id}.team}}, {{{one.id}.when}}"
    more = tuple(
        Claim(template=f"{{{e.id}.team}}: {{{e.id}.person}}, {{{e.id}.when}}", evidence=(e.id,)) for e in rest[1:MOST]
    )
    return Draft(headline=Claim(template=text, evidence=(one.id,)), what_changed=(*more, *after))


def write_unread(brief: Brief) -> Draft:
    """What was understood and what was not; nothing is guessed."""
    asked = read_request(brief.question, brief.landscape)
    missing = () if brief.without_model else (CONNECT_MODEL,)
    if asked.held:
        return Draft(headline=Claim(template=f"{HELD[asked.held]} Nothing is changed, and I propose nothing."))
    if asked.kind in WRITES and not asked.me:
        text = "I don't know which calendar is yours: no calendar's `users` names you."
        return Draft(headline=Claim(template=text))
    if asked.bounded:
        said = (
            f"I read this as an order to {asked.kind} an appointment, and do not understand the time “{asked.bounded}”."
        )
        return Draft(headline=Claim(template=said))
    if asked.kind == "create":
        text = "I read this as a new appointment, and its title, day, time or length is missing."
        return Draft(headline=Claim(template=text))
    if asked.kind in CHANGES and asked.choice.appointment is None:
        said = " ".join(asked.unread or sorted(asked.choice.words))
        text = f"I read this as an order to {asked.kind} an appointment, and found none of yours that it names"
        text += f": no appointment to come is called “{said}”." if said else "."
        far = Gap(text=f"Appointments of the next {COMING.days} days are known by their names.")
        return Draft(headline=Claim(template=text), missing=(far, *brief.gaps))
    if asked.kind == "move":
        return Draft(
            headline=Claim(template="I read this as a move, and its new day, time or length is missing."),
            missing=unused_words(brief),
        )
    able = Gap(text=KNOWN, tool="calendar_events")
    return Draft(
        headline=Claim(template="I did not understand what is wanted of the calendars."),
        missing=(*unused_words(brief), able, *missing),
    )


# --- parts ----------------------------------------------------------------------------------------------------


def called(head: Evidence) -> str:
    """The words that were searched for, of a search."""
    return f" called “{{{head.id}.words}}”" if has(head, "words") else ""


def say(item: Evidence, *, several: bool = False) -> Claim:
    """One appointment in a line."""
    text = f"{{{item.id}.when}} · {{{item.id}.title}}"
    text += f" · {{{item.id}.location}}" if has(item, "location") else ""
    text += f" · {{{item.id}.owner}}" if several else ""
    text += " (does not take time)" if text_of(item, "busy") == "free" else ""
    return Claim(template=text, evidence=(item.id,))


def clashing(items: Sequence[Evidence]) -> list[tuple[Evidence, Evidence]]:
    """Pairs of one person's that take time at the same time; whole days left out."""
    busy = [e for e in items if text_of(e, "busy") == "busy" and "all day" not in text_of(e, "when")]
    return [
        (a, b)
        for i, a in enumerate(busy)
        for b in busy[i + 1 :]
        if text_of(a, "owner") == text_of(b, "owner") and text_of(b, "start") < text_of(a, "end")
    ]


def state_gaps(head: Evidence) -> tuple[Gap, ...]:
    """That a calendar could not be renewed, or parts of it not be read."""
    out = []
    if has(head, "unknown"):
        out.append(Gap(text=f"Not known for {text_of(head, 'unknown')}: {text_of(head, 'why')}"))
    if has(head, "stale"):
        out.append(Gap(text=f"This is a copy of {text_of(head, 'age')} ago: {text_of(head, 'stale')}"))
    if has(head, "unread"):
        out.append(Gap(text=f"Appointments that could not be read, and do not count: {text_of(head, 'unread')}"))
    if has(head, "zones"):
        out.append(Gap(text=f"No zone is called {text_of(head, 'zones')}: its times were read in the calendar's zone."))
    if has(head, "declined"):
        out.append(Gap(text=f"Declined, so it takes no time and is not listed: {text_of(head, 'declined')}"))
    return tuple(out)


def other_gaps(brief: Brief) -> tuple[Gap, ...]:
    """What calls told of, once."""
    return tuple({g.text: g for g in brief.gaps}.values())
