"""Faults drawn from seeds: the right endpoint, onset, commit, file and runbook section, by asking one question."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
import yaml

from bot.cli.demo import configuration
from bot.cli.demo_services import DEMO
from examples.shop.build import Demo, build_demo
from tests.scenario.conftest import NOW, Oracle, give_time
from tests.support.tables import sqlite_tables
from workers.sources.metrics.openmetrics import load_openmetrics
from workers.store.database import open_database
from workers.store.deploys import record_deploys

QUESTION = "Something got slow after yesterday's deploy. What happened?"


def build_shop(home: Path, seed: int) -> Demo:
    """An ORACLE_HOME of the demo's shop alone, with the fault of a seed. Returns: what is true of it."""
    made = build_demo(home / "demo", NOW, seed)
    samples = home / "demo" / "samples"
    load_openmetrics(made.openmetrics, samples, made.ahead)
    give_time(home)
    config = configuration(made, samples, "")
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(config))
    database = open_database(sqlite_tables(home / "oracle.db"))
    record_deploys(database, made.deploys, DEMO)
    database.close()
    return made


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_the_fault_is_found(oracle: Oracle, home: Path, seed: int) -> None:
    truth = build_shop(home, seed)
    log = oracle("ask", QUESTION, "--json", home=home).json
    answer = log["answer"]
    assert truth.endpoint in answer["headline"]["text"]
    onset = next(e["facts"]["onset_at"]["value"] for e in log["evidence"] if "onset_at" in e["facts"])
    assert abs(datetime.fromisoformat(onset) - truth.onset) <= timedelta(minutes=5)
    changes = [e for e in log["evidence"] if e["kind"] == "change"]
    assert changes[0]["facts"]["commit"]["value"] == truth.commit
    assert any(path in c["text"] for c in answer["code"] for path in truth.files)
    path, _, heading = truth.runbook.partition("#")
    doc = next(e for e in log["evidence"] if e["id"] == answer["docs"][0]["evidence"][0])
    assert path.endswith(doc["facts"]["path"]["value"])
    assert doc["facts"]["heading"]["value"] == heading
