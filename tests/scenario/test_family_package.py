"""examples/family: a package of its own, which pip installs into a folder, asked by ``oracle`` in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.tables import sqlite_tables
from workers.settings.load import ROOT

FAMILY = ROOT / "examples" / "family"
COUNTERS = {
    "updated": "2026-11-21T08:30:00Z",
    "levels": [
        {"name": "North", "total": 90, "free": 7, "free_chargers": 5},
        {"name": "South", "total": 40, "free": 19, "free_chargers": 0},
    ],
}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip installed it into."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    how = ["--no-index", "--no-build-isolation", "--no-deps", "--target", str(folder), str(FAMILY)]
    done = subprocess.run([*pip, *how], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def run(site: Path, home: Path) -> Run:
    """A module of Python with the package on its path, on an ORACLE_HOME whose tables are made."""
    if not (home / "oracle.db").exists():
        home.mkdir(exist_ok=True)
        sqlite_tables(home / "oracle.db")

    def command(*args: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(site), str(ROOT)))
        env = os.environ | {"PYTHONPATH": path, "ORACLE_HOME": str(home), "PYTHONWARNINGS": ""}
        return subprocess.run([sys.executable, *args], cwd=ROOT, env=env, capture_output=True, text=True, check=False)

    return command


def oracle(run: Run, *args: str, code: int = 0) -> Any:
    """What a command of ``oracle`` prints as JSON."""
    done = run("-c", "from bot.cli import main; main()", *args, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def connect(home: Path, source: str) -> None:
    """Name where the counters are."""
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(f"garage: {{source: '{source}'}}\n")
    (home / "config" / "agents.yaml").write_text("garage: {tool_timeout_ms: 60000, tools_total_ms: 60000}\n")
    (home / "config" / "tools.yaml").write_text("garage_levels: {timeout_ms: 60000}\n")


@contextmanager
def served(payload: dict[str, Any]) -> Iterator[str]:
    """The address of a server that answers every GET with a JSON object."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(payload).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/counters"
        server.shutdown()
        thread.join()


def test_a_question_finds_the_agent_of_the_package_and_is_answered_with_evidence(
    run: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "counters.json").write_text(json.dumps(COUNTERS))
    connect(home, str(tmp_path / "counters.json"))
    told = oracle(run, "ask", "where is parking left this morning?")
    assert (told["route"]["task"], told["plan"]["pattern"]) == ("garage", "garage_now")
    assert told["answer"]["headline"]["text"] == "19 spaces are free on level South."
    assert told["answer"]["metrics"][0]["text"] == "7 spaces are free on level North."
    assert [call["name"] for call in told["tool_calls"]] == ["garage_levels"]
    (cited,) = told["answer"]["headline"]["evidence"]
    assert {e["id"]: e["locator"] for e in told["evidence"]}[cited] == "garage:South"
    assert told["grounded"] is True
    other = oracle(run, "plan", "where is the retry policy of the payment client configured?")
    assert other["route"]["task"] == "research"


def test_its_tool_reads_an_address_too_and_check_tells_of_the_package(run: Run, home: Path) -> None:
    with served(COUNTERS) as address:
        connect(home, address)
        told = oracle(run, "ask", "is a charger free in North?")
        rows = {row["name"]: row for row in oracle(run, "check")["checks"]}
    assert told["answer"]["headline"]["text"] == "5 chargers are free on level North."
    assert told["evidence"][0]["url"] == address
    assert rows["oracle-garage 0.1.0"]["detail"] == "agents: garage; tools: garage_levels; settings: garage"
    assert (rows["garage_levels"]["ok"], rows["garage_levels"]["detail"]) == (True, "2 levels")


def test_without_its_data_it_says_what_to_connect(run: Run) -> None:
    told = oracle(run, "ask", "which parking levels have room?", "--agent", "garage")
    assert "garage.source" in json.dumps(told["answer"])
    assert told["tool_calls"] == []


def test_the_tests_of_the_package_pass_where_it_is_installed(run: Run) -> None:
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(FAMILY / "tests"))
    assert done.returncode == 0, done.stdout
    assert "...." in done.stdout
