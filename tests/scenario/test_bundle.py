"""Asked about the files of an incident, as a user does."""

from __future__ import annotations

from pathlib import Path

from tests.scenario.conftest import Oracle, oracle
from tests.support.alert_files import fired, write_alerts
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


CLIMBS = {("svc-a", "error_rate"): [(30, 0.004), (60, 0.2), (90, 0.4)]}


def test_alerts_are_told_from_noise_each_with_why(oracle: Oracle, tmp_path: Path) -> None:
    noise = fired("B", related_pattern="calm", auto_resolved_after_s=30)
    folder = write_alerts(tmp_path / "alerts", [noise, fired("A", related_pattern="trouble")], CLIMBS)
    asked = oracle("ask", "what is this?", "--bundle", str(folder), "--json")
    assert asked.code == 0, asked.err
    answer = asked.json["answer"]
    assert answer["headline"]["text"].startswith("Page for 1 of 2 alerts: A ")
    first, second = (claim["text"] for claim in answer["what_changed"])
    assert first.startswith("Page A ")
    assert "from 0.2 to 0.4" in first
    assert second.startswith("Suppress B ")
    assert "cleared by itself after 30 seconds" in second
    assert asked.json["grounded"]


def test_one_alert_is_weighed_where_that_is_asked(oracle: Oracle, tmp_path: Path) -> None:
    folder = write_alerts(tmp_path / "alert", [], CLIMBS, alert=fired("A", related_pattern="trouble"))
    (folder / "alerts.json").unlink()
    asked = oracle("ask", "should this page anyone?", "--bundle", str(folder), "--json")
    assert asked.json["answer"]["headline"]["text"].startswith("Page A ")


def test_a_file_that_cannot_be_read_is_named(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    folder = write_incident(tmp_path / "files")
    (folder / "deploys.json").write_text('[{"service":')
    log = oracle("ask", "what caused this?", "--bundle", str(folder), "--json", home=home).json
    assert any("deploys.json" in gap["text"] for gap in log["answer"]["missing"])
