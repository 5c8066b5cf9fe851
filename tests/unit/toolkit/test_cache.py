"""Kept results and the single flight."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.toolkit_parts import PATIENT_MS, ManualClock
from workers.toolkit.cache import Cache
from workers.toolkit.clock import SystemClock


def positive_cache(clock: Callable[[], float] = SystemClock.monotonic_ms, max_entries: int = 512) -> Cache[int]:
    return Cache(lambda value: value > 0, clock, max_entries)


def test_value_ends_after_its_time_to_live() -> None:
    clock = ManualClock()
    cache = positive_cache(clock)
    values = iter(range(1, 9))

    def fetch() -> tuple[int, bool]:
        return cache.fetch("k", 30, lambda: next(values), PATIENT_MS)

    assert fetch() == (1, False)
    clock.at_ms = 29_999
    assert fetch() == (1, True)
    clock.at_ms = 30_000
    assert fetch() == (2, False)


def test_least_recently_used_goes_first() -> None:
    cache = positive_cache(max_entries=2)
    for key in ("a", "b", "a", "c"):
        cache.fetch(key, 30, lambda: 1, PATIENT_MS)
    assert [cache.fetch(key, 30, lambda: 2, PATIENT_MS) for key in ("a", "c", "b")] == [
        (1, True),
        (1, True),
        (2, False),
    ]


def test_equal_calls_at_the_same_time_run_once() -> None:
    cache = positive_cache()
    started, release = threading.Event(), threading.Event()
    runs: list[int] = []

    def make() -> int:
        runs.append(1)
        started.set()
        release.wait()
        return 7

    with ThreadPoolExecutor(8) as pool:
        leader = pool.submit(cache.fetch, "k", 30, make, PATIENT_MS)
        assert started.wait(60)
        followers = [pool.submit(cache.fetch, "k", 30, make, PATIENT_MS) for _ in range(7)]
        release.set()
        assert leader.result() == (7, False)
        assert [f.result() for f in followers] == [(7, True)] * 7
    assert len(runs) == 1


def test_waiting_for_somebody_elses_call_ends_at_the_deadline() -> None:
    cache = positive_cache()
    started, release = threading.Event(), threading.Event()

    def make() -> int:
        started.set()
        release.wait()
        return 7

    with ThreadPoolExecutor(1) as pool:
        leader = pool.submit(cache.fetch, "k", 30, make, PATIENT_MS)
        assert started.wait(60)
        with pytest.raises(TimeoutError):
            cache.fetch("k", 30, make, 10)
        release.set()
        assert leader.result() == (7, False)


def test_failure_of_the_first_leaves_the_call_to_the_next() -> None:
    cache = positive_cache()
    started, release = threading.Event(), threading.Event()

    def fail() -> int:
        started.set()
        release.wait()
        return -1

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.fetch, "k", 30, fail, PATIENT_MS)
        assert started.wait(60)
        second = pool.submit(cache.fetch, "k", 30, lambda: 5, PATIENT_MS)
        release.set()
        assert first.result() == (-1, False)
        assert second.result() == (5, False)
    assert cache.fetch("k", 30, lambda: 6, PATIENT_MS) == (5, True)


def test_error_of_the_first_frees_the_key() -> None:
    cache = positive_cache()

    def explode() -> int:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        cache.fetch("k", 30, explode, PATIENT_MS)
    assert cache.fetch("k", 30, lambda: 3, PATIENT_MS) == (3, False)
    assert not cache.flights
