"""Patterns before and after a moment: what is new, grown, vanished, and what chance alone explains."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from workers.sources.logs.comparison import Pattern, compare_patterns
from workers.sources.logs.record import Record

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lines(message: str, count: int, *, level: str = "info", weight: float = 1.0, start: datetime = AT) -> list[Record]:
    times = (start + timedelta(seconds=n) for n in range(count))
    return [Record(at, "cart", level, f"{message} {n}", f"log@{n}", {}, weight) for n, at in enumerate(times)]


def changes(before: list[Record], after: list[Record]) -> dict[str, str]:
    return {p.template: p.change for p in compare_patterns(before, after, 10, 10)}


def test_what_became_of_patterns() -> None:
    before = [*lines("steady", 50), *lines("grown", 10), *lines("gone", 30), *lines("fallen", 90)]
    after = [*lines("steady", 55), *lines("grown", 60), *lines("fallen", 20), *lines("fresh", 1)]
    assert changes(before, after) == {
        "fresh <num>": "new",
        "grown <num>": "grown",
        "gone <num>": "vanished",
        "fallen <num>": "fallen",
        "steady <num>": "steady",
    }


def test_a_pattern_has_its_rates_its_first_line_and_an_example() -> None:
    after = lines("boom", 20, level="error", start=AT + timedelta(minutes=1))
    (found,) = compare_patterns([], list(reversed(after)), 10, 5)
    assert (found.before_per_min, found.after_per_min, found.count) == (0, 4, 20)
    assert (found.first_seen, found.example, found.locator) == (after[0].at, "boom 0", "log@0")
    assert (found.service, found.level, found.change) == ("cart", "error", "new")


def test_errors_come_before_other_new_patterns() -> None:
    found = compare_patterns([], [*lines("chatter", 90), *lines("boom", 2, level="error")], 10, 10)
    assert [p.template for p in found] == ["boom <num>", "chatter <num>"]


def test_few_lines_of_a_sample_are_not_called_new_and_many_are() -> None:
    assert changes([], lines("rare", 3, weight=20)) == {"rare <num>": "steady"}
    assert changes([], lines("rare", 8, weight=20)) == {"rare <num>": "new"}


def test_a_sample_of_one_unchanging_log_shows_no_change() -> None:
    rng = random.Random(3)
    kinds = [f"kind {chr(97 + n)}{chr(97 + n)}" for n in range(20)]
    drawn = [[lines(rng.choice(kinds), 1, weight=50)[0] for _ in range(2_000)] for _ in range(2)]
    assert set(changes(*drawn).values()) == {"steady"}


def test_a_few_lines_more_are_no_growth() -> None:
    assert changes(lines("seldom", 2), lines("seldom", 6)) == {"seldom <num>": "steady"}
    assert changes(lines("often", 200, weight=50), lines("often", 600, weight=50)) == {"often <num>": "grown"}


def test_spans_of_different_length_are_compared_by_the_minute() -> None:
    (found,) = compare_patterns(lines("same", 60), lines("same", 10), 60, 10)
    assert found.change == "steady"


RECORDS = st.lists(
    st.builds(
        Record,
        st.integers(0, 3_600).map(lambda s: AT + timedelta(seconds=s)),
        st.sampled_from(["cart", "pay", ""]),
        st.sampled_from(["", "info", "error"]),
        st.sampled_from(["a b", "a c", "boom 1", "boom 2"]) | st.text(max_size=20),
        st.just("log@0"),
        st.just({}),
        st.sampled_from([1.0, 4.0]),
    ),
    max_size=20,
)


@given(RECORDS, RECORDS, st.randoms(use_true_random=False))
def test_no_line_is_lost_and_the_order_does_not_matter(
    before: list[Record], after: list[Record], rng: random.Random
) -> None:
    found = compare_patterns(before, after, 5, 5)
    assert sum(p.before for p in found) == sum(r.weight for r in before)
    assert sum(p.after for p in found) == sum(r.weight for r in after)
    mixed = [rng.sample(side, len(side)) for side in (before, after)]
    assert [without_example(p) for p in compare_patterns(*mixed, 5, 5)] == [without_example(p) for p in found]


def without_example(pattern: Pattern) -> tuple[object, ...]:
    """Of lines at the same time and place, any is an example."""
    return (
        pattern.template,
        pattern.service,
        pattern.level,
        pattern.before,
        pattern.after,
        pattern.first_seen,
        pattern.change,
    )
