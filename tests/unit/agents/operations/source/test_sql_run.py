"""Guarded queries on a real SQLite file: answers, interruption, and what holds when the guard is left out."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from bench.sql import CANARY, fill
from bench.sql_attacks import REFUSED, SLOW
from bench.sql_honest import honest_queries
from tests.support.each_row import each_row
from tests.unit.agents.operations.source.test_sql_guard import mutated
from workers.agents.operations.source import sql_run, sql_subprocess
from workers.agents.operations.source.sql_allowlist import SQLITE_FUNCTIONS
from workers.agents.operations.source.sql_guard import Guarded, guard_query
from workers.agents.operations.source.sql_run import (
    QueryTooSlow,
    Rows,
    dialect_of,
    distinct_names,
    plain,
    run_query,
    schema,
)
from workers.agents.operations.source.sql_subprocess import open_guarded, trim
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The generated team; the file must be the same when the tests are done."""
    path = tmp_path_factory.mktemp("context") / "context.db"
    fill(f"sqlite:///{path}", 400)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    yield path
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def ask(file: Path, query: str) -> Rows:
    return run_query(f"sqlite:///{file}", guard_query(query, "sqlite", schema()))


def raw(file: Path, query: str) -> Rows:
    """Without the guard."""
    return run_query(f"sqlite:///{file}", Guarded(query, 100))


def guarded_connection(file: Path, seconds: float = 60) -> sqlite3.Connection:
    return open_guarded(str(file), schema(), (), sorted(SQLITE_FUNCTIONS), time.monotonic() + seconds)


def test_rows_come_back_by_column(file: Path) -> None:
    result = ask(file, "select id, sla_window_sec, id from tiers order by id limit 2")
    assert result.columns == ("id", "sla_window_sec", "id_2")
    assert [row["id"] for row in result.rows] == ["budget", "premium"]
    assert result.has_more
    assert not ask(file, "select id from tiers limit 3").has_more


def test_at_most_a_hundred_rows(file: Path) -> None:
    result = ask(file, "select id, created_at from requests limit 5000")
    assert (len(result.rows), result.has_more) == (100, True)
    moment = result.rows[0]["created_at"]
    assert datetime.fromisoformat(moment).tzinfo == UTC
    assert moment.endswith("Z")


def test_honest_queries_are_answered_as_without_the_guard(file: Path) -> None:
    connection = guarded_connection(file)
    plainly = sqlite3.connect(file)
    for query in honest_queries("sqlite"):
        guarded = guard_query(query, "sqlite", schema())
        connection.set_authorizer(sql_subprocess.make_authorizer(schema(), guarded.withs, sorted(SQLITE_FUNCTIONS)))
        got = connection.execute(guarded.sql).fetchmany(guarded.limit)
        plain = plainly.execute(query).fetchmany(100)
        assert len(got) == len(plain) if "'now'" in query else got == plain, query
    connection.close()
    plainly.close()


@pytest.mark.parametrize("query", SLOW)
def test_endless_queries_are_stopped(file: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_run, "TIMEOUT_S", 0.4)
    with pytest.raises((QueryTooSlow, ToolArgumentError), match=r"memory|^$"):
        ask(file, query)


def test_what_sqlite_cannot_interrupt_is_killed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_subprocess, "__file__", str(file.parent / "sleeper.py"))
    (file.parent / "sleeper.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setattr(sql_run, "TIMEOUT_S", 0.3)
    with pytest.raises(QueryTooSlow):
        ask(file, "select 1")


def test_a_process_that_fails_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_subprocess, "__file__", str(file.parent / "no-such-file.py"))
    with pytest.raises(ToolUnavailable, match="the process of the query failed"):
        ask(file, "select 1")


def test_memory_is_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = file.parent / "greedy.py"
    greedy.write_text(Path(sql_subprocess.__file__).read_text().replace("512 * 1024", "64 * 1024"))
    monkeypatch.setattr(sql_subprocess, "__file__", str(greedy))
    distinct = "select distinct a.id || b.id || c.id as x from requests a, requests b, requests c"
    with pytest.raises((ToolArgumentError, ToolUnavailable), match=r"memory|Memory"):
        ask(file, f"select count(*) from ({distinct}) t")


BYPASSED = [
    *(
        q
        for q in REFUSED
        if q.split()[0] in {"insert", "update", "delete", "drop", "create", "alter", "attach", "vacuum"}
    ),
    "select * from secrets",
    "select value from secrets",
    "select count(*) from secrets",
    "select * from sqlite_master",
    "select count(*) from sqlite_master",
    "select name from pragma_table_info('users')",
    "pragma query_only = off",
    "pragma table_info(users)",
    "select randomblob(9)",
    "select zeroblob(9)",
    "select sqlite_version()",
    "select load_extension('x')",
    "select value from json_each('[1]')",
    "select rowid from users",
    "with recursive c(x) as (select 1 union all select x + 1 from c) select * from c limit 1",
    "with c(x) as (select 1 union all select x + 1 from c) select * from c limit 1",
    "replace into tiers select * from tiers",
    "begin",
    "savepoint x",
    "detach main",
    "reindex",
    "analyze",
]


@each_row("query", BYPASSED)
def test_the_database_refuses_by_itself(file: Path, query: str) -> None:
    with pytest.raises(ToolArgumentError) as caught:
        raw(file, query)
    assert CANARY not in str(caught.value)


def test_the_connection_is_read_only_without_the_authorizer(file: Path) -> None:
    connection = guarded_connection(file)
    connection.set_authorizer(None)
    for query in ("delete from users", "create table x (a)", "create temp table x (a)", "attach ':memory:' as x"):
        with pytest.raises(sqlite3.Error, match=r"readonly|read-only|attached"):
            connection.execute(query)
    connection.execute("pragma query_only = off")
    with pytest.raises(sqlite3.Error, match="readonly"):
        connection.execute("delete from users")
    with pytest.raises(sqlite3.Error, match="too big"):
        connection.execute("select randomblob(2000000)").fetchall()
    connection.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=mutated())
def test_mutated_queries_read_nothing_else(file: Path, query: str) -> None:
    try:
        guarded = guard_query(query, "sqlite", schema())
    except ToolArgumentError:
        return
    connection = guarded_connection(file, seconds=1)
    connection.set_authorizer(sql_subprocess.make_authorizer(schema(), guarded.withs, sorted(SQLITE_FUNCTIONS)))
    try:
        rows = connection.execute(guarded.sql).fetchmany(101)
    except sqlite3.Error as error:
        authorizer = re.search("not authorized|prohibited", str(error))
        assert authorizer is None, guarded.sql  # the guard let nothing through that only the authorizer stopped
    else:
        assert CANARY not in str(rows)
    finally:
        connection.close()


def test_wrong_columns_are_no_texts(file: Path) -> None:
    with pytest.raises(ToolArgumentError, match=r"no such column: tier_id .text stands in single quotes"):
        ask(file, "select tier_id from models")
    with pytest.raises(ToolArgumentError, match="there is no column 'success'"):
        ask(file, 'select id from requests where status = "success"')


def test_missing_and_broken_files(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="run oracle load"):
        ask(tmp_path / "none.db", "select 1")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "broken.db").write_bytes(b"not a database" * 1_000)
    with pytest.raises((ToolUnavailable, ToolArgumentError), match="not a database"):
        ask(tmp_path / "broken.db", "select id from users")


def test_a_file_with_odd_characters_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a b%3Fmode=rwc#c.db"
    fill(f"sqlite:///{tmp_path / 'x.db'}", 50)
    (tmp_path / "x.db").rename(path)
    result = sql_subprocess.answer(
        {
            "path": str(path),
            "sql": "select count(*) from users",
            "tables": schema(),
            "withs": (),
            "functions": ["count"],
            "max_rows": 1,
            "seconds": 60,
        }
    )
    assert result["rows"] == [[10]]


def test_sizes() -> None:
    assert trim([["x" * 3_000, b"abc", 1, None]]) == [["x" * 1_999 + "…", "3 bytes", 1, None]]
    assert len(trim([["x" * 1_999] for _ in range(200)])) == 99


@each_row(
    "value, shown",
    [
        (None, None),
        (True, True),
        (Decimal("1.50"), 1.5),
        (float("inf"), "inf"),
        ("2026-11-21 10:00:00.000000", "2026-11-21T10:00:00Z"),
        ("2026-11-21 10:00", "2026-11-21 10:00"),
        (datetime(2026, 11, 21, 10, tzinfo=UTC), "2026-11-21T10:00:00Z"),
        (date(2026, 11, 21), "2026-11-21"),
        (timedelta(minutes=2), 120.0),
        (b"abc", "3 bytes"),
        ([1.5, 2.0], "[1.5, 2.0]"),
    ],
)
def test_values(value: object, shown: object) -> None:
    assert plain(value) == shown


def test_names_and_addresses() -> None:
    assert distinct_names(["a", "b", "a", "a"]) == ("a", "b", "a_2", "a_3")
    assert dialect_of("postgres://x/y") == "postgres"
    for wrong in ("mysql://x/y", "nonsense"):
        with pytest.raises(ConfigError, match=r"context\.sql_url"):
            dialect_of(wrong)
