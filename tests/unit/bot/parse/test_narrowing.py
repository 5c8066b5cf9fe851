"""A chosen option of a menu below an answer, as it comes and as the question that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from bot.parse import ask_narrowed, read_button, read_narrowed, to_question
from tests.support.payload_reading import NOW, press_of, question, received
from tests.support.slack_payloads import command, narrow
from workers.delivery.action_ids import RERUN


def test_a_chosen_option_names_the_answer_its_menu_and_itself() -> None:
    found = read_narrowed(press_of(narrow("2", menu=1)))
    assert found is not None
    assert (found.request_id, found.menu, found.option) == ("a1b2c3d4e5f6", 1, 2)
    press = press_of(narrow("2", menu=1))
    assert (press.user, press.channel, press.thread_ts) == ("U2", "C1", "1763733600.000100")
    assert read_button(press_of(narrow("2")), RERUN) == ""
    assert to_question(received(narrow("2"))) is None


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
    assert read_narrowed(press_of({**body, "actions": [{**body["actions"][0], **changed}]})) is None


def test_outside_of_a_message_it_is_nothing() -> None:
    assert read_narrowed(press_of({**narrow("2"), "channel": None, "container": None})) is None


def test_each_choice_is_a_question_of_whoever_chose() -> None:
    kept = {"ts": "1.1", "context": ("earlier",), "unasked": True, "confirms": "r:0", "remembered": ("mine",)}
    asked = question(command("find deals")).model_copy(update={**kept, "project": "fund"})
    narrower = ask_narrowed(press_of(narrow("2")), asked, "find deals [region: DACH]", "deals", NOW)
    assert (narrower.text, narrower.agent, narrower.asker) == ("find deals [region: DACH]", "deals", "U2")
    assert (narrower.channel, narrower.thread_ts, narrower.ts, narrower.project) == (
        "C1",
        "1763733600.000100",
        "",
        "fund",
    )
    assert (narrower.again, narrower.confirms, narrower.context, narrower.remembered) == ("", "", (), ())
    assert not narrower.unasked
    other = press_of(narrow("2", trigger_id="9.9.other"))
    assert ask_narrowed(other, asked, "x", None, NOW).request_id != narrower.request_id
