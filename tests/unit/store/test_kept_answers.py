"""A kept answer is found by its key until it is too old, or something changed that it may rest on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.request_logs import make_log
from workers.contracts import Deploy, RequestLog
from workers.store.deploys import record_deploys
from workers.store.kept_answers import find_kept, forget_kept, keep_answer
from workers.store.request_logs import SqlStore
from workers.store.source_refreshes import record_sources

MINUTE = timedelta(minutes=1)
LINES = [("repo_search", "shop: 12 files", True)]


@pytest.fixture
def kept(store: SqlStore) -> RequestLog:
    log = make_log(at=datetime.now(UTC))
    store.save(log)
    keep_answer(store.database, "key", log)
    return log


def found(store: SqlStore, log: RequestLog, age: timedelta = MINUTE) -> RequestLog | None:
    return find_kept(store, "key", log.question.received_at - age)


def test_it_is_found_by_its_key_while_it_is_young(store: SqlStore, kept: RequestLog) -> None:
    answer = found(store, kept)
    assert answer
    assert answer.request_id == kept.request_id
    assert find_kept(store, "another", kept.question.received_at - MINUTE) is None
    assert found(store, kept, age=-MINUTE) is None


def test_a_deploy_a_new_index_and_a_change_forget_it(store: SqlStore, kept: RequestLog) -> None:
    deploy = Deploy(service="shop", version="v1", at=datetime.now(UTC))
    for change in (
        lambda: record_deploys(store.database, [deploy]),
        lambda: record_sources(store.database, LINES),
        lambda: forget_kept(store.database),
    ):
        later = make_log(at=datetime.now(UTC))
        keep_answer(store.database, "key", later)
        assert found(store, later)
        change()
        assert found(store, later) is None
        keep_answer(store.database, "key", later)
        assert found(store, later) is None, "it was asked before the change"


def test_what_changes_nothing_forgets_nothing(store: SqlStore) -> None:
    deploy = Deploy(service="shop", version="v1", at=datetime.now(UTC))
    record_deploys(store.database, [deploy])
    record_sources(store.database, LINES)
    log = make_log(at=datetime.now(UTC))
    store.save(log)
    keep_answer(store.database, "key", log)
    record_deploys(store.database, [deploy])
    record_sources(store.database, LINES)
    assert found(store, log)
