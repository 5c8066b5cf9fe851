"""The same question, answered from a real Prometheus filled with the demo's metrics."""

from __future__ import annotations

from pathlib import Path

from tests.scenario.conftest import NOW, Oracle, oracle
from tests.scenario.test_ask import SPIKY, check_incident

__all__ = ["oracle"]


def test_the_spiky_question_on_a_real_prometheus(oracle: Oracle, demo_home: Path, demo_prometheus: str) -> None:
    now = ("--now", NOW.isoformat())
    ran = oracle("ask", SPIKY, "--json", *now, "--prometheus", demo_prometheus, home=demo_home)
    assert ran.code == 0, ran.err
    log = ran.json
    check_incident(log)
    assert log["evidence"][0]["url"].startswith(demo_prometheus)
    embedded = oracle("ask", SPIKY, "--json", *now, home=demo_home).json
    onsets = [x["evidence"][0]["facts"]["onset_at"]["value"] for x in (log, embedded)]
    assert onsets[0] == onsets[1]
    assert oracle("check", "--prometheus", demo_prometheus, home=demo_home).code == 0
