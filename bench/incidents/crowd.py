"""A crowd around a written core: people who join, ask, joke and reply, and bots that nobody reads.

Lines are written by hand in ``crowd.txt`` and ``crowd_bots.txt``; which are said, by whom and when is drawn by a seed,
so a transcript is the same in every run. A line comes back only when all others were used. Nothing that a crowd says
bears on the incident: its messages have no keys.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from bench.incidents.written import Message, Person, Transcript

Card = TypeVar("Card")
HERE = Path(__file__).parent
JOINS, BOTS, REPLIES = 0.06, 0.16, 0.18
REPLY_WITHIN = 900
FIRST = (
    "Ada Bruno Chloe Deniz Elif Farah Gustav Hiro Ilse Jamal Katya Liam Maeve Nikhil Oriol Petra Quentin Rosa Sven"
    " Tamar Umar Violet Wiktor Xenia Yusuf Zelda Aksel Bianca Cyril Daria"
).split()
LAST = "Moreau Nakamura Olsen Petrova Quispe Rossi Schmidt Tanaka Usman Varga".split()
CITIES = "Lisbon Oslo Austin Pune Kraków Nairobi Toronto Osaka Lima Leeds Malmö Perth".split()
SERVICES = (
    "profile-svc wishlist ratings-api media-resizer loyalty geo-lookup invoice-render mail-gateway partner-portal"
    " intranet hr-sync data-lake ads-feed translation-hub"
).split()
CLOCKS = "half past three|a quarter to|the top of the hour|five|six|the end of the day".split("|")


def crowded(core: Transcript) -> Transcript:
    """The transcript with as many messages around it as its ``crowd`` asks for (``size``, ``seed``); none: as it is."""
    if not core.crowd:
        return core
    draw = random.Random(core.crowd["seed"])
    people = _people(draw, taken={person.name.partition(" ")[0] for person in core.people.values()})
    bots = {name: Person(f"bot{name}", name, name, bot="text") for name, _ in _bot_lines()}
    made = list(_said(core, int(core.crowd["size"]) - len(core.messages), draw, people, bots))
    everyone = {**core.people, **{person.key: person for person in [*people, *bots.values()]}}
    messages = sorted([*core.messages, *made], key=lambda message: message.at)
    return replace(core, people=everyone, messages=tuple(messages))


def _said(
    core: Transcript, count: int, draw: random.Random, people: Sequence[Person], bots: Mapping[str, Person]
) -> Iterator[Message]:
    lines, bot_lines = _deck(_lines(), draw), _deck(_bot_lines(), draw)
    start, end = core.messages[0].at, core.messages[-1].at
    parents = [message for message in core.messages if message.key and not message.parent and message.text[0] != "/"]
    joiners = iter(draw.sample(people, len(people)))
    for _ in range(count):
        at = start + (end - start) * draw.triangular(0, 1, 0.35)
        kind = draw.random()
        if kind < JOINS and (joiner := next(joiners, None)):
            yield Message(at, joiner, "/join")
        elif kind < JOINS + BOTS:
            name, line = next(bot_lines)
            yield Message(at, bots[name], _filled(line, draw, people))
        else:
            message = Message(at, draw.choice(people), _filled(next(lines), draw, people))
            if kind > 1 - REPLIES:
                parent = draw.choice(parents)
                message.parent = parent.key
                message.at = min(end, parent.at + timedelta(seconds=draw.randint(20, REPLY_WITHIN)))
            yield message


def _deck(cards: Sequence[Card], draw: random.Random) -> Iterator[Card]:
    """All cards in some order, then again in another."""
    while True:
        yield from draw.sample(cards, len(cards))


def _filled(line: str, draw: random.Random, people: Sequence[Person]) -> str:
    while "{name}" in line:
        line = line.replace("{name}", draw.choice(people).name.partition(" ")[0], 1)
    return (
        line.replace("{city}", draw.choice(CITIES))
        .replace("{svc}", draw.choice(SERVICES))
        .replace("{clock}", draw.choice(CLOCKS))
        .replace("{n}", str(draw.randint(11, 480)))
    )


def _people(draw: random.Random, taken: set[str]) -> list[Person]:
    """A hundred and more people, none of whom has the first name of somebody in the core."""
    names = [f"{first} {last}" for first in FIRST if first not in taken for last in LAST]
    return [Person(f"c{name.lower().replace(' ', '')}", name, name) for name in draw.sample(names, 130)]


def _lines() -> list[str]:
    return [line for line in _rows("crowd.txt") if not line.startswith("[")]


def _bot_lines() -> list[tuple[str, str]]:
    return [(name, text) for name, _, text in (line.partition(" | ") for line in _rows("crowd_bots.txt"))]


def _rows(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
