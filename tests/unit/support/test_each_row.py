"""Every row of a table is tried, and all that fail are told."""

from __future__ import annotations

import inspect

import pytest

from tests.support.each_row import each_row


def test_each_row_that_fails_is_told_with_its_reason() -> None:
    tried: list[int] = []

    @each_row("number, least", [(1, 0), (2, 3), (3, 4), (9, 5)])
    def grows(number: int, least: int, by: int) -> None:
        tried.append(number)
        assert number + by > least

    assert list(inspect.signature(grows).parameters) == ["by"]
    with pytest.raises(AssertionError, match="2 of 4 rows fail") as told:
        grows(by=1)
    assert tried == [1, 2, 3, 9]
    told_rows = [line for line in str(told.value).split("\n") if line.startswith("{")]
    assert told_rows == ["{'number': 2, 'least': 3}", "{'number': 3, 'least': 4}"]
    assert "AssertionError: assert (2 + 1) > 3" in str(told.value)
    grows(by=2)


def test_an_error_that_does_not_come_is_a_failure_of_its_row() -> None:
    @each_row("text", ["x", "1"])
    def refuses(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(AssertionError, match=r"(?s)1 of 2 rows fail.+'text': '1'.+DID NOT RAISE"):
        refuses()


def test_two_tables_are_tried_with_each_other() -> None:
    tried: list[tuple[int, str]] = []

    @each_row("number", [1, 2])
    @each_row("letter", "ab")
    def notes(number: int, letter: str) -> None:
        tried.append((number, letter))

    notes()
    assert tried == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_a_table_without_rows_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="tests nothing"):
        each_row("number", [])


@pytest.fixture
def base() -> int:
    return 10


@each_row("number", [1, 2])
def test_the_rest_are_fixtures(number: int, base: int) -> None:
    assert base + number > 10
