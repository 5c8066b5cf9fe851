"""Questions about model deployments, on a generated database: the command line, a thread, Slack."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.conftest import NOON, Oracle
from tests.support.memory_chat import FakeChat
from tests.support.tables import sqlite_tables
from tests.unit.requests.test_stages import ask, chat_of, text_of
from workers.agents.operations.source.database import open_writing
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.bootstrap import Oracle as Built
from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.delivery.progress import ProgressBoard
from workers.engine.validate import NOVEL
from workers.entrypoints.tasks import take
from workers.requests.ledger import Ledger
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.settings.schema import WorkerSection
from workers.telemetry.service_metrics import ServiceMetrics
from workers.toolkit.clock import SystemClock

STATUS = ["get_active_incidents", "get_deployment_status"]
INCIDENT = "Elevated latency and errors on lumen-flash/east-cloud"


def changed(home: Path, to: Path, *statements: str) -> Built:
    """An engine on a copy of the data with something else in it."""
    to.mkdir()
    sqlite_tables(to / "oracle.db")
    (to / "context.db").write_bytes((home / "context.db").read_bytes())
    with sqlite3.connect(to / "context.db") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return build_engine(load_settings(home=to), clock=SystemClock(NOON))


def refresh(home: Path) -> None:
    """Count the hours anew, after requests have changed."""
    database = open_writing(f"sqlite:///{home / 'context.db'}")
    refresh_hours(database)
    database.close()


def log_of(oracle: Built, text: str, *context: str, agent: str | None = "operations") -> RequestLog:
    return oracle.engine.ask(
        Question(request_id="r1", text=text, received_at=NOON, agent=agent, context=context, timezone="UTC")
    )


def headline(log: RequestLog) -> str:
    assert log.answer is not None
    return log.answer.headline.text


def doubted(log: RequestLog) -> list[str]:
    """Claims that are not supported."""
    assert log.answer is not None
    return [c.text for c in log.answer.claims if c.status != "supported" and c.evidence]


def one(home: Path, query: str) -> Any:
    with sqlite3.connect(home / "context.db") as connection:
        row = connection.execute(query).fetchone()
    connection.close()
    return row[0]


PHRASINGS = {
    "SYSTEM_STATUS": (
        "how are the model deployments doing?",
        "is anything down?",
        "is everything ok?",
        "what is the status of heron-mini?",
        "which deployments are degraded?",
        "health of north-gpu",
    ),
    "ACTIVE_INCIDENTS": ("any active incidents?", "is there an outage?", "is there an incident on lumen-pro?"),
    "LATENCY_INVESTIGATION": (
        "why is lumen-flash/east-cloud slow?",
        "p95 of lumen-flash today",
        "did latency regress since yesterday?",
        "latency in the last week",
        "is west-edge slower than usual?",
        "how's latency now compared to last week?",
    ),
    "QUALITY_INVESTIGATION": (
        "how is answer quality this week?",
        "quality of kestrel-8b in the last 5 days",
    ),
    "ERROR_INVESTIGATION": (
        "what errors are happening right now?",
        "errors on lumen-flash in the last 24 hours",
        "what failed today?",
    ),
    "TRAFFIC_ANALYSIS": (
        "how much traffic did we get yesterday?",
        "traffic by model for the last 3 days",
        "requests per hour today",
        "how many requests did heron-mini get in the last 6 hours?",
    ),
    "USER_LOOKUP": ("how much budget does support-desk have left?", "requests of user docs-search today"),
    NOVEL: (
        "which user spent the most this week?",
        "which model has the lowest quality?",
        "who spent the most yesterday?",
        "what cost the most yesterday?",
        "average cost per request by tier",
        "top 3 users by errors in the last 7 days",
        "ttft by deployment",
        "how many users are there?",
        "which models support json mode?",
        "slowest requests today",
        "past incidents on north-gpu",
        "compare latency of heron-mini and heron-large",
        "what tables are there?",
        "what does is_stale mean?",
        "average decode speed by model",
        "who are the premium users?",
        "show the daily cost over the last 14 days",
        "was there an incident yesterday on kestrel-70b?",
        "how is kestrel doing?",
        "look up request req_0000000000f",
        "latency of model gpt-9",
        "traffic on 2020-01-01",
    ),
}


@pytest.mark.parametrize(("pattern", "text"), [(name, text) for name, texts in PHRASINGS.items() for text in texts])
def test_every_claim_of_an_answer_holds(team: Built, pattern: str, text: str) -> None:
    log = log_of(team, text)
    assert log.plan is not None
    assert log.answer is not None
    assert log.plan.pattern == pattern
    assert log.grounded
    assert not log.struck
    assert not doubted(log)
    assert bool(log.answer.banner and "No known pattern" in log.answer.banner) is (pattern == NOVEL)
    assert any("To verify" in claim.text for claim in log.answer.next_steps) is (pattern == NOVEL)
    assert not any("To verify" in gap.text for gap in log.answer.missing)


def test_a_request_is_opened(team: Built, team_home: Path) -> None:
    request = one(team_home, "select id from requests where status = 'timeout' limit 1")
    log = log_of(team, f"what happened to {request}?")
    assert [c.name for c in log.tool_calls] == ["get_request_detail"]
    assert request in headline(log)
    assert "timeout" in headline(log)
    assert not doubted(log)


# --- what is said ---------------------------------------------------------------------------------------------


def test_the_active_incident_leads_with_since_when_and_how_bad(team: Built) -> None:
    log = log_of(team, "how are the deployments doing?")
    assert [c.name for c in log.tool_calls] == STATUS
    assert f"“{INCIDENT}”" in headline(log)
    assert "is active since 10:20 UTC today" in headline(log)
    assert "of 21 deployments" in headline(log)
    assert log.answer is not None
    assert "lumen-flash/east-cloud" in log.answer.next_steps[0].text


def test_an_incident_of_something_else_does_not_lead(team: Built) -> None:
    log = log_of(team, "what is the status of heron-mini?")
    assert log.answer is not None
    assert headline(log).startswith("heron-mini: 3 of 3")
    assert not log.answer.what_changed
    assert "Apart from that" in log.answer.metrics[-1].text
    assert INCIDENT in log.answer.metrics[-1].text


@pytest.mark.parametrize("name", ["lumen-pro", "west-edge", "heron-mini/north-gpu"])
def test_no_incident_of_what_was_asked_about_leads(team: Built, name: str) -> None:
    log = log_of(team, f"is there an incident on {name}?")
    assert log.answer is not None
    assert headline(log) == f"I found no active incident on {name}."
    assert not log.answer.what_changed
    assert "Apart from that" in log.answer.metrics[-1].text
    assert INCIDENT in log.answer.metrics[-1].text


@pytest.mark.parametrize("name", ["lumen-flash", "east-cloud", "lumen-flash/east-cloud"])
def test_an_incident_of_it_or_of_a_part_of_it_leads(team: Built, name: str) -> None:
    assert f"“{INCIDENT}”" in headline(log_of(team, f"is there an incident on {name}?"))


@pytest.mark.parametrize("name", ["lumen-flash", "west-edge"])
def test_latency_of_a_model_or_a_backend_is_that_of_all_its_deployments(team: Built, name: str) -> None:
    log = log_of(team, f"p95 of {name} today")
    assert headline(log).startswith(f"p95 latency of {name} ")
    assert log.answer is not None
    assert not any("Overall" in claim.text for claim in log.answer.claims)


def test_an_incident_of_something_else_is_not_beside_a_model(team_home: Path, tmp_path: Path) -> None:
    risen = (
        "update requests set latency_ms = latency_ms * 9 where model_id = 'kestrel-8b' and created_at > '2026-11-21'"
    )
    oracle = changed(team_home, tmp_path / "risen", risen)
    refresh(tmp_path / "risen")
    log = log_of(oracle, "p95 of kestrel-8b in the last 24 hours")
    oracle.close()
    assert headline(log).startswith("p95 latency of kestrel-8b rose")
    assert "INC-" not in headline(log)


def test_numbers_are_those_of_the_data(team: Built, team_home: Path) -> None:
    day = "created_at >= '2026-11-20' and created_at < '2026-11-21'"
    count = one(team_home, f"select count(*) from requests where {day}")
    assert f"{count:,} requests" in headline(log_of(team, "how much traffic did we get yesterday?"))
    user = one(
        team_home,
        f"select user_id from requests where {day} group by user_id order by sum(cost_usd) desc limit 1",
    )
    assert headline(log_of(team, "which user spent the most yesterday?")).startswith(user)
    assert headline(log_of(team, "who spent the most yesterday?")).startswith(user)


def test_quality_opens_the_request_with_the_lowest_score(team: Built) -> None:
    log = log_of(team, "how is answer quality this week?")
    lowest = next(e.facts["lowest_request"].value for e in log.evidence if "lowest_request" in e.facts)
    assert log.tool_calls[-1].args == {"request_id": lowest}


def test_errors_open_the_newest_request_that_failed(team: Built, team_home: Path) -> None:
    newest = one(team_home, "select id from requests where status = 'error' order by created_at desc limit 1")
    assert log_of(team, "what errors are there?").tool_calls[-1].args == {"request_id": newest}


def test_a_misspelt_name_is_read_and_said(team: Built) -> None:
    log = log_of(team, "how is heron-mni doing?")
    assert log.answer is not None
    assert log.answer.banner == "No model heron-mni is known; read as heron-mini."


def test_calm_needs_both_checks(team_home: Path, tmp_path: Path) -> None:
    oracle = changed(
        team_home,
        tmp_path / "calm",
        "update incidents set status = 'resolved', resolved_at = '2026-11-21 11:00:00.000000' where status = 'active'",
        "update deployment_state_current set status = 'healthy', error_rate = 0, timeout_rate = 0, sample_count = 50,"
        " updated_at = '2026-11-21 11:59:50.000000'",
    )
    both, half = log_of(oracle, "is everything ok?"), log_of(oracle, "any active incidents?")
    oracle.close()
    assert headline(both) == (
        "No active incidents (0 found); 21 of 21 deployments healthy, checked at 12:00 UTC today."
    )
    assert not doubted(both)
    assert half.plan is not None
    assert half.plan.pattern == "ACTIVE_INCIDENTS"  # none is a result, so nothing else is tried
    assert half.answer is not None
    assert any("health of the deployments was not looked at" in gap.text for gap in half.answer.missing)


CALM = (
    "update incidents set status = 'resolved', resolved_at = '2026-11-21 11:00:00.000000' where status = 'active'",
    "update deployment_state_current set status = 'healthy', error_rate = 0, timeout_rate = 0",
)


def test_a_page_of_errors_is_not_their_number(team_home: Path, tmp_path: Path) -> None:
    failed = "update requests set status = 'error', error_code = 'odd' where created_at > '2026-11-21'"
    oracle = changed(team_home, tmp_path / "many", *CALM, failed)
    log = log_of(oracle, "any errors today?")
    oracle.close()
    count = one(tmp_path / "many", "select count(*) from requests where created_at > '2026-11-21'")
    assert headline(log).startswith(
        f"{count} errors (100 %) in {count} requests since 00:00 UTC today; of the newest 50"
    )
    assert "of the newest 50, top error code odd (50)" in headline(log)
    assert log.answer is not None
    assert not any("timeouts:" in claim.text for claim in log.answer.claims)
    assert not doubted(log)
    assert not log.struck


def test_no_errors_is_an_answer_and_no_other_time_is_looked_at(team_home: Path, tmp_path: Path) -> None:
    oracle = changed(team_home, tmp_path / "none", *CALM, "delete from requests where created_at > '2026-11-21'")
    log = log_of(oracle, "any errors today?")
    oracle.close()
    assert headline(log) == "I found no requests in the time asked for, failed or not."
    assert [c.name for c in log.tool_calls].count("get_recent_requests") == 1
    assert not log.struck


def test_no_errors_among_requests_is_a_result_without_a_banner(team_home: Path, tmp_path: Path) -> None:
    well = "update requests set status = 'success', error_code = null where created_at > '2026-11-21'"
    oracle = changed(team_home, tmp_path / "well", *CALM, well)
    log, other = log_of(oracle, "any errors today?"), log_of(oracle, "timeouts on lumen-flash today")
    oracle.close()
    day = "select count(*) from requests where created_at > '2026-11-21'"
    count = one(tmp_path / "well", day)
    assert headline(log) == f"0 errors in {count} requests since 00:00 UTC today."
    part = one(tmp_path / "well", f"{day} and model_id = 'lumen-flash'")
    assert headline(other) == f"0 timeouts in {part} requests on lumen-flash since 00:00 UTC today."
    for done in (log, other):
        assert done.answer is not None
        assert done.plan is not None
        assert (done.plan.pattern, done.answer.banner) == ("ERROR_INVESTIGATION", None)
        assert not done.struck
        assert not doubted(done)


@pytest.mark.parametrize(
    "text",
    [
        "how is kestrell-99b doing?",
        "latency of model gpt-9 today",
        "user nobody-here",
        "p95 of lumen-large",
        "is north-lake ok?",
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(team: Built, text: str) -> None:
    log = log_of(team, text)
    assert log.answer is not None
    assert headline(log).startswith("I found no ")
    assert "; the nearest names: " in headline(log)
    (line,) = log.answer.metrics
    assert line.text.startswith("Apart from that: Incident INC-")
    assert not log.struck


def test_what_is_not_there_beside_what_is_there_is_missing(team: Built) -> None:
    log = log_of(team, "compare the latency of lumen-pro and lumen-large")
    assert log.answer is not None
    assert "lumen-pro" in " ".join(claim.text for claim in log.answer.claims)
    assert any(gap.text.startswith("I found no model lumen-large in the operations data") for gap in log.answer.missing)
    assert not log.struck


NOTHING_TODAY = (
    ("how is answer quality today?", "Within 7 days: quality is "),
    ("p95 of lumen-flash today", "Within 7 days: p95 latency of lumen-flash "),
    ("latency today", "Within 7 days: "),
    ("how many requests did heron-mini get today?", "Within 7 days: heron-mini got "),
)


def test_figures_of_a_longer_span_are_no_answer_for_the_one_asked(team_home: Path, tmp_path: Path) -> None:
    oracle = changed(
        team_home,
        tmp_path / "quiet",
        "delete from quality_scores where evaluated_at > '2026-11-20 23:00'",
        "delete from requests where created_at > '2026-11-20 23:00'",
    )
    refresh(tmp_path / "quiet")
    logs = {text: (log_of(oracle, text), below) for text, below in NOTHING_TODAY}
    oracle.close()
    for log, below in logs.values():
        assert headline(log) == "I found nothing in the time asked for; what was there before is told below."
        assert log.answer is not None
        assert log.answer.metrics[0].text.startswith(below)
        assert not log.struck
        assert not doubted(log)


def test_an_empty_result_makes_it_a_novel_question(team_home: Path, tmp_path: Path) -> None:
    oracle = changed(team_home, tmp_path / "empty", "delete from quality_scores", "delete from requests")
    log = log_of(oracle, "why is lumen-flash slow?")
    oracle.close()
    assert log.plan is not None
    assert log.answer is not None
    assert log.plan.pattern == NOVEL
    assert [c.name for c in log.tool_calls].count("get_latency_trends") == 2
    assert log.answer.banner is not None
    assert log.answer.banner == (
        "No known pattern (get_latency_trends and get_recent_requests found too little): verify before you act."
    )
    assert "no requests were found" in headline(log)


# --- who answers ----------------------------------------------------------------------------------------------


def test_the_words_choose_the_agent(team: Built) -> None:
    log = log_of(team, "how are the model deployments doing?", agent=None)
    assert log.route is not None
    assert log.route.task == "operations"
    other = log_of(team, "Where is the retry policy configured?", agent=None)
    assert other.route is not None
    assert other.route.task == "research"


def test_a_follow_up_in_a_thread(team: Built) -> None:
    log = log_of(team, "and heron-large?", "how are the lumen-pro deployments doing?", agent=None)
    assert log.route is not None
    assert log.route.task == "operations"
    assert headline(log).startswith("heron-large: ")


def test_the_command_line(oracle: Oracle, team_home: Path) -> None:
    ran = oracle("ask", "any active incidents?", "--agent", "operations", "--json", home=team_home)
    assert ran.code == 0, ran.err
    assert ran.json["plan"]["pattern"] == "ACTIVE_INCIDENTS"
    assert ran.json["answer"]["tools_used"] == ["get_active_incidents ×1"]
    assert INCIDENT in ran.json["answer"]["headline"]["text"]


def test_without_data_the_asker_is_told_what_to_connect(oracle: Oracle, tmp_path: Path) -> None:
    ran = oracle("ask", "any active incidents?", "--agent", "operations", "--json", home=tmp_path / "none")
    assert ran.json["answer"]["kind"] == "refusal"
    assert "oracle load" in ran.json["answer"]["headline"]["text"]
    assert "context.url" in ran.json["answer"]["headline"]["text"]


def test_the_demo_has_operations_data_of_its_own(oracle: Oracle, demo_home: Path) -> None:
    log = oracle("ask", "how are the model deployments doing?", "--json", home=demo_home).json
    assert log["route"]["task"] == "operations"
    assert log["plan"]["pattern"] == "SYSTEM_STATUS"
    assert log["grounded"] is True


def test_a_mention_is_answered_in_its_thread(team: Built) -> None:
    chat = FakeChat()
    ledger = Ledger(team.store.database, WorkerSection())
    board = ProgressBoard(lambda _: chat, ledger.note_progress)
    worker = WorkerContext(
        oracle=team, ledger=ledger, chats=lambda _: chat, board=board, metrics=ServiceMetrics(team.metrics)
    )
    ask(worker, "any active incidents?")
    take(worker, "r1")
    board.close()
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert INCIDENT in answer.post.text
    assert INCIDENT in text_of(answer.post.blocks)
