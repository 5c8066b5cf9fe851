"""What waits for Slack has threads of its own, and a bounded queue."""

from __future__ import annotations

import threading

import pytest

from bot.listeners.background import BackgroundThreads
from tests.support.slack_payloads import wait_for


def test_what_is_too_much_is_dropped_and_nobody_waits(caplog: pytest.LogCaptureFixture) -> None:
    later, gate = BackgroundThreads(threads=1, waiting=2), threading.Event()
    done: list[int] = []

    def work(number: int) -> None:
        assert gate.wait(30)
        done.append(number)

    assert [later(lambda n=n: work(n)) for n in range(5)] == [True, True, True, False, False]  # type: ignore[misc]
    assert caplog.text.count("too much waits for Slack") == 2
    gate.set()
    wait_for(lambda: done == [0, 1, 2])
    wait_for(lambda: later(lambda: work(5)))
    wait_for(lambda: done[3:] == [5])


def test_a_mistake_is_logged_and_makes_room(caplog: pytest.LogCaptureFixture) -> None:
    later = BackgroundThreads(threads=1, waiting=0)

    def fail() -> None:
        raise KeyError("ours")

    assert later(fail)
    wait_for(lambda: "KeyError: 'ours'" in caplog.text)
    assert later(lambda: None)
