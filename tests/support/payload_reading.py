"""A payload read as what it must be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.parse import to_question
from workers.contracts import Question, Reply

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def question(body: dict[str, Any]) -> Question:
    found = to_question(body, NOW)
    assert isinstance(found, Question)
    return found


def reply(body: dict[str, Any]) -> Reply:
    found = to_question(body, NOW)
    assert isinstance(found, Reply)
    return found
