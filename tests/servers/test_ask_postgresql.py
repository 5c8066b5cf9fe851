"""The demo with its requests and deploys in a real PostgreSQL."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.scenario.conftest import Oracle, oracle
from tests.scenario.test_ask import SPIKY, check_incident

__all__ = ["oracle"]


def test_demo_ask_and_show_on_postgresql(oracle: Oracle, home: Path, built_demo: Path, postgresql: str) -> None:
    shutil.copytree(built_demo / "deals", home / "deals")  # they lie in no database, and take long to build
    built = oracle("demo", home=home, database=postgresql)
    assert built.code == 0, built.err
    asked = oracle("ask", SPIKY, "--json", home=home, database=postgresql)
    assert asked.code == 0, asked.err
    check_incident(asked.json)
    assert "deploy shop v1.42.0" in asked.json["answer"]["headline"]["text"]
    shown = oracle("show", asked.json["request_id"], "--json", home=home, database=postgresql)
    assert shown.json["answer"] == asked.json["answer"]
    assert not (home / "oracle.db").exists()
