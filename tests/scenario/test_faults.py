"""Faults drawn from seeds: the right endpoint, onset, commit, file and runbook section, by asking one question."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from examples.shop.build import build_demo
from tests.scenario.conftest import NOW, Oracle, build_unhurried

QUESTION = "Something got slow after yesterday's deploy. What happened?"


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_the_fault_is_found(oracle: Oracle, tmp_path: Path, seed: int) -> None:
    home = build_unhurried(tmp_path / "home", seed)
    truth = build_demo(tmp_path / "truth", NOW, seed)
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
