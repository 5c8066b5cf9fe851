"""A level over time: what counts as a move, and what is one slow request."""

from __future__ import annotations

from datetime import timedelta

from tests.support.operations_databases import NOW
from workers.agents.operations.source.latency_trends import Line, Point
from workers.agents.operations.source.period_hours import Period
from workers.agents.operations.source.trend_evidence import telling


def line(*points: tuple[int, float, float]) -> Line:
    """By hour: how many requests, their p50 and their p95."""
    hours = [NOW - timedelta(hours=len(points) - i) for i in range(len(points))]
    periods = [Period(at, at, at + timedelta(hours=1), True) for at in hours]
    made = tuple(Point(p, count, p50, p95, 0.0, 0.0) for p, (count, p50, p95) in zip(periods, points, strict=True))
    return Line(made, None)


USUAL = ((30, 200.0, 310.0),) * 5


def test_one_slow_request_of_ten_is_no_move() -> None:
    moved = telling(line(*USUAL, (10, 205.0, 16_700.0)))
    assert moved["direction"] == "steady"
    assert moved["peak"] == 310.0


def test_a_few_requests_that_are_all_slower_are_one() -> None:
    assert telling(line(*USUAL, (11, 600.0, 900.0)))["direction"] == "rose"


def test_of_enough_requests_the_p95_alone_tells() -> None:
    assert telling(line(*USUAL, (21, 205.0, 900.0)))["direction"] == "rose"
