"""A value is found in evidence of any shape and in any unit; with a changed digit it is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import VOICE
from workers.contracts import Claim
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim

SHAPES = ("unit beside", "unit in the key", "camel case", "points", "columns", "text", "table", "log")


def evidence_of(shape: str, milliseconds: int) -> dict[str, Any]:
    """A latency of some milliseconds, as another tool may return it."""
    data: dict[str, Any] = {
        "unit beside": {"metrics": [{"name": "latency", "value": milliseconds, "unit": "ms"}]},
        "unit in the key": {"result": {"latency_ms": milliseconds, "replicas": 3}},
        "camel case": {"spans": [{"op": "latency", "durationMs": milliseconds}]},
        "points": {
            "series": [{"metric": "latency", "unit": "ms", "points": [[1764000000, 7], [1764000060, milliseconds]]}]
        },
        "columns": {"unit": "ms", "time": ["a", "b"], "latency": [7, milliseconds]},
    }
    texts = {
        "text": f"The latency was {milliseconds} ms at its worst.",
        "table": f"name | latency_ms\n---|---\ncart | 7\nshop | {milliseconds}",
        "log": f"2026-11-25T14:06:00Z INFO latency={milliseconds}ms status=200",
    }
    item = {"id": "E1", "kind": "tool", "title": "latency of shop", "locator": "x"}
    return {**item, "data": data[shape]} if shape in data else {**item, "excerpt": texts[shape]}


def verdict(text: str, item: dict[str, Any]) -> str:
    found = check_claim(Claim(template=text, evidence=("E1",)), {"E1": evidence_from(item)}, VOICE)
    return found.verdict.verdict


@pytest.mark.parametrize("shape", SHAPES)
@given(milliseconds=st.integers(1011, 9899).filter(lambda n: n % 10))
def test_a_value_is_found_and_with_a_changed_digit_it_is_not(shape: str, milliseconds: int) -> None:
    item = evidence_of(shape, milliseconds)
    for said in (
        f"{milliseconds} ms",
        f"{milliseconds:,} ms",
        f"{milliseconds / 1000} s",
        f"about {milliseconds / 1000:.1f} s",
    ):
        assert verdict(f"The latency of shop was {said}.", item) == "supported"
    for wrong in (milliseconds + 1000, milliseconds + 100, milliseconds - 110):
        assert verdict(f"The latency of shop was {wrong} ms.", item) == "struck"


@each_row(
    "said, stands",
    [
        ("14 lines were added", True),
        ("The three tasks took 28 minutes together", True),
        ("The three tasks took 31 minutes together", False),
        ("It ran for 2h41m", True),
        ("It ran for 2h51m", False),
        ("It ran for more than two and a half hours", True),
        ("It used just under 4 GiB", True),
        ("It used just over 4 GiB", False),
        ("Two of the four tasks failed", False),
        ("One of the four tasks failed, the other three did not", True),
    ],
)
def test_sums_counts_bounds_and_spans(said: str, stands: bool) -> None:
    tasks = [
        {"task": "load", "state": "success", "seconds": 450}, {"task": "join", "state": "success", "seconds": 720},
        {"task": "check", "state": "failed", "seconds": 30}, {"task": "export", "state": "success", "seconds": 510},
    ]  # fmt: skip
    data = {"tasks": tasks, "lines_added": 14, "heapUsedMiB": 3994, "elapsed": "02:41:09"}
    item = {"id": "E1", "kind": "tool", "title": "run", "locator": "ci/run", "data": data}
    assert (verdict(f"{said}.", item) == "supported") is stands


@pytest.mark.parametrize(("lines", "stands"), [("line 16", True), ("lines 15-16", True), ("line 26", False)])
def test_lines_are_counted_through_a_hunk(lines: str, stands: bool) -> None:
    head = "+++ b/jobs/settings.py\n@@ -12,4 +12,5 @@\n"
    diff = head + " @dataclass\n class Settings:\n     name: str\n     zone: str\n+    interval = 60"
    item = {"id": "E1", "kind": "change", "title": "change", "locator": "abc1234", "excerpt": diff}
    assert (verdict(f"The interval is set on {lines} of jobs/settings.py.", item) == "supported") is stands
