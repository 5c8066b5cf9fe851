"""Buttons, menus, commands and windows become replies and questions."""

from __future__ import annotations

from typing import Any

import pytest

from bot.parse import (
    ask_again,
    ask_to_change,
    decision_event,
    read_button,
    read_decision,
    read_page,
    read_saved,
    read_verdict,
    to_question,
    wants_help,
)
from tests.support.payload_reading import NOW, press_of, question, received, reply
from tests.support.slack_payloads import about, choose, command, message, org_wide, press, pressed, window
from workers.contracts import Reply
from workers.delivery.action_ids import RERUN

THREAD = "1763733600.000100"


def test_a_command() -> None:
    found = question(command("  why is &lt;b&gt; slow? "))
    assert (found.text, found.asker, found.team, found.channel) == ("why is <b> slow?", "U1", "T1", "C1")
    assert (found.ts, found.thread_ts, found.event_id) == ("", "", command()["trigger_id"])
    assert question(command(trigger_id="2.2.2")).request_id != found.request_id
    assert question(command(trigger_id="")).event_id


def test_a_pressed_option() -> None:
    found = reply(press())
    assert found == Reply(
        text="/api/search",
        asker="U2",
        team="T1",
        channel="C1",
        thread_ts="1763733600.000100",
        event_id="1.2.abc",
        request_id="a1b2c3d4e5f6",
        received_at=NOW,
    )
    assert reply(press()) == found
    assert reply({**press(), "trigger_id": None}).event_id == reply({**press(), "trigger_id": None}).event_id


def test_an_option_of_a_menu() -> None:
    found = reply(choose(turn=2))
    assert (found.text, found.request_id, found.turn, found.thread_ts) == ("/api/cart", "a1b2c3d4e5f6", 2, THREAD)


def test_the_team_of_a_press_and_a_command() -> None:
    assert reply(org_wide(press())).team == "E1"
    found = question(org_wide(command()))
    assert (found.team, found.asker_team) == ("E1", "T1")
    elsewhere = {**press(), "user": {"id": "U9", "team_id": "T9"}}
    assert reply(elsewhere).team == "T1"
    shown = received({**pressed("proof:page", "abc123:1"), "view": {"id": "V1", "app_installed_team_id": "T5"}}).press
    assert shown is not None
    assert (shown.team, shown.view_id) == ("T5", "V1")


@pytest.mark.parametrize("text", ["status", "sources", "why 7f3a12bc", "catchup 2h", "cancel", "ask", "", "ask  "])
def test_a_subcommand_is_no_question(text: str) -> None:
    assert to_question(received(command(text))) is None


def test_ask_is_left_out_of_what_is_asked() -> None:
    assert question(command("ask why 7f3a12bc")).text == "why 7f3a12bc"
    assert question(command("ASK\nstatus of payments")).text == "status of payments"


def test_a_sent_window() -> None:
    found = question(window())
    assert (found.text, found.channel, found.thread_ts, found.ts) == ("why is <search> slow?", "C3", "", "")
    assert (found.asker, found.team, found.context) == ("U1", "T1", ())
    assert question(window("another?")).request_id == found.request_id
    assert question(window(view_id="V2")).request_id != found.request_id


def test_a_sent_window_about_a_message() -> None:
    kept = {"channel": "C1", "thread_ts": THREAD, "quoted": "p95 > 2 s"}
    found = question(window("&lt; why &amp; so on <@U1>?", kept))
    assert (found.channel, found.thread_ts, found.context) == ("C1", THREAD, ("p95 > 2 s",))
    assert found.text == "&lt; why &amp; so on <@U1>?"
    assert question(org_wide(window(kept=kept))).team == "E1"


@pytest.mark.parametrize("body", [window("  "), window(chosen=""), window(view_id=""), {**window(), "user": None}])
def test_a_window_that_asks_nothing(body: dict[str, Any]) -> None:
    assert to_question(received(body)) is None


@pytest.mark.parametrize("kept", ["no json", "[1]", '{"channel": 7}', "[" * 100_000])
def test_a_window_whose_memory_is_not_ours(kept: str) -> None:
    body = window()
    body["view"]["private_metadata"] = kept
    assert question(body).channel == "C3"


def test_what_a_message_shortcut_is_about() -> None:
    found = received(about())
    assert (found.origin.channel, found.message.ts) == ("C1", "1763733500.000100")
    assert found.message.content.quotation == "p95 is > 2 s & rising"
    assert received(about(thread_ts=THREAD)).message.thread_ts == THREAD
    assert received({"message": "x"}).message.content.quotation == ""
    alert = about("", subtype="bot_message", username="Monitor", attachments=[{"title": "DiskFull", "text": "db-1"}])
    assert received(alert).message.content.quotation == "The app Monitor posted: “DiskFull\ndb-1”"


def test_the_same_question_again() -> None:
    again_press = press_of(pressed("answer:rerun", "a1b2c3d4e5f6"))
    assert read_button(again_press, RERUN) == "a1b2c3d4e5f6"
    first = question(command("why is search slow?")).model_copy(
        update={"ts": "1.1", "edits": "1.1", "context": ("earlier",), "agent": "research"}
    )
    again = ask_again(again_press, first, NOW)
    assert (again.text, again.context, again.agent) == (first.text, first.context, first.agent)
    assert (again.again, again.asker, again.channel, again.thread_ts) == (first.request_id, "U2", "C1", THREAD)
    assert (again.ts, again.edits, again.event_id) == ("", "", "1.2.abc")
    assert again.request_id != first.request_id
    assert not read_button(press_of(pressed("answer:proof", "a1b2c3d4e5f6")), RERUN)
    assert not read_button(press_of(pressed("answer:rerun", "../etc")), RERUN)


def test_values_of_buttons() -> None:
    assert read_page("a1b2c3:12") == ("a1b2c3", 12)
    assert read_verdict("bad:a1b2c3") == ("bad", "a1b2c3")
    for wrong in ("", "a1b2c3", "a1b2c3:", ":1", "a b:1", "a1b2c3:-1", "a1b2c3:١"):
        assert read_page(wrong) is None
    for wrong in ("", "good", "good:", "best:a1b2c3", "good:a b"):
        assert read_verdict(wrong) is None


def test_help_by_command() -> None:
    assert wants_help(received(command("")))
    assert wants_help(received(command("help")))
    assert not wants_help(received(command("help me find the retry policy")))
    assert to_question(received(command("help"))) is None
    assert not wants_help(received(message("help")))
    assert not wants_help(received(press("help")))


# --- changes that wait, and answers that are saved -----------------------------------------------------------------


@pytest.mark.parametrize("action_id", ["proposal:confirm", "proposal:decline"])
def test_a_decision_names_the_request_and_the_place(action_id: str) -> None:
    found = read_decision(press_of(pressed(action_id, "a1b2c3d4e5f6:2")))
    assert found is not None
    assert found == ("a1b2c3d4e5f6", 2)


@pytest.mark.parametrize("value", ["", "a1b2c3d4e5f6", "a1b2c3d4e5f6:", ":1", "a b:1", "a1b2:x", "a1b2:1234", "a1:-1"])
def test_what_is_no_decision(value: str) -> None:
    assert read_decision(press_of(pressed("proposal:confirm", value))) is None
    assert read_decision(press_of(pressed("answer:proof", "a1b2c3d4e5f6:2"))) is None


def test_a_confirmed_change_is_asked_for_once_by_its_asker_in_its_thread() -> None:
    before = question(command("move a to b"))
    press_ = received(pressed("proposal:confirm", f"{before.request_id}:0", user="U1")).press
    again = received(pressed("proposal:confirm", f"{before.request_id}:0", user="U1", trigger_id="9.9.z")).press
    assert press_
    assert again
    found = ask_to_change(press_, before, "Move a to b", NOW)
    assert (found.text, found.confirms, found.user) == ("Move a to b", f"{before.request_id}:0", before.user)
    assert (found.thread_ts, found.ts, found.again, found.context) == (THREAD, "", "", ())
    second = ask_to_change(again, before, "Move a to b", NOW)
    assert (second.request_id, second.event_id) == (found.request_id, found.event_id)
    assert found.event_id == decision_event(found.confirms)


def test_a_saved_answer_is_an_order_to_memory_once_an_answer() -> None:
    found = read_saved(press_of(pressed("answer:save", "a1b2c3d4e5f6")), NOW)
    other = read_saved(press_of(pressed("answer:save", "a1b2c3d4e5f6", user="U7", trigger_id="8.8.y")), NOW)
    assert found
    assert other
    assert ("a1b2c3d4e5f6" in found.text, found.agent, found.asker, found.thread_ts) == (True, "memory", "U2", THREAD)
    assert (found.event_id, found.request_id) == (other.event_id, other.request_id)
    assert read_saved(press_of(pressed("answer:save", "no id!")), NOW) is None
    assert read_saved(press_of(pressed("answer:share", "a1b2c3d4e5f6")), NOW) is None


def test_notes_are_asked_of_memory() -> None:
    found = question(command("notes retry policy?"))
    assert ("retry policy" in found.text, found.agent) == (True, "memory")
    assert question(command("notes")).agent is None
