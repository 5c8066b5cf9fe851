"""Numbers in words, shares, factors, bounds and units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.grounding.literals import find_specifics
from workers.grounding.quantities import find_quantities


@each_row(
    "text, value, dimension",
    [
        ("1.9 s", 1.9, "s"),
        ("340 ms", 0.34, "s"),
        ("two minutes", 120, "s"),
        ("an hour", 3600, "s"),
        ("half an hour", 1800, "s"),
        ("a quarter of an hour", 900, "s"),
        ("a third of a second", 1 / 3, "s"),
        ("1 h 5 min", 3900, "s"),
        ("2h41m", 9660, "s"),
        ("two and a half hours", 9000, "s"),
        ("half a minute", 30, "s"),
        ("418 req/s", 418, "/s"),
        ("418 requests per second", 418, "/s"),
        ("120 requests a minute", 2, "/s"),
        ("71 percentage points", 0.71, "points"),
        ("71 %", 0.71, "ratio"),
        ("23 in 100", 0.23, "ratio"),
        ("one in twenty", 0.05, "ratio"),
        ("three quarters of", 0.75, "ratio"),
        ("1,024 bytes", 1024, "bytes"),
        ("−75.5 %", -0.755, "ratio"),
        ("42", 42, "plain"),
    ],
)
def test_a_quantity_is_read_with_its_unit(text: str, value: float, dimension: str) -> None:
    (found,) = find_quantities(f"it is {text} x")
    assert (round(found.value, 9), found.dimension) == (round(value, 9), dimension)
    assert found.tolerance > 0


@each_row(
    "text, value", [("×9", 9), ("eight-fold", 8), ("a factor of 12", 12), ("twice", 2), ("tenfold", 10), ("3x", 3)]
)
def test_a_factor_is_read(text: str, value: float) -> None:
    assert [(s.kind, s.value) for s in find_specifics(f"It grew {text} today")] == [("factor", value)]


@each_row(
    "lead, bound", [("more than ", "over"), ("under ", "under"), ("nearly ", "near"), ("about ", "about"), ("", "")]
)
def test_words_before_a_number_make_it_a_bound(lead: str, bound: str) -> None:
    assert [s.bound for s in find_specifics(f"It took {lead}23 minutes")] == [bound]


def test_a_bare_number_takes_the_unit_of_its_counterpart() -> None:
    found = find_specifics("p95 went from 62 to 558 ms, traffic 412 → 418 req/s")
    assert [(round(s.value, 6), s.dimension) for s in found if s.kind == "quantity"] == [
        (0.062, "s"),
        (0.558, "s"),
        (412, "/s"),
        (418, "/s"),
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Line 33 of a/b.py joins them", "a/b.py:33-33"),
        ("In a/b.py, lines 3 to 5 do", "a/b.py:3-5"),
        ("lines 7-9", ":7-9"),
    ],
)
def test_lines_in_words_are_those_of_the_path_beside_them(text: str, target: str) -> None:
    assert [s.target for s in find_specifics(text) if s.kind == "lines"] == [target]


@each_row("text", ["Database runbooks help", "On Monday it rose", "Unlike Friday", "Obeying Retry-After helps"])
def test_ordinary_capitals_are_no_people(text: str) -> None:
    assert not [s for s in find_specifics(text) if s.kind == "person"]


@given(st.floats(0.001, 1e6, allow_nan=False).map(lambda x: f"{x:.3f}"), st.sampled_from(["ms", "s", "%", "/s", ""]))
def test_any_written_number_is_found_whole(number: str, unit: str) -> None:
    text = f"{number} {unit}".strip()
    (found,) = find_specifics(f"It is {text} now")
    assert found.text.strip() == text
