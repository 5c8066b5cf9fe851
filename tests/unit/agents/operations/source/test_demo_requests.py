"""The invented team: as many rows as said, and what they say fits together."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.operations_databases import NOW, make, reading, sqlite_address
from workers.agents.operations.commands import REQUESTS
from workers.agents.operations.source.active_incidents import get_active_incidents
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.demo_requests import DAYS, draw, generate
from workers.agents.operations.source.demo_team import DEPLOYED, TROUBLES
from workers.agents.operations.source.demo_team_rows import span
from workers.agents.operations.source.deployments import get_deployment_status
from workers.agents.operations.source.latency_trends import get_latency_trends
from workers.agents.operations.source.recent_requests import get_recent_requests
from workers.agents.operations.source.referential_integrity import References
from workers.agents.operations.source.row_parsing import read_row, shape_of
from workers.agents.operations.source.tables import metadata

COUNT = 30_000
FEW = 3_000


def rows(seed: int = 0, count: int = COUNT) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [dict(zip((c.name for c in metadata.tables[name].columns), row, strict=True)) for row in found]
        for name, found in generate(NOW, seed, count).items()
    }


@pytest.fixture(scope="module")
def made() -> dict[str, list[dict[str, Any]]]:
    return rows()


def test_numbers(made: dict[str, list[dict[str, Any]]]) -> None:
    counts = {name: len(found) for name, found in made.items()}
    scored = counts.pop("quality_scores")
    assert counts == {
        "models": 10,
        "backends": 3,
        "deployments": 21,
        "tiers": 3,
        "users": 10,
        "deployment_state_current": 21,
        "requests": COUNT,
        "incidents": 8,
    }
    assert abs(scored / COUNT - 0.6) < 0.01
    assert [row["latency_sla_p95_ms"] for row in made["tiers"]] == [500, 900, 1500]
    assert Counter(row["status"] for row in made["incidents"]) == {"resolved": 7, "active": 1}
    times = [row["created_at"] for row in made["requests"]]
    assert times == sorted(times)
    assert times[0][:10] == str((NOW - timedelta(days=DAYS)).date())
    assert times[-1] < NOW.replace(tzinfo=None).isoformat(" ", "microseconds")


def test_the_same_seed_gives_the_same() -> None:
    few = rows(count=FEW)
    assert rows(count=FEW) == few
    assert rows(seed=1, count=FEW)["requests"][0] != few["requests"][0]


def test_the_loader_finds_nothing_wrong() -> None:
    references = References(lambda _: ())
    for name, found in rows(count=FEW).items():
        shape = shape_of(metadata.tables[name])
        for given in found:
            stored = {k: f"{v}Z" if k.endswith("_at") and v else v for k, v in given.items()}
            row, wrong = read_row(shape, stored)
            assert not wrong
            assert not references.check(name, dict(zip(shape.names, row, strict=True)))


def test_day_and_night(made: dict[str, list[dict[str, Any]]]) -> None:
    hours = Counter(row["created_at"][11:13] for row in made["requests"])
    assert hours["15"] > 2.5 * hours["03"]


def test_the_active_incident_is_seen_in_the_data(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    database = make(address)
    fill(database, NOW, 0, COUNT)
    database.close()
    with reading(address) as reader:
        (incident,) = get_active_incidents(reader).data["incidents"]
        states = get_deployment_status(reader).data["deployments"]
        target = incident["target_id"]
        during = get_latency_trends(reader, deployment_id=target, since=incident["started_at"], granularity="day")
        before = get_latency_trends(
            reader, deployment_id=target, since="5 days ago", until="1 days ago", granularity="day"
        )
        latest = get_recent_requests(reader, deployment_id=target, since="1 hours ago", limit=500).data["requests"]
    assert [(row["deployment_id"], row["status"]) for row in states if row["status"] != "healthy"] == [
        (target, "degraded")
    ]
    now, usual = during.more["overall"].whole, before.more["overall"].whole
    assert now.p95 > 2 * usual.p95
    assert now.error_rate > 4 * usual.error_rate
    state = next(row for row in states if row["deployment_id"] == target)
    inside = [r for r in latest if r["created_at"] >= (NOW - timedelta(seconds=state["window_sec"])).isoformat()[:19]]
    assert state["window_sec"] == 3600
    assert state["sample_count"] == len(inside)
    assert state["error_rate"] == pytest.approx(sum(r["status"] == "error" for r in inside) / len(inside), abs=1e-6)


def test_at_the_usual_size_each_incident_is_seen_in_its_targets_requests() -> None:
    traffic = draw(np.random.default_rng(0), REQUESTS, NOW)
    for trouble in TROUBLES:
        start, stop = span(trouble)
        targets = [i for i, (m, b, _) in enumerate(DEPLOYED) if trouble.target in {f"{m}/{b}", m, b}]
        own = np.isin(traffic.deployment, targets)
        during = own & (traffic.at >= start) & (traffic.at < stop)
        assert during.sum() >= 8, trouble.target
        failed = [(traffic.status[part] > 0).mean() for part in (during, own & ~during)]
        slower = np.median(traffic.latency[during]) / np.median(traffic.latency[own & ~during])
        assert slower > 1.4 or failed[0] > 4 * failed[1] or trouble.worse, trouble.target
