"""Questions of other times, by names and with figures that no known pattern has, on a generated database."""

# ruff: noqa: E501 - one query a line, of constants
from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.scenario.conftest import NOON
from workers.agents.operations.source.sql_run import QueryTooSlow
from workers.agents.operations.tools import sql
from workers.bootstrap import Oracle
from workers.contracts import Answer, Question, RequestLog
from workers.engine.validate import NOVEL

DAY_BEFORE = "created_at >= '2026-11-20 12:00' and created_at < '2026-11-21 12:00'"


def log_of(oracle: Oracle, text: str) -> RequestLog:
    return oracle.engine.ask(Question(request_id="r1", text=text, received_at=NOON, agent="operations", timezone="UTC"))


def answer(oracle: Oracle, text: str) -> Answer:
    found = log_of(oracle, text).answer
    assert found is not None
    return found


def rows(team_home: Path, query: str) -> list[tuple]:  # type: ignore[type-arg]
    with sqlite3.connect(team_home / "context.db") as connection:
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


def test_a_past_moment_is_answered_by_the_incident_of_that_time(team: Oracle, team_home: Path) -> None:
    ((name, target, start, end),) = rows(
        team_home, "select id, target_id, started_at, resolved_at from incidents where id = 'INC-245'"
    )
    found = answer(team, f"was {target} ok on Nov {int(start[8:10])} at {start[11:16]}?")
    assert found.headline.text.startswith(name)
    assert f"from {clock(start)} on Nov" in found.headline.text
    assert clock(end) in found.headline.text
    assert not any("is healthy" in c.text for c in found.claims), "how it is now is no answer"


def test_an_incident_is_told_by_its_id_with_its_span(team: Oracle, team_home: Path) -> None:
    ((title, start, end),) = rows(
        team_home, "select title, started_at, resolved_at from incidents where id = 'INC-247'"
    )
    for text in ("tell me about INC-247", "what was incident 247 about?", "how long did inc-247 last?"):
        said = answer(team, text).headline.text
        assert said.startswith(f"INC-247 “{title}”")
        assert clock(start) in said
        assert clock(end) in said


def test_the_last_incident_that_ended_is_the_last_one_resolved(team: Oracle, team_home: Path) -> None:
    ((last,),) = rows(team_home, "select id from incidents where status = 'resolved' order by resolved_at desc limit 1")
    found = answer(team, "when did the last incident end?")
    assert found.headline.text.startswith(last)
    assert not any("More rows" in gap.text for gap in found.missing)


def test_an_unknown_incident_is_said_and_nothing_else_leads(team: Oracle) -> None:
    assert answer(team, "INC-999").headline.text == "INC-999 is not among the incidents in the operations data."


def test_the_tier_that_is_named_is_the_one_that_is_counted(team: Oracle, team_home: Path) -> None:
    values = [
        value
        for (value,) in rows(
            team_home,
            "select latency_ms from requests join users on users.id = requests.user_id "
            f"where users.tier_id = 'premium' and {DAY_BEFORE}",
        )
    ]
    log = log_of(team, "latency for premium users")
    row = next(e for e in log.evidence if "avg_latency_ms" in e.facts)
    assert row.facts["avg_latency_ms"].value == pytest.approx(np.mean(values) / 1000)
    assert row.facts["request_count"].value == len(values)
    assert log.answer is not None
    assert log.answer.headline.text.endswith("in the last 24 hours.")


def test_of_the_top_five_there_are_no_more(team: Oracle) -> None:
    found = answer(team, "top 5 users by cost")
    assert not any("More rows" in gap.text for gap in found.missing)
    assert "in the last 7 days; total: cost " in found.headline.text


def test_rows_over_time_lead_with_their_total(team: Oracle, team_home: Path) -> None:
    ((total,),) = rows(
        team_home, "select sum(input_tokens + output_tokens) from requests where created_at >= '2026-11-16'"
    )
    assert answer(team, "tokens per day this week").headline.text.startswith(
        f"Total since 00:00 UTC on Nov 16: {total:,} tokens"
    )


def test_nobody_is_listed_for_what_they_had_none_of(team: Oracle, team_home: Path) -> None:
    had = rows(team_home, f"select distinct user_id from requests where status = 'timeout' and {DAY_BEFORE}")
    log = log_of(team, "who had the most timeouts?")
    assert log.answer is not None
    lines = [c.text for c in (log.answer.headline, *log.answer.metrics) if "timeout rate" in c.text]
    assert {line.split(":")[0] for line in lines} == {name for (name,) in had}
    assert not any("1 timeouts" in line for line in lines)


def test_a_query_is_answered_with_its_own_rows(team: Oracle, team_home: Path) -> None:
    counts = rows(team_home, "select status, count(*) from requests group by status")
    found = answer(team, "select status, count(*) as request_count from requests group by status")
    said = [c.text for c in (found.headline, *found.metrics)]
    for status, count in counts:
        assert any(f"{status}: {count:,} requests" in line for line in said)


def test_a_query_that_was_stopped_says_nothing_of_the_data(team: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(address: str, query: object) -> None:
        raise QueryTooSlow

    monkeypatch.setattr(sql, "run_query", too_slow)
    team.toolbox.cache.entries.clear()
    found = answer(team, "average cost per request by tier in the last 6 days")
    assert found.headline.text == "I can't answer this: the query that counts it did not come to its end."
    assert any("did not answer in time" in gap.text for gap in found.missing)


# --- the answer is of the question that was asked -------------------------------------------------------------

WEEK = "created_at >= '2026-11-16' and created_at < '2026-11-21 12:00'"
TODAY = "created_at >= '2026-11-21' and created_at < '2026-11-21 12:00'"
YESTERDAY = "created_at >= '2026-11-20' and created_at < '2026-11-21'"
ERRORS = "sum(status = 'error')"
OF_MODELS = f"select model_id from requests where {DAY_BEFORE} group by model_id order by"


def told(oracle: Oracle, text: str) -> tuple[str, list[str]]:
    """The headline, and whose the rows are that the query of a question found, in order."""
    log = log_of(oracle, text)
    assert log.answer is not None
    assert not log.struck
    owners = [e for e in log.evidence if e.step == "rows" and "#row-" in e.locator]
    return log.answer.headline.text, [e.facts[next(iter(e.facts))].value for e in owners]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("which model has the best success rate?", f"{OF_MODELS} avg(status = 'success') desc"),
        ("which model has the worst success rate?", f"{OF_MODELS} avg(status = 'success')"),
        ("which model has the fastest decode speed?", f"{OF_MODELS} avg(decode_toks_per_sec) desc"),
        ("which model has the slowest decode speed?", f"{OF_MODELS} avg(decode_toks_per_sec)"),
        ("which model has the best average latency?", f"{OF_MODELS} avg(latency_ms)"),
        ("which model has the worst average latency?", f"{OF_MODELS} avg(latency_ms) desc"),
        ("share of failed requests by model", f"{OF_MODELS} avg(status <> 'success') desc"),
        (
            "which backend fails most?",
            f"select backend_id from requests where {DAY_BEFORE} group by 1 order by sum(status <> 'success') desc",
        ),
        (
            "which region has the most errors?",
            "select region from requests join backends on backends.id = backend_id "
            f"where {DAY_BEFORE} group by 1 order by {ERRORS} desc",
        ),
        (
            "show the top 3 users by cost this week",
            f"select user_id from requests where {WEEK} group by 1 order by sum(cost_usd) desc",
        ),
        ("show me which users spent the most this week", f"select user_id from requests where {WEEK} group by 1 order by sum(cost_usd) desc"),
    ],
)  # fmt: skip
def test_the_first_row_is_the_one_that_is_asked_for(team: Oracle, team_home: Path, text: str, query: str) -> None:
    headline, owners = told(team, text)
    first = rows(team_home, query)[0][0]
    assert owners[0] == first
    assert first in headline


def test_incidents_are_counted_also_when_one_is_active(team: Oracle, team_home: Path) -> None:
    ((count,),) = rows(team_home, "select count(*) from incidents")
    assert told(team, "how many incidents have there been?")[0].startswith(f"{count} incidents found; ")


def test_units_are_called_as_they_are(team: Oracle) -> None:
    log = log_of(team, "select decode_toks_per_sec from requests where decode_toks_per_sec is not null limit 1")
    assert {e.facts["decode_toks_per_sec"].unit for e in log.evidence if "decode_toks_per_sec" in e.facts} == {"count"}
