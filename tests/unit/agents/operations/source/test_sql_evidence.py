"""Rows as evidence."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.agents.operations.source.sql_evidence import MOST, fact_name, read_value, row_evidence
from workers.agents.operations.source.sql_run import Rows


def test_summary_then_rows() -> None:
    row = {
        "deployment_id": "m/b",
        "p95_ms": 840.0,
        "error_rate": 0.02,
        "n": 12,
        "note": None,
        "last_at": "2026-11-21T10:00:00Z",
    }
    summary, first, *others = row_evidence("SELECT 1", Rows(tuple(row), (row,) * (MOST + 1), True))
    assert len(others) == MOST - 1
    assert (summary.kind, summary.title, summary.excerpt) == ("row", "query result", "SELECT 1")
    assert {n: f.value for n, f in summary.facts.items()} == {"row_count": MOST + 1, "has_more": "yes"}
    assert first.locator == f"{summary.locator}#row-1"
    assert summary.locator.startswith("context://sql/")
    assert {n: (f.value, f.unit, f.entity) for n, f in first.facts.items()} == {
        "deployment_id": ("m/b", "text", "m/b"),
        "p95_ms": (0.84, "s", "m/b"),
        "error_rate": (0.02, "ratio", "m/b"),
        "n": (12, "count", "m/b"),
        "last_at": ("2026-11-21T10:00:00Z", "time", "m/b"),
    }
    assert row_evidence("SELECT 2", Rows((), (), False))[0].locator != summary.locator


@each_row(
    "name, value, shown, unit",
    [
        ("latency_ms", 250, 0.25, "s"),
        ("age_sec", 7, 7, "s"),
        ("error_pct", 4.5, 4.5, "percent"),
        ("error_rate", 4.5, 4.5, "count"),
        ("avg_score", 0.9, 0.9, "ratio"),
        ("size_bytes", 9, 9, "bytes"),
        ("cost_usd", 1.25, 1.25, "count"),
        ("enabled", True, "yes", "text"),
        ("created_at", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z", "time"),
        ("created_at", "2026-13-41T10:00:00Z", "2026-13-41T10:00:00Z", "text"),
        ("day", "2026-11-21", "2026-11-21", "text"),
    ],
)
def test_units_by_name(name: str, value: Any, shown: Any, unit: str) -> None:
    assert read_value(name, value) == (shown, unit)


@given(st.text(max_size=30))
def test_any_column_has_a_name_that_slots_can_hold(column: str) -> None:
    assert fact_name(column).replace("_", "a").isalnum()


CELLS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)


@given(st.lists(st.dictionaries(st.text(max_size=8), CELLS, max_size=5), max_size=25))
def test_any_rows_are_evidence(rows: list[dict[str, Any]]) -> None:
    made = row_evidence("SELECT 1", Rows((), tuple(rows), False))
    assert len(made) == 1 + min(len(rows), MOST)
    for row, evidence in zip(rows, made[1:], strict=False):
        assert len(evidence.facts) == sum(value is not None for value in row.values())
