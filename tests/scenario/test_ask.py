"""Questions to the demo team, through the command line."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from tests.scenario.conftest import NOW, Oracle
from workers.contracts import SECTIONS

SPIKY = "Latency on /api/search has been spiky since yesterday's deploy. What's going on?"
AFTER_DEPLOY = "Why did latency spike on /api/search after the last deploy?"
DEPLOY = ("what went out in the last deploy of shop?", "what changed in v1.42.0?", "when did v1.42.0 go out?")
NO_SUBJECT = "Why did latency spike after the last deploy?"
RETRIES = "Where is the retry policy configured for our payment client?"
WIRED = "Summarize how the alerts are wired for the checkout flow."
BREAKER, CAP = "What is a circuit breaker?", "What is the CAP theorem?"
NOWHERE = "Why is /api/doesnotexist slow since yesterday?"
SINCE = "and since when?"
ASKED = (SPIKY, AFTER_DEPLOY, *DEPLOY, NO_SUBJECT, RETRIES, WIRED, BREAKER, CAP, NOWHERE, SINCE)
TALKED_OF = {SINCE: ["Why is /api/search slow?", "p95 latency of /api/search rose."]}


def lines_of(*questions: str) -> str:
    """What ``oracle ask -`` and ``oracle plan -`` read."""
    return "\n".join(json.dumps({"text": text, "context": TALKED_OF.get(text, [])}) for text in questions)


@pytest.fixture(scope="module")
def logs(demo_home: Path) -> dict[str, Any]:
    """What ``oracle ask -`` prints for each of these questions, by the question."""
    printed = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setenv("ORACLE_HOME", str(demo_home))
        patch.setattr("sys.argv", ["oracle", "ask", "-"])
        patch.setattr("sys.stdin", StringIO(lines_of(*ASKED)))
        with pytest.raises(SystemExit) as stop:
            main()
    assert not stop.value.code
    found = [json.loads(line) for line in printed.getvalue().splitlines()]
    return dict(zip(ASKED, found, strict=True))


def said(log: dict[str, Any], *sections: str) -> str:
    """The texts of some sections."""
    return "\n".join(c["text"] for s in (sections or SECTIONS) for c in log["answer"][s])


def check_incident(log: dict[str, Any]) -> None:
    """What R0.14 asks of the answer."""
    assert log["intent"]["question_type"] == "debug_incident"
    assert "/api/search" in log["intent"]["subjects"]
    assert log["intent"]["time_hints"] == ["since yesterday's deploy"]
    assert log["tool_calls"][0]["name"] == "metrics_query"
    kinds = {e["kind"] for e in log["evidence"]}
    assert {"metric", "doc"} <= kinds
    assert kinds & {"code", "change"}
    assert log["grounded"] is True
    assert "Add result cache to search" in said(log, "what_changed")
    assert "search_service.py" in said(log, "code")
    steps = said(log, "next_steps").lower()
    assert "cache key" in steps
    assert "ttl" in steps
    assert "database indexes" in steps
    cited = {k for c in log["answer"]["docs"] for k in c["evidence"]}
    links = [e["url"] for e in log["evidence"] if e["id"] in cited]
    assert any("search-latency.md#cache-misconfiguration" in (u or "") for u in links)
    assert all(c["evidence"] for s in SECTIONS for c in log["answer"][s])


def test_the_spiky_question(logs: dict[str, Any]) -> None:
    log = logs[SPIKY]
    check_incident(log)
    related = said(log, "metrics")
    assert "database" in related
    assert "starting 1 minute before p95 latency of /api/search" in related


@pytest.mark.parametrize("clock", ["00:30", "23:30"])
@pytest.mark.parametrize("offset", ["+00:00", "+09:00"])
def test_the_spiky_question_at_any_hour_and_zone(oracle: Oracle, demo_home: Path, clock: str, offset: str) -> None:
    log = oracle("ask", SPIKY, "--json", "--now", f"{NOW:%Y-%m-%d}T{clock}:00{offset}", home=demo_home).json
    check_incident(log)
    onset = next(e["facts"]["onset_at"]["value"] for e in log["evidence"] if "onset_at" in e["facts"])
    deployed = datetime.fromisoformat(f"{NOW - timedelta(days=1):%Y-%m-%d}T14:04:00+00:00")
    assert abs(datetime.fromisoformat(onset) - deployed) < timedelta(minutes=7)


def test_why_after_the_last_deploy(logs: dict[str, Any]) -> None:
    log = logs[AFTER_DEPLOY]
    assert "rose from" in log["answer"]["headline"]["text"]
    assert "after deploy shop v1.42.0" in log["answer"]["headline"]["text"]
    assert log["grounded"]


@pytest.mark.parametrize("question", DEPLOY)
def test_what_a_deploy_brought(logs: dict[str, Any], question: str) -> None:
    log = logs[question]
    head = log["answer"]["headline"]["text"]
    assert all(part in head for part in ("shop v1.42.0", "14:04 UTC"))
    changes = log["answer"]["what_changed"]
    assert "“Add result cache to search” by Priya Raman" in changes[0]["text"]
    assert len(changes) == 3
    assert log["grounded"]


def test_a_symptom_without_a_subject_finds_the_endpoint(logs: dict[str, Any]) -> None:
    assert "/api/search" in logs[NO_SUBJECT]["answer"]["headline"]["text"]


def test_where_is_the_retry_policy(logs: dict[str, Any]) -> None:
    log = logs[RETRIES]
    assert log["intent"]["question_type"] == "locate_code"
    head = log["answer"]["headline"]["text"]
    assert head.index("config/production.yaml") < head.index("payments/client.py:")
    assert "Retry on 429" in said(log, "code")


def test_how_checkout_alerts_are_wired(logs: dict[str, Any]) -> None:
    log = logs[WIRED]
    assert log["intent"]["question_type"] == "alerting"
    assert "CheckoutErrorRateHigh" in log["answer"]["headline"]["text"]
    assert "alerts/checkout.yml" in said(log, "code")
    assert "Alerting" in said(log, "docs")


def test_a_notion_is_answered_from_the_documents_or_not_at_all(logs: dict[str, Any]) -> None:
    known = logs[BREAKER]["answer"]["headline"]
    assert known["evidence"]
    assert "stops calling it while it keeps failing" in known["text"]
    assert logs[CAP]["answer"]["headline"]["text"].startswith("I found nothing")


def test_what_exists_nowhere_gets_no_claim(oracle: Oracle, demo_home: Path, logs: dict[str, Any]) -> None:
    assert oracle("ask", CAP, "--json", home=demo_home).code == 0
    log = logs[NOWHERE]
    assert log["answer"]["headline"]["text"].startswith(
        "I found nothing about /api/doesnotexist. Endpoints with metrics here:"
    )
    assert not any(log["answer"][s] for s in SECTIONS)
    gaps = log["answer"]["missing"]
    searched = {"metrics_query", "repo_search", "doc_search"}
    assert {g["tool"] for g in gaps if g["tool"]} == {*searched, "memory_search"}
    assert all(len(g["tried"]) == 2 for g in gaps if g["tool"] in searched)
    assert max(c["attempt"] for c in log["tool_calls"]) == 2


def test_a_clarifying_question_and_its_answer_are_one_request(oracle: Oracle, demo_home: Path) -> None:
    asked = oracle("ask", "something is broken, help", "--json", home=demo_home)
    assert asked.code == 3
    options = asked.json["answer"]["options"]
    assert options[0]["value"] == "/api/search"
    assert options[0]["reason"].startswith("p95 rose from")
    request = asked.json["request_id"]
    answered = oracle("ask", "1", "--request", request, "--json", home=demo_home)
    assert answered.code == 0
    assert answered.json["request_id"] == request
    assert "/api/search" in answered.json["answer"]["headline"]["text"]
    again = oracle("ask", "1", "--request", request, home=demo_home)
    assert again.code == 2
    assert "is not waiting for an answer" in again.err


def test_questions_as_lines(oracle: Oracle, demo_home: Path, logs: dict[str, Any]) -> None:
    printed = oracle("plan", "-", home=demo_home, stdin=lines_of(BREAKER, SINCE)).out.splitlines()
    plans = [json.loads(line) for line in printed]
    assert [p["intent"]["question_type"] for p in plans] == ["conceptual", "debug_incident"]
    assert "/api/search" in plans[1]["intent"]["subjects"]
    assert [bool(log["answer"]) for log in logs.values()] == [True] * len(ASKED)
    assert "/api/search" in logs[SINCE]["intent"]["subjects"]


def test_everything_of_a_request_can_be_shown_later(oracle: Oracle, demo_home: Path, logs: dict[str, Any]) -> None:
    log = logs[SPIKY]
    shown = oracle("show", log["request_id"][:8], "--json", home=demo_home).json
    assert shown["answer"] == log["answer"]
    text = oracle("show", log["request_id"], home=demo_home).out
    assert "histogram_quantile" in text
    assert oracle("show", "000000", home=demo_home).code == 1


def test_the_request_line_in_the_log(demo_home: Path, logs: dict[str, Any]) -> None:
    log = logs[BREAKER]
    lines = [json.loads(line) for line in (demo_home / "oracle.jsonl").read_text().splitlines()]
    line = next(x for x in lines if x.get("request_id") == log["request_id"])
    wanted = {"request_id", "user_question", "intent_record", "plan", "tool_calls", "final_answer_summary"}
    assert wanted <= set(line)
    assert set(line["tool_calls"][0]) >= {"tool", "input", "output_summary"}
