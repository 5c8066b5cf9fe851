"""Addresses, and errors at the boundary."""

from __future__ import annotations

import os
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from tests.support.request_logs import make_log, unchanged
from workers.errors import ConfigError, StoreUnavailable
from workers.store.database import BUSY_MS, open_database
from workers.store.migrate import migrate
from workers.store.request_logs import SqlStore, open_store
from workers.store.tables import deploys


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("", "not a database address"),
        ("nonsense", "not a database address"),
        ("http://user:secret@[::1", "not a database address"),
        ("mysql://root:secret@db/x", "'mysql' is not supported; sqlite and postgresql are"),
    ],
)
def test_wrong_addresses(address: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_database(address)
    assert str(caught.value).startswith("database_url: ")
    assert sentence in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_name_of_postgresql_is_understood(scheme: str) -> None:
    database = open_database(f"{scheme}://oracle:hunter22@db:5432/oracle")
    assert database.engine.url.drivername == "postgresql+psycopg"
    assert database.address == "postgresql+psycopg://oracle:***@db:5432/oracle"


def test_sqlite_is_in_write_ahead_mode_and_waits_for_locks(store: SqlStore) -> None:
    with store.database.begin() as connection:
        assert connection.execute(text("pragma journal_mode")).scalar() == "wal"
        assert connection.execute(text("pragma busy_timeout")).scalar() == 5_000


def test_a_connection_that_is_given_back_after_the_end_is_closed(address: str) -> None:
    database = open_database(address)
    with database.begin() as connection:
        late = connection.connection.dbapi_connection
        database.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        late.execute("select 1")  # type: ignore[union-attr]


def test_ping_names_the_database(store: SqlStore) -> None:
    assert store.database.ping().startswith("sqlite at sqlite:////")


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be created"):
        open_store(f"sqlite:///{tmp_path}/file/x/oracle.db", unchanged)


def test_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "oracle.db").write_bytes(os.urandom(4_096))
    with pytest.raises(StoreUnavailable, match="file is not a database"):
        open_store(f"sqlite:///{tmp_path}/oracle.db", unchanged)


def test_locked_database_is_unavailable(store: SqlStore, tmp_path: Path) -> None:
    store.database.close()
    path = store.database.engine.url.database
    impatient = open_database(f"sqlite:///{path}?timeout=0")
    blocker = sqlite3.connect(str(path), isolation_level=None)
    blocker.execute("begin immediate")
    with pytest.raises(StoreUnavailable, match="database is locked"):
        SqlStore(impatient, unchanged).save(make_log())
    blocker.close()
    impatient.close()


def test_naive_moment_is_refused(store: SqlStore) -> None:
    values = {"service": "s", "version": "v", "commit": "", "environment": "e", "source": "s"}
    with (
        pytest.raises(StoreUnavailable, match="a stored moment needs a time zone"),
        store.database.begin() as connection,
    ):
        connection.execute(insert(deploys).values(**values, at=datetime(2026, 3, 1)))  # noqa: DTZ001 - what is refused


def test_failed_transaction_leaves_nothing(store: SqlStore) -> None:
    def half_a_transaction() -> None:
        with store.database.begin() as connection:
            connection.execute(text("insert into deploys values (1, 's', 'v', '', '2026-03-01', 'e', 's', 0)"))
            connection.execute(text("insert into nowhere values (1)"))

    with pytest.raises(StoreUnavailable, match="no such table: nowhere"):
        half_a_transaction()
    with store.database.begin() as connection:
        assert connection.execute(text("select count(*) from deploys")).scalar() == 0


def test_a_new_database_and_the_files_beside_it_are_their_owner_s_alone(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'oracle.db'}")
    assert not list(tmp_path.iterdir())
    migrate(database)
    found = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    database.close()
    assert found == dict.fromkeys(("oracle.db", "oracle.db-wal", "oracle.db-shm"), 0o600)


def test_a_database_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    path.touch(0o644)
    database = open_database(f"sqlite:///{path}")
    database.ping()
    database.close()
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_wiped_database_holds_nothing_of_what_was_replaced_or_deleted(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}/oracle.db")
    secret, long_one = "hunter2-as-it-came", "hunter2-as-it-came " * 2_000
    with database.begin() as connection:
        connection.exec_driver_sql("create table said (id integer primary key, text text)")
    with database.begin() as connection:
        for text_of in (secret, long_one, secret, long_one):
            connection.exec_driver_sql("insert into said (text) values (?)", (text_of,))
    assert database.wipe()
    with database.begin() as connection:
        connection.exec_driver_sql("update said set text = 'clean' where id < 3")
        connection.exec_driver_sql("delete from said where id > 2")
    with database.begin() as reading:
        reading.exec_driver_sql("select * from said").all()
        with database.begin(exclusive=True) as writing:
            writing.exec_driver_sql("insert into said (text) values ('another')")
        assert not database.wipe(), "somebody reads in the log"
    assert database.wipe()
    assert b"clean" in (tmp_path / "oracle.db").read_bytes()
    assert [file.name for file in tmp_path.iterdir() if secret.encode() in file.read_bytes()] == []
    with database.begin() as connection:
        assert connection.exec_driver_sql("pragma busy_timeout").scalar() == BUSY_MS
    database.close()
