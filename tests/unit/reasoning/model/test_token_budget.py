"""What one request used and may still use, counted by all threads of its steps."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

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
        account.add(ModelCall(role="investigator", model="m", status="ok", ms=10_000))
    assert account.seconds_left == 20


def test_the_calls_of_earlier_stages_took_their_time(clock: Hands) -> None:
    account = opened(clock, *[ModelCall(role="router", model="m", status="ok", ms=12_000)] * 2)
    assert account.seconds_left == 6
    with account.waiting():
        clock.now += 7
    assert (account.seconds_left, account.refusal(0)) == (0, USED_UP)


class Counted:
    """A spending limit that nothing is too much for."""

    def empty(self, question: Question) -> str:
        return ""

    def spend(self, question: Question, usage: Usage) -> None:
        del question, usage


@pytest.mark.parametrize(
    ("seconds", "usage", "share"),
    [
        (0, Usage(), 0.0),
        (15, Usage(), 0.5),
        (3, Usage(input_tokens=600, cache_write_tokens=100, cache_read_tokens=5_000, output_tokens=50), 0.75),
        (3, Usage(input_tokens=10, cost_usd=0.4), 0.8),
        (30, Usage(cost_usd=0.1), 1.0),
    ],
)
def test_the_share_is_that_of_the_budget_that_is_used_most(
    clock: Hands, seconds: float, usage: Usage, share: float
) -> None:
    budget = Budget(request_s=30, request_tokens=1_000, request_usd=0.5)
    account = TokenBudget(thinking(), budget, Counted(), clock.monotonic)
    with account.waiting():
        clock.now += seconds
    account.add(ModelCall(role="investigator", model="m", status="ok", usage=usage))
    assert account.share_used == pytest.approx(share)


@pytest.mark.parametrize("nothing", [{"request_tokens": 0}, {"request_usd": 0}])
def test_a_budget_of_nothing_is_used_up(clock: Hands, nothing: dict[str, Any]) -> None:
    assert TokenBudget(thinking(), Budget(**nothing), Counted(), clock.monotonic).share_used == 1.0


def test_tokens_that_the_cache_served_are_not_counted(clock: Hands) -> None:
    account = TokenBudget(thinking(), Budget(request_s=30, request_tokens=1_000), Counted(), clock.monotonic)
    account.add(ModelCall(role="investigator", model="m", status="ok", usage=Usage(cache_read_tokens=90_000)))
    assert account.refusal(900) == ""
    assert account.refusal(1_001) == "the 1,000 tokens for one question would not be enough"


def test_nothing_is_lost_between_threads(clock: Hands) -> None:
    account, barrier = opened(clock), threading.Barrier(8)

    def write(thread: int) -> None:
        barrier.wait()
        for n in range(200):
            call = ModelCall(role="investigator", model=f"{thread}/{n}", status="ok")
            account.add(call)
            if n % 2:
                account.spoil(call, "useless")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert len({c.model for c in account.calls}) == len(account.calls) == 1_600
    assert sum(c.status == "invalid" for c in account.calls) == 800
