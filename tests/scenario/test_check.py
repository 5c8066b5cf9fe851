"""``oracle check``: short when all is well, and each mistake told once, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenario.conftest import Oracle
from tests.support.tables import sqlite_tables


@pytest.fixture
def home(home: Path) -> Path:
    """ORACLE_HOME with a database and a folder for its configuration."""
    sqlite_tables(home / "oracle.db")
    (home / "config").mkdir()
    return home


def test_what_is_not_connected_is_no_fault(oracle: Oracle, home: Path) -> None:
    ran = oracle("check", home=home)
    assert ran.code == 0
    assert "✗" not in ran.out
    assert "not connected: " in ran.out
    assert len(ran.out.splitlines()) <= 25
    assert "metrics_query: off: no metrics source is connected" in oracle("check", "--all", home=home).out


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        ("repositories:\n  - path: /srv/gone\n", "oracle.yaml:2: repositories.0.path", "/srv/gone does not exist"),
        ("bundle: /srv/gone\n", "oracle.yaml:1: bundle:", "/srv/gone does not exist"),
        ("home_assistant: {url: 'http://127.0.0.1:9'}\n", "oracle.yaml:1: home_assistant.url", "token is empty"),
        ("redis_url: redis://127.0.0.1:9/0\n", "oracle.yaml:1: redis_url: redis does", "nothing listens at its"),
        ("logs: {loki: {url: 'http://127.0.0.1:9'}}\n", "oracle.yaml:1: logs: Loki", "nothing listens at its"),
        ("context: {url: 'sqlite:////srv/gone/x.db'}\n", "oracle.yaml:1: context.url: operations data", "gone/x.db"),
        ("slack: {app_token: xapp-1}\n", "oracle.yaml:1: slack.bot_token is empty", "slack.app_token is set"),
        ("netbox: {url: 'http://127.0.0.1:9', token: x1y2z3}\n", "oracle.yaml:1: netbox.url", "nothing listens at its"),
    ],
)
def test_a_fault_is_told_once_with_its_key(oracle: Oracle, home: Path, text: str, key: str, told: str) -> None:
    (home / "config" / "oracle.yaml").write_text(text)
    ran = oracle("check", home=home)
    assert ran.code == 1
    (fault,) = [line for line in ran.out.splitlines() if line.startswith("✗")]
    assert key in fault
    assert told in fault
    assert "x1y2z3" not in ran.out
    assert len(ran.out.splitlines()) <= 25


def test_asking_tells_of_a_missing_path_in_the_same_words(oracle: Oracle, home: Path) -> None:
    (home / "config" / "oracle.yaml").write_text("documents:\n  - path: /srv/no-docs\n")
    asked = oracle("ask", "how do we roll back?", "--json", home=home)
    lines = [line for line in asked.err.splitlines() if "/srv/no-docs" in line]
    assert len(lines) == 1
    assert lines[0] in oracle("check", home=home).out
