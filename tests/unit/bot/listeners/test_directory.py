"""What Slack is asked about people and messages is kept for a moment, and what it refused is asked again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slack_sdk import WebClient

from bot.listeners import directory
from bot.listeners.directory import KEPT_S, UNKNOWN, Directory
from bot.parse.people import Person
from tests.support.bolt_with_ledger import FakeSlack, fake_slack


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    with fake_slack() as opened:
        yield opened


@pytest.fixture
def client(slack: FakeSlack) -> WebClient:
    return WebClient(token="xoxb-test", base_url=f"{slack.address}/api/", retry_handlers=[])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [50.0]
    monkeypatch.setattr(directory, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("key", ["is_admin", "is_owner", "is_primary_owner"])
def test_a_person_is_kept_for_a_moment(slack: FakeSlack, client: WebClient, clock: list[float], key: str) -> None:
    slack.answers["users.info"] = {"user": {"tz": "Europe/Berlin", key: True}}
    known = Directory()
    assert known.person(client, "T1", "U1") == Person("Europe/Berlin", is_admin=True)
    slack.answers["users.info"] = {"user": {"tz": None, key: "yes"}}
    clock[0] += KEPT_S - 1
    assert known.person(client, "T1", "U1").is_admin
    clock[0] += 2
    assert known.person(client, "T1", "U1") == Person("UTC", is_admin=False)
    assert len(slack.called("users.info")) == 2


def test_a_refusal_is_not_kept(slack: FakeSlack, client: WebClient) -> None:
    slack.answers["users.info"] = {"ok": False, "error": "user_not_found"}
    known = Directory()
    assert known.person(client, "T1", "U1") == UNKNOWN
    assert not known.person(client, "T1", "U1").is_admin
    assert len(slack.called("users.info")) == 2


def test_slack_that_does_not_answer_tells_nothing() -> None:
    away = WebClient(token="xoxb-test", base_url="http://127.0.0.1:1/api/", retry_handlers=[])
    known = Directory()
    assert known.person(away, "T1", "U1") == UNKNOWN
    assert known.permalink(away, "C1", "1.1") == ""
    assert not known.may_see(away, "T1", "C1", "U1")


def test_what_is_kept_is_bounded(slack: FakeSlack, client: WebClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "KEPT_MOST", 3)
    slack.answers["chat.getPermalink"] = lambda a: {"permalink": f"https://t.slack.com/{a['message_ts']}"}
    known = Directory()
    for number in range(9):
        assert known.permalink(client, "C1", f"{number}.1") == f"https://t.slack.com/{number}.1"
    assert len(known.kept) == 3
    assert known.permalink(client, "", "1.1") == known.permalink(client, "C1", "") == ""


def test_one_workspace_s_administrator_is_not_another_s(slack: FakeSlack, client: WebClient) -> None:
    slack.answers["users.info"] = {"user": {"tz": "UTC", "is_admin": True}}
    known = Directory()
    known.person(client, "T1", "U1")
    slack.answers["users.info"] = {"user": {"tz": "UTC"}}
    assert not known.person(client, "T2", "U1").is_admin
