"""A demo team built once a session, and the command line run in this process."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from bot.cli import main
from bot.cli.demo import build
from tests.support.run_once import build_once
from tests.support.tables import sqlite_tables
from workers.agents.operations.source.database import open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.bootstrap import Oracle as Built
from workers.bootstrap import build_engine
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW = datetime.fromisoformat(os.environ["RUN_STARTED_AT"])
"""When this run began, in all its processes."""
expect.set_options(timeout=120_000)  # how long a page is waited for where other work fills the machine


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


Oracle = Callable[..., Ran]


def copy_demo(built: Path, home: Path) -> Path:
    """An ORACLE_HOME of its own whose configuration points at a demo that was built."""
    shutil.copytree(built / "config", home / "config")
    shutil.copy(built / "oracle.db", home / "oracle.db")
    return home


def build_unhurried(home: Path, seed: int) -> Path:
    """``home`` with the demo of ``seed``, whose tools have time on a machine full of tests."""
    build(home, NOW, seed)
    give_time(home)
    return home


def give_time(home: Path) -> None:
    """Tools may take long on a machine full of tests."""
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "agents.yaml").write_text("research: {tool_timeout_ms: 60000, tools_total_ms: 120000}\n")


@pytest.fixture(scope="module")
def module_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ORACLE_HOME of a module, whose database has its tables, all empty at first."""
    home = tmp_path_factory.mktemp("module-home")
    sqlite_tables(home / "oracle.db")
    return home


@pytest.fixture(scope="session")
def team_home(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ORACLE_HOME with the data of an invented team, which has one active incident."""
    built = build_once(run_folder / "built-team", fill_context)
    home = tmp_path_factory.mktemp("team")
    shutil.copy(built / "context.db", home)
    sqlite_tables(home / "oracle.db")
    return home


def fill_context(home: Path) -> None:
    """The team's data."""
    database = open_writing(f"sqlite:///{home / 'context.db'}")
    fill(database, NOON, 0, 20_000)
    refresh_hours(database)
    database.close()


@pytest.fixture(scope="session")
def team(team_home: Path) -> Iterator[Built]:
    """An engine on that data."""
    oracle = build_engine(load_settings(home=team_home), clock=SystemClock(NOON))
    yield oracle
    oracle.close()


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Oracle:
    """Run ``oracle …`` on an ORACLE_HOME."""

    def run(*args: str, home: Path | None = None, stdin: str = "", database: str = "") -> Ran:
        own = Path(os.environ["ORACLE_HOME"])
        if home is None and not own.exists():  # tables are copied, as to make them takes long
            own.mkdir()
            sqlite_tables(own / "oracle.db")
        monkeypatch.setenv("ORACLE_HOME", str(home or os.environ["ORACLE_HOME"]))
        for name in ("ORACLE_CONFIG", "PROMETHEUS_URL", "DATABASE_URL", "ORACLE_TIMEZONE"):
            monkeypatch.delenv(name, raising=False)
        if database:
            monkeypatch.setenv("DATABASE_URL", database)
        monkeypatch.setattr(sys, "argv", ["oracle", *args])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return Ran(int(stop.value.code or 0), printed.out, printed.err)

    return run
