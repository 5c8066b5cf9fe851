"""Side questions: late and failing ones are named, the others are kept."""

import threading
import time

import pytest

from workers.errors import ToolUnavailable
from workers.sources.metrics.deadline_pool import DeadlinePool


def fails():
    raise ToolUnavailable("it is down")


@pytest.mark.parametrize("parallel", [1, 4])
def test_answers_keep_their_order_and_failures_are_named(parallel):
    side = DeadlinePool[int](parallel, time.monotonic() + 10)
    assert side.run([("a", lambda: 1), ("b", fails), ("c", lambda: 3)]) == [1, None, 3]
    assert side.gaps == ["b: it is down"]


@pytest.mark.parametrize("parallel", [1, 4])
def test_nothing_is_started_when_time_is_up(parallel):
    side = DeadlinePool[int](parallel, time.monotonic() - 1)
    assert side.run([("a", lambda: 1)]) == [None]
    assert side.gaps == ["a: not read in time"]


def test_a_late_answer_does_not_hold_the_others_up():
    release = threading.Event()
    side = DeadlinePool[int](2, time.monotonic() + 0.2)
    try:
        assert side.run([("slow", lambda: release.wait(10) and 1), ("quick", lambda: 2)]) == [None, 2]
    finally:
        release.set()
    assert side.gaps == ["slow: not read in time"]


def test_a_mistake_in_the_program_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        DeadlinePool[float](1, time.monotonic() + 10).run([("a", lambda: 1 / 0)])
