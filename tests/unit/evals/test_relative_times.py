"""Offsets and moments of worlds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.evals.relative_times import OFFSET, moment_of, read_offset, read_when

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
PARTS = st.tuples(st.integers(0, 400), st.integers(0, 99), st.integers(0, 999), st.integers(0, 9_999))


@given(PARTS)
def test_every_offset_is_read_as_its_parts(parts: tuple[int, int, int, int]) -> None:
    written = "".join(f"{n}{unit}" for n, unit in zip(parts, "dhms", strict=True) if n)
    expected = -timedelta(days=parts[0], hours=parts[1], minutes=parts[2], seconds=parts[3])
    assert read_offset(f"-{written}" if written else "0s") == expected


@given(st.one_of(st.text(max_size=12), st.from_regex(OFFSET, fullmatch=True)))
def test_any_text_is_an_offset_or_a_sentence(text: str) -> None:
    if OFFSET.fullmatch(text.strip()) and (text.strip().startswith("-") or not re.search("[1-9]", text)):
        assert read_offset(text) <= timedelta(0)
    else:
        with pytest.raises(ValueError, match="-25h48m"):
            read_offset(text)


@each_row("text", ["", "-", "25h", "-25", "-h", "-1h2d", "-1.5h", "yesterday", "--1h", "-1hx"])
def test_what_is_no_offset_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="-25h48m"):
        read_offset(text)


@given(st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)))  # noqa: DTZ001
def test_a_moment_stays_one(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    assert moment_of(read_when(aware.isoformat()), NOW) == aware
    assert read_when(aware) == aware


def test_an_offset_counts_from_now() -> None:
    assert moment_of(read_when("-25h48m"), NOW) == datetime(2026, 11, 19, 13, 12, tzinfo=UTC)


@each_row("value", ["2026-11-19T13:12:00", "2026-13-45", 5, None, ["-1h"]])
def test_a_moment_needs_a_zone_and_a_sense(value: object) -> None:
    with pytest.raises(ValueError, match="2026-11-19T13:12:00Z"):
        read_when(value)
