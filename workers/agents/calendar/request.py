"""What a message asks of calendars: its kind, people, times, and the appointment it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Literal

from workers.agents.calendar.appointment_choice import (
    COMMON,
    PICKED,
    Choice,
    choose_appointment,
    is_telling,
    unknown_words,
)
from workers.agents.calendar.known_names import ASKER, EVERYONE, Coming, Human, KnownNames, Named, read_names
from workers.agents.calendar.titles import read_title
from workers.contracts import Landscape, Question
from workers.language.appointment_times import Mention, read_mentions
from workers.language.calendar_kinds import ELSEWHERE, WRITES, ranked_kinds
from workers.language.german_times import PlainText
from workers.language.order_conditions import Held, held_back
from workers.language.title_match import words_of
from workers.language.wanted_times import EARLIEST, LATEST, LATEST_NEGATED, Times, combine
from workers.language.zones import read_zone
from workers.reasoning.wish import ON_CALL

RECURS = re.compile(
    r"\b(?:recurring|recurrent|repeating|series|regulars?|wiederkehrend\w*|serien?\w*|recurrentes?|periódic\w*)\b",
    re.IGNORECASE,
)
WITHOUT = re.compile(
    rf"\b(?:without|leav\w+ (?:\w+ )?out|exclud\w+|except|skip|hide|ignor\w+|not?|minus|but|ohne|sin|salvo)\b"
    rf"[^,.;]{{0,20}}{RECURS.pattern}",
    re.IGNORECASE,
)
LEFT = re.compile(r"\b(?:left|remain\w*|rest|still|noch|übrig|queda\w*|resta\w*)\b", re.IGNORECASE)
IGNORED = re.compile(
    r"\b(?:skip|ignor\w*|drop|miss|without|not count\w*|regardless|despite|even (?:if|though)|except|apart from"
    r"|other than|besides|ohne|schwänz\w*|trotz|saltar\w*|sin)\b",
    re.IGNORECASE,
)
FIRST = re.compile(r"\b(?:earliest|first|soonest|frühest\w*|erste[nrs]?|prim\w+)\b", re.IGNORECASE)
COMPARED = re.compile(
    r"\b(?:(?P<more>longer than|more than|over|at least|länger als|mindestens|más de)|shorter than|less than|under"
    r"|at most|kürzer als|höchstens|menos de) (?=\S)",
    re.IGNORECASE,
)
"""Before a length: at least so long, or at most."""
WHOLE_DAYS = re.compile(r"\ball[- ]day\b|\bganztägig\w*|\bde todo el día\b", re.IGNORECASE)
OF_WHAT = re.compile(
    r"\b(?:for|of|für|von|para|de) (?:the |our |die |das |den |der |dem |unser\w* |el |la )?([\w/-]+)", re.IGNORECASE
)
GUESTS = re.compile(r"\b(?:with|mit|con) ((?:[A-Z]\w*(?:['’]s)?(?: (?=[A-Z]))?(?:,? (?:and|und|y|&) |, )?)+)")
"""Names after "with", as they are written."""
PLACE = re.compile(r"(?:\bat|\bin|@|\bim|\ben) (?P<place>(?:[A-Z][\w'’-]*(?: \d+\b)?(?: (?=[A-Z]))?)+)")
"""Where a new appointment takes place."""
UP_TO_WHAT = r"\b(?:until|till|through|before|except|besides)(?: the)?"
BESIDE = r"\b(?:with|meet|and|&|for|is|does|can|when|mit|und|für|ist|hat|trifft|con|y|para|tiene)"
"""Words that a name of somebody stands beside."""
CLAIMED, NAMED_AND_TIMED, NAMED, OWN = 0.95, 0.2, 0.35, 0.45
"""What is claimed, and the scores from which on it is: of what names a person, an appointment or a rotation, with a
time and without; of what names the asker and a time.
"""
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
    r"\ball (?!day|hands|of (?:today|tomorrow))"
    r"|\b(?:series|serie|recurring|permanently|always|immer|every|jede[nrs]?|alle)\b|\ball of (?:them|it)\b",
    re.IGNORECASE,
)
EARLIER = re.compile(r"\b(?:forward|earlier|sooner|ahead|vor|vorziehen|früher|adelant\w+)\b", re.IGNORECASE)
LATER = re.compile(r"\b(?:back|later|postpone|delay|push|hinten|später|retras\w+|aplaz\w+|posp\w+)\b", re.IGNORECASE)
LONGER = re.compile(r"\b(?:longer|extend|länger|verlänger\w*|alarg\w+|prolong\w+)\b", re.IGNORECASE)
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
ORDER = re.compile(rf"(?:{ORDERS})\w*", re.IGNORECASE)
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
    ``held``: why what reads like an order to change something is none; its kind is empty then. ``score``: how sure the
    kind is. ``unclear``: a name that several people have; ``strangers``: names that nobody has; ``unread``: words that
    nothing was made of. ``only``: what alone is wanted of a list; ``limits``: at least (True) or at most so many
    minutes;
    ``bounded``: what an order is bounded by that is no time which is understood; ``first``: the first slot alone;
    ``left``: only what is to come yet; ``ignoring``: an appointment that need not count.
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
    score: float = 0.0
    unclear: Named | None = None
    strangers: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    only: Literal["", "series", "single", "whole days"] = ""
    limits: tuple[tuple[bool, int], ...] = ()
    first: bool = False
    location: str = ""
    bounded: str = ""
    left: bool = False
    ignoring: Coming | None = None


def read_request(question: Question, landscape: Landscape) -> CalendarRequest:  # noqa: PLR0915 - one step rests on another
    """Read a message against the names that the calendars hold."""
    zone = read_zone(question.timezone)
    now = question.received_at.astimezone(zone)
    local = now.replace(tzinfo=None)
    names = read_names(landscape)
    me = names.asker(question.user)
    text = " ".join(PICKED.sub(" ", question.text).split())
    plain, mentions = read_mentions(text, local)
    named = names.people_in(plain.text, me)
    mentions = in_zones(mentions, named, me, names)
    everyone = bool(EVERYONE.search(text))
    unclear = next((n for n in named if len(n.options) > 1), None)
    others = tuple(dict.fromkeys(n.human.name for n in named if n.human != me))
    if everyone:
        others = tuple(h.name for h in names.people if h != me)
    if has_title(question.text, plain.text, named, names, me, now):
        mentions = [part for m in mentions for part in parts_of(plain.text, m)]
    team = names.team_in(plain.text)
    on_call = ON_CALL.search(plain.text)
    said_team = next((n for n in names.teams if names.teams[n] == team and n.lower() in plain.text), team).lower()
    titled = (
        ON_CALL.sub(" ", plain.text.replace(said_team, " ") if said_team else plain.text) if on_call else plain.text
    )
    for m in mentions:
        if m.kind == "part":  # "after lunch" is no appointment called so
            titled = titled.replace(plain.text[m.start : m.end], " ")
    targets = target_mentions(plain.text, mentions)
    sources = [m for m in mentions if m not in targets]
    source = combine(sources, local, bounds=False)
    about = choose_appointment(question.text, titled, named, names, me, source, now)
    spans = [*((m.start, m.end) for m in mentions), *((n.start, n.end) for n in named)]
    by_time = not loose_words(plain, spans)
    anywhen = choose_appointment(question.text, titled, named, names, me, Times(), now)
    theirs = next((n.human for n in named if n.human != me), None)
    of_others = choose_appointment(question.text, titled, named, names, theirs, source, now)
    if not about.by_title and not of_others.by_title:
        of_others = choose_appointment(question.text, titled, named, names.only_declined(), me, source, now)
    scope = read_scope(text)
    if by_time and not about.appointment and not targets:
        about = choose_appointment(question.text, titled, named, names, me, source, now, by_time=True)
    titles = about.words | of_others.words | anywhen.words
    if titles and not on_call and any(words_of(said_team) < words_of(t) for t in (*anywhen.titles, *of_others.titles)):
        team = said_team = ""  # it is a part of a title
    by_title = anywhen.by_title or of_others.by_title
    kind, score = read_kind(text, named, mentions, targets, titles, said_team, scope, others, by_title=by_title)
    about = of_others if of_others.by_title and not about.by_title and kind not in WRITES else about
    if kind in WRITES and of_others.by_title and not about.by_title:
        about = Choice(None, ())
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
            unnamed = not others and not has_title(question.text, plain.text, named, names, me, now)
            keep = rest if moved.shift is not None or delta or unnamed else keep
            source = combine(keep, local, bounds=False)
            about = choose_appointment(question.text, plain.text, named, names, me, source, now, by_time=by_time)
            others_of = [m for m in mentions if m not in keep]
            again = combine(others_of, local, bounds=False)
            moved = replace(again, shift=moved.shift, length=moved.length)
    scope = scope or implied_scope(about, source, kind)
    if about.appointment and unclear and kind in {"move", "cancel"}:
        unclear = None
    guests = GUESTS.findall(text) if kind == "create" else []
    unknown = {w for guest in guests for w in re.findall(r"[A-Z]\w+", guest)} & {*loose_words(plain, spans)}
    place = PLACE.search(text) if kind == "create" else None
    location = place["place"].strip() if place and not names.people_in(place["place"], None) else ""
    title = read_title(text, plain, mentions, named, (*unknown, location)) if kind == "create" else ""
    recurs = RECURS.search(plain.text)
    left = LEFT.search(plain.text) if kind == "agenda" else None
    ignoring = about.appointment if kind == "slots" and about.by_title and IGNORED.search(plain.text) else None
    bound = [*spans, *(found.span() for found in (recurs, left) if found and kind == "agenda")]
    named_words = about.words if kind != "slots" or ignoring else frozenset[str]()
    first, limits = FIRST.search(plain.text), [found for found in COMPARED.finditer(plain.text) if kind == "agenda"]
    bound += [found.span() for found in (first,) if found and kind == "slots"] + [found.span() for found in limits]
    days = WHOLE_DAYS.search(plain.text) if kind == "agenda" else None
    bound += [days.span()] if days else []
    used = named_words | words_of(f"{title} {said_team} {location}")
    loose = [w for w in loose_words(plain, bound) if not {*words_of(w)} <= used]
    strangers = tuple(
        w for w in loose if w in unknown or (w[:1].isupper() and re.search(rf"{BESIDE} {re.escape(w)}\b", text))
    )
    bounded = [w for w in loose_words(plain, spans) if re.search(rf"{UP_TO_WHAT} {re.escape(w.lower())}\b", plain.text)]
    strangers = strangers if kind in {"slots", "free", "next", "agenda", "create"} else ()
    team = team or (rotation_of(text, loose) if kind == "on_call" else "")
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
        title=title,
        delta=delta,
        text=text,
        held=held,
        score=score,
        unclear=unclear,
        strangers=strangers,
        unread=tuple(w for w in loose if w not in strangers),
        only=only_of(plain.text, kind, whole_days=bool(days)),
        limits=tuple(
            (found["more"] is not None, m.value) for found in limits for m in mentions if found.end() == m.start
        ),
        first=bool(first) and kind == "slots",
        location=location,
        bounded=bounded[0] if bounded and kind in WRITES else "",
        left=bool(left),
        ignoring=ignoring,
    )


def rotation_of(text: str, rest: Sequence[str]) -> str:
    """What somebody is on call for that is no team which is known; empty when nothing is named."""
    found = OF_WHAT.search(text)
    return found[1] if found and found[1] in rest else ""


def only_of(text: str, kind: str, *, whole_days: bool) -> Literal["", "series", "single", "whole days"]:
    """Whether a list is to hold what recurs, what does not, or whole days alone."""
    if kind != "agenda":
        return ""
    if RECURS.search(text):
        return "single" if WITHOUT.search(text) else "series"
    return "whole days" if whole_days else ""


def in_zones(mentions: Sequence[Mention], named: Sequence[Named], me: Human | None, names: KnownNames) -> list[Mention]:
    """The times on the clock that was said: "her time" is that of the one person named, "Ben's time" is Ben's."""
    whose = next((m for m in mentions if m.kind == "whose"), None)
    if whose is None:
        return list(mentions)
    others = {n.human for n in named if n.human != me and len(n.options) == 1}
    if whose.value in {"my", "our"}:
        others = {me} if me else set()
    elif called := names.people_in(whose.value, me):
        others = {called[0].human}
    if len(others) != 1:
        return list(mentions)
    zone = read_zone(next(iter(others)).zone)
    timed = {"clock", "range"}
    return [replace(m, zone=zone) if m.kind in timed else m for m in mentions if m.kind != "whose"]


def loose_words(plain: PlainText, bound: Sequence[tuple[int, int]]) -> list[str]:
    """The words, as they were written, that are no part of what was read, and none that all requests are made of."""
    out = []
    for match in re.finditer(r"\w+(?:[-'’]\w+)*", plain.text):
        inside = any(start <= match.start() < end for start, end in bound) or ORDER.match(match.group())
        if not inside and is_telling(match.group()) and unknown_words([match.group()]):
            start, end = plain.source(match.start(), match.end())
            out.append(re.sub(r"['’]s$", "", plain.original[start:end].strip()))
    return list(dict.fromkeys(out))


def claim(question: Question, landscape: Landscape) -> float:
    """How sure it is that calendars are asked, by the people, appointments, teams and times that are named."""
    if not landscape.labels.get("calendar_person"):
        return 0.0
    asked = read_request(question, landscape)
    title = any(words_of(t) - COMMON <= asked.choice.words for t in asked.choice.titles) or len(asked.choice.words) > 1
    if not asked.kind:
        return CLAIMED if asked.held and asked.choice.by_title and title and not asked.unread else 0.0
    if asked.kind == "on_call" and asked.team not in landscape.labels.get("on_call_team", ()) and landscape.documents:
        return 0.0  # its documents may say
    entity = bool(asked.others or asked.unclear or (asked.choice.by_title and title))
    entity = entity or bool(asked.team and ON_CALL.search(question.text))
    times = asked.source if asked.kind not in WRITES else asked.target
    timed = bool(times.days or times.repeat or times.at is not None or times.now)
    own = bool(asked.me and timed and ASKER.search(question.text))
    least = (NAMED_AND_TIMED if timed else NAMED) if entity else OWN
    return CLAIMED if (entity or own) and not asked.unread and asked.score >= least else 0.0


def untitled(text: str, about: Choice) -> str:
    """A message without the title of the appointment that it names, which may hold any word."""
    title = about.appointment.title if about.appointment else ""
    return re.sub(re.escape(title), " it ", text, flags=re.IGNORECASE) if title else text


def read_kind(
    text: str,
    named: Sequence[Named],
    mentions: Sequence[Mention],
    targets: Sequence[Mention],
    titles: frozenset[str],
    team: str,
    scope: str,
    others: Sequence[str],
    *,
    by_title: bool,
) -> tuple[str, float]:
    """The kind by what was learned and by the form, empty when none is sure, and its score."""
    plain_names = {alias for n in named for h in n.options for alias in h.aliases}
    scores = dict(ranked_kinds(text, sorted(plain_names, key=len, reverse=True), titles, team))
    kinds = {m.kind for m in mentions}
    forms = ["shift"] if "shift" in kinds else []
    forms += ["target"] if targets and any(m.lead == "to" for m in targets) else []
    forms += ["scope"] if scope else []
    forms += ["length"] if "length" in kinds else []
    forms += ["clock"] if any(m.kind == "clock" and m.lead in {"", "at", "around"} for m in mentions) else []
    forms += ["time_and_length"] if {"length", "clock"} <= {*kinds} and "clock" in forms else []
    forms += ["bound"] if any(m.kind == "clock" and m.lead in BOUNDS for m in mentions) else []
    forms += ["no_time"] if not mentions else []
    forms += ["appointment" if by_title else "no_appointment"]
    forms += ["team"] if team else []
    forms += ["several"] if len(others) > 1 else []
    forms += ["question"] if ASKS.match(text) else []
    for form in forms:
        for kind, value in FORMS[form].items():
            scores[kind] += value
    (best, score), (_, second), *_ = sorted(scores.items(), key=lambda item: -item[1])
    sure = score >= SURE and score - second >= LEAD
    return (best if sure and best != ELSEWHERE else ""), score


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
