"""How one metric is told, also when its samples ended before the window did."""

from __future__ import annotations

import pytest

from workers.contracts import Evidence, Fact
from workers.reasoning.claim_phrases import say_metric


def metric(**facts: str | float) -> Evidence:
    return Evidence(
        id="E1", kind="metric", title="p95 latency", locator="l", facts={k: Fact(value=v) for k, v in facts.items()}
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"baseline": 1.0, "current": 2.0, "direction": "rose"}, "p95 latency {move(E1.baseline,E1.current)}"),
        ({"baseline": 1.0, "last_known": 2.0, "direction": "rose"}, "p95 latency {move(E1.baseline,E1.last_known)}"),
        (
            {"baseline": 1.0, "last_known": 1.0, "direction": "steady"},
            "p95 latency has no recent value; the last known one is {E1.last_known}",
        ),
        (
            {"baseline": 1.0, "last_known": 1.0, "direction": "steady", "newest_at": "2026-11-20T12:00:00Z"},
            "p95 latency has no recent value: its data end at {E1.newest_at}; the last known one is {E1.last_known}",
        ),
        (
            {"baseline": 1.0, "current": 1.0, "direction": "steady"},
            "p95 latency is steady at {E1.current}, {E1.baseline} before",
        ),
        (
            {"baseline": 1.0, "current": 1.0, "direction": "steady", "lowest": 0.2, "highest": 3.0}
            | {"baseline_of": "the same time the day before"},
            "p95 latency is {E1.current}, {E1.baseline} at the same time the day before, and was between {E1.lowest} "
            "and {E1.highest} in that time",
        ),
        ({"baseline": 1.0}, "p95 latency has no recent value"),
        ({"current": 2.0}, "p95 latency is {E1.current}"),
    ],
)
def test_a_metric_is_told_by_its_newest_level(facts: dict[str, str | float], said: str) -> None:
    assert say_metric(metric(**facts)) == said
