"""One line of a log whatever it comes from, what is wanted of logs, and the protocol of what they are read from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

LEVELS = ("trace", "debug", "info", "warn", "error", "fatal")
"""From the least to the worst; a line without one has the empty level."""
SPELLINGS = {
    "trace": "trace verbose finest",
    "debug": "debug dbg fine finer d",
    "info": "info information informational notice i log",
    "warn": "warn warning w",
    "error": "error err severe e eror",
    "fatal": "fatal critical crit alert emerg emergency panic f dpanic",
}
LEVEL_OF = {word: level for level, words in SPELLINGS.items() for word in words.split()}
SYSLOG = ("fatal", "fatal", "fatal", "error", "warn", "info", "info", "debug")
ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")
MOST_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class Record:
    """One line.

    Attributes:
        at: when it was written, UTC.
        service: who wrote it; empty when nothing says so.
        level: one of `LEVELS`, or empty.
        message: its text, without control characters; further lines, such as a stack trace, after line feeds.
        locator: where it stands: ``PATH@BYTE``, or the address of a server with the line's place there.
        attributes: whatever else it says, by name.
        weight: how many lines it stands for; 1 unless it was taken from a sample.
    """

    at: datetime
    service: str
    level: str
    message: str
    locator: str
    attributes: Mapping[str, object] = field(default_factory=dict)
    weight: float = 1.0


@dataclass(frozen=True)
class Wanted:
    """Which lines: those written from ``since`` on and before ``until`` that contain ``text`` in any case, are of a
    ``service``, and of a ``level`` or a worse one; what is empty does not matter. ``most``: how many are read at most.
    """

    since: datetime
    until: datetime
    text: str = ""
    service: str = ""
    level: str = ""
    most: int = 25_000

    def fits(self, record: Record) -> bool:
        """Whether a line is of the span, the service and the level."""
        if not self.since <= record.at < self.until:
            return False
        if self.service and record.service.lower() != self.service.lower():
            return False
        return not self.level or rank(record.level) >= rank(self.level)


@dataclass(frozen=True)
class Reading:
    """What a source gave. ``share``: the part of the span that was read, 0 to 1; under 1, the lines are an even sample
    and their weights make up for the rest. ``notes``: one sentence for each thing that was not as it should be.
    """

    records: tuple[Record, ...]
    share: float = 1.0
    notes: tuple[str, ...] = ()


class LogSource(Protocol):
    """What logs are read from."""

    name: str

    def read(self, wanted: Wanted) -> Reading:
        """The lines of a span, in order of time. Raises: ToolUnavailable: nothing can be read at all."""
        ...

    def ping(self) -> str:
        """One line on what is there. Raises: ToolUnavailable."""
        ...


def rank(level: str) -> int:
    """The place of a level among `LEVELS`; -1 for a line without one."""
    return LEVELS.index(level) if level in LEVELS else -1


def level_of(value: object) -> str:
    """A level as somebody wrote it, as one of `LEVELS`; empty when it is none. Numbers are those of pino (10 to 60) and
    of syslog (0 to 7).
    """
    if isinstance(value, str):
        return LEVEL_OF.get(value) or read_level_word(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 60:
        return ""
    return SYSLOG[int(value)] if value < len(SYSLOG) else LEVELS[int(value) // 10 - 1] if value >= 10 else ""


def read_level_word(text: str) -> str:
    """The same for a word in capitals or within marks, or a number in digits."""
    word = text[:20].strip("[]<>:() ").lower()
    return level_of(int(word)) if word in NUMBERS else LEVEL_OF.get(word, "")


def open_telemetry_level(value: object) -> str:
    """The same for a number of OpenTelemetry, 1 to 24."""
    if isinstance(value, str) and value in NUMBERS:
        value = int(value)
    known = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 24
    return LEVELS[(int(str(value)) - 1) // 4] if known else ""


NUMBERS = frozenset(map(str, range(61)))


def clean(text: str) -> str:
    """A text without colours and control characters, line feeds apart, and not longer than `MOST_CHARS`."""
    text = text[:MOST_CHARS]
    if text.isprintable():
        return text
    return CONTROLS.sub(" ", ESCAPES.sub("", text)).rstrip()
