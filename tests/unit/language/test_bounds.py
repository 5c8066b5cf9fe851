"""Bounds of amounts and what is left out, as people say them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.bounds import is_left_out, number_of, read_bounds


@each_row(
    "text, least, most",
    [
        ("firms with over a dozen, at least twelve offices", 12, None),
        ("no more than 3 retries", None, 3),
        ("rooms that are not more than two", None, 2),
        ("teams of 5 or more", 5, None),
        ("7+ incidents", 7, None),
        ("between nine and four lamps", 4, 9),
        ("mehr als zwei Räume", 3, None),
        ("weniger als fünf Termine", None, 4),
        ("zwischen 2 und 6 Geräte", 2, 6),
        ("más de una reunión", 2, None),
        ("tres o menos puertas", None, 3),
        ("several doors", 2, None),
        ("more than 2.5 guests", 3, None),
    ],
)
def test_bounds(text: str, least: int | None, most: int | None) -> None:
    (found,) = read_bounds(text)
    assert (found.least, found.most) == (least, most)
    assert text[found.start : found.end].strip() == text[found.start : found.end]


@each_row("text", ["it ran over 10.2.0.1", "between 10:00 and 12:00", "what went over the wire", "an hour or more", ""])
def test_what_is_no_amount_has_no_bounds(text: str) -> None:
    assert read_bounds(text) == []


@each_row(
    "before, left",
    [
        ("lamps that aren't in the ", True),
        ("alle Termine außer ", True),
        ("everything apart from ", True),
        ("todo excepto ", True),
        ("not today but ", False),
        ("no lamp and ", False),
        ("lamps in the ", False),
        ("without the long and winding road to the ", False),
    ],
)
def test_what_is_left_out(before: str, left: bool) -> None:
    assert is_left_out(before) == left


@given(
    st.sampled_from(
        [
            ("at least {}", ">="),
            ("over {}", ">"),
            ("weniger als {}", "<"),
            ("como máximo {}", "<="),
            ("{} or fewer", "<="),
        ]
    ),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
)
def test_bounds_hold_what_is_said(said: tuple[str, str], limit: int, amount: int) -> None:
    (found,) = read_bounds(f"with {said[0].format(limit)} parts")
    holds = (found.least is None or amount >= found.least) and (found.most is None or amount <= found.most)
    assert holds == {">=": amount >= limit, ">": amount > limit, "<": amount < limit, "<=": amount <= limit}[said[1]]


@given(st.text(max_size=200))
def test_no_text_raises_and_bounds_share_no_place(text: str) -> None:
    found = read_bounds(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(number_of(str(b.least)) == b.least for b in found if b.least is not None)
