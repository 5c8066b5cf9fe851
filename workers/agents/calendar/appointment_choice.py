"""Which appointment of the asker's a message means: by its title, its guests and its time; several are asked back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workers.agents.calendar.known_names import Coming, Human, KnownNames, Named
from workers.contracts import Option
from workers.language.appointment_values import ONE_DAY
from workers.language.calendar_kinds import words_of_kinds
from workers.language.question_kinds import masked_words
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.title_match import overlap, words_of
from workers.language.wanted_times import Times, at_clock, minute_of

PICKED = re.compile(r"\((?P<title>[^()]{1,200}), (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d)\)\??")
"""An appointment as an option of a question back names it, after the question."""
CLEAR = 0.35
"""So much better than the next must the best fit."""
MOST = 5
COMMON = frozenset({"mit", "der", "die", "das", "den", "und", "für", "with", "the", "termin", "meeting", "appointment"})


@dataclass(frozen=True)
class Choice:
    """The appointment, or the candidates when there are several. ``by_title``: words of its title were said;
    ``occurrences``: how many of it lie in the time that was said; ``words``: those of the message that name it.
    """

    appointment: Coming | None = None
    candidates: tuple[Coming, ...] = ()
    by_title: bool = False
    occurrences: int = 0
    words: frozenset[str] = frozenset()

    @property
    def titles(self) -> list[str]:
        """Of all that it may be."""
        return [c.title for c in (*self.candidates, *filter(None, (self.appointment,)))]


def choose_appointment(
    question: str,
    plain: str,
    named: Sequence[Named],
    names: KnownNames,
    owner: Human | None,
    source: Times,
    now: datetime,
    *,
    by_time: bool = False,
) -> Choice:
    """Choose among somebody's own; with the words of the message that name it.

    Args:
        by_time: no word of the message names anything, so that its day alone tells.
    """
    found = choose(question, plain, named, names, owner, source, now, by_time=by_time)
    said, aliases = said_words(plain, named), aliases_of(named)
    titles = [bare(c.title, aliases) for c in ((found.appointment,) if found.appointment else found.candidates)]
    words = frozenset(w for w in said if any(overlap({w}, title) for title in titles))
    return replace(found, words=words if found.by_title else frozenset())


def aliases_of(named: Sequence[Named]) -> set[str]:
    """What all that may be named are called."""
    return {alias for n in named for human in n.options for alias in human.aliases}


def said_words(plain: str, named: Sequence[Named]) -> set[str]:
    """The words of a message that may be of a title."""
    aliases = aliases_of(named)
    return {w for w in words_of(plain) if w not in aliases and w not in COMMON and is_telling(w)}


def choose(
    question: str,
    plain: str,
    named: Sequence[Named],
    names: KnownNames,
    me: Human | None,
    source: Times,
    now: datetime,
    *,
    by_time: bool = False,
) -> Choice:
    """Choose by title, guests and time."""
    own = [c for c in names.coming if me and c.owner == me.name and c.start >= now - ONE_DAY]
    if picked := picked_one(question, own, now):
        return Choice(picked, (picked,), by_title=True, occurrences=1)
    inside = [c for c in own if in_time(c, source, now)]
    guests = {h.name for n in named for h in n.options if h != me}
    shared = {c.uid for c in names.coming if c.owner in guests}
    aliases = aliases_of(named)
    said = said_words(plain, named)
    scores = {c.uid: fit(c, said, aliases, shared, guests) for c in inside}
    best = max(scores.values(), default=0.0)
    by_title = any(overlap(said, bare(c.title, aliases)) >= 1 for c in inside if scores[c.uid] == best)
    elsewhere = [c for c in own if c not in inside and overlap(said, bare(c.title, aliases)) >= 1]
    if not by_title and elsewhere:
        today = [c for c in elsewhere if means_today(c, source, now)]
        return Choice(today[0], tuple(today), by_title=True, occurrences=1) if today else Choice(None, ())
    fitting = [c for c in inside if scores[c.uid] > best - CLEAR]
    only_time = source.at is not None or (bool(source.days) and by_time)
    top = fitting if best > 0 or only_time else []
    first = {c.uid: c for c in reversed(top)}
    candidates = tuple(sorted(first.values(), key=lambda c: c.start))
    if len(candidates) == 1:
        one = candidates[0]
        return Choice(one, candidates, by_title=by_title, occurrences=sum(c.uid == one.uid for c in inside))
    return Choice(None, candidates[:MOST], by_title=by_title)


def is_unknown(word: str) -> bool:
    """Whether requests of calendars are not made of it: it names something."""
    return not {stem(part) for part in masked_words(word)} <= words_of_kinds()


def picked_one(question: str, own: Sequence[Coming], now: datetime) -> Coming | None:
    """The one that was chosen of a question back."""
    chosen = list(PICKED.finditer(question))
    if not chosen:
        return None
    title, at = chosen[-1]["title"], chosen[-1]["at"]
    zone = now.tzinfo
    return next((c for c in own if c.title == title and f"{c.start.astimezone(zone):%Y-%m-%d %H:%M}" == at), None)


def is_telling(word: str) -> bool:
    """Whether a word may be one of a title: no stop word."""
    return bool(re.search(r"\d", word) or content_words(word))


def bare(title: str, aliases: set[str]) -> str:
    """A title without names of people, which are told by who takes part, and without words of all titles."""
    return " ".join(w for w in words_of(title) if w not in aliases and w not in COMMON)


def fit(one: Coming, said: set[str], aliases: set[str], shared: set[str], guests: set[str]) -> float:
    """How well an appointment fits: the words of its title, and whether those named take part."""
    score = overlap(said, bare(one.title, aliases))
    takes_part = guests and (one.uid in shared or words_of(one.title) & aliases)
    return score + (0.5 if takes_part else 0.0)


def in_time(one: Coming, source: Times, now: datetime) -> bool:
    """Whether an appointment lies in the time that was said of it; any to come when none was."""
    local = one.start.astimezone(now.tzinfo)
    if source.at is not None and minute_of(local) != source.at:
        return False
    if not source.days:
        return one.start >= now or source.at is not None
    return any(
        at_clock(a, 0, local.tzinfo) <= local < at_clock(b, 0, local.tzinfo) for a, b in source.days if local.tzinfo
    )


def say_start(local: datetime) -> str:
    """``Thu 26 Nov 11:00``."""
    return f"{local:%a} {local.day} {local:%b} {local:%H:%M}"


def means_today(one: Coming, source: Times, now: datetime) -> bool:
    """Whether it is today's, where the day of the week that was said is today's too: "on Friday", said on a Friday."""
    local = one.start.astimezone(now.tzinfo)
    return source.single == now.date() + 7 * ONE_DAY and local.date() == now.date() and one.start >= now


def options_of(candidates: Sequence[Coming], now: datetime) -> tuple[Option, ...]:
    """The candidates of a question back."""
    zone = now.tzinfo
    return tuple(
        Option(
            value=f"{c.title}, {c.start.astimezone(zone):%Y-%m-%d %H:%M}",
            label=f"{c.title} · {say_start(c.start.astimezone(zone))}",
            reason="one of a series" if c.series else "",
        )
        for c in candidates
    )
