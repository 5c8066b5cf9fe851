"""Values of a file -> values of a row, or what is wrong with them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, Column, Double, Integer, Table

from workers.store.tables import UtcDateTime

Read = Callable[[Any], Any]
MOST_WHOLE = 2_147_483_647
MOST_TEXT = 100_000
YES, NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


class Wrong(ValueError):
    """A value that cannot be taken; its sentence goes after the column's name."""


@dataclass(frozen=True)
class Shape:
    """How the rows of a table are read: its columns, a reader each, and which may be missing."""

    table: Table
    names: tuple[str, ...]
    readers: tuple[tuple[str, Read, bool], ...]


def shape_of(table: Table) -> Shape:
    """The shape of a table's rows."""
    readers = tuple((c.name, reader_of(c), bool(c.nullable)) for c in table.columns)
    return Shape(table, tuple(c.name for c in table.columns), readers)


def read_row(shape: Shape, given: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[str]]:
    """A row in the order of the columns, and a sentence for each mistake; an empty value is a missing one."""
    row: list[Any] = []
    wrong = [f"unknown column {name!r}" for name in given if name not in shape.names]
    for name, read, nullable in shape.readers:
        value = given.get(name)
        if value is None or value == "":
            row.append(None)
            if not nullable:
                wrong.append(f"{name} is missing")
            continue
        try:
            row.append(read(value))
        except Wrong as error:
            row.append(None)
            wrong.append(f"{name}: {error}")
    return tuple(row), wrong


def reader_of(column: Column[Any]) -> Read:
    """What reads the values of a column."""
    kind, info = column.type, column.info
    if isinstance(kind, Boolean):
        return read_yes
    if isinstance(kind, UtcDateTime):
        return read_stored_time
    if isinstance(kind, Integer):
        return number_reader(read_whole, info.get("low", 0), MOST_WHOLE)
    if isinstance(kind, Double):
        return number_reader(read_number, info.get("low", 0), info.get("high"))
    if info.get("json"):
        return read_object
    if choices := info.get("choices"):
        return choice_reader(choices)
    longest = getattr(referenced(column).type, "length", None) or MOST_TEXT
    return text_reader(longest)


def referenced(column: Column[Any]) -> Column[Any]:
    """The column that a foreign key points to, else itself."""
    return next((referenced(key.column) for key in column.foreign_keys), column)


def text_reader(longest: int) -> Read:
    """Reads text of at most so many characters that every database can store."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise Wrong(f"{shown(value)} is not text")
        if len(value) > longest:
            raise Wrong(f"longer than {longest:,} characters")
        if "\x00" in value or not (value.isascii() or storable(value)):
            raise Wrong("holds a character that cannot be stored")
        return value

    return read


def storable(value: str) -> bool:
    """Whether it can be written as UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def choice_reader(choices: tuple[str, ...]) -> Read:
    """Reads one of some words."""
    known = {choice: choice for choice in choices}  # one object for a million equal values

    def read(value: Any) -> str:
        found = known.get(value) if isinstance(value, str) else None
        if found is None:
            raise Wrong(f"{shown(value)} is not one of {', '.join(choices)}")
        return found

    return read


def number_reader(read_plain: Callable[[Any], int | float], low: float, high: float | None) -> Read:
    """Reads a number of a range."""

    def read(value: Any) -> int | float:
        number = read_plain(value)
        if number < low:
            raise Wrong(f"{shown(value)} is less than {low:g}")
        if high is not None and number > high:
            raise Wrong(f"{shown(value)} is more than {high:,}")
        return number

    return read


def read_number(value: Any) -> float:
    """A finite number, or text that is one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Wrong(f"{shown(value)} is not a number")
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise Wrong(f"{shown(value)} is not a number") from error
    if not math.isfinite(number):
        raise Wrong(f"{shown(value)} is not a finite number")
    return number


def read_whole(value: Any) -> int:
    """A whole number, or text that is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = read_number(value)
    if not number.is_integer():
        raise Wrong(f"{shown(value)} is not a whole number")
    return int(number)


def read_yes(value: Any) -> bool:
    """True or false, as JSON or as the words of a CSV file."""
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in YES | NO:
        raise Wrong(f"{shown(value)} is neither true nor false")
    return word in YES


def read_stored_time(value: Any) -> str:
    """A moment with its zone -> text in UTC, as SQLite keeps it and PostgreSQL reads it."""
    if not isinstance(value, str):
        raise Wrong(f"{shown(value)} is not a time such as 2026-11-20T14:00:00Z")
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise Wrong(f"{shown(value)} has no zone; write 2026-11-20T14:00:00Z or …+01:00")
        return stored_time(moment.astimezone(UTC))
    except (ValueError, OverflowError) as error:
        if isinstance(error, Wrong):
            raise
        raise Wrong(f"{shown(value)} is not a time such as 2026-11-20T14:00:00Z") from error


def stored_time(moment: datetime) -> str:
    """A moment of UTC as it is stored."""
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds")


def read_object(value: Any) -> str:
    """A JSON object, or text that holds one -> text."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
        if not isinstance(found, dict):
            raise Wrong(f"{shown(value)} is not a JSON object")
        return json.dumps(found, ensure_ascii=True, allow_nan=False)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Wrong):
            raise
        raise Wrong(f"{shown(value)} is not a JSON object") from error


def shown(value: Any) -> str:
    """A value within a sentence."""
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return repr(text if len(text) <= 60 else text[:59] + "…")
