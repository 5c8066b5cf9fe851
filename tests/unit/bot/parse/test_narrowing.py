"""A chosen option of a menu below an answer, as it comes and as the question that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from bot.parse import ask_narrowed, read_again, read_narrowed, to_question
from tests.support.payload_reading import NOW, question
from tests.support.slack_payloads import command, narrow


def test_a_chosen_option_names_the_answer_its_menu_and_itself() -> None:
    found = read_narrowed(narrow("2", menu=1))
    assert found is not None
    assert (found.request_id, found.menu, found.option) == ("a1b2c3d4e5f6", 1, 2)
    assert (found.press.user, found.press.channel, found.press.thread_ts) == ("U2", "C1", "1763733600.000100")
    assert read_again(narrow("2")) is None
    assert to_question(narrow("2"), NOW) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"action_id": "answer:narrow:x"},
        {"action_id": "answer:narrow:100"},
        {"action_id": "answer:narrow"},
        {"block_id": "answer:a1b2c3d4e5f6"},
        {"block_id": "narrow:no id"},
        {"block_id": "narrow:"},
        {"selected_option": {"value": "[region: DACH]"}},
        {"selected_option": {"value": "-1"}},
        {"selected_option": {"value": "9999"}},
        {"selected_option": None},
    ],
)
def test_what_is_no_menu_of_ours_is_nothing(changed: dict[str, Any]) -> None:
    body = narrow("2")
    assert read_narrowed({**body, "actions": [{**body["actions"][0], **changed}]}) is None


def test_outside_of_a_message_it_is_nothing() -> None:
    assert read_narrowed({**narrow("2"), "channel": None, "container": None}) is None


def test_each_choice_is_a_question_of_whoever_chose() -> None:
    found = read_narrowed(narrow("2"))
    assert found is not None
    kept = {"ts": "1.1", "context": ("earlier",), "unasked": True, "confirms": "r:0", "remembered": ("mine",)}
    asked = question(command("find deals")).model_copy(update={**kept, "project": "fund"})
    narrower = ask_narrowed(found.press, asked, "find deals [region: DACH]", "deals", NOW)
    assert (narrower.text, narrower.agent, narrower.asker) == ("find deals [region: DACH]", "deals", "U2")
    assert (narrower.channel, narrower.thread_ts, narrower.ts, narrower.project) == (
        "C1",
        "1763733600.000100",
        "",
        "fund",
    )
    assert (narrower.again, narrower.confirms, narrower.context, narrower.remembered) == ("", "", (), ())
    assert not narrower.unasked
    other = read_narrowed(narrow("2", trigger_id="9.9.other"))
    assert other is not None
    assert ask_narrowed(other.press, asked, "x", None, NOW).request_id != narrower.request_id
