"""Conversations about a project: what was asked before stands before the next question, for that person alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workers.bootstrap import Oracle, build_engine
from workers.contracts import Answer, Claim, Question, RequestLog
from workers.requests.conversations import keep_conversation, with_conversation
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture
def oracle(prepared_home: Path) -> Iterator[Oracle]:
    built = build_engine(load_settings(home=prepared_home))
    yield built
    built.close()


def asked(text: str, **changes: Any) -> Question:
    values: dict[str, Any] = {"asker": "dana", "source": "http", "project": "shop"}
    return Question(request_id="r1", text=text, received_at=NOW, **values | changes)


def answered(question: Question, text: str, kind: Any = "answer") -> RequestLog:
    answer = Answer(kind=kind, headline=Claim(template=text, text=text))
    return RequestLog(request_id="r1", question=question, answer=answer)


def test_what_was_asked_and_decided_before_is_known_to_the_next_question(oracle: Oracle) -> None:
    keep_conversation(oracle, answered(asked("why is search slow?\nDecision: the cache goes"), "The cache misses."))
    context = with_conversation(oracle, asked("and now?")).context
    assert any("Decision: the cache goes" in text for text in context)
    assert "The cache misses." in context


def test_it_is_one_persons_and_one_projects(oracle: Oracle) -> None:
    keep_conversation(oracle, answered(asked("why is search slow?"), "The cache misses."))
    for other in (asked("x", asker="erin"), asked("x", project="pay"), asked("x", project="")):
        assert with_conversation(oracle, other).context == ()


def test_a_question_back_and_what_is_in_no_conversation_are_not_kept(oracle: Oracle) -> None:
    keep_conversation(oracle, answered(asked("which?"), "Which one?", "clarify"))
    keep_conversation(oracle, answered(asked("why?", project=""), "Because."))
    assert with_conversation(oracle, asked("and now?")).context == ()
