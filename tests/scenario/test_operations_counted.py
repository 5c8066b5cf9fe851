"""Questions of other times, by names and with figures that no known pattern has, on a generated database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from workers.bootstrap import Oracle, build_engine
from workers.clock import SystemClock
from workers.context.database import open_writing
from workers.context.fill import fill
from workers.context.refresh import refresh_hours
from workers.context.sql_run import QueryTooSlow
from workers.contracts import Answer, Question, RequestLog
from workers.engine.validate import NOVEL
from workers.settings import load_settings
from workers.tools import sql

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY_BEFORE = "created_at >= '2026-11-20 12:00' and created_at < '2026-11-21 12:00'"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ORACLE_HOME with the data of an invented team."""
    folder = tmp_path_factory.mktemp("counted")
    database = open_writing(f"sqlite:///{folder / 'context.db'}")
    fill(database, NOON, 0, 20_000)
    refresh_hours(database)
    database.close()
    return folder


@pytest.fixture(scope="module")
def team(home: Path) -> Iterator[Oracle]:
    oracle = build_engine(load_settings(home=home), clock=SystemClock(NOON))
    yield oracle
    oracle.close()


def log_of(oracle: Oracle, text: str) -> RequestLog:
    return oracle.engine.ask(Question(request_id="r1", text=text, received_at=NOON, agent="operations", timezone="UTC"))


def answer(oracle: Oracle, text: str) -> Answer:
    found = log_of(oracle, text).answer
    assert found is not None
    return found


def rows(home: Path, query: str) -> list[tuple]:  # type: ignore[type-arg]
    with sqlite3.connect(home / "context.db") as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def clock(stored: str) -> str:
    """``17:46 UTC``."""
    return f"{stored[11:16]} UTC"


ASKED = (
    "was north-gpu ok on Nov 15 at 05:00?",
    "what was wrong last Tuesday?",
    "were there any incidents on Nov 13?",
    "any incidents this week?",
    "errors between 04:00 and 06:00 on Nov 17?",
    "why was kestrel-70b slow on Nov 19?",
    "how was answer quality yesterday?",
    "was lumen-pro down on 2020-01-01?",
    "how were premium users doing yesterday?",
    "tell me about INC-247",
    "when did the last incident end?",
    "how long do incidents last?",
    "INC-999",
    "did premium users get their SLA today?",
    "which tiers missed their SLA yesterday?",
    "is everything ok for premium users?",
    "errors on code tasks today",
    "quality of coding tasks by model",
    "is north-gpu slower than west-edge?",
    "compare heron-mini and heron-large",
    "p99 latency by model",
    "median latency of heron-mini",
    "which users are over budget?",
    "who had the most timeouts?",
    "tokens per day this week",
    "top 5 users by cost",
    "slowest requests",
    "how many requests failed ever?",
    "which users were throttled?",
    "select status, count(*) as n from requests group by status",
)


@pytest.mark.parametrize("text", ASKED)
def test_every_claim_holds(team: Oracle, text: str) -> None:
    log = log_of(team, text)
    assert log.plan is not None
    assert log.plan.pattern == NOVEL
    assert len(log.plan.steps) <= 6
    assert log.grounded
    assert not log.struck
    assert log.answer is not None
    assert [c.text for c in log.answer.claims if c.status != "supported" and c.evidence] == []


def test_a_past_moment_is_answered_by_the_incident_of_that_time(team: Oracle, home: Path) -> None:
    ((name, target, start, end),) = rows(
        home, "select id, target_id, started_at, resolved_at from incidents where id = 'INC-245'"
    )
    found = answer(team, f"was {target} ok on Nov {int(start[8:10])} at {start[11:16]}?")
    assert found.headline.text.startswith(name)
    assert f"from {clock(start)} on Nov" in found.headline.text
    assert clock(end) in found.headline.text
    assert not any("is healthy" in c.text for c in found.claims), "how it is now is no answer"


def test_what_is_active_now_is_no_answer_for_another_day(team: Oracle, home: Path) -> None:
    ((active, start),) = rows(home, "select id, started_at from incidents where status = 'active'")
    assert start > "2026-11-20"
    told = [c.text for c in answer(team, "was anything down on Nov 14?").claims]
    assert all(line.startswith("Now: ") for line in told if active in line)
    assert any("0 incidents in that time" in line for line in told)


def test_an_incident_is_told_by_its_id_with_its_span(team: Oracle, home: Path) -> None:
    ((title, start, end),) = rows(home, "select title, started_at, resolved_at from incidents where id = 'INC-247'")
    for text in ("tell me about INC-247", "what was incident 247 about?", "how long did inc-247 last?"):
        said = answer(team, text).headline.text
        assert said.startswith(f"INC-247 “{title}”")
        assert clock(start) in said
        assert clock(end) in said


def test_the_last_incident_that_ended_is_the_last_one_resolved(team: Oracle, home: Path) -> None:
    ((last,),) = rows(home, "select id from incidents where status = 'resolved' order by resolved_at desc limit 1")
    found = answer(team, "when did the last incident end?")
    assert found.headline.text.startswith(last)
    assert not any("More rows" in gap.text for gap in found.missing)


def test_an_unknown_incident_is_said_and_nothing_else_leads(team: Oracle) -> None:
    assert answer(team, "INC-999").headline.text == "INC-999 is not among the incidents in the operations data."


def test_the_tier_that_is_named_is_the_one_that_is_counted(team: Oracle, home: Path) -> None:
    values = [
        value
        for (value,) in rows(
            home,
            "select latency_ms from requests join users on users.id = requests.user_id "
            f"where users.tier_id = 'premium' and {DAY_BEFORE}",
        )
    ]
    log = log_of(team, "latency for premium users")
    row = next(e for e in log.evidence if "p95_latency_ms" in e.facts)
    assert row.facts["p95_latency_ms"].value == pytest.approx(np.percentile(values, 95) / 1000)
    assert row.facts["request_count"].value == len(values)
    assert log.answer is not None
    assert log.answer.headline.text.endswith("in the last 24 hours.")


def test_the_percentile_that_is_asked_for_is_the_one_that_is_told(team: Oracle, home: Path) -> None:
    values = [
        v for (v,) in rows(home, f"select latency_ms from requests where model_id = 'heron-mini' and {DAY_BEFORE}")
    ]
    log = log_of(team, "p99 of heron-mini")
    row = next(e for e in log.evidence if "p99_latency_ms" in e.facts)
    assert row.facts["p99_latency_ms"].value == pytest.approx(np.percentile(values, 99) / 1000)
    assert log.answer is not None
    assert log.answer.headline.text.startswith("heron-mini: p99 latency ")


def test_a_promise_is_compared_with_what_was_measured(team: Oracle, home: Path) -> None:
    ((promised,),) = rows(home, "select latency_sla_p95_ms from tiers where id = 'premium'")
    said = answer(team, "did premium users get their SLA yesterday?").headline.text
    assert said.startswith("premium: p95 latency ")
    assert f"promised {promised:.0f} ms: target " in said


def test_budgets_are_those_of_today_and_users_over_them_are_counted(team: Oracle, home: Path) -> None:
    spent = rows(
        home,
        "select users.id, coalesce(sum(cost_usd), 0) / users.daily_budget_usd from users left join requests on "
        "requests.user_id = users.id and created_at >= '2026-11-21' group by users.id order by 2 desc",
    )
    over = sum(share > 1 for _, share in spent)
    said = answer(team, "which users are over budget?").headline.text
    assert said.startswith(f"{over} of {len(spent)} users went over the daily budget since 00:00 UTC today")
    assert f"the highest: {spent[0][0]} (" in said


def test_of_the_top_five_there_are_no_more(team: Oracle) -> None:
    found = answer(team, "top 5 users by cost")
    assert not any("More rows" in gap.text for gap in found.missing)
    assert "in the last 7 days; total: cost " in found.headline.text


def test_rows_over_time_lead_with_their_total(team: Oracle, home: Path) -> None:
    ((total,),) = rows(home, "select sum(input_tokens + output_tokens) from requests where created_at >= '2026-11-16'")
    assert answer(team, "tokens per day this week").headline.text.startswith(
        f"Total since 00:00 UTC on Nov 16: {total:,} tokens"
    )


def test_nobody_is_listed_for_what_they_had_none_of(team: Oracle, home: Path) -> None:
    had = rows(home, f"select distinct user_id from requests where status = 'timeout' and {DAY_BEFORE}")
    log = log_of(team, "who had the most timeouts?")
    assert log.answer is not None
    lines = [c.text for c in (log.answer.headline, *log.answer.metrics) if "timeout rate" in c.text]
    assert {line.split(":")[0] for line in lines} == {name for (name,) in had}
    assert not any("1 timeouts" in line for line in lines)


def test_a_query_is_answered_with_its_own_rows(team: Oracle, home: Path) -> None:
    counts = rows(home, "select status, count(*) from requests group by status")
    found = answer(team, "select status, count(*) as request_count from requests group by status")
    said = [c.text for c in (found.headline, *found.metrics)]
    for status, count in counts:
        assert any(f"{status}: {count:,} requests" in line for line in said)


def test_a_query_that_was_stopped_says_nothing_of_the_data(team: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(address: str, query: object) -> None:
        raise QueryTooSlow

    monkeypatch.setattr(sql, "run_query", too_slow)
    team.rack.cache.entries.clear()
    found = answer(team, "average cost per request by tier in the last 6 days")
    assert found.headline.text == "I can't answer this: the query that counts it did not come to its end."
    assert any("did not answer in time" in gap.text for gap in found.missing)
