"""Values of records as people write them -> values; a reader raises ValueError with what is wrong."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

YES, NO = frozenset({"true", "1", "1.0", "yes", "y"}), frozenset({"false", "0", "0.0", "no", "n"})
FIRST_YEAR, LAST_YEAR = 1900, 2100
YEAR = re.compile(r"(\d{4})(?:\.0+)?(?:-\d{2}(?:-\d{2})?(?:[T ].*)?)?")
DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ].*)?")
UNWRITABLE = re.compile(r"[\x00\ud800-\udfff]")
SHOWN_CHARS, NAME_CHARS, TEXT_CHARS = 60, 300, 10_000


def read_text_value(value: Any) -> str:
    """A text without spaces around it; a number as it is written."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"is no text: {shown(value)}")  # noqa: TRY004 - one kind of error for all readers
    text = str(value).strip()
    if not text:
        raise ValueError("is empty")
    if UNWRITABLE.search(text):
        raise ValueError("holds characters that no text may hold")
    if len(text) > TEXT_CHARS:
        raise ValueError(f"is longer than {TEXT_CHARS:,} characters; is a quotation mark left open?")
    return text


def read_name(value: Any) -> str:
    """An id or a name: a text of one line."""
    text = read_text_value(value)
    if "\n" in text or "\r" in text:
        raise ValueError("runs over several lines; is a quotation mark left open?")
    if len(text) > NAME_CHARS:
        raise ValueError(f"is longer than {NAME_CHARS} characters")
    return text


def read_boolean(value: Any) -> bool:
    """Yes or no."""
    word = str(value).strip().lower()
    if word in YES | NO:
        return word in YES
    raise ValueError(f"is neither true nor false: {shown(value)}")


def read_choice(*choices: str) -> Callable[[Any], str]:
    """A reader of one of some words, in any case."""

    def read(value: Any) -> str:
        word = str(value).strip().lower()
        if word not in choices:
            raise ValueError(f"is {shown(value)}; it can be {' or '.join(choices)}")
        return word

    return read


def read_year(value: Any) -> int:
    """A year, written as 2019, 2019.0 or the date of a day in it."""
    found = YEAR.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    year = int(found.group(1)) if found else 0
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"is no year from {FIRST_YEAR} to {LAST_YEAR}: {shown(value)}")
    return year


def read_date(value: Any) -> str:
    """A date as exact as it is written: YYYY, YYYY-MM or YYYY-MM-DD."""
    found = DATE.fullmatch(str(value).strip()) if not isinstance(value, bool) else None
    if not found:
        raise ValueError(f"is no date like 2019-05-31: {shown(value)}")
    try:
        date = dt.date(int(found.group(1)), int(found.group(2) or 1), int(found.group(3) or 1))
    except ValueError:
        raise ValueError(f"is no day of the calendar: {shown(value)}") from None
    if not FIRST_YEAR <= date.year <= LAST_YEAR:
        raise ValueError(f"is no date from {FIRST_YEAR} to {LAST_YEAR}: {shown(value)}")
    return date.isoformat()[: (4, 7, 10)[sum(part is not None for part in found.groups()[1:])]]


def shown(value: Any) -> str:
    """A value as it stands in a sentence."""
    text = UNWRITABLE.sub("?", str(value))
    return repr(text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…")
