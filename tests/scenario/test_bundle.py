"""Asked about the files of an incident, as a user does."""

from __future__ import annotations

from pathlib import Path

from tests.scenario.conftest import Oracle, oracle
from tests.support.incident_files import CULPRIT, ONSET, deploy, write_incident

__all__ = ["oracle"]


def test_the_cause_is_told_with_what_was_ruled_out(oracle: Oracle, tmp_path: Path) -> None:
    asked = oracle("ask", "what caused this?", "--bundle", str(write_incident(tmp_path / "incident")), "--json")
    assert asked.code == 0, asked.err
    answer = asked.json["answer"]
    assert CULPRIT[:8] in answer["headline"]["text"]
    said = [claim["text"] for claim in answer["what_changed"]]
    assert any("Ruled out" in line and "moves or renames" in line for line in said)
    assert any("http_server_duration_p99_ms of quote rose" in claim["text"] for claim in answer["metrics"])
    assert asked.json["grounded"]


def test_that_no_change_explains_it_is_told(oracle: Oracle, tmp_path: Path) -> None:
    late = [deploy(CULPRIT, ONSET + 20)]
    folder = write_incident(tmp_path / "incident", deploys=late)
    asked = oracle("ask", "who did it?", "--bundle", str(folder), "--json")
    assert "No change" in asked.json["answer"]["headline"]["text"]


def test_a_folder_that_is_none_is_a_mistake(oracle: Oracle, tmp_path: Path) -> None:
    asked = oracle("ask", "who did it?", "--bundle", str(tmp_path / "nowhere"))
    assert asked.code == 2
    assert "--bundle" in asked.err
