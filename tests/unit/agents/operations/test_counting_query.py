"""A counting question as one SELECT that the guard of safe_sql_query lets through; else none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from tests.support.operations_agent import inquire
from workers.agents.operations.counting_query import read_query
from workers.agents.operations.incident_query import incident_query
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.source.sql_guard import guard_query
from workers.agents.operations.source.sql_parse import Dialect
from workers.agents.operations.source.sql_run import schema
from workers.agents.operations.sql_text import write_sql


def sql(text: str) -> str:
    query = inquire(text).query
    return write_sql(query) if query else ""


COUNTED = {
    "which user spent the most this week?": ["sum(requests.cost_usd)", "group by requests.user_id", "desc"],
    "average cost per request by tier": ["avg(requests.cost_usd)", "join users", "group by users.tier_id"],
    "top 3 users by errors": ["'error'", "group by requests.user_id", "limit 3"],
    "how many requests timed out yesterday": ["'timeout'", ">= '2026-11-20 00:00:00+00:00'"],
    "errors by error code": ["requests.error_code is not null", "group by requests.error_code"],
    "which model has the lowest score": ["join quality_scores", "asc"],
    "which model is slowest?": ["avg(requests.latency_ms)", "order by avg_latency_ms desc"],
    "latency by tier": ["avg(requests.latency_ms)", "group by users.tier_id"],
    "which users were throttled?": ["like '%rate%limit%'", "group by requests.user_id"],
    "compare heron-mini and heron-large": ["as avg_latency_ms", "as error_rate", "group by requests.model_id"],
    "slowest requests of heron-mini": ["requests.latency_ms", "in ('heron-mini')", "limit 10"],
    "total tokens by day in the last 7 days": ["substr(cast(requests.created_at as text)", "order by day asc"],
    "which users had at least 5 errors?": ["'error'", "group by requests.user_id", "having", ">= 5"],
    "which models had between two and 9 timeouts yesterday": [
        "'timeout'",
        ">= 2",
        "<= 9",
        "group by requests.model_id",
    ],
    "who had the most timeouts?": ["'timeout'", "group by requests.user_id"],
}


@pytest.mark.parametrize(("text", "parts"), list(COUNTED.items()))
def test_a_question_is_counted(text: str, parts: list[str]) -> None:
    written = sql(text)
    assert all(part in written for part in parts), written


@pytest.mark.parametrize("text", list(COUNTED))
@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_the_guard_lets_it_through(text: str, dialect: Dialect) -> None:
    assert guard_query(sql(text), dialect, schema())


@pytest.mark.parametrize(
    "text",
    [
        "how is heron-mini?",
        "p99 latency by backend",
        "what cost the most yesterday?",
        "which users had at least five problems?",
        "at least 5 errors yesterday",
        "errors except of premium users",
        "requests that took longer than 3 seconds",
        "how many users got errors today?",
        "error rate of heron-mini on rainy days",
    ],
)
def test_what_is_not_accounted_for_whole_is_no_query(text: str) -> None:
    assert not sql(text)


def test_an_incident_is_found_however_its_number_is_written() -> None:
    for said in ("INC-247", "incident 247", "inc_247"):
        written = write_sql(incident_query((said,)))
        assert "'inc-247'" in written
        assert guard_query(written, "sqlite", schema())


def test_a_name_is_quoted() -> None:
    named = Parameters({"user": ("o'brien' or '1'='1",)})
    query = read_query("errors by model", named, None, NOW)
    assert query is not None
    assert "in ('o''brien'' or ''1''=''1')" in write_sql(query)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
@given(
    said=st.lists(
        st.sampled_from(
            """average total top 5 bottom most least which how many errors timeouts failed cost tokens ttft decode
            quality latency requests by model user tier task day hour status backend deployment error code
            yesterday p99 median compare code tasks who best premium heron-mini support-desk slowest""".split()
        ),
        min_size=1,
        max_size=9,
    )
)
def test_every_query_passes_the_guard(dialect: Dialect, said: list[str]) -> None:
    if written := sql(" ".join(said)):
        guard_query(written, dialect, schema())
