"""Tells what a message asks of calendars: a day, free time, who is on call, to create, move or cancel.

Learned from ``calendar_kinds.yaml``; see `workers.language.question_kinds`. Times and names are read before and stand
in a message as what they are, so that few examples serve all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache

from workers.language.appointment_times import read_mentions
from workers.language.question_kinds import load_model

MODEL = "calendar_kinds"
ELSEWHERE = "elsewhere"
WRITES = frozenset({"create", "move", "cancel"})
SURE, LEAD = 0.15, 0.05
"""Below this score of the best kind, and this lead over the second, a message is of no kind. See bench/README.md."""
PERSON, TITLE, TEAM = "{person}", "{title}", "{team}"
ANY_TIME = datetime(2026, 11, 25, 10, 0)  # noqa: DTZ001 - which day it is makes no difference to the kind
SHOWN = {"weekday": "days", "weekdays": "days"}


def masked(text: str, names: Iterable[str] = (), titles: Iterable[str] = (), team: str = "") -> str:
    """A message with its times and names as their kinds: ``is xpersonx free xdaysx``, ``move it xtoclockx``.

    Args:
        names: of people, as they stand in the text.
        titles: words of it that name an appointment.
        team: what its team with a rotation is called there.
    """
    plain, mentions = read_mentions(text, ANY_TIME)
    out = plain.text
    for mention in reversed(mentions):
        aim = "to" if mention.lead == "to" else ""
        word = f" x{aim}{SHOWN.get(mention.kind, mention.kind)}x "
        out = out[: mention.start] + word + out[mention.end :]
    for name in (PERSON, *names):
        out = re.sub(rf"(?<!\w){re.escape(name.lower())}(?!\w)", " xpersonx ", out)
    for word in (TEAM, *filter(None, (team,))):
        out = re.sub(rf"(?<!\w){re.escape(word.lower())}(?!\w)", " xteamx ", out)
    for word in (TITLE, *titles):
        out = re.sub(rf"(?<!\w){re.escape(word.lower())}(?!\w)", " xtitlex ", out)
    return re.sub(r"xtitlex(?:\s+xtitlex)+", "xtitlex", out)


@cache
def words_of_kinds() -> frozenset[str]:
    """The stems that requests of calendars are made of, whatever they are about; those of new appointments and of other
    requests hold titles and are left out.
    """
    words = load_model(MODEL).words
    return frozenset(word for kind, held in words.items() if kind not in {"create", ELSEWHERE} for word in held)


def ranked_kinds(
    text: str, names: Iterable[str] = (), titles: Iterable[str] = (), team: str = ""
) -> list[tuple[str, float]]:
    """The kinds with their scores, the likeliest first: around 1 for a sure one, below 0 for the rest."""
    return sorted(load_model(MODEL).scores(masked(text, names, titles, team)).items(), key=lambda item: -item[1])
