"""Flags and cluster events in a folder, as the programs that know them write them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from tests.support.cluster_payloads import core_event, new_event
from tests.support.flag_payloads import launchdarkly_entry, plain_flag, unleash_event
from tests.support.incident_files import ONSET, at, write_incident
from workers.agents.causes.source.bundle import read_bundle

MOMENT = datetime.fromisoformat(at(ONSET))


def test_flags_of_every_shape_are_read(tmp_path: Path) -> None:
    rows = [
        launchdarkly_entry(environments=("production", "staging")),
        unleash_event(featureName="b"),
        unleash_event(featureName="c", environment="qa"),
        plain_flag(flag="d"),
        plain_flag(flag="e", environment="staging"),
        {"timestamp": at(ONSET), "flag": "f", "service": "quote", "change": "on"},
        {"flag": "g", "kind": "flag", "date": "yesterday", "time": at(ONSET), "from": "1", "to": "2"},
        {"flag": "no time"},
    ]
    found = read_bundle(write_incident(tmp_path / "list", flags=rows)).flags
    assert [f.name for f in found] == ["new-cart", "b", "d", "f", "g"]
    assert [f.change for f in found[:2]] == ["off→on", "off→on"]
    listed = {"items": rows[:1], "_links": {"self": {"href": "/api/v2/auditlog"}}}
    assert [f.name for f in read_bundle(write_incident(tmp_path / "log", flags=listed)).flags] == ["new-cart"]
    folder = write_incident(tmp_path / "lines", flags=None)
    (folder / "flags.jsonl").write_text("\n".join(map(json.dumps, rows[1:2])))
    assert [f.name for f in read_bundle(folder).flags] == ["b"]


def test_events_of_kubernetes_are_notices_of_their_workload(tmp_path: Path) -> None:
    folder = write_incident(tmp_path)
    evicted = core_event(MOMENT - timedelta(minutes=3), "Evicted", "quote-7d9f8b6c5-x2x7z")
    pulled = core_event(MOMENT, "Pulled", "quote-7d9f8b6c5-x2x7z", warning=False)
    (folder / "events.json").write_text(json.dumps({"kind": "List", "items": [evicted, pulled]}))
    (folder / "k8s.jsonl").write_text(json.dumps({"type": "ADDED", "object": new_event(MOMENT)}) + "\nno JSON\n")
    incident = read_bundle(folder)
    told = {n.text.split()[0]: n for n in incident.notices}
    assert set(told) == {"Evicted", "Pulled", "FailedScheduling"}
    assert (told["Evicted"].thing, told["Evicted"].warns, told["Evicted"].at) == (
        "quote",
        True,
        MOMENT - timedelta(minutes=3),
    )
    assert (told["Pulled"].warns, told["Pulled"].status) == (False, "normal")
    assert "1 lines of k8s.jsonl are no JSON" in incident.unread
