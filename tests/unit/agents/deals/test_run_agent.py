"""`run_agent`: order of the steps, the log, and what each step's errors become."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.deal_books import small_book
from tests.support.each_row import each_row
from workers.agents.deals import AgentLog, AgentOrchestratorError, ReasoningOutput, reset_cached_ranker, run_agent
from workers.agents.deals.source.store import save_book
from workers.errors import ToolUnavailable

SEARCH, RANK, REASON = "tool_graph_semantic_search", "tool_rank_deals_ml", "tool_deal_reasoner"
DEALS = [{"deal_id": "d1", "name": "A"}, {"deal_id": "d2", "name": "B"}, {"deal_id": "d3", "name": "C"}]


def found(query: str) -> list[dict[str, str]]:
    del query
    return DEALS


def reversed_rank(query: str, candidates: list[dict[str, str]]) -> list[dict[str, str]]:
    del query
    return candidates[::-1]


def reasoned(query: str, ranked: list[dict[str, str]], *, prompt_version: str) -> dict[str, Any]:
    del query, prompt_version
    precedents = [{"deal_id": d["deal_id"], "name": d["name"], "similarity_reason": "same"} for d in ranked]
    return {"precedents": precedents, "playbook_levers": ["x"], "risk_themes": [], "narrative_summary": "y"}


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_the_steps_run_in_order_and_leave_three_summaries() -> None:
    log = run_agent("a query", search_fn=found, rank_fn=reversed_rank, reason_fn=reasoned, max_results=2)
    assert [c.tool for c in log.tool_calls] == [SEARCH, RANK, REASON]
    assert all(isinstance(v, str) for c in log.tool_calls for v in (c.tool, c.inputs, c.outputs))
    assert log.tool_calls[0].outputs == "3 candidates; first: d1, d2, d3"
    assert log.tool_calls[1].outputs == "2 ranked; top: d3, d2"
    assert log.reasoning_output is not None
    assert [p.deal_id for p in log.reasoning_output.precedents] == ["d3", "d2"]


def test_the_prompt_version_reaches_the_reasoner() -> None:
    seen = []

    def reason(query: str, ranked: list[Any], prompt_version: str) -> ReasoningOutput:
        seen.append((query, len(ranked), prompt_version))
        return ReasoningOutput()

    run_agent("q", prompt_version="1.2", search_fn=found, rank_fn=reversed_rank, reason_fn=reason)
    assert seen == [("q", 3, "1.2")]


ERRORS = [
    ValueError("bad"),
    KeyError("id"),
    RuntimeError(),
    TimeoutError("late"),
    ToolUnavailable("down"),
    OSError(5, "io"),
]
BY_STEP: dict[str, tuple[str, int]] = {"search_fn": (SEARCH, 0), "rank_fn": (RANK, 1), "reason_fn": (REASON, 2)}


@each_row("error", ERRORS)
@each_row("step", BY_STEP)
def test_an_error_of_a_step_names_it_and_keeps_what_was_done(step: str, error: Exception) -> None:
    functions: dict[str, Any] = {"search_fn": found, "rank_fn": reversed_rank, "reason_fn": reasoned}
    with pytest.raises(AgentOrchestratorError) as raised:
        run_agent("q", **(functions | {step: raising(error)}))
    name, done = BY_STEP[step]
    assert (raised.value.step, raised.value.cause) == (name, error)
    assert raised.value.__cause__ is error
    assert [c.tool for c in raised.value.log.tool_calls] == [SEARCH, RANK, REASON][:done]
    assert raised.value.log.reasoning_output is None
    assert name in str(raised.value)


@each_row(
    "step, returned",
    [
        ("search_fn", []),
        ("search_fn", None),
        ("search_fn", [{"name": "no id"}]),
        ("search_fn", 7),
        ("rank_fn", []),
        ("rank_fn", None),
        ("rank_fn", [{"deal_id": "other"}]),
        ("reason_fn", None),
        ("reason_fn", {"precedents": "x"}),
        ("reason_fn", {"precedents": [{"deal_id": "d9", "name": "Z", "similarity_reason": "r"}]}),
    ],
)
def test_a_step_that_returns_something_else_is_an_error_of_that_step(step: str, returned: Any) -> None:
    functions: dict[str, Any] = {"search_fn": found, "rank_fn": reversed_rank, "reason_fn": reasoned}
    with pytest.raises(AgentOrchestratorError) as raised:
        run_agent("q", **(functions | {step: lambda *_, **__: returned}))
    assert raised.value.step == BY_STEP[step][0]


@pytest.mark.parametrize(("query", "most"), [("", 10), ("  ", 10), ("q", 0)])
def test_an_empty_query_or_nothing_wanted_is_an_error_of_the_search(query: str, most: int) -> None:
    with pytest.raises(AgentOrchestratorError) as raised:
        run_agent(query, max_results=most, search_fn=found, rank_fn=reversed_rank, reason_fn=reasoned)
    assert (raised.value.step, raised.value.log) == (SEARCH, AgentLog(query=query))


def test_a_stop_of_the_program_is_no_error_of_a_step() -> None:
    with pytest.raises(KeyboardInterrupt):
        run_agent("q", search_fn=raising(KeyboardInterrupt()))


# --- on loaded deals ------------------------------------------------------------------------------------------


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path))
    save_book(small_book(), tmp_path / "deals")
    return tmp_path


def test_precedents_come_from_the_records_and_no_file_is_written(loaded: Path) -> None:
    before = sorted(loaded.rglob("*"))
    log = run_agent("find precedents for a German card payments platform with add-ons")
    assert sorted(loaded.rglob("*")) == before
    assert log.reasoning_output is not None
    first = log.reasoning_output.precedents[0]
    assert (first.deal_id, first.evidence) == ("d1", ("deals:d1",))
    assert "2 add-ons" in first.similarity_reason


def test_without_deals_the_search_says_how_to_load_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path / "none"))
    with pytest.raises(AgentOrchestratorError, match="oracle deals load") as raised:
        run_agent("payments")
    assert raised.value.step == SEARCH


def test_a_ranker_is_read_again_after_a_reset(loaded: Path) -> None:
    run_agent("payments")
    (loaded / "deals" / "ranker.json").write_text("{}")
    reset_cached_ranker()
    assert run_agent("payments").reasoning_output is not None


def test_an_unknown_prompt_version_is_an_error_of_the_reasoner(loaded: Path) -> None:
    del loaded
    with pytest.raises(AgentOrchestratorError, match="prompt version") as raised:
        run_agent("payments", prompt_version="99.0")
    assert raised.value.step == REASON
