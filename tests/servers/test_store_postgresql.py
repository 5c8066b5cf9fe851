"""The store on a real PostgreSQL: what the unit tests show on SQLite holds there too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.support.migrated_tables import differences
from tests.support.real_servers import free_port
from tests.support.request_logs import NOON, make_log, unchanged
from workers.contracts import Deploy
from workers.errors import RequestNotFound, StoreUnavailable
from workers.store.database import open_database
from workers.store.deploys import forget_deploys, list_deploys, record_deploys
from workers.store.migrate import migrate
from workers.store.request_logs import SqlStore, open_store

pytestmark = pytest.mark.servers
HOUR = timedelta(hours=1)


@pytest.fixture
def store(postgresql: str) -> Iterator[SqlStore]:
    opened = open_store(postgresql, unchanged)
    yield opened
    opened.database.close()


def test_migrations_make_exactly_the_tables(store: SqlStore) -> None:
    with store.database.begin() as connection:
        assert differences(connection) == []
    assert migrate(store.database) is False


def test_processes_that_start_together_migrate_once(postgresql: str) -> None:
    databases = [open_database(postgresql) for _ in range(4)]
    results: list[bool | StoreUnavailable] = []

    def start(i: int) -> None:
        try:
            results.append(migrate(databases[i]))
        except StoreUnavailable as error:
            results.append(error)

    threads = [threading.Thread(target=start, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for database in databases:
        database.close()
    assert sorted(map(str, results)) == ["False", "False", "False", "True"]


def test_log_comes_back_as_it_was(store: SqlStore) -> None:
    store.save(make_log(kind=None))
    log = make_log(kind="answer", notes=("more",))
    store.save(log)
    assert store.load(log.request_id) == log
    (row,) = store.recent()
    assert (row.state, row.created_at) == ("answered", NOON)
    assert abs(row.updated_at - datetime.now(UTC)) < HOUR


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "𝄞 ✓ \u2028", 'it\'s "quoted" \\u0000'])
def test_text_that_postgresql_refuses_is_stored(store: SqlStore, text: str) -> None:
    store.save(make_log(text=text, notes=(text,)))
    assert store.load("0123456789abcdef").notes == (text,)


def test_prefixes(store: SqlStore) -> None:
    for request_id in ("abcdef1", "abcdef2", "abcxyz1"):
        store.save(make_log(request_id))
    assert store.load("abcxyz").request_id == "abcxyz1"
    with pytest.raises(RequestNotFound, match="several requests"):
        store.load("abcdef")
    with pytest.raises(RequestNotFound, match="no request"):
        store.load("a_c_e_")


def test_deploys(store: SqlStore) -> None:
    new = [Deploy(service="shop", version=f"v{i}", commit="c", at=NOON + i * HOUR) for i in range(4)]
    assert record_deploys(store.database, [*reversed(new), new[0]]) == 4
    assert record_deploys(store.database, new[:1]) == 0
    assert list_deploys(store.database, NOON + HOUR, NOON + 3 * HOUR) == tuple(new[1:])
    assert forget_deploys(store.database, "production") == 4


def test_connection_that_the_server_closed_is_replaced(store: SqlStore, postgresql: str) -> None:
    store.save(make_log())
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
            "and pid <> pg_backend_pid()"
        )
    assert store.load("0123456789abcdef").request_id == "0123456789abcdef"


def test_server_that_is_not_there() -> None:
    address = f"postgresql://oracle:hunter22@127.0.0.1:{free_port()}/oracle"
    with pytest.raises(StoreUnavailable) as caught:
        open_store(address, unchanged)
    assert "failed: " in str(caught.value)
    assert "oracle:***@127.0.0.1" in str(caught.value)
    assert "hunter22" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_database_that_does_not_exist(postgresql: str) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        open_store(f"{postgresql}_no", unchanged)
