"""Buttons, tabs and commands in Slack, pressed and typed by who may see what lies behind them and by who may not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.listeners import actions, commands, home
from tests.support.bolt_with_ledger import (
    Desk,
    all_words,
    answer,
    ask,
    home_opened,
    open_desk,
    pressed,
)
from tests.support.slack_payloads import wait_for
from tests.support.two_repositories import GUEST, MEMBER, PAY_GROUP, PAYER, RULES
from workers.contracts import RequestLog
from workers.delivery import action_ids
from workers.ports import Belonging, Place, Post
from workers.store.source_refreshes import record_sources

HEADLINE = "A zebrafish batch is settled nightly"


def person(arguments: dict[str, Any]) -> dict[str, Any]:
    """What Slack says of people."""
    user = arguments["user"]
    return {"user": {"id": user, "is_restricted": user == GUEST, "is_admin": user == PAYER}}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "shop").mkdir()
    repositories = [{"path": str(tmp_path / "shop"), "name": name} for name in ("shop", "coldvault")]
    with open_desk(tmp_path / "home", **{"oracle.repositories": repositories, "access.rules": RULES}) as opened:
        opened.slack.answers |= {
            "users.info": person,
            "usergroups.list": {"usergroups": [{"id": PAY_GROUP, "users": [PAYER], "date_delete": 0}]},
            "conversations.info": {"channel": {"id": "C1", "name": "general"}},
            "auth.test": {"bot_id": "B1", "user_id": "UBOT", "team_id": "T1"},
            "conversations.history": {"messages": []},
            "conversations.replies": {"messages": []},
            "chat.getPermalink": {"permalink": "https://team.slack.com/archives/C1/p1"},
        }
        yield opened.listen(actions, commands, home)


def found(
    desk: Desk, channel: str, asker: str = PAYER, view: tuple[str, ...] | None = ("repository:coldvault",)
) -> RequestLog:
    """An answer that rests on the private repository, as it stands in a channel."""
    log = answer(desk, ask(desk, channel=channel, asker=asker), HEADLINE)
    log = log.model_copy(update={"view": view})
    desk.store.save(log)
    return log


def press(desk: Desk, action_id: str, log: RequestLog, user: str) -> None:
    """Press a button below an answer, and wait until somebody is told something or something is shown."""
    body = pressed(action_id, log.request_id, user)
    body |= {
        "container": {"type": "message", "channel_id": log.question.channel, "message_ts": "500.1"},
        "channel": {"id": log.question.channel},
        "message": {"ts": "500.1", "thread_ts": log.question.thread_ts},
    }
    before = len(shown(desk))
    desk.send(body)
    wait_for(lambda: len(shown(desk)) > before)


def shown(desk: Desk) -> list[dict[str, Any]]:
    """All that anybody is shown."""
    methods = ("views.open", "views.update", "views.publish", "chat.postMessage", "chat.postEphemeral")
    return [arguments for name, arguments in desk.slack.calls if name in methods]


@pytest.mark.parametrize("action_id", [action_ids.PROOF, action_ids.EVERYTHING, action_ids.SHARE])
def test_a_button_shows_nothing_where_it_may_not_be_seen(desk: Desk, action_id: str) -> None:
    press(desk, action_id, found(desk, "C1"), PAYER)
    assert HEADLINE not in str(shown(desk))
    assert "no longer have the record" in str(shown(desk))


@pytest.mark.parametrize("action_id", [action_ids.PROOF, action_ids.EVERYTHING, action_ids.SHARE])
def test_a_button_shows_it_where_everyone_may_see_it(desk: Desk, action_id: str) -> None:
    press(desk, action_id, found(desk, "C2"), MEMBER)
    assert HEADLINE in str(shown(desk))


def test_an_answer_from_before_there_was_a_policy_is_shown_to_nobody(desk: Desk) -> None:
    press(desk, action_ids.PROOF, found(desk, "C2", view=None), PAYER)
    assert HEADLINE not in str(shown(desk))


@pytest.mark.parametrize(("user", "may"), [(PAYER, True), (MEMBER, False)])
def test_the_proof_on_home_and_by_command(desk: Desk, user: str, may: bool) -> None:
    log = found(desk, "D1", asker=user)
    desk.send(pressed(action_ids.HOME_PROOF, log.request_id, user))
    wait_for(lambda: bool(desk.slack.called("views.open")))
    assert (HEADLINE in str(desk.slack.called("views.open"))) is may
    told = desk.say(f"why {log.request_id}", user_id=user, channel_id="D1")
    assert ("was answered" in told) is may


@pytest.mark.parametrize(
    ("user", "private", "any_of_it"), [(PAYER, True, True), (MEMBER, False, True), (GUEST, False, False)]
)
def test_sources_are_told_to_whom_they_are_given(desk: Desk, user: str, private: bool, any_of_it: bool) -> None:
    lines = [("repo_search", f"{name} at abc1234, 3 files indexed", True) for name in ("shop", "coldvault")]
    record_sources(desk.database, [*lines, ("calendar_events", "Anna: 3 appointments", True)])
    told = desk.say("sources", user_id=user) + desk.say("status", user_id=user)
    desk.send(home_opened(user))
    wait_for(lambda: bool(desk.slack.called("views.publish")))
    told += str(desk.slack.called("views.publish"))
    if user != PAYER:  # an administrator's tab shows the policy itself
        assert ("coldvault" in told) is private
    assert ("shop at" in told) is any_of_it
    assert "Anna" not in told


@pytest.mark.parametrize(("user", "may"), [(PAYER, True), (MEMBER, False)])
def test_the_policy_is_shown_to_administrators(desk: Desk, user: str, may: bool) -> None:
    desk.send(home_opened(user))
    wait_for(lambda: bool(desk.slack.called("views.publish")))
    words = all_words(desk.slack.called("views.publish")[-1].get("view")) + str(desk.slack.called("views.publish"))
    assert (f"group:{PAY_GROUP}" in words) is may


def test_a_headline_that_may_not_be_seen_any_more_is_not_on_home(desk: Desk) -> None:
    found(desk, "D1", asker=MEMBER)
    desk.send(home_opened(MEMBER))
    wait_for(lambda: bool(desk.slack.called("views.publish")))
    assert HEADLINE not in str(desk.slack.called("views.publish"))


def test_slack_is_asked_once_a_minute_who_is_in_which_group(desk: Desk) -> None:
    found = [desk.chat.belonging(user) for user in (PAYER, MEMBER, GUEST, PAYER)]
    assert [(one.groups, one.member) for one in found] == [
        ({PAY_GROUP}, True),
        (frozenset(), True),
        (frozenset(), False),
        ({PAY_GROUP}, True),
    ]
    assert len(desk.slack.called("usergroups.list")) == 1
    assert len(desk.slack.called("users.info")) == 3


def test_where_slack_tells_no_groups_nobody_is_in_one(desk: Desk) -> None:
    desk.slack.answers["usergroups.list"] = {"ok": False, "error": "missing_scope"}
    assert desk.chat.belonging(PAYER) == Belonging(member=True)
    desk.slack.answers["users.info"] = {"ok": False, "error": "user_not_found"}
    assert desk.chat.belonging(MEMBER) == Belonging()


def test_a_channel_shared_with_another_company_has_outsiders(desk: Desk) -> None:
    assert not desk.chat.has_outsiders("C1")
    desk.slack.answers["conversations.info"] = {"channel": {"id": "C3", "name": "joint", "is_ext_shared": True}}
    assert desk.chat.has_outsiders("C3")


def test_a_word_to_one_person_is_for_their_eyes_alone(desk: Desk) -> None:
    desk.chat.whisper(Place("C1", "100.1", "T1"), MEMBER, Post("You may see more."))
    (said,) = desk.slack.called("chat.postEphemeral")
    assert (said["channel"], said["thread_ts"], said["user"], said["text"]) == (
        "C1",
        "100.1",
        MEMBER,
        "You may see more.",
    )
