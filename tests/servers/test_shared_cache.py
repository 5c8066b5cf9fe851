"""Results kept in a real Redis: one flight over several processes' caches, and no answer lost without it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.deployment import Redis, run_redis
from tests.support.toolkit_parts import PATIENT_MS, ManualClock
from workers.contracts import Evidence, ToolOutput
from workers.toolkit.clock import SystemClock
from workers.toolkit.redis_cache import REST_MS, SharedCache
from workers.toolkit.tool_call import worth_keeping

FOUND = ToolOutput(summary="found", data={"n": 1}, evidence=(Evidence(kind="row", title="t", locator="l"),))


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    with run_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server
        while OPENED:
            OPENED.pop().redis.close()


OPENED: list[SharedCache] = []


def process(redis: Redis, space: str = "one", clock: Callable[[], float] = SystemClock.monotonic_ms) -> SharedCache:
    """The cache of one process."""
    OPENED.append(SharedCache(redis.url, space, worth_keeping, clock))
    return OPENED[-1]


def never() -> ToolOutput:
    raise AssertionError("it was kept")


def test_another_process_takes_what_one_made(redis: Redis) -> None:
    assert process(redis).fetch("taken", 30, lambda: FOUND, PATIENT_MS) == (FOUND, False)
    assert process(redis).fetch("taken", 30, never, PATIENT_MS) == (FOUND, True)


def test_deployments_that_share_a_redis_keep_apart(redis: Redis) -> None:
    process(redis, "one").fetch("apart", 30, lambda: FOUND, PATIENT_MS)
    other = ToolOutput(summary="other")
    assert process(redis, "two").fetch("apart", 30, lambda: other, PATIENT_MS) == (other, False)


def test_failures_are_not_kept(redis: Redis) -> None:
    failed = ToolOutput(status="error", reason="down")
    assert process(redis).fetch("failed", 30, lambda: failed, PATIENT_MS) == (failed, False)
    assert process(redis).fetch("failed", 30, lambda: FOUND, PATIENT_MS) == (FOUND, False)


def test_what_another_version_kept_is_made_anew(redis: Redis) -> None:
    first = process(redis, "old")
    first.fetch("version", 30, lambda: FOUND, PATIENT_MS)
    made = ToolOutput(summary="anew")
    for name in first.redis.scan_iter("oracle:tool:old:*"):
        first.redis.set(name, b'{"of": "another version"}')
    assert process(redis, "old").fetch("version", 30, lambda: made, PATIENT_MS) == (made, False)


def test_many_processes_make_a_value_once(redis: Redis) -> None:
    made, all_there = list[int](), threading.Barrier(8)

    def make() -> ToolOutput:
        made.append(1)
        threading.Event().wait(0.2)
        return FOUND

    def ask() -> tuple[ToolOutput, bool]:
        cache = process(redis)
        all_there.wait()
        return cache.fetch("once", 30, make, PATIENT_MS)

    with ThreadPoolExecutor(8) as pool:
        answers = [f.result() for f in [pool.submit(ask) for _ in range(8)]]
    assert len(made) == 1
    assert sorted(cached for _, cached in answers) == [False, *[True] * 7]
    assert {value.summary for value, _ in answers} == {"found"}


def test_who_waits_too_long_for_another_process_makes_its_own(redis: Redis) -> None:
    began, end = threading.Event(), threading.Event()

    def make() -> ToolOutput:
        began.set()
        end.wait()
        return FOUND

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(process(redis).fetch, "slow", 30, make, PATIENT_MS)
        began.wait()
        own = ToolOutput(summary="own")
        assert process(redis).fetch("slow", 30, lambda: own, 50) == (own, False)
        end.set()
        assert slow.result() == (FOUND, False)


def test_the_lock_of_a_process_that_died_lives_little_longer_than_its_tool_may_run(redis: Redis) -> None:
    cache, seen = process(redis), list[int]()

    def make() -> ToolOutput:
        (flight,) = cache.redis.scan_iter("oracle:tool:*:flight")
        seen.append(cache.redis.pttl(flight))
        return FOUND

    cache.fetch("dies", 30, make, 2_000)
    assert 2_000 < seen[0] <= 3_000


def test_both_waits_have_one_end(redis: Redis) -> None:
    clock = ManualClock()
    cache = process(redis, clock=clock)
    held = cache.redis.lock("held", timeout=60, thread_local=False)
    assert held.acquire()
    clock.at_ms = 5_000
    assert not cache.board(cache.redis.lock("held", timeout=60), 4_000)
    held.release()


def test_without_redis_every_process_keeps_its_own(tmp_path: Path) -> None:
    with run_redis(tmp_path) as server:
        clock = ManualClock()
        cache = SharedCache(server.url, "one", worth_keeping, clock)
        server.stop()
        assert cache.fetch("alone", 30, lambda: FOUND, PATIENT_MS) == (FOUND, False)
        assert cache.fetch("alone", 30, never, PATIENT_MS) == (FOUND, True)
        server.start()
        assert cache.fetch("rests", 30, lambda: FOUND, PATIENT_MS) == (FOUND, False)
        assert not list(cache.redis.scan_iter("oracle:tool:*"))
        clock.at_ms += REST_MS
        assert cache.fetch("again", 30, lambda: FOUND, PATIENT_MS) == (FOUND, False)
        assert len(list(cache.redis.scan_iter("oracle:tool:*"))) == 1
        cache.redis.close()
