"""triage_alerts: all alerts of a folder, one of them, and folders that hold none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.alert_files import fired, write_alerts
from tests.support.incident_files import write_incident
from workers.agents.causes.tools.causes import IncidentFiles
from workers.agents.causes.tools.triage import AlertFiles, TriageArgs
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings

CONTEXT = ToolContext("r", "causes", datetime(2026, 5, 6, 23, tzinfo=UTC))


def files(folder: Path | None) -> AlertFiles:
    return AlertFiles(load_settings(overrides={"oracle.bundle": str(folder)} if folder else {}))


def test_every_alert_is_decided_and_one_can_be_asked_for(tmp_path: Path) -> None:
    alerts = [fired("A", related_pattern="trouble"), fired("B", related_pattern="calm", auto_resolved_after_s=20)]
    tool = files(write_alerts(tmp_path, alerts))
    found = tool.run(TriageArgs(), CONTEXT)
    assert [(d["alert"], d["decision"]) for d in found.data["decisions"]] == [("A", "page"), ("B", "suppress")]
    assert len(tool.run(TriageArgs(alert="B"), CONTEXT).evidence) == 2
    assert tool.run(TriageArgs(alert="Z"), CONTEXT).status == "empty"


def test_the_names_of_a_folder_come_from_what_it_holds(tmp_path: Path) -> None:
    alerts, incident = write_alerts(tmp_path / "alerts", [fired("A")]), write_incident(tmp_path / "incident")
    assert files(alerts).landscape(CONTEXT).labels == {"alert": ("A",), "service": ("svc-a",)}
    assert not files(incident).landscape(CONTEXT).labels
    causes = IncidentFiles(load_settings(overrides={"oracle.bundle": str(alerts)}))
    assert not causes.landscape(CONTEXT).labels


def test_without_alerts_it_says_what_is_missing(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(ToolUnavailable, match="alerts"):
            files(folder).run(TriageArgs(), CONTEXT)
