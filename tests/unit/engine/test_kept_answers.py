"""The same question is answered with a kept answer; one that differs, or is asked anew, is looked at."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine_fakes import NOW, FakeToolbox
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE, engine
from workers.contracts import Evidence, Question, RequestLog, Route
from workers.engine.kept_answers import kept_key
from workers.engine.plan_stage import plan_stage
from workers.engine.run import Pipeline

TEXT = "Why is /api/search slow?"


def asked(**changes: Any) -> Question:
    values: dict[str, Any] = {"request_id": "r2", "text": TEXT, "received_at": NOW, "source": "slack", "team": "T1"}
    return Question(**{**values, "channel": "C1", "asker": "U1", **changes})


def answered(**changes: Any) -> RequestLog:
    written = Evidence(id="E1", kind="doc", title="Search", locator="search.md")
    route = Route(task="research", confidence=1)
    log = make_log("r1", route=route, question=asked(request_id="r1"), evidence=(written,))
    sure = log.answer.model_copy(update={"confidence": "high"}) if log.answer else None
    return log.model_copy(update={"answer": sure, **changes})


@pytest.fixture
def built(home: Path) -> Pipeline:
    before = answered()
    box = FakeToolbox(LANDSCAPE)
    agents = engine(home, box)
    key = kept_key(before)

    def find(wanted: str, since: object) -> RequestLog | None:
        return before if wanted == key and since == NOW - timedelta(seconds=600) else None

    return Pipeline(**{**vars(agents), "find_kept": find})


def plan(built: Pipeline, question: Question) -> RequestLog:
    return plan_stage(built, RequestLog(request_id=question.request_id, question=question))


def test_the_same_question_gets_the_kept_answer_and_says_so(built: Pipeline) -> None:
    log = plan(built, asked(text="why is   /api/search slow"))
    assert log.answer
    assert log.answer.headline.text == "It is 1.9 s"
    assert "Re-run" in (log.answer.banner or "")
    assert log.request_id == "r2"
    assert log.question.request_id == "r2"
    assert all(call.cached for call in log.tool_calls)


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "Why is /api/checkout slow?"},
        {"context": ("it began after the deploy",)},
        {"again": "r1"},
        {"edits": "171.1"},
        {"channel": "C2"},
        {"asker": "U2"},
        {"timezone": "Europe/Berlin"},
        {"source": "cli"},
    ],
)
def test_another_question_and_one_asked_anew_is_looked_at(built: Pipeline, changes: dict[str, Any]) -> None:
    assert plan(built, asked(**changes)).answer is None


def test_only_an_answer_that_is_sure_and_whole_is_kept() -> None:
    log = answered()
    assert log.answer
    assert kept_key(log)
    unsure = log.answer.model_copy(update={"confidence": "medium"})
    emergency = log.answer.model_copy(update={"banner": "Written without the language model."})
    assert not any(
        kept_key(answered(**changes))
        for changes in (
            {"answer": unsure},
            {"answer": emergency},
            {"answer": None},
            {"grounded": False},
            {"evidence": (Evidence(id="E1", kind="metric", title="p95", locator="up"),)},
            {"route": None},
        )
    )


def test_no_agent_keeps_answers_unless_its_entry_says_so(built: Pipeline) -> None:
    research = built.agents["research"]
    fresh = replace(research, limits=replace(research.limits, keep_answers_s=0))
    assert plan(Pipeline(**{**vars(built), "agents": {"research": fresh}}), asked()).answer is None
