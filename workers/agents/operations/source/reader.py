"""What the eight queries read with: the database, the moment they are asked as of, the asker's zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from sqlalchemy import Column, Connection, select

from workers.errors import StoreUnavailable, ToolArgumentError
from workers.language.nearest_names import nearest_names
from workers.language.typed_times import read_typed_time
from workers.store.database import Database

KNOWN = "RFC 3339 such as 2026-11-20T14:00:00Z, now, today, yesterday, 24 hours ago, 7 days ago"
EXAMPLES = ("now", "today", "yesterday", "24 hours ago", "7 days ago")
TAKEN = re.compile(
    r"now|today|yesterday|\d{1,6} (?:hour|day)s? ago|"
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)",
    re.ASCII,
)


def read_time(text: str, now: datetime, zone: tzinfo, name: str = "time") -> datetime:
    """A moment in UTC.

    Args:
        text: one of `KNOWN`; case and spaces around do not matter.
        now: aware.
        zone: the asker's, for the start of today and yesterday.
        name: the parameter, for the error.

    Raises:
        ToolArgumentError: it is none of these, or out of range.
    """
    if not TAKEN.fullmatch(" ".join(text.lower().split())):
        raise ToolArgumentError(f"{name}: {text[:80]!r} is not a time; write {KNOWN}", EXAMPLES)
    if (found := read_typed_time(text, now, zone)) is None:
        raise ToolArgumentError(f"{name}: {text!r} is not a time that exists", EXAMPLES)
    return found


DIGITS = 6
LISTED = 10
LISTED_IDS = 100_000


class NotFound(ToolArgumentError):
    """What the one thing asked for is named does not exist."""


@dataclass(frozen=True)
class Reader:
    """Where and as of when to read."""

    database: Database
    now: datetime
    zone: tzinfo

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """One state of the data. Raises: StoreUnavailable."""
        with self.database.begin() as connection:
            yield connection

    def window(self, since: str, until: str) -> tuple[datetime, datetime]:
        """From ``since``, included, to ``until``, not included; an empty ``until`` is now.

        Raises:
            ToolArgumentError: one is no time, or they are the wrong way round.
        """
        start = read_time(since, self.now, self.zone, "since")
        end = read_time(until, self.now, self.zone, "until") if until else self.now
        if start >= end:
            raise ToolArgumentError(f"since: {since!r} is not before until, {until or 'now'!r}")
        return start, end


@dataclass(frozen=True)
class Found:
    """What a query found: the documented JSON object, and what else evidence is made from."""

    data: dict[str, Any]
    more: Mapping[str, Any] = field(default_factory=dict)


def choose(name: str, value: str, choices: Sequence[str]) -> str:
    """One of some words; empty stays empty. Raises: ToolArgumentError: it is another."""
    if value and value not in choices:
        near = nearest_names([value], choices) or tuple(choices)
        raise ToolArgumentError(f"{name}: {value!r} is not one of {', '.join(choices)}", near)
    return value


def known(connection: Connection, name: str, value: str, column: Column[Any]) -> str:
    """An id that exists; empty stays empty. Raises: ToolArgumentError: with the nearest that exist."""
    if value and connection.execute(select(column).where(column == value).limit(1)).first() is None:
        near, listed = nearest_ids(connection, value, column)
        raise ToolArgumentError(f"{name}: there is no {column.table.name[:-1]} {value!r}{listed}", near)
    return value


def nearest_ids(connection: Connection, value: str, column: Column[Any]) -> tuple[tuple[str, ...], str]:
    """The ids most like one that does not exist, or the first ones; and words that list them."""
    ids = list(connection.execute(select(column).order_by(column).limit(LISTED_IDS)).scalars())
    parts = [name for name in ids if value.lower() in name.lower()]
    near = tuple(dict.fromkeys((*nearest_names([value], ids), *parts)))[:LISTED] or tuple(ids[:LISTED])
    return near, f"; there is {', '.join(near)}" if near else ""


def number(value: float | None) -> float | None:
    """A number as it stands in JSON."""
    return None if value is None else round(float(value), DIGITS)


def answer(ask: Callable[[], Found]) -> tuple[Found, tuple[str, ...]]:
    """What was found, or the error as the documented object; and values that do exist, best first."""
    try:
        return ask(), ()
    except NotFound as error:
        return refused(str(error), "NOT_FOUND"), error.nearest
    except ToolArgumentError as error:
        return refused(str(error), "INVALID_PARAMETER"), error.nearest
    except StoreUnavailable as error:
        return refused(str(error), "DATABASE_ERROR"), ()


def refused(message: str, code: str) -> Found:
    """An error as JSON: NOT_FOUND, INVALID_PARAMETER or DATABASE_ERROR."""
    return Found({"error": True, "message": message, "code": code})


def stamp(moment: datetime | None) -> str | None:
    """A moment as it stands in JSON: RFC 3339, to the millisecond when it has a fraction."""
    if moment is None:
        return None
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z")


def only(values: Iterable[tuple[Column[Any], Any]]) -> list[Any]:
    """Conditions for those values that are given."""
    return [column == value for column, value in values if value]
