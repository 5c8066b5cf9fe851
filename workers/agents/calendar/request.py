"""What a message asks of calendars: its kind, people, times, and the appointment it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from workers.agents.calendar.appointment_choice import PICKED, Choice, choose_appointment
from workers.agents.calendar.known_names import ASKER, EVERYONE, Human, KnownNames, Named, read_names
from workers.agents.calendar.titles import read_title
from workers.contracts import Landscape, Question
from workers.language.appointment_times import Mention, read_mentions
from workers.language.calendar_kinds import ELSEWHERE, WRITES, ranked_kinds
from workers.language.order_conditions import Held, held_back
from workers.language.wanted_times import EARLIEST, LATEST, LATEST_NEGATED, Times, combine
from workers.language.zones import read_zone

SURE, LEAD = 0.15, 0.04
"""Below this score of the best kind, and this lead over the second, nothing is understood. See bench/README.md."""
THIS = re.compile(
    r"\b(?:only|just|nur)\b.{0,12}\b(?:this|once|one|dies\w*|einmal\w*|mal)\b|\bthis (?:once|time)\b|\bone[- ]off\b",
    re.IGNORECASE,
)
FOLLOWING = re.compile(
    r"\ball (?:following|future|later)|\b(?:onwards?|going forward|from then on|künftig\w*|ab (?:sofort|jetzt))"
    r"\b",
    re.IGNORECASE,
)
FROM_ON = re.compile(r"\b(?:from|starting|ab)\b(?P<when>.{2,30})\b(?:on|onwards?|an)\b", re.IGNORECASE)
ALL = re.compile(
    r"\b(?:series|serie|recurring|permanently|always|immer|every|jede[nrs]?|alle)\b|\ball of (?:them|it)\b",
    re.IGNORECASE,
)
EARLIER = re.compile(r"\b(?:forward|earlier|sooner|ahead|vor|vorziehen|früher)\b", re.IGNORECASE)
LATER = re.compile(r"\b(?:back|later|postpone|delay|push|hinten|später)\b", re.IGNORECASE)
LONGER = re.compile(r"\b(?:longer|extend|länger|verlänger\w*)\b", re.IGNORECASE)
SHORTER = re.compile(r"\b(?:less|kürzer) *$", re.IGNORECASE)
BOUNDS = frozenset({*EARLIEST, *LATEST, *LATEST_NEGATED})
ASKS = re.compile(r"^\W*(?:when|what|where|who|which|how|is|are|does|has|wann|was|wer|wo|wie|ist|hat)\b", re.IGNORECASE)
"""How a question begins that orders nothing."""
ORDERS = (
    r"cancel|mov(?:e|ing)|reschedul|postpon|delay|shift|push|drop|delet|remov"
    r"|scrap|skip|extend|shorten|bring|kill|call off"
    r"|book|schedul|creat|set up|add|plan|arrang|invit|block|put|verschieb|verleg|absag|sag|streich|lösch|stornier"
    r"|buch|trag|leg"
)
"""Words that order a change of calendars, by their beginnings."""
FORMS = {
    "shift": {"move": 0.45},
    "target": {"move": 0.3, "cancel": -0.2},
    "scope": {"move": 0.05, "cancel": 0.05},
    "length": {"slots": 0.12, "create": 0.03, "agenda": -0.15, "free": -0.05, "cancel": -0.15, "next": -0.3},
    "time_and_length": {"create": 0.2, "slots": -0.1},
    "bound": {"slots": 0.1},
    "clock": {"slots": -0.08, "free": 0.05, "create": 0.05},
    "no_time": {"create": -0.1, "free": -0.15},
    "appointment": {"move": 0.06, "cancel": 0.08, "create": -0.1, "slots": -0.08},
    "no_appointment": {"move": -0.05, "cancel": -0.05},
    "team": {"on_call": 0.2},
    "several": {"slots": 0.06},
    "question": {"create": -0.15, "move": -0.15, "cancel": -0.15},
}
"""What the form of a request adds to the learned scores of its kinds."""


@dataclass(frozen=True)
class CalendarRequest:
    """One request as it was read. ``kind``: as `calendar_kinds`, empty when none is sure.

    ``others``: the people named beside the asker; ``asked``: of whom it is asked. ``source``, ``target``: of a move
    the time it is at and the time it goes to; else both are all times that are said. ``choice``: the appointment.
    ``held``: why what reads like an order to change something is none; its kind is empty then.
    """

    kind: str
    me: Human | None
    others: tuple[str, ...]
    asked: tuple[str, ...]
    team: str
    now: datetime
    zone: tzinfo
    source: Times
    target: Times
    choice: Choice
    scope: str
    title: str
    delta: int = 0
    text: str = ""
    held: Held = ""


def read_request(question: Question, landscape: Landscape) -> CalendarRequest:
    """Read a message against the names that the calendars hold."""
    zone = read_zone(question.timezone)
    now = question.received_at.astimezone(zone)
    local = now.replace(tzinfo=None)
    names = read_names(landscape)
    me = names.asker(question.user)
    text = " ".join(PICKED.sub(" ", question.text).split())
    plain, mentions = read_mentions(text, local)
    named = names.people_in(plain.text)
    everyone = bool(EVERYONE.search(plain.text))
    others = tuple(dict.fromkeys(n.human.name for n in named if n.human != me))
    if everyone:
        others = tuple(h.name for h in names.people if h != me)
    if has_title(question.text, plain.text, named, names, me, now):
        mentions = [part for m in mentions for part in parts_of(plain.text, m)]
    targets = target_mentions(plain.text, mentions)
    sources = [m for m in mentions if m not in targets]
    source = combine(sources, local, bounds=False)
    about = choose_appointment(question.text, plain.text, named, names, me, source, now)
    team = names.team_in(plain.text)
    scope = read_scope(text)
    kind = read_kind(text, named, mentions, targets, about, team, scope, others)
    held: Held = held_back(untitled(text, about), ORDERS) if kind in WRITES else ""
    kind = "" if held else kind
    everything = combine(mentions, local, bounds=kind not in WRITES)
    moved = combine(targets, local, bounds=False) if targets else Times()
    delta = 0
    if kind == "move":
        moved, delta = completed(moved, everything, text, mentions, targets, local)
        if not targets:
            rest = [m for m in mentions if m.kind in {"days", "weekday", "clock", "range", "part"}]
            begins = FROM_ON.search(plain.text)
            keep = [
                m for m in rest if possessive(plain.text, m) or (begins and begins.start() <= m.start < begins.end())
            ]
            keep = rest if moved.shift is not None or delta else keep
            source = combine(keep, local, bounds=False)
            about = choose_appointment(question.text, plain.text, named, names, me, source, now)
            others_of = [m for m in mentions if m not in keep]
            again = combine(others_of, local, bounds=False)
            moved = replace(again, shift=moved.shift, length=moved.length)
    scope = scope or implied_scope(about, source, kind)
    return CalendarRequest(
        kind=kind,
        me=me,
        others=others,
        asked=asked_of(kind, me, others, plain.text, everyone=everyone),
        team=team,
        now=now,
        zone=zone,
        source=source if kind in {"move", "cancel"} else everything,
        target=moved if kind == "move" else everything,
        choice=about,
        scope=scope,
        title=read_title(text, plain, mentions, named) if kind == "create" else "",
        delta=delta,
        text=text,
        held=held,
    )


def untitled(text: str, about: Choice) -> str:
    """A message without the title of the appointment that it names, which may hold any word."""
    title = about.appointment.title if about.appointment else ""
    return re.sub(re.escape(title), " it ", text, flags=re.IGNORECASE) if title else text


def read_kind(
    text: str,
    named: Sequence[Named],
    mentions: Sequence[Mention],
    targets: Sequence[Mention],
    about: Choice,
    team: str,
    scope: str,
    others: Sequence[str],
) -> str:
    """The kind by what was learned and by the form; empty when none is sure."""
    plain_names = {alias for n in named for alias in n.human.aliases}
    scores = dict(ranked_kinds(text, sorted(plain_names, key=len, reverse=True)))
    kinds = {m.kind for m in mentions}
    forms = ["shift"] if "shift" in kinds else []
    forms += ["target"] if targets and any(m.lead == "to" for m in targets) else []
    forms += ["scope"] if scope else []
    forms += ["length"] if "length" in kinds else []
    forms += ["clock"] if any(m.kind == "clock" and m.lead in {"", "at", "around"} for m in mentions) else []
    forms += ["time_and_length"] if {"length", "clock"} <= {*kinds} and "clock" in forms else []
    forms += ["bound"] if any(m.kind == "clock" and m.lead in BOUNDS for m in mentions) else []
    forms += ["no_time"] if not mentions else []
    forms += ["appointment" if about.by_title else "no_appointment"]
    forms += ["team"] if team else []
    forms += ["several"] if len(others) > 1 else []
    forms += ["question"] if ASKS.match(text) else []
    for form in forms:
        for kind, value in FORMS[form].items():
            scores[kind] += value
    (best, score), (_, second), *_ = sorted(scores.items(), key=lambda item: -item[1])
    sure = score >= SURE and score - second >= LEAD
    return best if sure and best != ELSEWHERE else ""


def target_mentions(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The times that something goes to: those from the first "to" on; of "from 3 to 4" the second."""
    first = next((i for i, m in enumerate(mentions) if is_target(text, m)), None)
    if first is None:
        return []
    return [m for m in mentions[first:] if m.kind != "shift" and not possessive(text, m)]


def is_target(text: str, m: Mention) -> bool:
    """Whether a time stands after "to", or is a range "from … to …" of hours."""
    if m.kind == "range" and m.lead == "from":
        return False
    return m.kind in {"clock", "range", "days", "weekday"} and (m.lead == "to" or bool(TO.search(text[: m.start])))


def has_title(
    question: str, plain: str, named: Sequence[Named], names: KnownNames, me: Human | None, now: datetime
) -> bool:
    """Whether an appointment of the asker's is named, whenever it is."""
    return choose_appointment(question, plain, named, names, me, Times(), now).by_title


def parts_of(text: str, m: Mention) -> list[Mention]:
    """ "From Tuesday to Wednesday", said of an appointment, as where it is and where it goes."""
    parts = FROM_TO.match(text[m.start : m.end])
    if m.kind not in {"weekdays", "range"} or not parts:
        return [m]
    middle = m.start + parts.start("last")
    if m.kind == "range":
        first, last = m.value
        return [
            Mention("clock", m.start, middle, first, "at", zone=m.zone),
            Mention("clock", middle, m.end, last, "to", zone=m.zone),
        ]
    return [
        Mention("weekday", m.start, middle, (m.value[0], ""), "from"),
        Mention("weekday", middle, m.end, (m.value[-1], ""), "to"),
    ]


FROM_TO = re.compile(r"from\b.{1,30}?\bto (?P<last>.{1,30})$")
TO = re.compile(r"\b(?:to|onto|until|auf)(?: the| next)? ?(?:on )?$")


def possessive(text: str, m: Mention) -> bool:
    """Whether a time names the appointment: "tomorrow's sync", "Friday's", "the 10 o'clock with Ben"."""
    after = text[m.end : m.end + 3]
    return after.startswith(("'s", "s ")) or bool(re.search(r"\b(?:the|my|our|den|das|mein\w*) $", text[: m.start]))


def completed(
    moved: Times, everything: Times, text: str, mentions: Sequence[Mention], targets: Sequence[Mention], local: datetime
) -> tuple[Times, int]:
    """A move with its shift, or its new length. Returns: the target, and minutes that are added to the length."""
    del local
    if everything.shift is not None:
        sign = -1 if everything.shift > 0 and re.search(r"\bforward\b", text) else 1
        return replace(moved, shift=sign * everything.shift), 0
    length = everything.length
    if length is None or moved.until is not None:
        return moved, 0
    if LONGER.search(text) or SHORTER.search(text):
        grows = not re.search(r"\b(?:to|auf)\b", text) or not targets
        return (moved, length if LONGER.search(text) else -length) if grows else (replace(moved, length=length), 0)
    if not targets and EARLIER.search(text):
        return replace(moved, shift=-length, length=None), 0
    if not targets and LATER.search(text):
        return replace(moved, shift=length, length=None), 0
    del mentions
    return replace(moved, length=length), 0


def read_scope(text: str) -> str:
    """How much of a series is meant, as it was said; empty when it was not."""
    if THIS.search(text):
        return "this"
    if FOLLOWING.search(text) or FROM_ON.search(text):
        return "following"
    return "all" if ALL.search(text) else ""


def implied_scope(about: Choice, source: Times, kind: str) -> str:
    """Somebody who names the day of one of a series means that one."""
    if kind not in {"move", "cancel"} or not about.appointment or not source.days:
        return ""
    return "this" if about.occurrences == 1 else ""


def asked_of(kind: str, me: Human | None, others: tuple[str, ...], text: str, *, everyone: bool) -> tuple[str, ...]:
    """Whose calendars are read."""
    own = (me.name,) if me else ("me",)
    if kind in {"slots", "create"}:
        return (*own, *others) if kind == "slots" else others
    if others and (everyone or not ASKER.search(text)):
        return (*own, *others) if everyone else others
    return others if kind == "free" and others else own
