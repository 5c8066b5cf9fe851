"""What happens to a request stands in its order, and is forgotten with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from workers.contracts import Question
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store import request_events
from workers.store.request_events import RequestEvent, add_events, count_events, events_after
from workers.store.request_logs import SqlStore


def test_events_are_numbered_in_the_order_they_are_written(store: SqlStore) -> None:
    database = store.database
    add_events(database, "r1", [("thinking", {"a": 1}), ("content", {"text": "ünicode \x00"})])
    add_events(database, "r2", [("error", {"message": "of another"})])
    add_events(database, "r1", [])
    add_events(database, "r1", [("done", {})])
    found = events_after(database, "r1", 0)
    assert [(e.number, e.name) for e in found] == [(1, "thinking"), (2, "content"), (3, "done")]
    assert found[1].data["text"].startswith("ünicode")
    assert events_after(database, "r1", 2) == (RequestEvent(3, "done", {}),)
    assert (count_events(database, "r1"), count_events(database, "gone")) == (3, 0)


def test_a_long_stream_is_read_in_parts(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_events, "MOST_READ", 2)
    add_events(store.database, "r1", [("content", {"n": n}) for n in range(5)])
    assert [e.number for e in events_after(store.database, "r1", 0)] == [1, 2]
    assert [e.number for e in events_after(store.database, "r1", 4)] == [5]
    assert count_events(store.database, "r1") == 5


def test_two_that_write_at_once_lose_nothing(store: SqlStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: add_events(store.database, "r1", [("content", {"n": n})] * 2), range(8)))
    found = events_after(store.database, "r1", 0)
    assert [e.number for e in found] == list(range(1, 17))
    assert sorted(e.data["n"] for e in found) == sorted([*range(8)] * 2)


def test_they_are_forgotten_with_their_request(store: SqlStore) -> None:
    ledger = Ledger(store.database, WorkerSection())
    asked = Question(
        request_id="r1",
        text="why?",
        asker="mia",
        channel="api",
        thread_ts="r1",
        event_id="api:r1",
        source="http",
        received_at=datetime.now(UTC),
    )
    assert ledger.accept(asked)
    for request_id in ("r1", "gone"):
        add_events(store.database, request_id, [("done", {})])
    ledger.forget(days=30)
    assert (count_events(store.database, "r1"), count_events(store.database, "gone")) == (1, 0)
