"""One thing is done again and again until it is closed."""

from __future__ import annotations

from bot.transport.repeating_task import RepeatingTask
from tests.support.slack_payloads import wait_for


def test_it_is_done_again_until_closed() -> None:
    done: list[int] = []

    def act() -> float:
        done.append(1)
        if len(done) == 3:
            again.close()
        return 0.0

    again = RepeatingTask("again", act)
    again.start()
    wait_for(lambda: not again.thread.is_alive())
    assert len(done) == 3


def test_one_that_is_closed_before_its_first_time_does_nothing() -> None:
    done: list[int] = []
    again = RepeatingTask("again", lambda: done.append(1) or 0.0, first_s=60)
    again.start()
    again.close()
    wait_for(lambda: not again.thread.is_alive())
    assert done == []
