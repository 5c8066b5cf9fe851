"""Deadlines."""

from __future__ import annotations

import contextvars
import subprocess
import sys
import threading

import pytest

from tests.support.toolkit_parts import PATIENT_MS, ManualClock
from workers.toolkit import deadlines
from workers.toolkit.deadlines import TimeBudget, run_within

NAME: contextvars.ContextVar[str] = contextvars.ContextVar("NAME", default="nobody")


def test_result_in_time() -> None:
    assert run_within(lambda: 42, PATIENT_MS) == 42


def test_context_variables_reach_the_tool() -> None:
    token = NAME.set("request-1")
    try:
        assert run_within(NAME.get, PATIENT_MS) == "request-1"
    finally:
        NAME.reset(token)


@pytest.mark.parametrize("timeout_ms", [20, 0, -5])
def test_late_result_is_a_timeout(timeout_ms: float) -> None:
    release = threading.Event()
    with pytest.raises(TimeoutError):
        run_within(release.wait, timeout_ms)
    release.set()


def test_hung_calls_cannot_pile_up_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = threading.BoundedSemaphore(2)
    monkeypatch.setattr(deadlines, "SLOTS", slots)
    release, ran = threading.Event(), threading.Event()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            run_within(release.wait, 10)
    with pytest.raises(TimeoutError):
        run_within(ran.set, 10)
    assert not ran.is_set()
    release.set()
    run_within(ran.set, PATIENT_MS)
    assert ran.is_set()


def test_hung_call_does_not_keep_the_process_alive() -> None:
    program = (
        "import threading\n"
        "from workers.toolkit.deadlines import run_within\n"
        "try: run_within(threading.Event().wait, 10)\n"
        "except TimeoutError: print('timeout')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "timeout\n"


def test_calls_side_by_side_spend_the_same_time_once() -> None:
    clock = ManualClock()
    budget = TimeBudget(1_000, clock)
    with budget.running():
        clock.at_ms += 100
        with budget.running():
            clock.at_ms += 200
            assert budget.left_ms() == 700
        clock.at_ms += 50
    clock.at_ms += 9_000
    assert budget.left_ms() == 650


def test_time_budget_ends_at_zero() -> None:
    clock = ManualClock()
    budget = TimeBudget(10, clock)
    with budget.running():
        clock.at_ms += 50
        assert budget.left_ms() == 0
    assert budget.left_ms() == 0
