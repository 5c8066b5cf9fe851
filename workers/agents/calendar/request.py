"""What a message asks of calendars: its kind, people, times, and the appointment it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import Literal

from workers.agents.calendar.appointment_choice import (
    COMMON,
    PICKED,
    Choice,
    aliases_of,
    choose_appointment,
    is_telling,
    is_unknown,
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
BESIDE_NAMES = r"\b(?:with|meet|and|&|for|is|does|can|when|mit|und|für|ist|hat|trifft|con|y|para|tiene)"
"""Words that a name of somebody stands beside."""
CLAIMED, NAMED_AND_TIMED, NAMED, OWN = 0.95, 0.2, 0.35, 0.45
"""What is claimed, and the scores from which on it is: of what names a person, an appointment or a rotation, with a
time and without; of what names the asker and a time.
"""
CHANGES = frozenset({"move", "cancel"})
"""Kinds that change an appointment which is there."""
WITH_STRANGERS = frozenset({"slots", "free", "next", "agenda", "create"})
"""Kinds that tell of people whom nobody knows."""
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


@dataclass(frozen=True)
class Said:
    """A message with the people and the times that it names.

    ``message``: as it was written; ``text``: without what was picked of a question back; ``spans``: where people and
    times stand in ``plain``; ``loose``: the words beside them; ``names_own``: whether an appointment of the asker's is
    named, whenever it is.
    """

    message: str
    text: str
    plain: PlainText
    mentions: Sequence[Mention]
    named: Sequence[Named]
    names: KnownNames
    me: Human | None
    now: datetime
    spans: Sequence[tuple[int, int]]
    loose: Sequence[str]
    names_own: bool
    others: tuple[str, ...]

    @property
    def local(self) -> datetime:
        """Now, on the asker's clock."""
        return self.now.replace(tzinfo=None)

    def choose(
        self, text: str, owner: Human | None, times: Times, names: KnownNames | None = None, *, by_time: bool = False
    ) -> Choice:
        """Choose among somebody's own appointments, see `choose_appointment`."""
        return choose_appointment(
            self.message, text, self.named, names or self.names, owner, times, self.now, by_time=by_time
        )


@dataclass(frozen=True)
class Choices:
    """The appointments that may be meant: of the asker's in the time that is said, and whenever they are; of another's,
    or that were declined.
    """

    own: Choice
    whenever: Choice
    others: Choice

    @property
    def words(self) -> frozenset[str]:
        """Those of the message that name any of them."""
        return self.own.words | self.others.words | self.whenever.words

    @property
    def by_title(self) -> bool:
        """Whether words of a title were said."""
        return self.whenever.by_title or self.others.by_title


@dataclass(frozen=True)
class Aim:
    """The appointment that a change is about, the times it is at and goes to, and minutes added to its length."""

    choice: Choice
    source: Times
    target: Times
    delta: int = 0


@dataclass(frozen=True)
class New:
    """What is said of a new appointment alone. ``guests``: names of guests that are in no calendar."""

    title: str = ""
    location: str = ""
    guests: frozenset[str] = frozenset()


def read_request(question: Question, landscape: Landscape) -> CalendarRequest:
    """Read a message against the names that the calendars hold."""
    return read_once(question.text, question.user, question.received_at, question.timezone, read_names(landscape))


@lru_cache(maxsize=16)
def read_once(message: str, user: str, received_at: datetime, timezone: str, names: KnownNames) -> CalendarRequest:
    """See `read_request`; a message is read for its claim, its intent, its plan and its answer."""
    said = read_said(message, names, names.asker(user), received_at.astimezone(read_zone(timezone)))
    text, plain = said.text, said.plain.text
    team, team_words = read_team(said)
    targets = target_mentions(plain, said.mentions)
    source = combine([m for m in said.mentions if m not in targets], said.local, bounds=False)
    choices = find_choices(said, title_text(said, team_words), source)
    if in_title(said, team_words, choices):
        team = team_words = ""
    scope = read_scope(text)
    kind, score = read_kind(said, targets, choices, team_words, scope)
    choice = choice_of(choices, kind)
    held: Held = held_back(untitled(text, choice), ORDERS) if kind in WRITES else ""
    kind = "" if held else kind
    everything = combine(said.mentions, said.local, bounds=kind not in WRITES)
    aim = Aim(choice, source, everything)
    aim = read_move(said, aim, targets) if kind == "move" else aim
    new = read_new(said) if kind == "create" else New()
    ignoring = ignored(plain, aim.choice) if kind == "slots" else None
    used = words_of(f"{new.title} {team_words} {new.location}")
    if kind != "slots" or ignoring:
        used = used | aim.choice.words
    left_over = loose_words(said.plain, [*said.spans, *condition_spans(plain, kind)])
    left_over = [w for w in left_over if not {*words_of(w)} <= used]
    strangers = strangers_of(text, left_over, new.guests) if kind in WITH_STRANGERS else ()
    return CalendarRequest(
        kind=kind,
        me=said.me,
        others=said.others,
        asked=asked_of(kind, said.me, said.others, plain, everyone=bool(EVERYONE.search(text))),
        team=team or (rotation_of(text, left_over) if kind == "on_call" else ""),
        now=said.now,
        zone=read_zone(timezone),
        source=aim.source if kind in CHANGES else everything,
        target=aim.target,
        choice=aim.choice,
        scope=scope or implied_scope(aim.choice, aim.source, kind),
        title=new.title,
        delta=aim.delta,
        text=text,
        held=held,
        score=score,
        unclear=unclear_of(said, aim.choice, kind),
        strangers=strangers,
        unread=tuple(w for w in left_over if w not in strangers),
        only=only_of(plain, kind),
        limits=limits_of(said) if kind == "agenda" else (),
        first=kind == "slots" and bool(FIRST.search(plain)),
        location=new.location,
        bounded=bound_of(said) if kind in WRITES else "",
        left=kind == "agenda" and bool(LEFT.search(plain)),
        ignoring=ignoring,
    )


def read_said(message: str, names: KnownNames, me: Human | None, now: datetime) -> Said:
    """The people and the times that a message names; those of an order about an appointment as from where to where."""
    text = " ".join(PICKED.sub(" ", message).split())
    plain, mentions = read_mentions(text, now.replace(tzinfo=None))
    named = names.people_in(plain.text, me)
    mentions = in_zones(mentions, named, me, names)
    names_own = choose_appointment(message, plain.text, named, names, me, Times(), now).by_title
    if names_own:
        mentions = [part for m in mentions for part in parts_of(plain.text, m)]
    spans = [*((m.start, m.end) for m in mentions), *((n.start, n.end) for n in named)]
    others = tuple(dict.fromkeys(n.human.name for n in named if n.human != me))
    if EVERYONE.search(text):
        others = tuple(h.name for h in names.people if h != me)
    loose = loose_words(plain, spans)
    return Said(message, text, plain, mentions, named, names, me, now, spans, loose, names_own, others)


def read_team(said: Said) -> tuple[str, str]:
    """The team that is named, and the words that name it."""
    plain, teams = said.plain.text, said.names.teams
    team = said.names.team_in(plain)
    return team, next((n for n in teams if teams[n] == team and n.lower() in plain), team).lower()


def title_text(said: Said, team_words: str) -> str:
    """What may hold words of a title: "after lunch" is no appointment called so, nor is who is on call."""
    text = plain = said.plain.text
    if ON_CALL.search(plain):
        text = ON_CALL.sub(" ", plain.replace(team_words, " ") if team_words else plain)
    for m in said.mentions:
        if m.kind == "part":
            text = text.replace(plain[m.start : m.end], " ")
    return text


def find_choices(said: Said, text: str, source: Times) -> Choices:
    """The appointments that words of a message may name."""
    own = said.choose(text, said.me, source)
    whenever = said.choose(text, said.me, Times())
    other = next((n.human for n in said.named if n.human != said.me), None)
    others = said.choose(text, other, source)
    if not own.by_title and not others.by_title:
        others = said.choose(text, said.me, source, said.names.only_declined())
    if not said.loose and not own.appointment:
        own = said.choose(text, said.me, source, by_time=True)
    return Choices(own, whenever, others)


def in_title(said: Said, team_words: str, choices: Choices) -> bool:
    """Whether the words that name a team are a part of a title."""
    if not choices.words or ON_CALL.search(said.plain.text):
        return False
    titles = (*choices.whenever.titles, *choices.others.titles)
    return any(words_of(team_words) < words_of(title) for title in titles)


def choice_of(choices: Choices, kind: str) -> Choice:
    """The appointment that is meant; another's is not changed."""
    if choices.own.by_title or not choices.others.by_title:
        return choices.own
    return Choice() if kind in WRITES else choices.others


def read_move(said: Said, aim: Aim, targets: Sequence[Mention]) -> Aim:
    """Where something is and where it goes. Without a "to", the times that name it are told by how they stand there.

    Args:
        aim: the appointment, where it is, and all times that are said.
    """
    plain, local = said.plain.text, said.local
    moved = combine(targets, local, bounds=False) if targets else Times()
    moved, delta = completed(moved, aim.target, said.text, targets)
    if targets:
        return Aim(aim.choice, aim.source, moved, delta)
    keep = [m for m in said.mentions if m.kind in {"days", "weekday", "clock", "range", "part"}]
    unnamed = not said.others and not said.names_own
    if moved.shift is None and not delta and not unnamed:
        begins = FROM_ON.search(plain)
        keep = [m for m in keep if possessive(plain, m) or (begins and begins.start() <= m.start < begins.end())]
    source = combine(keep, local, bounds=False)
    choice = said.choose(plain, said.me, source, by_time=not said.loose)
    again = combine([m for m in said.mentions if m not in keep], local, bounds=False)
    return Aim(choice, source, replace(again, shift=moved.shift, length=moved.length), delta)


def read_new(said: Said) -> New:
    """Title, place and unknown guests of a new appointment."""
    named = {w for guest in GUESTS.findall(said.text) for w in re.findall(r"[A-Z]\w+", guest)}
    guests = frozenset(named & {*said.loose})
    place = PLACE.search(said.text)
    location = place["place"].strip() if place and not said.names.people_in(place["place"], None) else ""
    title = read_title(said.text, said.plain, said.mentions, said.named, (*guests, location))
    return New(title, location, guests)


def ignored(text: str, choice: Choice) -> Coming | None:
    """The appointment that need not count."""
    return choice.appointment if choice.by_title and IGNORED.search(text) else None


def condition_spans(text: str, kind: str) -> list[tuple[int, int]]:
    """Where the conditions stand that are read of a kind."""
    once = {"agenda": (RECURS, LEFT, WHOLE_DAYS), "slots": (FIRST,)}.get(kind, ())
    spans = [found.span() for pattern in once if (found := pattern.search(text))]
    return spans + [found.span() for found in COMPARED.finditer(text) if kind == "agenda"]


def limits_of(said: Said) -> tuple[tuple[bool, int], ...]:
    """At least (True) or at most so many minutes, of what is listed."""
    found = COMPARED.finditer(said.plain.text)
    return tuple((f["more"] is not None, m.value) for f in found for m in said.mentions if f.end() == m.start)


def strangers_of(text: str, words: Sequence[str], guests: frozenset[str]) -> tuple[str, ...]:
    """The words that name somebody: guests, and those with a capital letter beside a word such as "with"."""
    return tuple(
        w for w in words if w in guests or (w[:1].isupper() and re.search(rf"{BESIDE_NAMES} {re.escape(w)}\b", text))
    )


def bound_of(said: Said) -> str:
    """The word after "until" or the like that is no time which is understood; empty when there is none."""
    plain = said.plain.text
    return next((w for w in said.loose if re.search(rf"{UP_TO_WHAT} (?:\w+ )?{re.escape(w.lower())}\b", plain)), "")


def unclear_of(said: Said, choice: Choice, kind: str) -> Named | None:
    """A name that several people have, where no appointment tells which of them is meant."""
    settled = choice.appointment and kind in CHANGES
    return None if settled else next((n for n in said.named if len(n.options) > 1), None)


def rotation_of(text: str, rest: Sequence[str]) -> str:
    """What somebody is on call for that is no team which is known; empty when nothing is named."""
    found = OF_WHAT.search(text)
    return found[1] if found and found[1] in rest else ""


def only_of(text: str, kind: str) -> Literal["", "series", "single", "whole days"]:
    """Whether a list is to hold what recurs, what does not, or whole days alone."""
    if kind != "agenda":
        return ""
    if RECURS.search(text):
        return "single" if WITHOUT.search(text) else "series"
    return "whole days" if WHOLE_DAYS.search(text) else ""


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
        if not inside and is_telling(match.group()) and is_unknown(match.group()):
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
    series = times.repeat is not None and times.at is not None
    own = bool(asked.me and timed and (series or ASKER.search(question.text)))
    least = (NAMED_AND_TIMED if timed else NAMED) if entity else OWN
    return CLAIMED if (entity or own) and not asked.unread and asked.score >= least else 0.0


def untitled(text: str, about: Choice) -> str:
    """A message without the title of the appointment that it names, which may hold any word."""
    title = about.appointment.title if about.appointment else ""
    return re.sub(re.escape(title), " it ", text, flags=re.IGNORECASE) if title else text


def read_kind(said: Said, targets: Sequence[Mention], choices: Choices, team: str, scope: str) -> tuple[str, float]:
    """The kind by what was learned and by the form, empty when none is sure, and its score."""
    text, mentions = said.text, said.mentions
    names = sorted(aliases_of(said.named), key=len, reverse=True)
    scores = dict(ranked_kinds(text, names, choices.words, team))
    kinds = {m.kind for m in mentions}
    forms = ["shift"] if "shift" in kinds else []
    forms += ["target"] if targets and any(m.lead == "to" for m in targets) else []
    forms += ["scope"] if scope else []
    forms += ["length"] if "length" in kinds else []
    forms += ["clock"] if any(m.kind == "clock" and m.lead in {"", "at", "around"} for m in mentions) else []
    forms += ["time_and_length"] if {"length", "clock"} <= {*kinds} and "clock" in forms else []
    forms += ["bound"] if any(m.kind == "clock" and m.lead in BOUNDS for m in mentions) else []
    forms += ["no_time"] if not mentions else []
    forms += ["appointment" if choices.by_title else "no_appointment"]
    forms += ["team"] if team else []
    forms += ["several"] if len(said.others) > 1 else []
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


def completed(moved: Times, everything: Times, text: str, targets: Sequence[Mention]) -> tuple[Times, int]:
    """A move with its shift, or its new length. Returns: the target, and minutes that are added to the length."""
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
    if kind not in CHANGES or not about.appointment or not source.days:
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
