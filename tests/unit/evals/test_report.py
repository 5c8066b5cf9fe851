"""Figures, tables, and what changed between two runs."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from tests.support.each_row import each_row
from workers.evals.case_score import CaseResult, Counted
from workers.evals.report import (
    compare,
    figures,
    groups,
    percentile,
    render_compared,
    render_failed,
    render_figures,
    render_notes,
)


def result(name: str, *wrong: str, **more: Any) -> CaseResult:
    """A case's result."""
    base: dict[str, Any] = {
        "id": name, "question": "q", "question_type": "traffic", "evidence": "complete", "kind": "answer",
        "intent_ok": True, "kind_ok": True, "tools_ok": True, "grounded": True, "wrong": wrong,
    }  # fmt: skip
    return CaseResult(**(base | more))


def shown(what: RenderableType) -> str:
    """As a wide terminal without colours has it."""
    console = Console(file=io.StringIO(), width=200)
    console.print(what)
    return console.file.getvalue()  # type: ignore[attr-defined]


RUN = (
    result("a", facts=Counted(have=2, of=2), sound=Counted(have=3, of=3), latency_ms=10),
    result("b", "lacks 'x'", facts=Counted(have=0, of=1), cites=Counted(have=1, of=4), latency_ms=30, intent_ok=None),
    result("c", "kind is refusal", "says 'y'", kind="refusal", kind_ok=False, grounded=False, forbidden=("y", "z"),
           question_type="other", evidence="missing", latency_ms=20, intent_ok=False),
    result("d", "did not call x", tools_ok=False, grounded=False, gaps=Counted(have=1, of=2), latency_ms=1_200),
)  # fmt: skip


def test_the_figures() -> None:
    assert figures(RUN) == {
        "cases": 4,
        "fully right": 0.25,
        "intent accuracy": pytest.approx(2 / 3),
        "kind accuracy": 0.75,
        "tool choice": 0.75,
        "grounding rate": pytest.approx(2 / 3),
        "expected evidence cited": 0.25,
        "citations that bear out their claim": 1.0,
        "answer facts": pytest.approx(2 / 3),
        "forbidden facts shown": 2,
        "gaps named": 0.5,
        "latency p50, ms": 20,
        "latency p95, ms": 1_200,
        "tokens in": 0,
        "tokens out": 0,
        "cost, USD": 0,
    }
    assert figures(())["fully right"] is None


def test_the_groups() -> None:
    assert [(name, [r.id for r in members]) for name, members in groups(RUN)] == [
        ("all", ["a", "b", "c", "d"]),
        ("other", ["c"]),
        ("traffic", ["a", "b", "d"]),
        ("evidence complete", ["a", "b", "d"]),
        ("evidence missing", ["c"]),
    ]


def test_the_table_has_tokens_when_a_model_was_asked() -> None:
    plain = shown(render_figures(RUN, 200))
    assert "tok in" not in plain
    assert next(row.split() for row in plain.splitlines() if row.startswith("all"))[:5] == ["all", "4", "25", "%", "67"]
    asked = (*RUN, result("e", input_tokens=1_500, output_tokens=20, cost_usd=0.0123))
    assert "1,500" in shown(render_figures(asked, 200))
    assert "$0.0123" in shown(render_figures(asked, 200))


@each_row("width", [20, 60, 80, 100, 130])
def test_no_figure_is_cut_off_in_a_narrow_terminal(width: int) -> None:
    console = Console(file=io.StringIO(), width=max(width, 30))
    console.print(render_figures(RUN, width))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert [head in text for head in ("intent", "forbid", "p95 ms")] == [True] * 3
    assert all(len(row.rstrip()) <= max(width, 30) for row in text.splitlines())


def test_who_answered_is_told_and_what_was_late() -> None:
    said = shown(render_notes([result("a", reasoner="rules", late_tools=2), result("b", reasoner="m"), result("c")]))
    assert said.splitlines() == [
        "answered: 1 by m, 1 by rules",
        "2 tool calls did not answer in time; try fewer --jobs",
    ]


def test_failed_cases_have_a_line_each() -> None:
    lines = shown(render_failed(RUN)).splitlines()
    assert lines[0] == "3 of 4 cases are not fully right"
    assert lines[2].split("  ") == ["c", "kind is refusal; says 'y'"]
    assert shown(render_failed(RUN[:1])) == "All 1 cases are right.\n"


def test_two_runs_are_compared_over_the_cases_that_both_have() -> None:
    after = (result("a", "lacks 'n'"), result("b"), result("c", "says 'y'"), result("new"))
    compared = compare(RUN, after)
    assert [name for name, _ in compared.better] == ["b", "c"]
    assert compared.worse == (("a", "was right · new: lacks 'n'"),)
    assert (compared.gone, compared.new) == (("d",), ("new",))
    text = shown(render_compared(compared))
    assert "c  gone: kind is refusal" in text
    assert "only now: new" in text
    assert re.search(r"fully right +33 % +33 % *\n", text)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_one_of_the_values(values: list[float], quantile: float) -> None:
    found = percentile(values, quantile)
    assert found in values
    assert sum(v <= found for v in values) >= quantile * len(values) - 1e-9
