"""A counting question as one SELECT that the guard of safe_sql_query lets through, on both databases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.reasoning.operations_parts import inquire, intend
from workers.context.sql_guard import guard_query
from workers.context.sql_parse import Dialect
from workers.context.sql_run import schema
from workers.reasoning.operations.parameters import Parameters
from workers.reasoning.operations.sql import read_query, write_sql


def sql(text: str) -> str:
    query = read_query(text, inquire(text).parameters, intend(text))
    return write_sql(query) if query else ""


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("which user spent the most this week?", ["sum(requests.cost_usd)", "group by requests.user_id", "desc"]),
        ("average cost per request by tier", ["avg(requests.cost_usd)", "join users", "group by users.tier_id"]),
        ("top 3 users by errors", ["'error'", "group by requests.user_id", "limit 3"]),
        ("how many requests timed out yesterday", ["'timeout'", ">= '2026-11-20 00:00:00+00:00'"]),
        ("errors by error code", ["requests.error_code is not null", "group by requests.error_code"]),
        ("which model has the lowest average score", ["join quality_scores", "asc"]),
        ("cheapest model by cost", ["asc"]),
        ("slowest requests of heron-mini", ["requests.latency_ms", "in ('heron-mini')", "limit 10"]),
        ("past incidents on north-gpu", ["from incidents", "in ('north-gpu')"]),
        ("how many users are there?", ["count(*) as user_count from users"]),
        ("which models support json mode?", ["where models.supports_json_mode"]),
        ("total tokens by day in the last 7 days", ["substr(cast(requests.created_at as text)", "order by day asc"]),
        (
            "compare errors of heron-mini and heron-large",
            ["in ('heron-mini', 'heron-large')", "group by requests.model_id"],
        ),
    ],
)
def test_a_question_is_counted(text: str, parts: list[str]) -> None:
    written = sql(text)
    assert all(part in written for part in parts), written


@pytest.mark.parametrize("text", ["how is heron-mini?", "why is it slow?", "any active incidents?"])
def test_what_counts_nothing_is_no_query(text: str) -> None:
    assert not sql(text)


@pytest.mark.parametrize("text", ["who spent the most yesterday?", "who had the fewest errors today?"])
def test_who_asks_for_users(text: str) -> None:
    assert "group by requests.user_id order by" in sql(text)


def test_who_is_no_user_where_something_else_is_told_apart() -> None:
    assert "group by requests.model_id" in sql("who made it: errors by model")


@pytest.mark.parametrize("text", ["what cost the most yesterday?", "the most errors today", "most requests this week"])
def test_the_most_of_nothing_named_is_no_sum(text: str) -> None:
    assert read_query(text, inquire(text).parameters, intend(text)) is None


def test_an_average_is_told_without_a_group() -> None:
    assert "avg(requests.latency_ms)" in sql("highest latency today")


def test_a_name_cannot_leave_its_quotes() -> None:
    named = Parameters(names={"user": ("o'brien' or '1'='1",)})
    query = read_query("errors by model", named, intend("errors by model"))
    assert query is not None
    assert "in ('o''brien'' or ''1''=''1')" in write_sql(query)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@given(
    said=st.lists(
        st.sampled_from(
            """average total top 5 bottom most least which how many errors timeouts failed cost tokens ttft decode
            quality latency requests by model user tier task day
            hour status backend deployment error code yesterday last week
            premium heron-mini north-gpu support-desk incidents past slowest users models json regions""".split()
        ),
        min_size=1,
        max_size=9,
    )
)
def test_every_query_passes_the_guard(dialect: Dialect, said: list[str]) -> None:
    written = sql(" ".join(said))
    if written:
        guard_query(written, dialect, schema())
