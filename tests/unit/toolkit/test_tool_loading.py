"""One load of a tool runs at a time, and all who need it wait for it together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.support.toolkit_parts import ManualClock, make_tool
from workers.toolkit import deadlines, tool_loading
from workers.toolkit.tool_loading import PREPARE_MS, prepare

LATE = "echo was not loaded within 60 s; loading goes on, so ask again later"


class SlowLoad:
    """A tool whose load ends when it is let go."""

    def __init__(self) -> None:
        self.began, self.let_go, self.loads = threading.Event(), threading.Event(), 0
        self.tool = replace(make_tool(), prepare=self.load)

    def load(self) -> None:
        self.loads += 1
        self.began.set()
        self.let_go.wait(60)


@pytest.fixture
def slow() -> Iterator[SlowLoad]:
    made = SlowLoad()
    yield made
    made.let_go.set()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=4) as made:
        yield made


def test_a_load_that_runs_is_joined(slow: SlowLoad, pool: ThreadPoolExecutor) -> None:
    def join() -> Future[str]:
        joined = threading.Event()

        def clock() -> float:
            joined.set()  # asked for how long to wait, so it has the load
            return 0.0

        call = pool.submit(prepare, slow.tool, clock)
        assert joined.wait(60)
        return call

    first = pool.submit(prepare, slow.tool, ManualClock())
    assert slow.began.wait(60)
    others = [join() for _ in range(3)]
    slow.let_go.set()
    assert [call.result(60) for call in (first, *others)] == ["", "", "", ""]
    assert slow.loads == 1


def test_a_load_is_waited_for_from_its_beginning(slow: SlowLoad, pool: ThreadPoolExecutor) -> None:
    clock = ManualClock()
    pool.submit(prepare, slow.tool, clock)
    assert slow.began.wait(60)
    clock.at_ms += PREPARE_MS
    assert [prepare(slow.tool, clock) for _ in range(5)] == [LATE] * 5
    assert slow.loads == 1
    slow.let_go.set()


def test_every_call_has_its_tool_loaded() -> None:
    loads: list[str] = []
    tool = replace(make_tool(), prepare=lambda: loads.append("load"))
    assert [prepare(tool, ManualClock()) for _ in range(3)] == ["", "", ""]
    assert loads == ["load"] * 3


def test_a_load_without_a_thread_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = threading.BoundedSemaphore(1)
    monkeypatch.setattr(deadlines, "SLOTS", slots)
    loads: list[str] = []
    tool = replace(make_tool(), prepare=lambda: loads.append("load"))
    with slots, monkeypatch.context() as patch:
        patch.setattr(tool_loading, "PREPARE_MS", 10.0)
        assert prepare(tool, ManualClock()).startswith("echo was not loaded within 0 s")
    assert prepare(tool, ManualClock()) == ""
    assert loads == ["load"]
