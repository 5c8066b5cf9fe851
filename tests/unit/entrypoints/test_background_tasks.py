"""What families do by the clock: those of slices and of installed packages, timed, run, and let forget."""

from __future__ import annotations

import importlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.support.eve_lines import eve_line, kept, write_lines
from workers.entrypoints.background_tasks import forget_old_rows, load_tasks, reset_tasks, run_task, task_periods
from workers.settings.load import ROOT, Settings, load_settings
from workers.store.database import Database, open_database

QUAY = """
from sqlalchemy import text
from workers.ports import BackgroundTask

def note(database, settings):
    with database.begin() as connection:
        connection.execute(text("create table if not exists tides (height text)"))
        connection.execute(text("insert into tides values ('high')"))
    yield "high tide", True

def forget(database, settings):
    with database.begin() as connection:
        connection.execute(text("delete from tides"))
    yield "old tides forgotten", True

TIDE = BackgroundTask(every_s=lambda settings: 7.0, run=note, forget=forget)
IDLE = BackgroundTask(every_s=lambda settings: None, run=note)

def sink(database, settings):
    raise RuntimeError("the anchor is lost")
    yield

ANCHOR = BackgroundTask(every_s=lambda settings: 9.0, run=sink, forget=sink)
PLAIN = 5
"""
POINTS = """[oracle.tasks]
anchor = quay:ANCHOR
tide = quay:TIDE
idle = quay:IDLE
plain = quay:PLAIN
gone = quay.nowhere:TASK
"""


@pytest.fixture
def quay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an installed package with tasks, some of which are of no use."""
    site = tmp_path / "site"
    about = site / "quay-1.2.dist-info"
    about.mkdir(parents=True)
    (site / "quay.py").write_text(QUAY)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: quay\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    load_tasks.cache_clear()  # the package of another test is equal to this one
    yield site
    load_tasks.cache_clear()
    sys.modules.pop("quay", None)


@pytest.fixture
def settings(prepared_home: Path) -> Settings:
    return load_settings(home=prepared_home)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    opened = open_database(settings.database_url)
    yield opened
    opened.close()


def tides(database: Database) -> int:
    with database.begin() as connection:
        return int(connection.execute(text("select count(*) from tides")).scalar_one())


@pytest.mark.usefixtures("quay")
def test_a_package_brings_a_task(settings: Settings, database: Database, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert task_periods(settings) == {"anchor": 9.0, "tide": 7.0}
    run_task("tide", database, settings)
    run_task("tide", database, settings)
    assert tides(database) == 2
    forget_old_rows(database, settings)
    assert tides(database) == 0
    assert [r.getMessage() for r in caplog.records if "tide: " in r.getMessage()] == [
        "tide: high tide", "tide: high tide", "tide: old tides forgotten",
    ]  # fmt: skip


@pytest.mark.usefixtures("quay")
def test_what_fails_is_told_and_keeps_nobody_from_a_turn(
    settings: Settings, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    run_task("anchor", database, settings)
    run_task("tide", database, settings)
    run_task("unheard of", database, settings)
    forget_old_rows(database, settings)
    assert tides(database) == 0
    assert "the anchor is lost" in caplog.text
    assert "plain of quay 1.2 is no workers.ports.BackgroundTask" in caplog.text
    assert "gone of quay 1.2 cannot be loaded" in caplog.text


def test_logs_of_sensors_are_followed_where_one_is_named(
    prepared_home: Path, database: Database, tmp_path: Path
) -> None:
    assert "sensors" not in task_periods(load_settings(home=prepared_home))
    log = tmp_path / "eve.json"
    moments = (datetime(2020, 2, 1, tzinfo=UTC), datetime.now(UTC))
    write_lines(log, [eve_line(n, at=at) for n, at in enumerate(moments)])
    follow = load_settings({"oracle.suricata": {"eve": [str(log)], "every_s": 3}}, home=prepared_home)
    assert task_periods(follow)["sensors"] == 3
    run_task("sensors", database, follow)
    assert kept(database) == (0, [0, 1])
    forget_old_rows(database, follow)
    assert kept(database) == (0, [1])
    run_task("sensors", database, follow)
    assert kept(database) == (0, [1]), "what was read is not read again"
    reset_tasks(database, follow)
    assert kept(database) == (0, [])
    run_task("sensors", database, follow)
    assert kept(database) == (0, [0, 1])


CLOCK = """
import json
from types import SimpleNamespace
from workers.entrypoints.celery_app import make_app
from workers.entrypoints.tasks import add_tasks
from workers.settings.load import load_settings
from workers.store.database import open_database

settings = load_settings()
database = open_database(settings.database_url)
app = make_app(settings, "memory")
worker = SimpleNamespace(ledger=SimpleNamespace(database=database), oracle=SimpleNamespace(settings=settings))
add_tasks(app, lambda: worker)
rung = {name: entry for name, entry in app.conf.beat_schedule.items() if name.startswith("background ")}
for entry in rung.values():
    app.tasks[entry["task"]](*entry["args"])
queues = {app.conf.task_routes[entry["task"]]["queue"] for entry in rung.values()}
print(json.dumps({"rung": {name: entry["schedule"] for name, entry in rung.items()}, "queues": sorted(queues)}))
"""


def test_the_clock_rings_and_a_worker_runs_it(
    quay: Path, prepared_home: Path, database: Database, tmp_path: Path
) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, [eve_line(n, "alert") for n in range(3)])
    path = os.pathsep.join((str(quay), str(ROOT)))
    env = os.environ | {"PYTHONPATH": path, "ORACLE_HOME": str(prepared_home), "SURICATA_EVE": str(log)}
    done = subprocess.run([sys.executable, "-c", CLOCK], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rung"] == {"background sensors": 5.0, "background anchor": 9.0, "background tide": 7.0}
    assert told["queues"] == ["index"]
    assert kept(database)[0] == 3
    assert tides(database) == 1
