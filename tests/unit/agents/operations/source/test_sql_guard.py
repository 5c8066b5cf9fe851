"""What the guard refuses, what it lets through, and that what it writes is again what it read."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from bench.sql_attacks import REFUSED, SLOW
from bench.sql_honest import honest_queries
from tests.support.each_row import each_row
from workers.agents.operations.source import sql_parse
from workers.agents.operations.source.sql_allowlist import BY_NAME, MAX_ROWS, TABLES, Dialect
from workers.agents.operations.source.sql_guard import guard_query
from workers.agents.operations.source.sql_parse import parse_query
from workers.agents.operations.source.sql_run import schema
from workers.agents.operations.source.tables import metadata
from workers.errors import ToolArgumentError

SCHEMA = schema()
DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
BOTH = pytest.mark.parametrize("dialect", DIALECTS)


def refusal(query: str, dialect: Dialect = "sqlite") -> str:
    with pytest.raises(ToolArgumentError) as caught:
        guard_query(query, dialect, SCHEMA)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_nine_tables_exist_and_no_others_are_read() -> None:
    assert set(TABLES) <= set(metadata.tables)
    assert len(SCHEMA) == 9
    assert "latency_ms" in SCHEMA["requests"]


@BOTH
def test_attacks_are_refused(dialect: Dialect) -> None:
    passed = []
    for query in REFUSED:
        with suppress(ToolArgumentError):
            passed.append((query, guard_query(query, dialect, SCHEMA)))
    assert passed == []


@BOTH
def test_honest_queries_pass(dialect: Dialect) -> None:
    assert len(honest_queries(dialect)) == 100
    for query in (*honest_queries(dialect), *SLOW):
        assert guard_query(query, dialect, SCHEMA).sql.startswith(("SELECT", "WITH"))


@each_row(
    "query, said",
    [
        ("", "query is empty"),
        (" ; ", "query is empty"),
        ("-- x", "query is empty"),
        ("delete from users", "only one SELECT is allowed; this is 'delete'"),
        ("select 1; drop table users", "only one statement is allowed"),
        ("select * from secrets", "table 'secrets' is not one of: models, backends"),
        ("select * from main.users", "the schema of a table (main.users) is not allowed"),
        ("select latncy_ms from requests", "there is no column 'latncy_ms'; nearest: latency_ms"),
        ("select load_extension('x')", "the function 'load_extension' is not allowed"),
        ("select cast(id as blob) from users", "a cast to VARBINARY is not allowed; use one of BIGINT"),
        ("with users as (select 1) select 1", "WITH 'users' hides the table 'users'"),
        ("with a as (select 1), a as (select 2) select 1", "two WITH entries are named 'a'"),
        ("with recursive a as (select 1) select 1", "WITH RECURSIVE is not allowed"),
        ("with a as (select * from a) select * from a", "table 'a' is not one of"),
        ("select id from users limit -1", "LIMIT and OFFSET of the outermost SELECT are plain numbers"),
        ("select replace(id, 'a', 'bb') from users", "replace() takes two plain texts here"),
        ("select printf('%999d', 1)", "format() takes a plain text here"),
        ("select id from users where", "this cannot be read as SQLite SQL"),
        ("select id from users where id = 'x", "this cannot be read as SQLite SQL"),
        ("select '\x00'", "control characters"),
        ("select '\ud800'", "broken Unicode"),
        ("select " + "1," * 4_999 + "11", "at most 10,000 are allowed"),
        ("select " + "1," * 2_499 + "1", "words and signs; at most 2,500"),
        ("select " + "(" * 31 + "1" + ")" * 31, "nested deeper than 30 levels"),
        ("select " + "not " * 2_000 + "1", "nested too deeply"),
        ("select 1 from " + ", ".join(["users"] * 21), "names 21 tables; at most 20"),
    ],
)
def test_refusals_say_what_to_do(query: str, said: str) -> None:
    assert said in refusal(query)


def test_postgresql_only_refusals() -> None:
    assert "LOCK is not allowed" in refusal("select id from users for update", "postgres")
    assert "write LIMIT n" in refusal("select id from users fetch first 2 rows only", "postgres")
    assert "divide two ln()" in refusal("select log(2, weight) from deployments", "postgres")
    assert "brackets" in refusal("select id" + "[1]" * 90 + " from users", "postgres")


@each_row(
    "query, limit, end",
    [
        ("select id from users", 100, "LIMIT 101"),
        ("select id from users limit 5", 5, "LIMIT 6"),
        ("select id from users limit 100000", 100, "LIMIT 101"),
        ("select id from users order by id limit 3 offset 2", 3, "ORDER BY `id` LIMIT 4 OFFSET 2"),
        ("select id from users union all select id from tiers limit 0", 0, "LIMIT 1"),
        ("select id from (select id from users limit 5000) t", 100, "LIMIT 101"),
    ],
)
def test_limit_is_enforced_outside(query: str, limit: int, end: str) -> None:
    guarded = guard_query(query, "sqlite", SCHEMA)
    assert guarded.limit == limit <= MAX_ROWS
    assert guarded.sql.endswith(end)


def test_comments_are_dropped_and_names_quoted() -> None:
    guarded = guard_query("/* a */ select id -- b\n from [users] /*! c */ ;;", "sqlite", SCHEMA)
    assert guarded.sql == "SELECT `id` FROM `users` LIMIT 101"


def test_calculated_columns_are_named() -> None:
    sql = guard_query("select avg(latency_ms), model_id from requests group by 2", "postgres", SCHEMA).sql
    assert 'AVG("latency_ms") AS "avg(latency_ms)"' in sql


def test_postgresql_texts_are_cut_where_they_are_joined() -> None:
    sql = guard_query("select string_agg(id || 'x', ',') filter (where true) as x from users", "postgres", SCHEMA).sql
    assert sql.startswith("SELECT LEFT(STRING_AGG(LEFT(\"id\" || 'x', 10000), ',') FILTER(WHERE TRUE), 10000) AS")
    sql = guard_query("select 2 ^ 9999 as x", "postgres", SCHEMA).sql
    assert "POWER(CAST(2 AS DOUBLE PRECISION), CAST(9999 AS DOUBLE PRECISION))" in sql


def test_a_with_is_seen_only_where_it_holds() -> None:
    inner = "select * from (with a as (select id from users) select * from a) t"
    guard_query(inner, "sqlite", SCHEMA)
    assert "table 'a' is not one of" in refusal(f"{inner}, a")
    guard_query("with a as (select id from users), b as (select * from a) select * from b, a", "sqlite", SCHEMA)
    assert "table 'b' is not one of" in refusal("with a as (select * from b), b as (select 1) select * from a")


@BOTH
def test_the_parser_is_stopped(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "select count(*) from users where id in (select user_id from requests)"
    guard_query(query, dialect, SCHEMA)
    monkeypatch.setattr(sql_parse, "MAX_PARSER_STEPS", 10)
    assert "nested too deeply" in refusal(query, dialect)


OPENINGS = ["(", "abs(", "(select ", "case when ", "1 in (", "cast(", "- ", "not ", "array[", "{", "1 + (", "[", "a."]


@BOTH
@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("many", [9, 29, 400])
def test_deep_texts_end(opening: str, many: int, dialect: Dialect) -> None:
    """Read without bounds, some of these would take hours."""
    for closing in ("", ")" * many, " end" * many, "]" * many):
        for head in ("select ", "select * from "):
            with suppress(ToolArgumentError):
                assert guard_query(f"{head}{opening * many}1{closing}", dialect, SCHEMA).limit == MAX_ROWS


WORDS = st.sampled_from(
    """select from where ( ) , ; * = 'x' "x" `x` [x] users requests secrets sqlite_master id latency_ms union all with a
    as by recursive insert delete update into values drop table attach pragma explain copy returning limit -1 5 offset
    order count( sum( load_extension( pg_sleep( randomblob( -- /* */ || :: regclass ' " $$ e'\\' case when then
    end over not null
    in exists join on lateral for update tablesample fetch first . .. %s ? $1 :x @x \\ \x00 \n""".split(" ")
)
BASES = st.sampled_from([*honest_queries("sqlite"), *honest_queries("postgres"), *REFUSED])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A query with pieces put in, taken out and swapped."""
    words = draw(BASES).split(" ")
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(words)))
        words[at : at + draw(st.integers(0, 3))] = draw(st.lists(WORDS, max_size=4))
    return " ".join(words)


@given(
    query=mutated() | st.text(max_size=60) | st.lists(WORDS, max_size=25).map(" ".join),
    dialect=st.sampled_from(DIALECTS),
)
def test_what_passes_is_one_select_on_the_nine_tables(query: str, dialect: Dialect) -> None:
    try:
        guarded = guard_query(query, dialect, SCHEMA)
    except ToolArgumentError:
        return
    tree = parse_query(guarded.sql, dialect)
    refused = (exp.DML, exp.Command, exp.Into, exp.Lock, exp.Placeholder, exp.Parameter, exp.Anonymous)
    unknown = [n for n in tree.find_all(*refused) if n.name.lower() not in BY_NAME[dialect]]
    assert not [n for n in unknown if not isinstance(n, exp.Query)]
    assert {table.name.lower() for table in tree.find_all(exp.Table)} <= set(TABLES) | set(guarded.withs)
    assert not any(table.args.get("db") for table in tree.find_all(exp.Table))
    assert tree.args["limit"].expression.name == str(guarded.limit + 1)
    assert guarded.limit <= MAX_ROWS
