"""A tool that did not answer is told as such, never as something that is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.reasoner_inputs import brief
from workers.agents.research.agent import write_one
from workers.agents.research.write_deploys import write_deploys
from workers.contracts import Draft, Intent, Landscape, ToolCall
from workers.ports import Brief
from workers.reasoning.empty_answer import unanswered, write_nothing
from workers.reasoning.metric_selection import unknown_measures


def call(name: str, status: str, summary: str = "", step: str = "metric", attempt: int = 1) -> ToolCall:
    return ToolCall.model_validate(
        {"name": name, "args": {}, "start_ms": 0, "end_ms": 800, "status": status, "summary": summary, "step": step}
        | {"attempt": attempt}
    )


def given(text: str, kind: str, *calls: ToolCall, subjects: tuple[str, ...] = ("/api/search",)) -> Brief:
    base = brief(evidence=(), gaps=(), calls=calls)
    intent = Intent.model_validate({"question_type": kind, "subjects": subjects, "window": base.intent.window})
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}), intent=intent)


LATE = call("metrics_query", "timeout", "metrics_query did not answer within 800 ms")
NO_CODE = call("repo_search", "timeout", step="code")


@pytest.mark.parametrize(
    ("write", "kind", "late"),
    [
        (write_one, "debug_incident", LATE),
        (write_one, "operations_status", LATE),
        (write_one, "locate_code", NO_CODE),
        (write_deploys, "operations_status", LATE),
        (lambda b: write_nothing(b, "I found nothing about /api/search."), "other", LATE),
    ],
)
def test_a_timeout_is_no_missing_data(write: Callable[[Brief], Draft | None], kind: str, late: ToolCall) -> None:
    draft = write(given("which deploys went out for /api/search?", kind, late))
    assert draft is not None
    head = draft.headline.template
    assert "did not answer in time" in head
    assert "no metrics for" not in head
    assert "nothing about" not in head


def test_what_answered_is_not_called_late() -> None:
    empty = call("metrics_query", "empty", "metrics for /api/x not found")
    unknown = call("metrics_query", "error", "no metric is named 'dropouts'")
    none = call("metrics_query", "error", "no metrics source is connected: set prometheus.url")
    for one in (empty, unknown, none):
        assert unanswered(given("?", "debug_incident", one)) == ""
    retried = call("metrics_query", "ok", "p95", attempt=2)
    assert unanswered(given("?", "debug_incident", call("metrics_query", "error", "refused"), retried)) == ""
    head = write_one(given("why is /api/search slow?", "debug_incident", empty)).headline.template
    assert "did not answer" not in head


def test_a_failure_and_a_slow_server_are_told_apart() -> None:
    slow = call("metrics_query", "error", "prometheus at http://p did not answer within 700 ms")
    assert unanswered(given("?", "debug_incident", slow)) == "metrics_query did not answer in time"
    down = call("metrics_query", "error", "prometheus at http://p cannot be reached: refused")
    assert unanswered(given("?", "debug_incident", down, NO_CODE)) == (
        "metrics_query failed and repo_search did not answer in time"
    )


def test_without_the_names_of_metrics_none_is_called_unknown() -> None:
    assert unknown_measures("what is the dropout ratio?", Landscape()) == ()
