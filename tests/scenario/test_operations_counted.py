"""Questions of other times, by names and with figures that no known pattern has, on a generated database."""

# ruff: noqa: E501 - one query a line, of constants
from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.scenario.conftest import NOON
from workers.bootstrap import Oracle
from workers.contracts import Answer, Question, RequestLog
from workers.engine.validate import NOVEL
from workers.sources.operations.sql_run import QueryTooSlow
from workers.tools import sql

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


def test_a_past_moment_is_answered_by_the_incident_of_that_time(team: Oracle, team_home: Path) -> None:
    ((name, target, start, end),) = rows(
        team_home, "select id, target_id, started_at, resolved_at from incidents where id = 'INC-245'"
    )
    found = answer(team, f"was {target} ok on Nov {int(start[8:10])} at {start[11:16]}?")
    assert found.headline.text.startswith(name)
    assert f"from {clock(start)} on Nov" in found.headline.text
    assert clock(end) in found.headline.text
    assert not any("is healthy" in c.text for c in found.claims), "how it is now is no answer"


def test_figures_beside_an_incident_are_told_with_their_own_time(team: Oracle, team_home: Path) -> None:
    ((target, start),) = rows(team_home, "select target_id, started_at from incidents where id = 'INC-245'")
    day = int(start[8:10])
    found = answer(team, f"how did {target} behave during the incident on Nov {day}?")
    assert found.headline.text.startswith("INC-245")
    figures = [c.text for c in found.claims if c.text.startswith(f"{target} from ")]
    assert f"from 00:00 UTC on Nov {day} up to 00:00 UTC on Nov {day + 1}: " in figures[0]


def test_what_is_active_now_is_no_answer_for_another_day(team: Oracle, team_home: Path) -> None:
    ((active, start),) = rows(team_home, "select id, started_at from incidents where status = 'active'")
    assert start > "2026-11-20"
    told = [c.text for c in answer(team, "was anything down on Nov 14?").claims]
    assert all(line.startswith("Now: ") for line in told if active in line)
    assert any("0 incidents in that time" in line for line in told)


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
    row = next(e for e in log.evidence if "p95_latency_ms" in e.facts)
    assert row.facts["p95_latency_ms"].value == pytest.approx(np.percentile(values, 95) / 1000)
    assert row.facts["request_count"].value == len(values)
    assert log.answer is not None
    assert log.answer.headline.text.endswith("in the last 24 hours.")


def test_the_percentile_that_is_asked_for_is_the_one_that_is_told(team: Oracle, team_home: Path) -> None:
    values = [
        v for (v,) in rows(team_home, f"select latency_ms from requests where model_id = 'heron-mini' and {DAY_BEFORE}")
    ]
    log = log_of(team, "p99 of heron-mini")
    row = next(e for e in log.evidence if "p99_latency_ms" in e.facts)
    assert row.facts["p99_latency_ms"].value == pytest.approx(np.percentile(values, 99) / 1000)
    assert log.answer is not None
    assert log.answer.headline.text.startswith("heron-mini: p99 latency ")


def test_a_promise_is_compared_with_what_was_measured(team: Oracle, team_home: Path) -> None:
    ((promised,),) = rows(team_home, "select latency_sla_p95_ms from tiers where id = 'premium'")
    said = answer(team, "did premium users get their SLA yesterday?").headline.text
    assert said.startswith("premium: p95 latency ")
    assert f"promised {promised:.0f} ms: target " in said


def test_budgets_are_those_of_today_and_users_over_them_are_counted(team: Oracle, team_home: Path) -> None:
    spent = rows(
        team_home,
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
        ("which model is the least reliable?", f"{OF_MODELS} avg(status <> 'success') desc"),
        ("which model has the fastest decode speed?", f"{OF_MODELS} avg(decode_toks_per_sec) desc"),
        ("which model has the slowest decode speed?", f"{OF_MODELS} avg(decode_toks_per_sec)"),
        ("model with the lowest decode speed", f"{OF_MODELS} avg(decode_toks_per_sec)"),
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
        (
            "who has the most budget left?",
            f"select users.id from users left join requests on user_id = users.id and {TODAY} "
            "group by 1 order by daily_budget_usd - coalesce(sum(cost_usd), 0) desc",
        ),
        (
            "who used the least of their daily budget?",
            f"select users.id from users left join requests on user_id = users.id and {TODAY} "
            "group by 1 order by coalesce(sum(cost_usd), 0) / daily_budget_usd",
        ),
        ("what is the longest incident?", "select id from incidents order by julianday(coalesce(resolved_at, '2026-11-21 12:00')) - julianday(started_at) desc"),
        ("what was the shortest incident?", "select id from incidents order by julianday(coalesce(resolved_at, '2026-11-21 12:00')) - julianday(started_at)"),
    ],
)  # fmt: skip
def test_the_first_row_is_the_one_that_is_asked_for(team: Oracle, team_home: Path, text: str, query: str) -> None:
    headline, owners = told(team, text)
    first = rows(team_home, query)[0][0]
    assert owners[0] == first
    assert first in headline


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("which users had at least 4 errors this week?", f"select user_id from requests where {WEEK} group by 1 having {ERRORS} >= 4"),
        ("which users had 4 or more errors this week?", f"select user_id from requests where {WEEK} group by 1 having {ERRORS} >= 4"),
        ("users with more than 3 errors this week", f"select user_id from requests where {WEEK} group by 1 having {ERRORS} > 3"),
        ("which users had at most 3 errors?", f"select user_id from requests where {DAY_BEFORE} group by 1 having {ERRORS} <= 3"),
        ("how many users had more than 10 errors this week?", f"select user_id from requests where {WEEK} group by 1 having {ERRORS} > 10"),
        ("how many users were affected by errors yesterday?", f"select user_id from requests where {YESTERDAY} group by 1 having {ERRORS} > 0"),
        ("which models have no errors?", f"select model_id from requests where {DAY_BEFORE} group by 1 having {ERRORS} = 0"),
        ("which models had an error rate above 1 % this week?", f"select model_id from requests where {WEEK} group by 1 having avg(status = 'error') > 0.01"),
        ("how many models served traffic yesterday?", f"select distinct model_id from requests where {YESTERDAY}"),
        ("which users had requests over 3 s yesterday?", f"select distinct user_id from requests where {YESTERDAY} and latency_ms > 3000"),
        ("errors by model except heron-mini this week", f"select distinct model_id from requests where {WEEK} and model_id <> 'heron-mini'"),
        ("errors by tier without premium", "select id from tiers where id <> 'premium'"),
        ("which users are not on premium?", "select id from users where tier_id <> 'premium'"),
    ],
)  # fmt: skip
def test_the_rows_are_those_that_fit(team: Oracle, team_home: Path, text: str, query: str) -> None:
    headline, owners = told(team, text)
    fitting = {name for (name,) in rows(team_home, query)}
    assert set(owners) == fitting
    if " fit" in headline:
        assert headline.startswith(f"{len(fitting)} ")


def test_requests_themselves_are_held_against_a_bound(team: Oracle, team_home: Path) -> None:
    ((count,),) = rows(team_home, f"select count(*) from requests where {YESTERDAY} and latency_ms > 2000")
    headline, _ = told(team, "how many requests took more than 2 seconds yesterday?")
    assert headline.startswith(f"{count} requests from 00:00 UTC yesterday")


def test_two_times_are_both_told(team: Oracle, team_home: Path) -> None:
    counts = [rows(team_home, f"select count(*) from requests where {span}")[0][0] for span in (TODAY, YESTERDAY)]
    headline, _ = told(team, "traffic today vs yesterday")
    assert f"today: {counts[0]:,} requests" in headline
    assert f"yesterday: {counts[1]:,} requests" in headline


def test_deployments_in_a_state_are_not_all_of_them(team: Oracle) -> None:
    headline, _ = told(team, "how many deployments are degraded?")
    assert "1 degraded" in headline


def test_errors_during_an_incident_are_those_of_what_it_is_about(team: Oracle, team_home: Path) -> None:
    of_it = (
        "from requests join incidents on created_at >= started_at and created_at < coalesce(resolved_at, '2026-11-21 12:00') "
        "and target_id in (deployment_id, model_id, backend_id) where incidents.id = 'INC-248'"
    )
    ((errors,),) = rows(team_home, f"select sum(requests.status = 'error') {of_it}")
    assert told(team, "how many errors did we have during the last outage?")[0].startswith(f"INC-248: {errors} error")
    users = {user for (user,) in rows(team_home, f"select distinct user_id {of_it} and requests.status <> 'success'")}
    assert set(told(team, "which users were affected by INC-248?")[1]) == users


def test_failures_since_an_incident_are_counted_from_its_end(team: Oracle, team_home: Path) -> None:
    ((failed,),) = rows(
        team_home,
        "select sum(status <> 'success') from requests where created_at >= "
        "(select max(resolved_at) from incidents where status = 'resolved')",
    )
    headline, _ = told(team, "how many requests failed since the last incident?")
    assert f"{failed} failed requests" in headline
    assert "since it ended" in headline


def test_incidents_are_counted_also_when_one_is_active(team: Oracle, team_home: Path) -> None:
    ((count,),) = rows(team_home, "select count(*) from incidents")
    assert told(team, "how many incidents have there been?")[0].startswith(f"{count} incidents found; ")


def test_a_missed_promise_is_counted_and_a_kept_one_not_listed(team: Oracle) -> None:
    log = log_of(team, "which users missed their SLA?")
    missed = [e for e in log.evidence if "sla_missed" in e.facts and e.facts["sla_missed"].value]
    assert log.answer is not None
    assert log.answer.headline.text.startswith(f"{len(missed)} of 10 users missed")
    assert sum("promised" in c.text for c in log.answer.metrics) == len(missed) - 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("errors in the 6 hours before 02:00 today", "6 hours before 02:00 today"),
        ("did errors go up after INC-247 ended?", "go up"),
        ("errors by model before the last incident", "before the last incident"),
    ],
)
def test_what_was_not_taken_into_account_is_said(team: Oracle, text: str, left: str) -> None:
    gaps = [gap.text for gap in answer(team, text).missing]
    assert any("I did not take into account" in gap and left in gap for gap in gaps), gaps


@pytest.mark.parametrize(
    "text", ["errors by model", "which users had at least 4 errors?", "traffic today vs yesterday"]
)
def test_nothing_is_said_to_be_left_aside_that_was_not(team: Oracle, text: str) -> None:
    assert not any("take into account" in gap.text for gap in answer(team, text).missing)


def test_what_fits_nowhere_is_said_without_a_number_of_its_own(team: Oracle) -> None:
    found = answer(team, "which models had fewer than 2 requests this week?")
    assert found.headline.text == "I found no rows that answer this in the time asked for."
    assert any("fewer than 2 requests" in gap.text for gap in found.missing)


def test_units_and_percentiles_are_called_as_they_are(team: Oracle) -> None:
    assert ": p99.9 latency " in told(team, "p99.9 latency by model")[0]
    log = log_of(team, "select decode_toks_per_sec from requests where decode_toks_per_sec is not null limit 1")
    assert {e.facts["decode_toks_per_sec"].unit for e in log.evidence if "decode_toks_per_sec" in e.facts} == {"count"}
