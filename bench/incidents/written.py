"""Transcripts of incident channels as people write them down: one line a message.

A file of ``transcripts/`` says ``channel``, ``date`` (UTC), ``people`` (key: "Real Name | display name"), ``bots``
(key: "Name | attachment, blocks or text": where it puts its words), ``words`` (name: parts, joined where ``{name}``
stands, so that no scanner takes a made-up secret for a real one), ``crowd`` (see ``crowd.py``) and ``messages``::

    k1 09:12 lena: text, with @tomas, https://links, [named](https://links) and <, > and & as typed
    -  09:13 tomas >k1: a reply in the thread of k1 (>> k1: sent to the channel too); "-" is chatter without a key
      a second line of the same message
      + react eyes: lena, tomas
      + edited 09:20: what it said before
      + file graph.png
      + deleted 09:25
    == 2025-11-21
    j1 00:01 ana: /join      (/topic TEXT and /purpose TEXT too)

Times are UTC; seconds may be given, else messages of one minute follow each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "transcripts"
HEAD = re.compile(r"(\S+) +(\d\d):(\d\d)(?::(\d\d))? (\w+)(?: (>>?) ?(\w+))?:(?: (.*))?")
NOTE = re.compile(r"  \+ (react|edited|file|deleted)\b ?(.*)")
DAY = re.compile(r"== (\d{4}-\d\d-\d\d)")
APART = 4


class Unreadable(ValueError):
    """A transcript that does not follow the form above; says the file and the line."""


@dataclass(frozen=True)
class Person:
    """Who writes; ``bot`` is where a bot puts its words, empty for people."""

    key: str
    name: str
    display: str
    bot: str = ""


@dataclass
class Message:
    """One message as written; ``key`` is empty for chatter, ``before`` what it said before it was edited."""

    at: datetime
    who: Person
    text: str
    key: str = ""
    parent: str = ""
    broadcast: bool = False
    reactions: list[tuple[str, list[str]]] = field(default_factory=list)
    edited: datetime | None = None
    before: str = ""
    files: list[str] = field(default_factory=list)
    deleted: datetime | None = None


@dataclass(frozen=True)
class Transcript:
    """A channel and its messages, oldest first."""

    name: str
    channel: str
    people: Mapping[str, Person]
    messages: tuple[Message, ...]
    crowd: Mapping[str, Any]

    def by_key(self) -> dict[str, Message]:
        """The messages that expectations may name."""
        return {message.key: message for message in self.messages if message.key}


def names(folder: Path = FOLDER) -> list[str]:
    """All transcripts, in order."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


@cache
def read(name: str, folder: Path = FOLDER) -> Transcript:
    """Read one transcript without its crowd.

    Raises:
        Unreadable: a line or a key that the form does not know.
    """
    data = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    people = dict(_people(data["people"], data.get("bots", {})))
    text = str(data["messages"])
    for word, parts in data.get("words", {}).items():
        text = text.replace("{" + word + "}", "".join(parts))
    try:
        messages = tuple(_messages(text, str(data["date"]), people))
    except Unreadable as error:
        raise Unreadable(f"{name}.yaml: {error}") from None
    return Transcript(name, str(data["channel"]), people, messages, data.get("crowd", {}))


def _people(people: Mapping[str, str], bots: Mapping[str, str]) -> Iterator[tuple[str, Person]]:
    for key, said in people.items():
        name, _, display = said.partition(" | ")
        yield key, Person(key, name, display or key)
    for key, said in bots.items():
        name, _, place = said.partition(" | ")
        yield key, Person(key, name, name, bot=place)


def _messages(text: str, date: str, people: Mapping[str, Person]) -> Iterator[Message]:
    day, last = _day(date), None
    for line in text.splitlines():
        if not line.strip():
            continue
        if found := DAY.fullmatch(line):
            day = _day(found[1])
        elif found := NOTE.fullmatch(line):
            _note(_begun(last, line), found[1], found[2], day)
        elif line.startswith("  "):
            begun = _begun(last, line)
            begun.text = f"{begun.text}\n{line[2:]}"
        else:
            if last:
                yield last
            last = _head(line, day, last, people)
    if last:
        yield last


def _head(line: str, day: datetime, last: Message | None, people: Mapping[str, Person]) -> Message:
    found = HEAD.fullmatch(line)
    if not found or found[5] not in people:
        raise Unreadable(f"not a message: {line}")
    key, hour, minute, second, who, arrow, parent, text = found.groups()
    at = day + timedelta(hours=int(hour), minutes=int(minute), seconds=int(second or 0))
    if last and at < last.at.replace(second=0):
        raise Unreadable(f"earlier than the message before it: {line}")
    if last:
        at = max(at, last.at + timedelta(seconds=APART))
    return Message(at, people[who], text or "", key.strip("-"), parent or "", arrow == ">>")


def _note(message: Message, kind: str, said: str, day: datetime) -> None:
    first, _, rest = said.partition(": ")
    if kind == "react":
        message.reactions.append((first, rest.split(", ")))
    elif kind == "file":
        message.files.append(said)
    elif kind == "deleted":
        message.deleted = _late_in(first, day)
    else:
        message.edited, message.before = _late_in(first, day), rest


def _late_in(said: str, day: datetime) -> datetime:
    hour, minute = said.split(":")
    return day + timedelta(hours=int(hour), minutes=int(minute), seconds=59)


def _begun(message: Message | None, line: str) -> Message:
    if message is None:
        raise Unreadable(f"no message before it: {line}")
    return message


def _day(said: str) -> datetime:
    return datetime.fromisoformat(said).replace(tzinfo=UTC)
