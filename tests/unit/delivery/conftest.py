"""A door to Slack, and the stand-in behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.slack_api_server import TOKEN, StandIn, Time, run_stand_in
from workers.delivery.slack_chat import SlackChat
from workers.ports import Place


@pytest.fixture
def server() -> Iterator[StandIn]:
    with run_stand_in() as state:
        yield state


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def chat(server: StandIn, time: Time) -> SlackChat:
    return SlackChat(TOKEN, f"{server.url}api/", sleep=time.sleep, monotonic=lambda: time.now)


@pytest.fixture
def thread(server: StandIn) -> Place:
    return Place("C1", server.add("why is it slow?", user="U1"), "T1")
