"""The windows of a question and of feedback stay within Slack's limits, and come back as they went."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse import to_question
from bot.parse.windows import remembered
from bot.views.ask import ask_view
from bot.views.feedback import REASONS, feedback_view
from slack_sandbox.block_validation import check_view as check_as_slack
from slack_sandbox.config import SandboxConfig
from slack_sandbox.seed import seed_team
from tests.support.payload_reading import received
from tests.support.slack_payloads import window
from workers.contracts import Question
from workers.delivery.block_limits import check_view, size
from workers.slack_messages.fields import Fields

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
THREAD = "1763733600.000100"


def checked(view: dict[str, Any]) -> dict[str, Any]:
    assert check_view(view) == []
    return view


def blocks(view: dict[str, Any]) -> list[str]:
    return [block.get("block_id", block["type"]) for block in view["blocks"]]


def test_without_a_place_the_person_chooses_one() -> None:
    view = checked(ask_view())
    assert blocks(view) == ["question", "where"]
    select = view["blocks"][1]["element"]
    assert select["default_to_current_conversation"] is True
    assert select["response_url_enabled"] is False
    assert json.loads(view["private_metadata"]) == {}


def test_with_a_place_it_is_named() -> None:
    view = checked(ask_view(channel="C1"))
    assert blocks(view) == ["question", "rich_text"]
    assert {"type": "channel", "channel_id": "C1"} in view["blocks"][1]["elements"][0]["elements"]
    assert "in this direct message" in json.dumps(checked(ask_view(channel="D1", thread_ts=THREAD)))


def test_a_quoted_message_is_shown_and_remembered() -> None:
    view = checked(ask_view(channel="C1", thread_ts=THREAD, quoted="p95 > 2 s <!channel>", draft="why?"))
    assert blocks(view) == ["rich_text", "question", "rich_text"]
    assert view["blocks"][0]["elements"][0]["elements"] == [{"type": "text", "text": "p95 > 2 s <!channel>"}]
    assert view["blocks"][1]["element"]["initial_value"] == "why?"
    assert remembered(Fields(view)) == {"channel": "C1", "thread_ts": THREAD, "quoted": "p95 > 2 s <!channel>"}


@given(st.text(max_size=5_000) | st.text(st.characters(categories=["So", "Cc", "Cs"]), min_size=2_000), st.text())
def test_any_message_can_be_quoted(quoted: str, draft: str) -> None:
    view = checked(ask_view(channel="C1", thread_ts=THREAD, quoted=quoted, draft=draft))
    assert size(view["private_metadata"]) <= 3_000
    kept = remembered(Fields(view))
    assert (kept["channel"], kept["thread_ts"]) == ("C1", THREAD)
    pieces = view["blocks"][0]["elements"][0]["elements"] if len(view["blocks"]) == 3 else []
    shown = "".join(piece["text"] for piece in pieces)
    assert shown.startswith(kept.get("quoted", "").removesuffix("…"))
    found = to_question(
        received({**window(), "view": {**window()["view"], "private_metadata": view["private_metadata"]}})
    )
    assert isinstance(found, Question)
    assert found.context == ((kept["quoted"],) if kept.get("quoted") else ())


def test_feedback_asks_for_a_reason_and_words() -> None:
    view = checked(feedback_view("a1b2c3d4e5f6", "C1", THREAD))
    assert remembered(Fields(view)) == {"request_id": "a1b2c3d4e5f6", "channel": "C1", "thread_ts": THREAD}
    assert [option["value"] for option in view["blocks"][0]["element"]["options"]] == list(REASONS)
    assert view["blocks"][1]["optional"] is True
    assert all(len(reason) <= 32 for reason in REASONS)


@pytest.mark.parametrize("view", [ask_view(), ask_view(channel="C1", quoted="x" * 9_000), feedback_view("a1b2c3")])
def test_the_local_slack_takes_them(view: dict[str, Any]) -> None:
    assert check_as_slack(seed_team(SandboxConfig()), view, kind="modal")
