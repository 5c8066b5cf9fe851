"""Follow-ups that point at the answer before them: looked at again, or told from what it showed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog
from workers.settings.load import load_settings

WHY = "Why did latency spike on /api/search after the last deploy?"


@pytest.fixture(scope="module")
def oracle(built_demo: Path) -> Iterator[Oracle]:
    built = build_engine(load_settings(home=built_demo))
    for _ in built.toolbox.refresh():
        pass
    yield built
    built.close()


@pytest.fixture(scope="module")
def first(oracle: Oracle) -> RequestLog:
    return asked(oracle, WHY)


def asked(oracle: Oracle, text: str, before: RequestLog | None = None, follows: str = "") -> RequestLog:
    said = (before.question.text, headline(before)) if before else ()
    return oracle.engine.ask(
        Question(
            request_id=f"p{abs(hash((text, follows))) % 10**9}",
            text=text,
            context=said,
            follows=follows or (before.request_id if before else ""),
            received_at=datetime.now(UTC),
        )
    )


def headline(log: RequestLog) -> str:
    assert log.answer is not None
    return log.answer.headline.text


def test_who_changed_that_is_told_from_what_was_shown(oracle: Oracle, first: RequestLog) -> None:
    log = asked(oracle, "who changed that?", first)
    assert re.match(r"[0-9a-f]{7} “Add result cache to search” is by Priya Raman", headline(log))
    assert (log.tool_calls, log.grounded) == ((), True)


def test_the_code_that_was_shown_is_shown(oracle: Oracle, first: RequestLog) -> None:
    log = asked(oracle, "show me the code", first)
    assert headline(log).startswith("search_service.py:50-53 (`cache_key`): `fields = json.dumps")
    assert any("def cache_key" in item.excerpt for item in log.evidence)


def test_what_was_shown_stays_shown_after_a_follow_up(oracle: Oracle, first: RequestLog) -> None:
    who = asked(oracle, "who changed that?", first)
    assert headline(asked(oracle, "show me the code", who)).startswith("search_service.py:50-53 (`cache_key`)")


def test_a_doubted_answer_is_looked_at_again(oracle: Oracle, first: RequestLog) -> None:
    log = asked(oracle, "are you sure?", first)
    assert log.answer is not None
    assert (log.answer.banner or "").startswith("Yes")
    assert log.answer.headline.template == first.answer.headline.template if first.answer else False
    assert {call.name for call in log.tool_calls} >= {"metrics_query", "candidate_causes"}


def test_an_answer_that_changed_is_corrected(oracle: Oracle, first: RequestLog) -> None:
    assert first.answer is not None
    wrong = first.answer.headline.model_copy(update={"text": "All was well.", "template": "All was well."})
    other = first.model_copy(
        update={"request_id": "wrong", "answer": first.answer.model_copy(update={"headline": wrong})}
    )
    oracle.engine.store.save(other)
    log = asked(oracle, "are you sure?", first, "wrong")
    assert log.answer is not None
    assert "not the same: before, I said “All was well.”" in log.answer.banner
    assert log.answer.headline.template == first.answer.headline.template


@pytest.mark.parametrize("follows", ["", "nobody-asked-this"])
def test_without_an_answer_before_it_nothing_is_pointed_at(oracle: Oracle, follows: str) -> None:
    log = asked(oracle, "who changed that?", follows=follows)
    assert "Priya" not in headline(log)


def test_a_question_of_its_own_is_none(oracle: Oracle, first: RequestLog) -> None:
    log = asked(oracle, "what is a circuit breaker?", first)
    assert log.answer is not None
    assert not log.answer.banner
    assert "Priya" not in headline(log)
