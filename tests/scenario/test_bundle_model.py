"""Incident files through a model: three investigations played by hand, with the decoy blamed or a number changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.conftest import NOON
from tests.support.incident_files import CULPRIT, DECOY, ONSET, STYLE, at, log_pattern, write_incident
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.played_investigation import Outcome, Played, play, settings_of
from workers.bootstrap import build_engine
from workers.toolkit.clock import SystemClock

CALLS = (({"tool": "candidate_causes", "args": {"question": "what caused this?"}},),)
STATUS = {"incidents": [{"name": "Elevated errors on pay", "status": "investigating", "started_at": at(ONSET - 1)}]}
OUTSIDE = {
    "commits": [],
    "deploys": [],
    "patterns": [log_pattern("POST https://api.cards.example.com/pay returned 503", 800)],
    "card_status": STATUS,
}


@pytest.fixture(scope="module")
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as running:
        yield running


def played(server: MessagesServer, folder: Path, answer: Mapping[str, Any], **changes: Any) -> Outcome:
    """What comes of an answer that a model gives after it saw the candidates."""
    home = folder / "home"
    (home / "config").mkdir(parents=True)
    bundle = write_incident(folder / "incident", **changes)
    settings = settings_of(server, home, overrides={"oracle.bundle": str(bundle)})
    oracle = build_engine(settings, clock=SystemClock(NOON))
    try:
        return play(server, oracle, Played("what caused this?", agent="causes", turns=CALLS, answer=answer))
    finally:
        oracle.close()


def claim(text: str, *evidence: str, **more: Any) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence), **more}


def test_the_cause_and_what_was_ruled_out_stand(server: MessagesServer, tmp_path: Path) -> None:
    answer = {
        "question_type": "incident_cause",
        "headline": claim(f"{CULPRIT[:8]} may be behind it: it calls fetch_one in a loop.", "E2", hypothesis=True),
        "what_changed": [
            claim(f"Ruled out: {DECOY[:8]} moves or renames code.", "E3"),
            claim(f"Ruled out: {STYLE[:8]} changes only documents, tests or styles.", "E4"),
        ],
        "metrics": [claim("http_server_duration_p99_ms of quote rose to 2,400.", "E5", "E6", "E7")],
        "confidence": "high",
    }
    outcome = played(server, tmp_path, answer)
    assert set(outcome.sorts.values()) <= {"supported", "hypothesis"}, outcome.log.struck


def test_a_commit_and_a_number_that_no_file_holds_are_named(server: MessagesServer, tmp_path: Path) -> None:
    answer = {
        "question_type": "incident_cause",
        "headline": claim("deadbee1 may be behind it.", "E2", hypothesis=True),
        "metrics": [claim("http_server_duration_p99_ms of quote rose to 9,731.", "E5", "E6", "E7")],
        "confidence": "high",
    }
    outcome = played(server, tmp_path, answer)
    assert set(outcome.sorts.values()) == {"named"}


def test_that_no_change_did_it_stands(server: MessagesServer, tmp_path: Path) -> None:
    answer = {
        "question_type": "incident_cause",
        "headline": claim("No change of ours explains this; calls to api.cards.example.com fail.", "E1", "E2"),
        "confidence": "high",
    }
    outcome = played(server, tmp_path, answer, **OUTSIDE)
    assert set(outcome.sorts.values()) <= {"supported", "hypothesis"}, outcome.log.struck
