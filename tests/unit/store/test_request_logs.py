"""Logs of requests: written, replaced, found again."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from tests.support.request_logs import NOON, make_log, unchanged
from workers.errors import RequestNotFound, StoreUnavailable
from workers.ports import Store
from workers.store.request_logs import SqlStore, open_store


def test_log_comes_back_as_it_was(store: SqlStore) -> None:
    port: Store = store
    log = make_log()
    port.save(log)
    assert port.load(log.request_id) == log


def test_saving_again_replaces(store: SqlStore) -> None:
    before = datetime.now(UTC)
    store.save(make_log(kind=None))
    store.save(make_log(kind="answer", notes=("more",)))
    assert store.load("0123456789abcdef").notes == ("more",)
    (row,) = store.recent()
    assert (row.state, row.grounded, row.question_type) == ("answered", True, "debug_incident")
    assert row.created_at == NOON
    assert before <= row.updated_at <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("kind", "state"), [(None, "open"), ("answer", "answered"), ("clarify", "clarifying"), ("refusal", "refused")]
)
def test_state(store: SqlStore, kind: None, state: str) -> None:
    store.save(make_log(kind=kind))
    assert store.recent()[0].state == state


def test_prefix_is_enough(store: SqlStore) -> None:
    store.save(make_log("abcdef0001"))
    store.save(make_log("abcdeg0002"))
    assert store.load("abcdef").request_id == "abcdef0001"


def test_whole_id_wins_over_a_longer_one(store: SqlStore) -> None:
    store.save(make_log("abcdef"))
    store.save(make_log("abcdef2"))
    assert store.load("abcdef").request_id == "abcdef"


@pytest.mark.parametrize(
    ("request_id", "sentence"),
    [
        ("abcdef", "several requests begin with 'abcdef' (abcdef1, abcdef2)"),
        ("abcde", "no request 'abcde'; a prefix needs at least 6 characters"),
        ("", "no request ''; a prefix needs at least 6 characters"),
        ("abcxyz", "no request 'abcxyz'"),
        ("abcde%", "no request 'abcde%'"),
        ("a_c_e_", "no request 'a_c_e_'"),
        ("abcdef'; drop table requests; --", 'no request "abcdef\'; drop table requests; --"'),
    ],
)
def test_requests_that_are_not_found(store: SqlStore, request_id: str, sentence: str) -> None:
    store.save(make_log("abcdef1"))
    store.save(make_log("abcdef2"))
    with pytest.raises(RequestNotFound) as caught:
        store.load(request_id)
    assert str(caught.value) == sentence
    assert len(store.recent()) == 2


def test_many_that_begin_alike_are_not_all_listed(store: SqlStore) -> None:
    for i in range(6):
        store.save(make_log(f"abcdef{i}"))
    with pytest.raises(RequestNotFound, match=r"\(abcdef\d, abcdef\d, abcdef\d, …\)"):
        store.load("abcdef")


def test_newest_first(store: SqlStore) -> None:
    for i, hours in enumerate([2, 5, 1, 4]):
        store.save(make_log(f"request-{i}", at=NOON + timedelta(hours=hours)))
    assert [row.request_id for row in store.recent(3)] == ["request-1", "request-3", "request-0"]


def test_times_are_kept_in_utc(store: SqlStore) -> None:
    tokyo = timezone(timedelta(hours=9))
    store.save(make_log(at=NOON.astimezone(tokyo)))
    created = store.recent()[0].created_at
    assert created == NOON
    assert created.utcoffset() == timedelta(0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=50))
def test_any_text_can_be_stored(store: SqlStore, question: str) -> None:
    store.save(make_log(text=question))
    assert store.load("0123456789abcdef").question.text == question


@pytest.mark.parametrize("question", ["a\x00b", "a\ud800b", "𝄞 ✓ \u2028"])
def test_text_that_databases_refuse_is_stored(store: SqlStore, question: str) -> None:
    store.save(make_log(text=question))
    assert store.load("0123456789abcdef").question.text == question


def test_log_is_cleaned_before_it_is_written(prepared: str) -> None:
    store = open_store(prepared, lambda log: {**log, "notes": ["clean"]})
    store.save(make_log(notes=("dirty",)))
    assert store.load("0123456789abcdef").notes == ("clean",)
    store.database.close()


def test_log_of_another_version_is_said(store: SqlStore) -> None:
    store.save(make_log())
    with store.database.begin() as connection:
        connection.execute(text('update requests set log = \'{"request_id": "x"}\''))
    with pytest.raises(StoreUnavailable, match="another version of Oracle"):
        store.load("0123456789abcdef")


def test_threads_and_processes_write_side_by_side(store: SqlStore, address: str) -> None:
    other = open_store(address, unchanged)
    failures: list[StoreUnavailable] = []

    def write(into: SqlStore, prefix: str) -> None:
        try:
            for i in range(20):
                into.save(make_log(f"{prefix}-{i:04}"))
        except StoreUnavailable as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(s, f"{s is other}{n}")) for s in (store, other) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.database.close()
    assert failures == []
    assert len(store.recent(1_000)) == 80
