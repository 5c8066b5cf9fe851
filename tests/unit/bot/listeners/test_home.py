"""The Home tab and the settings window: what each person may see, and what happens when something is in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.listeners import home
from bot.views.notice import NO_DATABASE
from bot.views.settings import NOT_ADMIN, WHO_UNKNOWN
from tests.support.bolt_with_ledger import Desk, all_words, answer, ask, home_opened, open_desk, pressed, submitted
from tests.support.slack_payloads import wait_for
from workers.delivery import action_ids
from workers.delivery.block_limits import check_view
from workers.store.channels import ChannelSettings, change_channel, changed_channels, channel_settings
from workers.store.incidents import open_incident
from workers.store.memories import add_memory, list_memories
from workers.store.source_refreshes import record_sources

ADMIN = {"user": {"id": "U1", "tz": "UTC", "is_admin": True}}
MEMBER = {"user": {"id": "U1", "tz": "UTC", "is_admin": False}}
PUBLIC = {"channel": {"id": "C1", "is_channel": True, "is_private": False}}


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path / "home", **{"oracle.slack.admins": ["U7"]}) as opened:
        opened.slack.answers |= {"users.info": MEMBER, "conversations.info": PUBLIC}
        opened.slack.answers["chat.getPermalink"] = lambda a: {"permalink": f"https://t.slack.com/{a['message_ts']}"}
        yield opened.listen(home)


def published(worker: Desk, number: int = 1) -> dict[str, Any]:
    """The n-th tab that was published."""
    calls = wait_for(lambda: len(found := worker.slack.called("views.publish")) >= number and found)
    view: dict[str, Any] = calls[number - 1]["view"]
    return view


def window(worker: Desk) -> dict[str, Any]:
    """The window that was opened."""
    [call] = wait_for(lambda: worker.slack.called("views.open"))
    view: dict[str, Any] = call["view"]
    return view


def choices(channel: str = "C5", mode: str = "threads", agent: str = "*", verbosity: str = "full") -> dict[str, Any]:
    picked = {"mode": mode, "agent": agent, "verbosity": verbosity}
    options = {name: {name: {"selected_option": {"value": value}}} for name, value in picked.items()}
    return {"channel": {"channel": {"selected_conversation": channel}}, **options}


# --- the tab ----------------------------------------------------------------------------------------------------


def test_a_member_sees_their_own_and_no_settings(worker: Desk) -> None:
    answer(worker, ask(worker, 1))
    ask(worker, 2, "another's?", asker="U9")
    record_sources(worker.database, [("doc_search", "docs: 12 documents", True)])
    change_channel(worker.database, "T1", "C5", ChannelSettings("off"), "U7")
    worker.send(home_opened())
    said = all_words(published(worker))
    for part in ("why is search slow?", "It was the deploy", "docs: 12 documents", "/api/zones"):
        assert part in said
    for part in ("another's?", "Settings", "C5"):
        assert part not in said
    assert worker.slack.called("views.publish")[0]["user_id"] == "U1"


def test_the_messages_tab_is_not_this_one(worker: Desk) -> None:
    worker.send(home_opened(tab="messages"))
    worker.send(pressed(action_ids.HOME_REFRESH))
    published(worker)
    assert len(worker.slack.called("views.publish")) == 1


def test_administrators_of_the_workspace_or_by_name_see_settings(worker: Desk) -> None:
    change_channel(worker.database, "T1", "C5", ChannelSettings("off"), "U7")
    worker.send(home_opened("U7"))
    assert "<#C5> · off" in all_words(published(worker))
    worker.slack.answers["users.info"] = ADMIN
    worker.send(home_opened("U1"))
    assert "<#C5> · off" in all_words(published(worker, 2))
    assert len(worker.slack.called("users.info")) == 1, "who is named in the configuration needs no look-up"


def test_open_incidents_of_channels_that_one_may_read(worker: Desk) -> None:
    def about(call: dict[str, Any]) -> dict[str, Any]:
        return {"channel": {"id": call["channel"], "is_channel": True, "is_private": call["channel"] != "C1"}}

    worker.slack.answers["conversations.info"] = about
    worker.slack.answers["conversations.members"] = lambda a: {"members": ["U1"] if a["channel"] == "C2" else ["U9"]}
    for channel, title in (("C1", "in public"), ("C2", "among us"), ("C3", "among others")):
        open_incident(worker.database, "T1", channel, title, "U9", "200.1")
    open_incident(worker.database, "T2", "C1", "another workspace", "U9")
    worker.send(home_opened())
    said = all_words(published(worker))
    assert "in public" in said
    assert "among us" in said
    assert "among others" not in said
    assert "another workspace" not in said


def test_a_guest_sees_the_incidents_of_their_own_channels(worker: Desk) -> None:
    worker.slack.answers["users.info"] = {"user": {"id": "U1", "tz": "UTC", "is_restricted": True}}
    worker.slack.answers["conversations.members"] = lambda a: {"members": ["U1"] if a["channel"] == "C2" else ["U9"]}
    for channel, title in (("C1", "among others"), ("C2", "among us")):
        open_incident(worker.database, "T1", channel, title, "U9", "200.1")
    worker.send(home_opened())
    said = all_words(published(worker))
    assert "among us" in said
    assert "among others" not in said


def test_a_channel_that_slack_does_not_tell_of_shows_nothing(worker: Desk) -> None:
    worker.slack.answers["conversations.info"] = {"ok": False, "error": "missing_scope"}
    open_incident(worker.database, "T1", "C1", "Checkout fails", "U9")
    worker.send(home_opened())
    assert "Checkout fails" not in all_words(published(worker))


def test_a_database_that_is_gone_leaves_a_sentence_and_a_button(worker: Desk) -> None:
    worker.broken()
    worker.send(home_opened())
    view = published(worker)
    assert NO_DATABASE in all_words(view)
    assert action_ids.HOME_REFRESH in json.dumps(view)


def test_what_slack_does_not_publish_is_logged(worker: Desk, caplog: pytest.LogCaptureFixture) -> None:
    worker.slack.answers["views.publish"] = {"ok": False, "error": "not_enabled"}
    worker.send(home_opened())
    wait_for(lambda: "not published: not_enabled" in caplog.text)


# --- proof ------------------------------------------------------------------------------------------------------


def test_the_proof_of_one_s_own_question(worker: Desk) -> None:
    answer(worker, ask(worker, 1))
    worker.send(pressed(action_ids.HOME_PROOF, "abcdef000001"))
    view = window(worker)
    assert view["callback_id"] == action_ids.PROOF_VIEW
    assert "It was the deploy" in all_words(view)


@pytest.mark.parametrize("value", ["abcdef000001", "nothing", ""])
def test_no_proof_of_another_s(worker: Desk, value: str) -> None:
    answer(worker, ask(worker, 1, asker="U9"))
    worker.send(pressed(action_ids.HOME_PROOF, value))
    assert all_words(window(worker)) == home.NOT_YOURS


# --- settings ---------------------------------------------------------------------------------------------------


def test_an_administrator_changes_a_channel_and_sees_it_at_once(worker: Desk) -> None:
    worker.send(pressed(action_ids.HOME_SETTINGS, user="U7"))
    assert window(worker)["callback_id"] == action_ids.SETTINGS_VIEW
    assert worker.send(submitted(action_ids.SETTINGS_VIEW, choices(), "U7")).body == ""
    assert "<#C5> · threads · full answers" in all_words(published(worker))
    assert channel_settings(worker.database, "T1", "C5") == ChannelSettings("threads", "", "full")
    [changed] = changed_channels(worker.database, "T1")
    assert changed.changed_by == "U7"


def test_the_window_of_a_channel_begins_with_what_holds_there(worker: Desk) -> None:
    change_channel(worker.database, "T1", "C5", ChannelSettings("questions", "research"), "U7")
    worker.send(pressed(action_ids.HOME_SETTINGS, "C5", user="U7"))
    initial = json.dumps(window(worker))
    assert '"initial_conversation": "C5"' in initial
    assert '"value": "questions"' in initial.split("initial_option")[1]


def test_others_are_told_who_may(worker: Desk) -> None:
    worker.send(pressed(action_ids.HOME_SETTINGS))
    assert all_words(window(worker)) == NOT_ADMIN
    for kept in ("", "null", json.dumps({"admin": "U8"}), json.dumps({"admin": ""})):
        told = json.loads(worker.send(submitted(action_ids.SETTINGS_VIEW, choices(), kept=kept)).body)
        assert told == {"response_action": "errors", "errors": {"channel": NOT_ADMIN}}
    assert changed_channels(worker.database, "T1") == ()


def test_who_cannot_be_looked_up_is_told_so_and_looked_up_again(worker: Desk) -> None:
    worker.slack.answers["users.info"] = {"ok": False, "error": "ratelimited"}
    worker.send(pressed(action_ids.HOME_SETTINGS))
    assert all_words(window(worker)) == WHO_UNKNOWN
    worker.slack.answers["users.info"] = ADMIN
    worker.slack.calls.clear()
    worker.send(pressed(action_ids.HOME_SETTINGS))
    assert window(worker)["callback_id"] == action_ids.SETTINGS_VIEW


def test_settings_are_saved_without_asking_slack_who_saves_them(worker: Desk) -> None:
    worker.slack.answers["users.info"] = ADMIN
    worker.send(pressed(action_ids.HOME_SETTINGS))
    kept = window(worker)["private_metadata"]
    worker.attention.directory.kept.clear()
    stored_before: list[int] = []

    def look_up(_: dict[str, Any]) -> dict[str, Any]:
        stored_before.append(len(changed_channels(worker.database, "T1")))
        return ADMIN

    worker.slack.answers["users.info"] = look_up
    assert worker.send(submitted(action_ids.SETTINGS_VIEW, choices(), kept=kept)).body == ""
    assert "<#C5> · threads" in all_words(published(worker))
    assert stored_before == [1], "asked for the tab alone, after everything was stored"


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"channel": ""}, {"channel": home.NOTHING_CHOSEN}),
        ({"mode": "loud"}, {"channel": home.NOTHING_CHOSEN}),
        ({"agent": "gone"}, {"agent": home.NO_AGENT}),
    ],
)
def test_what_the_window_does_not_offer_is_refused(
    worker: Desk, changes: dict[str, str], errors: dict[str, str]
) -> None:
    told = json.loads(worker.send(submitted(action_ids.SETTINGS_VIEW, choices(**changes), "U7")).body)
    assert told["errors"] == errors
    assert changed_channels(worker.database, "T1") == ()


def test_settings_that_cannot_be_stored_are_said_in_the_window(worker: Desk) -> None:
    with worker.database.begin() as connection:
        connection.exec_driver_sql("alter table channel_settings rename to gone")
    told = json.loads(worker.send(submitted(action_ids.SETTINGS_VIEW, choices(), "U7")).body)
    assert told["errors"] == {"channel": NO_DATABASE}
    worker.send(pressed(action_ids.HOME_SETTINGS, "C5", user="U7"))
    assert all_words(window(worker)) == NO_DATABASE


# --- what is remembered -----------------------------------------------------------------------------------------


def forget_buttons(view: dict[str, Any]) -> list[str]:
    """The values of the buttons that remove a memory."""
    found = [b["accessory"] for b in view["blocks"] if "accessory" in b]
    return [button["value"] for button in found if button["action_id"] == action_ids.FORGET]


def test_everybody_sees_and_removes_what_is_remembered_of_them(worker: Desk) -> None:
    mine = add_memory(worker.database, "T1/U1", "deploys are frozen on Fridays")
    theirs = add_memory(worker.database, "T1/U9", "the key is under the mat")
    worker.send(home_opened())
    view = published(worker)
    assert "deploys are frozen on Fridays" in all_words(view)
    assert "under the mat" not in all_words(view)
    assert forget_buttons(view) == [str(mine.id)]
    for value in (str(theirs.id), "x", "", "9" * 40, "-1"):
        worker.send(pressed(action_ids.FORGET, value))
    published(worker, 6)
    assert (len(list_memories(worker.database, "T1/U1")), len(list_memories(worker.database, "T1/U9"))) == (1, 1)
    worker.send(pressed(action_ids.FORGET, str(mine.id)))
    assert forget_buttons(published(worker, 7)) == []
    assert list_memories(worker.database, "T1/U1") == ()


def test_many_and_long_memories_fit_and_call_nobody(worker: Desk) -> None:
    for number in range(30):
        add_memory(worker.database, "T1/U1", f"{number} <!channel> *x* {'long ' * 300}")
    worker.send(home_opened())
    view = published(worker)
    assert check_view(view) == []
    assert len(forget_buttons(view)) == 5
    assert "25 more" in all_words(view)
    texts = [b["text"] for b in view["blocks"] if str(b.get("block_id", "")).startswith("memory:")]
    assert {text["type"] for text in texts} == {"plain_text"}


def test_nothing_is_said_of_memories_where_there_are_none(worker: Desk) -> None:
    worker.send(home_opened())
    assert not [b for b in published(worker)["blocks"] if str(b.get("block_id", "")).startswith("memory:")]
