"""safe_sql_query on a real PostgreSQL, as a role that may only read and as one that may do everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from bench.sql import CANARY, fill, fingerprint
from bench.sql_attacks import REFUSED, SLOW
from bench.sql_honest import honest_queries
from tests.support.toolkit_parts import make_context
from workers.agents.operations.source import sql_run
from workers.agents.operations.source.database import open_reading
from workers.agents.operations.source.sql_guard import Guarded, guard_query
from workers.agents.operations.source.sql_run import QueryTooSlow, Rows, plain, run_query, schema, writable_tables
from workers.agents.operations.tools.sql import build
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.settings.load import ROOT, load_settings
from workers.toolkit.tool import Resources

pytestmark = pytest.mark.servers
SCRIPT = re.search(r"## A role.*?```sql\n(.*?)```", (ROOT / "docs" / "sql.md").read_text(), re.DOTALL)


@dataclass(frozen=True)
class Addresses:
    """Of the same database: its owner's, and the restricted role's."""

    owner: str
    reader: str


@pytest.fixture(scope="module")
def addresses(postgresql_server: str) -> Iterator[Addresses]:
    """The generated team, and the role made by the script of docs/sql.md."""
    assert SCRIPT
    name = "sql_guarded"
    with psycopg.connect(f"{postgresql_server}/postgres", autocommit=True) as connection:
        connection.execute(f"create database {name}")
    owner = f"{postgresql_server}/{name}"
    fill(owner, 400)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(SCRIPT[1])
    reader = owner.replace("//oracle@", "//oracle_sql@")
    before = fingerprint(reader)
    yield Addresses(owner, reader)
    assert fingerprint(reader) == before
    for address in (owner, reader):
        open_reading(address).close()
    with psycopg.connect(f"{postgresql_server}/postgres", autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")
        connection.execute("drop role oracle_sql")


def ask(address: str, query: str) -> Rows:
    return run_query(address, guard_query(query, "postgres", schema()))


def test_honest_queries_are_answered_as_without_the_guard(addresses: Addresses) -> None:
    def rounded(rows: list[list[object]]) -> list[list[object]]:
        return [[float(f"{c:.9g}") if isinstance(c, float) else c for c in row] for row in rows]

    with psycopg.connect(addresses.owner, options="-c timezone=UTC") as connection:
        for query in honest_queries("postgres"):
            got = rounded([list(row.values()) for row in ask(addresses.reader, query).rows])
            want = connection.execute(query).fetchmany(100)
            if "now()" not in query:
                assert got == rounded([[plain(c) for c in row] for row in want]), query
            assert len(got) == len(want), query


@pytest.mark.parametrize("query", SLOW[:2])
def test_endless_queries_are_stopped(addresses: Addresses, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_run, "SETTINGS", sql_run.SETTINGS.replace("= 5000;", "= 300;", 1))
    with pytest.raises(QueryTooSlow):
        ask(addresses.reader, query)
    with psycopg.connect(addresses.owner) as connection:
        running = "select count(*) from pg_stat_activity where usename = 'oracle_sql' and state = 'active'"
        assert connection.execute(running).fetchone() == (0,)


def test_the_server_has_the_limits_that_are_promised(addresses: Addresses) -> None:
    names = ("statement_timeout", "transaction_read_only", "search_path", "lock_timeout", "temp_file_limit")
    shown = ", ".join(f"current_setting('{name}') as {name}" for name in names)
    (row,) = run_query(addresses.reader, Guarded(f"select {shown}", 1)).rows
    assert row == {
        "statement_timeout": "5s",
        "transaction_read_only": "on",
        "search_path": "pg_catalog, public, pg_temp",
        "lock_timeout": "1s",
        "temp_file_limit": "512MB",
    }


BYPASSED = [q for q in REFUSED if q.split()[0] in {"insert", "update", "delete", "drop", "create", "alter", "truncate"}]


@pytest.mark.parametrize("role", ["owner", "reader"])
@pytest.mark.parametrize("query", [*BYPASSED, "select 1; delete from users", "select nextval('x')", "vacuum"])
def test_nothing_is_written_without_the_guard(addresses: Addresses, query: str, role: str) -> None:
    with pytest.raises((ToolArgumentError, ToolUnavailable)):
        run_query(getattr(addresses, role), Guarded(query, 100))


@pytest.mark.parametrize(
    "query", ["select * from secrets", "select pg_read_file('/etc/passwd')", "select * from pg_shadow"]
)
def test_the_role_reads_nothing_else(addresses: Addresses, query: str) -> None:
    with pytest.raises(ToolArgumentError, match="permission denied") as caught:
        run_query(addresses.reader, Guarded(query, 100))
    assert CANARY not in str(caught.value)


def test_a_table_of_another_schema_does_not_stand_in(addresses: Addresses) -> None:
    with psycopg.connect(addresses.owner, autocommit=True) as connection:
        connection.execute("create schema oracle_sql create table tiers (id text)")
        connection.execute("grant all on schema oracle_sql to oracle_sql; grant all on oracle_sql.tiers to oracle_sql")
        try:
            assert ask(addresses.reader, "select count(*) as n from tiers").rows == ({"n": 3},)
        finally:
            connection.execute("drop schema oracle_sql cascade")


def test_ping_warns_of_a_role_that_may_write(addresses: Addresses, home: Path) -> None:
    lines = []
    for address in (addresses.reader, addresses.owner):
        loaded = load_settings({"oracle.context": {"url": addresses.owner, "sql_url": address}}, home=home)
        tool = build({}, Resources(loaded, lambda start, end: ()))
        assert tool.ping is not None
        lines.append(tool.ping())
        assert "PostgreSQL SELECT" in tool.description
        output = tool.run(tool.args.model_validate({"query": "select count(*) as n from users"}), make_context())
        assert output.data == {"rows": [{"n": 10}], "row_count": 1, "has_more": False}
    assert "its role may only read" in lines[0]
    assert "WARNING: its role may write backends, deployment_state_current" in lines[1]
    assert writable_tables(addresses.reader) == ()


def test_wrong_queries_and_a_server_that_is_away(addresses: Addresses, postgresql_server: str) -> None:
    with pytest.raises(ToolArgumentError, match=r'column "tier_id" does not exist'):
        ask(addresses.reader, "select tier_id from models")
    with pytest.raises(ToolUnavailable):
        ask(f"{postgresql_server}/no_such_database", "select 1")
    assert ask(addresses.reader, "select 1 as one").rows == ({"one": 1},)
