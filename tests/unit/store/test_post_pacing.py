"""The pace of a channel: a burst, then one after the other, never more than that reserved.

Most tests take one message in 100 s, so that the seconds a busy machine needs for them do not matter.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from sqlalchemy import select, update

from workers.errors import StoreUnavailable
from workers.store.database import Database, open_database
from workers.store.post_pacing import reserve_post_slot
from workers.store.tables import pacing

SLACK_S = 30
slow = partial(reserve_post_slot, per_s=0.01)


def about(seconds: float) -> object:
    return pytest.approx(seconds, abs=SLACK_S)


@pytest.fixture
def database(prepared: str) -> Iterator[Database]:
    opened = open_database(prepared)
    yield opened
    opened.close()


def shift(database: Database, seconds: float) -> None:
    """As if what is reserved had been reserved that much later."""
    with database.begin() as connection:
        connection.execute(update(pacing).values(at=pacing.c.at + seconds))


def due(database: Database) -> float:
    """When the next message is due, seconds since the epoch."""
    with database.begin() as connection:
        return float(connection.execute(select(pacing.c.at)).scalar_one())


def test_a_burst_then_one_after_the_other(database: Database) -> None:
    waits = [slow(database, "C1", at_most_s=1_000) for _ in range(9)]
    assert waits[:5] == [0] * 5
    assert waits[5:] == [about(100), about(200), about(300), about(400)]


@pytest.mark.parametrize(("burst", "per_s"), [(1, 0.01), (3, 0.005), (10, 0.01)])
def test_other_paces(database: Database, burst: int, per_s: float) -> None:
    waits = [reserve_post_slot(database, "C1", burst=burst, per_s=per_s, at_most_s=1_000) for _ in range(burst + 2)]
    assert waits[:burst] == [0] * burst
    assert waits[burst:] == [about(1 / per_s), about(2 / per_s)]


def test_one_a_second_when_nothing_else_is_said(database: Database) -> None:
    reserve_post_slot(database, "C1", at_most_s=60)
    shift(database, 40)
    before = due(database)
    for _ in range(3):
        reserve_post_slot(database, "C1", at_most_s=100)
    assert due(database) - before == pytest.approx(3, abs=1e-6)


def test_channels_do_not_wait_for_each_other(database: Database) -> None:
    for _ in range(7):
        slow(database, "C1", at_most_s=1_000)
    assert slow(database, "C2", at_most_s=1_000) == 0


def test_too_long_a_wait_reserves_nothing(database: Database) -> None:
    for _ in range(6):
        slow(database, "C1", at_most_s=150)
    before = due(database)
    assert [slow(database, "C1", at_most_s=150) for _ in range(10)] == [about(200)] * 10
    assert due(database) == before


@pytest.mark.parametrize("at_most_s", [0.0, 1.5, 99.0])
def test_what_was_not_reserved_is_more_than_was_allowed(database: Database, at_most_s: float) -> None:
    for _ in range(5):
        slow(database, "C1", at_most_s=at_most_s)
    shift(database, at_most_s - 100 + 1e-3)
    before = due(database)
    wait_s = slow(database, "C1", at_most_s=at_most_s)
    assert (wait_s > at_most_s) == (due(database) == before)


def test_time_that_passed_counts(database: Database) -> None:
    for _ in range(8):
        slow(database, "C1", at_most_s=1_000)
    shift(database, -150)
    assert slow(database, "C1", at_most_s=1_000) == about(250)
    shift(database, -100_000)
    assert [slow(database, "C1", at_most_s=1_000) for _ in range(5)] == [0] * 5
    assert slow(database, "C1", at_most_s=1_000) > 0


def test_clock_that_was_set_back_does_not_silence_a_channel(database: Database) -> None:
    slow(database, "C1", at_most_s=1.5)
    shift(database, 86_400)
    before = due(database)
    assert slow(database, "C1", at_most_s=1.5) == 0
    assert due(database) < before - 80_000


def test_many_at_once_get_slots_of_their_own(database: Database, address: str) -> None:
    slow(database, "C1", at_most_s=1)
    shift(database, 400)
    before = due(database)
    others = [open_database(address) for _ in range(4)]
    threads = [threading.Thread(target=take, args=(other, 5)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert due(database) - before == pytest.approx(20 * 100, abs=1e-3)


def take(database: Database, times: int) -> None:
    for _ in range(times):
        slow(database, "C1", at_most_s=10_000)


def test_database_without_its_tables(address: str) -> None:
    opened = open_database(address)
    with pytest.raises(StoreUnavailable):
        reserve_post_slot(opened, "C1", at_most_s=1.5)
    opened.close()
