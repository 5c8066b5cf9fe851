"""What one request used and may still use, counted by all threads of its steps."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.support.reasoner_inputs import thinking
from workers.contracts import ModelCall, Question, Usage
from workers.reasoning.model.token_budget import TokenBudget
from workers.settings.schema import Budget

USED_UP = "the 30 s of thinking for one question are used up"


@dataclass
class Hands:
    """A clock that is turned by hand."""

    now: float = 100.0

    def monotonic(self) -> float:
        return self.now


class Full:
    """A spending_limit that is never empty."""

    def empty(self, question: Question) -> str:
        return ""

    def spend(self, question: Question, usage: Usage) -> None:
        raise AssertionError("nothing was used")


@pytest.fixture
def clock() -> Hands:
    return Hands()


def opened(clock: Hands, *earlier: ModelCall) -> TokenBudget:
    return TokenBudget(thinking(calls=earlier), Budget(request_s=30), Full(), clock.monotonic)


def test_calls_side_by_side_take_the_same_time_once(clock: Hands) -> None:
    account = opened(clock)
    with account.waiting():
        clock.now += 5
        with account.waiting():
            clock.now += 10
        clock.now += 5
        assert account.seconds_left == 10
    assert account.seconds_left == 10
    with account.waiting():
        clock.now += 9
    assert account.refusal(0) == ""
    with account.waiting():
        clock.now += 1
    assert account.refusal(0) == USED_UP


def test_what_is_done_between_calls_takes_no_time_of_theirs(clock: Hands) -> None:
    account = opened(clock)
    with account.waiting():
        clock.now += 5
    clock.now += 1_000
    assert account.seconds_left == 25


def test_the_durations_of_calls_are_not_added_up(clock: Hands) -> None:
    account = opened(clock)
    with account.waiting():
        clock.now += 10
    for _ in range(4):
        account.add(ModelCall(role="planner", model="m", status="ok", ms=10_000))
    assert account.seconds_left == 20


def test_the_calls_of_earlier_stages_took_their_time(clock: Hands) -> None:
    account = opened(clock, *[ModelCall(role="intent", model="m", status="ok", ms=12_000)] * 2)
    assert account.seconds_left == 6
    with account.waiting():
        clock.now += 7
    assert (account.seconds_left, account.refusal(0)) == (0, USED_UP)


def test_nothing_is_lost_between_threads(clock: Hands) -> None:
    account, barrier = opened(clock), threading.Barrier(8)

    def write(thread: int) -> None:
        barrier.wait()
        for n in range(200):
            call = ModelCall(role="planner", model=f"{thread}/{n}", status="ok")
            account.add(call)
            if n % 2:
                account.spoil(call, "useless")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert len({c.model for c in account.calls}) == len(account.calls) == 1_600
    assert sum(c.status == "invalid" for c in account.calls) == 800
