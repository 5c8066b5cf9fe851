"""A counting question as one SELECT that the guard of safe_sql_query lets through, on both databases."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.operations_agent import inquire, intend
from workers.agents.operations.counting_query import read_query
from workers.agents.operations.incident_query import during, impact_query, incident_query
from workers.agents.operations.numeric_bounds import bounds_in
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.sql_text import percentile, write_sql
from workers.agents.operations.time_comparison import spans_in
from workers.contracts import Window
from workers.language.phrase_to_window import phrases_in
from workers.sources.operations.sql_guard import guard_query
from workers.sources.operations.sql_parse import Dialect
from workers.sources.operations.sql_run import schema


def sql(text: str) -> str:
    query = read_query(inquire(text), intend(text))
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
        ("which model is slowest?", ["95 * (places - 1) / 100", "group by model_id order by p95_latency_ms desc"]),
        ("p99 latency by backend", ["99 * (places - 1) / 100", "as p99_latency_ms", "group by backend_id"]),
        ("p99.9 ttft by model", ["999 * (places - 1) / 1000", "requests.ttft_ms as value", "as p999_ttft_ms"]),
        ("median latency of heron-mini", ["as p50_latency_ms", "in ('heron-mini')"]),
        ("latency for premium users", ["users.tier_id in ('premium')", "as p95_latency_ms", "group by tier"]),
        (
            "did premium users get their SLA today?",
            ["tiers.latency_sla_p95_ms", "'missed' else 'met'", "in ('premium')"],
        ),
        ("did support-desk keep its SLA?", ["users.latency_sla_override_ms", "in ('support-desk')"]),
        ("which users are over budget?", ["left join requests", "as over_count", ">= '2026-11-21 00:00:00+00:00'"]),
        ("quality of coding tasks by model", ["like 'cod%'", "avg(quality_scores.score)", "requests.model_id"]),
        ("errors on code tasks", ["lower(requests.task_type) = 'code'", "'error'"]),
        ("quality on north-gpu", ["avg(quality_scores.score)", "requests.backend_id in ('north-gpu')"]),
        (
            "successful requests per hour today",
            ["requests.status = 'success'", "count(*)", "1, 13)", "order by hour asc"],
        ),
        ("average latency of failed requests", ["avg(requests.latency_ms)", "requests.status <> 'success'"]),
        ("which users were throttled?", ["like '%rate%limit%'", "group by requests.user_id"]),
        ("compare errors of premium and standard users", ["in ('premium', 'standard')", "group by users.tier_id"]),
        ("compare heron-mini and heron-large", ["as p95_latency_ms", "as error_rate", "group by model_id"]),
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
    assert not sql(text)


def test_an_average_is_told_without_a_group() -> None:
    assert "max(requests.latency_ms)" in sql("highest latency today")


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("which users had at least 5 errors?", [("at least 5 errors", ">=", 5)]),
        ("which users had 5 or more errors?", [("5 or more errors", ">=", 5)]),
        ("users with more than 1,000 requests", [("more than 1,000 requests", ">", 1000)]),
        ("which models have an error rate above 2 %?", [("above 2 %", ">", 2)]),
        ("which models have no errors?", [("no errors", "=", 0)]),
        ("errors in the last 24 hours", []),
        ("errors over 3 days", []),
        ("at least one model is slow", []),
    ],
)
def test_a_bound_is_read_with_its_sign(text: str, bounds: list[tuple[str, str, float]]) -> None:
    assert [(b.said, b.sign, b.number) for b in bounds_in(text)] == bounds


@pytest.mark.parametrize(
    "text", ["today vs yesterday", "errors today than yesterday", "this week compared to last week"]
)
def test_two_times_are_two_spans(text: str) -> None:
    spans = spans_in(f"errors {text}", inquire(text).at)
    assert [said for said, _, _ in spans] == list(phrases_in(text))
    assert spans[0][1:] != spans[1][1:]


@pytest.mark.parametrize("text", ["errors since yesterday", "is latency worse than yesterday?", "errors today"])
def test_one_time_is_compared_with_none(text: str) -> None:
    assert spans_in(text, inquire(text).at) == ()


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("errors by model except heron-mini", {"model": ("heron-mini",)}),
        ("errors by model excluding heron-mini and heron-large", {"model": ("heron-mini", "heron-large")}),
        ("which users are not on premium?", {"tier": ("premium",)}),
        ("cost by tier other than standard", {"tier": ("standard",)}),
        ("latency without north-gpu today", {"backend": ("north-gpu",)}),
        ("why is heron-mini not answering?", {}),
        ("users without a budget", {}),
    ],
)
def test_what_is_left_out_is_no_filter(text: str, excluded: dict[str, tuple[str, ...]]) -> None:
    read = inquire(text).parameters
    assert read.excluded == excluded
    assert not {name for own in excluded.values() for name in own} & set(read.subjects)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("slowest model by latency", "2026-11-20 11:00:00"),
        ("errors by model", "2026-11-20 11:00:00"),
        ("total cost by model", "2026-11-14 11:00:00"),
        ("which model has the best quality?", "2026-11-14 11:00:00"),
        ("total cost by model yesterday", "2026-11-20 00:00:00"),
    ],
)
def test_what_is_counted_has_a_time_that_stands_in_its_rows(text: str, start: str) -> None:
    assert f"requests.created_at >= '{start}+00:00'" in sql(text)
    assert f"'{start.replace(' ', 'T')}Z' as window_start" in sql(text)


def test_everything_is_counted_where_it_is_asked_for() -> None:
    written = sql("how many requests failed ever?")
    assert "where" not in written
    assert "min(requests.created_at) as window_start" in written


def test_rows_over_time_carry_their_total() -> None:
    assert "sum(count(*)) over () as overall_request_count" in sql("number of requests per day for code tasks")
    assert "overall" not in sql("average latency by model")


@given(
    values=st.lists(st.integers(1, 10_000), min_size=1, max_size=60),
    share=st.sampled_from(["50", "90", "95", "99", "99.9"]),
)
def test_a_percentile_is_the_one_between_the_two_nearest_values(values: list[int], share: str) -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("create table ranked (value real, place integer, places integer)")
        ranked = [(value, place, len(values)) for place, value in enumerate(sorted(values), 1)]
        database.executemany("insert into ranked values (?, ?, ?)", ranked)
        (found,) = database.execute(f"select {percentile(share)} from ranked").fetchone()
    database.close()
    assert found == pytest.approx(np.percentile(values, float(share)))


def test_incidents_of_a_span_are_those_that_overlap_it() -> None:
    span = Window(start=datetime(2026, 11, 15, 17, tzinfo=UTC), end=datetime(2026, 11, 15, 19, tzinfo=UTC), why="")
    with sqlite3.connect(":memory:") as database:
        columns = "id, title, target_type, target_id, status, started_at, resolved_at"
        database.execute(f"create table incidents ({columns})")
        for name, start, end in (
            ("before", "2026-11-15 15:00:00", "2026-11-15 16:59:00"),
            ("into", "2026-11-15 16:00:00", "2026-11-15 17:30:00"),
            ("within", "2026-11-15 17:46:00", "2026-11-15 18:16:00"),
            ("active", "2026-11-15 18:59:00", None),
            ("after", "2026-11-15 19:01:00", None),
        ):
            database.execute(
                "insert into incidents values (?, '', 'backend', 'x', 'resolved', ?, ?)", (name, start, end)
            )
        rows = database.execute(during(span)).fetchall()
        database.execute("delete from incidents")
        none = database.execute(during(span)).fetchall()
    database.close()
    assert [(row[0], row[8]) for row in rows] == [("active", 3), ("within", 3), ("into", 3)]
    assert [(row[0], row[8]) for row in none] == [(None, 0)]  # that there is none is a row, not an empty result


@pytest.mark.parametrize("spelt", ["INC-247", "incident 247", "inc247", "incident #247"])
def test_an_incident_is_found_however_its_id_is_written(spelt: str) -> None:
    assert "'inc-247'" in write_sql(incident_query([spelt]))


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_queries_about_incidents_pass_the_guard(dialect: Dialect) -> None:
    now = datetime(2026, 11, 15, 17, tzinfo=UTC)
    for query in (
        during(Window(start=now, end=now, why="")),
        write_sql(incident_query(["INC-1", "it's"])),
        write_sql(impact_query(["INC-1"], "2026-11-15T17:00:00Z")),
        *map(sql, ("which users are over budget?", "which tiers missed their SLA yesterday?", "p99.9 of heron-mini")),
    ):
        guard_query(query, dialect, schema())


def test_a_name_cannot_leave_its_quotes() -> None:
    named = Parameters(names={"user": ("o'brien' or '1'='1",)})
    query = read_query(replace(inquire("errors by model"), parameters=named), intend("errors by model"))
    assert query is not None
    assert "in ('o''brien'' or ''1''=''1')" in write_sql(query)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@given(
    said=st.lists(
        st.sampled_from(
            """average total top 5 bottom most least which how many errors timeouts failed cost tokens ttft decode
            quality latency requests by model user tier task day
            hour status backend deployment error code yesterday last week
            p99 median sla budget compare than success successful requests code tasks who best
            premium heron-mini north-gpu support-desk incidents past slowest users models json regions
            except without not at least 5 more 2 % over 3 s vs today than usual fastest worst during since the last
            incident INC-247 longest region no fail left missed affected""".split()
        ),
        min_size=1,
        max_size=9,
    )
)
def test_every_query_passes_the_guard(dialect: Dialect, said: list[str]) -> None:
    written = sql(" ".join(said))
    if written:
        guard_query(written, dialect, schema())
