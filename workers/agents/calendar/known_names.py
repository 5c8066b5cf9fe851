"""Names that the calendars hold, from the landscape: people, teams with a rotation, appointments to come."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from workers.contracts import Landscape
from workers.language.stop_words import content_words

COMING = timedelta(days=45)
"""So far ahead appointments are known by their names."""
EVERYONE = re.compile(
    r"\b(?:every(?:one|body)|any(?:one|body)|all of us|(?:the|our) (?:whole )?team|all (?:three|four|five)"
    r"|allen?(?! (?:zwei|drei|vier|\d)\b))\b",
    re.IGNORECASE,
)
ASKER = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ich|mir|mich|mein\w*|wir|uns|unser\w*"
    r"|yo|mi|mis|nos|nosotr[oa]s|nuestr\w+|tengo|puedo|podemos)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Human:
    """Somebody with a calendar."""

    name: str
    aliases: tuple[str, ...]
    users: tuple[str, ...]
    zone: str = "UTC"


@dataclass(frozen=True)
class Coming:
    """An appointment to come. ``series``: one of several."""

    title: str
    start: datetime
    minutes: int
    owner: str
    series: bool
    uid: str
    declined: bool = False


@dataclass(frozen=True)
class Named:
    """Where a text names somebody. ``options``: all that it may be; ``said``: as it stands there."""

    options: tuple[Human, ...]
    start: int
    end: int
    said: str

    @property
    def human(self) -> Human:
        """The first that it may be."""
        return self.options[0]


@dataclass(frozen=True, eq=False)
class KnownNames:
    """What a request may name. Equal to itself alone, see `read_names`."""

    people: tuple[Human, ...]
    teams: Mapping[str, str]
    coming: tuple[Coming, ...]
    declined: tuple[Coming, ...] = ()

    def only_declined(self) -> KnownNames:
        """With the appointments that were declined as the only ones."""
        return replace(self, coming=self.declined)

    def asker(self, user: str) -> Human | None:
        """Who asks."""
        return next((h for h in self.people if user in h.users or user.rpartition("/")[2] in h.users), None)

    def team_in(self, text: str) -> str:
        """The team that a text names, the longest name first; empty when it names none."""
        named = sorted(self.teams, key=len, reverse=True)
        found = (t for t in named if re.search(rf"(?<!\w){re.escape(t)}(?!\w)", text, re.IGNORECASE))
        return self.teams.get(next(found, ""), "")

    def people_in(self, text: str, me: Human | None) -> list[Named]:
        """The people that a text names, in order. A name that is a word too counts with a capital letter only.

        Of several people of a name who asks is not meant, and one that is named in full elsewhere is.
        """
        found: list[Named] = []
        names: dict[str, list[Human]] = {}
        for human in self.people:
            for alias in {*human.aliases, *human.users}:
                names.setdefault(alias, []).append(human)
        for alias, humans in sorted(names.items(), key=lambda pair: -len(pair[0])):
            for match in re.finditer(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE):
                word = not content_words(alias) or alias in {"may", "april", "june", "august", "mark", "rose"}
                taken = any(match.start() < n.end and n.start < match.end() for n in found)
                if not taken and not (word and match.group().islower()):
                    options = tuple(h for h in humans if len(humans) == 1 or h != me)
                    found.append(Named(options, match.start(), match.end(), match.group()))
        sure = {n.human for n in found if len(n.options) == 1}
        settled = [replace(n, options=tuple(h for h in n.options if h in sure) or n.options) for n in found]
        return sorted(settled, key=lambda n: n.start)


def read_names(landscape: Landscape) -> KnownNames:
    """The names of a landscape, see `workers.agents.calendar.tools.calendars`. One that redaction broke is left out."""
    kinds = ("calendar_person", "appointment", "on_call_team", "on_call_alias")
    return read_lines(*(landscape.labels.get(kind, ()) for kind in kinds))


@lru_cache(maxsize=8)
def read_lines(
    people: tuple[str, ...], coming: tuple[str, ...], teams: tuple[str, ...], aliases: tuple[str, ...]
) -> KnownNames:
    """See `read_names`; the same names are the same object."""
    called = {team: team for team in teams} | dict(json.loads(line) for line in aliases)
    read = [one for one in map(read_coming, coming) if one]
    kept, declined = (tuple(c for c in read if c.declined == which) for which in (False, True))
    return KnownNames(tuple(h for h in map(read_human, people) if h), called, kept, declined)


def read_human(line: str) -> Human | None:
    """Somebody with a calendar; None when the line is broken."""
    try:
        name, aliases, users, *zone = json.loads(line)
        return Human(name, tuple(aliases), tuple(users), *zone)
    except (ValueError, TypeError):
        return None


def read_coming(line: str) -> Coming | None:
    """An appointment to come; None when the line is broken."""
    try:
        title, start, minutes, owner, series, uid, *declined = json.loads(line)
        return Coming(title, datetime.fromisoformat(start), minutes, owner, series, uid, *declined)
    except (ValueError, TypeError):
        return None


def unique(names: Sequence[str]) -> str:
    """Names as an argument of a tool."""
    return ", ".join(dict.fromkeys(names))
