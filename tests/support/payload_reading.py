"""A payload read as what it must be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.parse import Press, Received, Window, read_payload, to_question
from workers.contracts import Change, Question, Reply

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def received(body: Any) -> Received:
    return read_payload(body, NOW)


def question(body: dict[str, Any]) -> Question:
    found = to_question(received(body))
    assert isinstance(found, Question)
    return found


def reply(body: dict[str, Any]) -> Reply:
    found = to_question(received(body))
    assert isinstance(found, Reply)
    return found


def press_of(body: dict[str, Any]) -> Press:
    found = received(body).press
    assert found is not None
    return found


def window_of(body: dict[str, Any]) -> Window:
    found = received({"type": "view_submission", **body}).window
    assert found is not None
    return found


def change_of(event: Any) -> Change | None:
    """What an event of a channel changes about its messages."""
    found = received({"type": "event_callback", "team_id": "T1", "event": event}).channel
    return found.change if found else None
