"""Which alerts wake somebody, and which do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.alert_files import at, fired, write_alerts
from workers.agents.causes.source.triage.batch import read_alerts
from workers.agents.causes.source.triage.decision import Decision, triage
from workers.errors import ConfigError

FLAPS: dict[str, Any] = {"fired_count_last_1h": 14, "auto_resolved_after_s": 40}
OWN = ("svc-a", "error_rate")
RECOVERS = {OWN: [(30, 0.004), (60, 0.2), (62, 0.005)]}
CLIMBS = {OWN: [(30, 0.004), (60, 0.2), (80, 0.3), (100, 0.4)]}


def decisions(folder: Path, *alerts: dict[str, Any], **files: Any) -> dict[str, Decision]:
    found = triage(read_alerts(write_alerts(folder, alerts, **files)))
    return {d.alert.id: d for d in found}


def pages(folder: Path, *alerts: dict[str, Any], **files: Any) -> set[str]:
    return {name for name, d in decisions(folder, *alerts, **files).items() if d.pages}


def test_what_came_back_is_noise_even_where_the_alert_stayed_open(tmp_path: Path) -> None:
    assert not pages(tmp_path, fired("A", related_pattern="calm"), readings=RECOVERS)


def test_what_climbs_pages_though_it_flaps_and_the_logs_are_calm(tmp_path: Path) -> None:
    assert pages(tmp_path, fired("A", related_pattern="calm", **FLAPS), readings=CLIMBS) == {"A"}


def test_severity_alone_decides_nothing(tmp_path: Path) -> None:
    loud = fired("A", severity="SEV1", related_pattern="calm", **FLAPS)
    assert not pages(tmp_path, loud, readings=RECOVERS)


def test_a_floor_that_rises_pages_though_each_cycle_clears(tmp_path: Path) -> None:
    alert = fired("A", minute=60, value=92, threshold=80, metric="memory_pct", related_pattern="calm", **FLAPS)
    cycles = [(20, 60), (30, 84), (40, 68), (50, 88), (55, 74), (60, 92), (70, 79), (75, 93), (80, 79.5)]
    assert pages(tmp_path, alert, readings={("svc-a", "memory_pct"): cycles}) == {"A"}


def test_cycles_that_come_back_to_the_same_floor_are_noise(tmp_path: Path) -> None:
    alert = fired("A", minute=60, value=92, threshold=80, metric="memory_pct", related_pattern="calm", **FLAPS)
    cycles = [(20, 60), (30, 84), (40, 61), (50, 88), (55, 62), (60, 92), (70, 63)]
    assert not pages(tmp_path, alert, readings={("svc-a", "memory_pct"): cycles})


def test_a_new_level_after_a_deploy_is_noise_and_one_without_room_is_not(tmp_path: Path) -> None:
    alert = fired("A", value=77, threshold=70, metric="memory_pct", related_pattern="calm")
    deploy = [{"timestamp": at(50), "service": "svc-a", "version": "a-2"}]
    level = [(30, 50), (60, 77), (70, 78), (80, 77.5), (90, 77.8)]
    assert not pages(tmp_path, alert, readings={("svc-a", "memory_pct"): level}, deploys=deploy)
    full = [(30, 70), (60, 97), (70, 98), (80, 97.5), (90, 97.8)]
    near = fired("A", value=97, threshold=70, metric="memory_pct")
    assert pages(tmp_path, near, readings={("svc-a", "memory_pct"): full}) == {"A"}


def test_what_a_change_was_said_to_reach_is_noise_until_it_is_passed(tmp_path: Path) -> None:
    job = {"timestamp": at(50), "service": "svc-a", "version": "job-1", "expected_peak_lag_records": 900}
    alert = fired("A", value=600, threshold=100, metric="lag_records")
    within = {("svc-a", "lag_records"): [(30, 10), (60, 600), (80, 700), (100, 650)]}
    beyond = {("svc-a", "lag_records"): [(30, 10), (60, 600), (80, 1_400), (100, 1_900)]}
    assert not pages(tmp_path, alert, readings=within, deploys=[job])
    assert pages(tmp_path, alert, readings=beyond, deploys=[job]) == {"A"}


def test_planned_work_hides_what_it_is_about_and_only_while_it_lasts(tmp_path: Path) -> None:
    work = [{"name": "move", "affected_services": ["svc-a"], "starts_at": at(50), "ends_at": at(120)}]
    stays = {(s, "error_rate"): [(30, 0.004), (60, 0.2), (80, 0.19)] for s in ("svc-a", "svc-b")}
    assert pages(tmp_path, fired("A"), fired("B"), readings=stays, maintenance=work) == {"B"}
    open_work = {"incident_id": "I-2", "summary": "maintenance of svc-a", "service": "svc-a", "opened_at": at(50)}
    assert pages(tmp_path, fired("A"), fired("B"), readings=stays, maintenance=[], incidents_open=[open_work]) == {"B"}
    (tmp_path / "incidents_open.json").unlink()
    short = [{**work[0], "ends_at": at(65)}]
    assert pages(tmp_path, fired("A"), readings=stays, maintenance=short) == {"A"}


def test_an_open_incident_hides_its_alerts_where_somebody_works_on_it(tmp_path: Path) -> None:
    incident = {"incident_id": "I-1", "service": "svc-z", "related_pattern": "trouble", "status": "investigating"}
    alert = fired("A", related_pattern="trouble")
    assert not pages(tmp_path, alert, readings=CLIMBS, incidents_open=[incident])
    for nobody in ({"status": "resolved"}, {"status": "triggered"}, {"owner": None}):
        assert pages(tmp_path, alert, readings=CLIMBS, incidents_open=[incident | nobody]) == {"A"}


def test_alerts_of_one_incident_make_one_page_and_name_it(tmp_path: Path) -> None:
    first, second = fired("A", related_pattern="trouble"), fired("B", minute=70, related_pattern="trouble")
    found = decisions(tmp_path, first, second)
    assert found["A"].pages
    assert found["B"].duplicate_of == "A"


def test_of_alerts_that_came_together_the_gravest_pages(tmp_path: Path) -> None:
    first = fired("A", related_pattern="trouble")
    second = fired("B", minute=62, severity="SEV1", related_pattern="trouble")
    assert pages(tmp_path, first, second) == {"B"}


def test_calm_log_lines_make_no_two_failures_one(tmp_path: Path) -> None:
    both = [fired(name, related_pattern="calm") for name in "AB"]
    climb = {(f"svc-{name}", "error_rate"): CLIMBS[OWN] for name in "ab"}
    assert pages(tmp_path, *both, readings=climb) == {"A", "B"}


def test_what_an_earlier_fire_did_is_not_what_a_later_one_does(tmp_path: Path) -> None:
    blip = fired("A", minute=20, related_pattern="calm", auto_resolved_after_s=50)
    real = fired("B", minute=60, service="svc-a", related_pattern="trouble")
    readings = {OWN: [(60, 0.2), (80, 0.3), (100, 0.4), (10, 0.004), (20, 0.06), (22, 0.005)]}
    assert pages(tmp_path, blip, real, readings=readings) == {"B"}


def test_things_that_log_lines_name_speak_for_an_alert(tmp_path: Path) -> None:
    alert = fired("A", metric="pressure", value=1, threshold=1, fired_count_last_1h=3, related_pattern="trouble")
    read = {("disk-7", "used_pct"): [(30, 40), (60, 90), (90, 96)]}
    said = " ".join(r.text for r in decisions(tmp_path, alert, readings=read)["A"].deciding)
    assert "used_pct of disk-7" in said


def test_no_user_is_hit_where_software_is_tried_nor_by_spending(tmp_path: Path) -> None:
    staging = fired("A", environment="staging")
    canary = fired("B", service="shop-canary")
    spent = fired("C", metric="spend_usd", related_pattern="calm")
    climb = {(a["service"], a["metric"]): [(60, 0.2), (80, 0.22)] for a in (staging, canary, spent)}
    assert pages(tmp_path, staging, canary, spent, readings=climb) == {"B"}


def test_what_fails_ever_more_pages_though_its_name_speaks_of_tests(tmp_path: Path) -> None:
    alert = fired("A", service="test-report-api", related_pattern="trouble")
    assert pages(tmp_path, alert, readings={("test-report-api", "error_rate"): CLIMBS[OWN]}) == {"A"}


def test_too_low_is_read_the_other_way_round(tmp_path: Path) -> None:
    replicas = fired("A", metric="replicas", value=1, threshold=3)
    assert pages(tmp_path, replicas, readings={("svc-a", "replicas"): [(30, 3), (60, 1), (90, 1)]}) == {"A"}
    assert not pages(tmp_path, replicas, readings={("svc-a", "replicas"): [(30, 3), (60, 1), (90, 3)]})


def test_a_history_tells_how_often_it_fired_and_cleared(tmp_path: Path) -> None:
    alert = fired("A", value=0.051, related_pattern="calm")
    rows = [
        {"service": "svc-a", "metric": "error_rate", "fired_at": at(m), "resolved_at": at(m + 1)}
        for m in range(10, 50, 6)
    ]
    found = decisions(tmp_path, alert, alert_history=rows)["A"]
    assert not found.pages
    assert (found.alert.fires, found.alert.resolved_after_s) == (8, 60.0)


def test_readings_every_few_seconds_are_read_by_their_course(tmp_path: Path) -> None:
    slow = [(60 + i / 10, 0.2 + i / 10_000 + (i % 3) / 1_000) for i in range(600)]
    dense = {OWN: [(30 + i / 10, 0.004) for i in range(300)] + slow}
    assert "from 0.2" in decisions(tmp_path, fired("A"), readings=dense)["A"].deciding[0].text


def test_a_folder_without_alerts_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="alerts"):
        read_alerts(tmp_path)
