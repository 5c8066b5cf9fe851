"""The pace of a channel on a real PostgreSQL, kept by several connections at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.unit.store.test_post_pacing import about, due, shift, slow, take
from workers.store.database import Database, open_database

pytestmark = pytest.mark.servers


@pytest.fixture
def database(postgresql_store: str) -> Iterator[Database]:
    opened = open_database(postgresql_store)
    yield opened
    opened.close()


def test_a_burst_then_one_after_the_other(database: Database) -> None:
    waits = [slow(database, "C1", at_most_s=1_000) for _ in range(8)]
    assert waits[:5] == [0] * 5
    assert waits[5:] == [about(100), about(200), about(300)]


def test_too_long_a_wait_reserves_nothing(database: Database) -> None:
    take(database, 6)
    before = due(database)
    assert [slow(database, "C1", at_most_s=150) for _ in range(5)] == [about(200)] * 5
    assert due(database) == before


def test_clock_that_was_set_back_does_not_silence_a_channel(database: Database) -> None:
    take(database, 1)
    shift(database, 86_400)
    before = due(database)
    assert slow(database, "C1", at_most_s=1.5) == 0
    assert due(database) < before - 80_000


def test_connections_that_meet_on_a_new_channel_get_slots_of_their_own(
    database: Database, postgresql_store: str
) -> None:
    others = [open_database(postgresql_store) for _ in range(6)]
    meet = threading.Barrier(len(others))
    waits: list[float] = []

    def first(mine: Database) -> None:
        mine.ping()
        meet.wait()
        waits.append(slow(mine, "C1", burst=1, at_most_s=10_000))
        take(mine, 4)

    threads = [threading.Thread(target=first, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert waits.count(0) == 1
    assert slow(database, "C1", burst=1, at_most_s=10_000) == about(30 * 100)
