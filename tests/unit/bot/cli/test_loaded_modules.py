"""What commands load: libraries that a command does not use cost every call of it their time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from workers.settings.load import load_settings
from workers.sources.metrics.sample_store import write_store

HEAVY = {
    "anthropic",
    "caldav",
    "celery",
    "fastapi",
    "hassil",
    "icalendar",
    "lightgbm",
    "litellm",
    "matplotlib",
    "networkx",
    "pandas",
    "scipy",
    "slack_bolt",
    "slack_sdk",
    "sklearn",
    "sqlglot",
    "uvicorn",
}
"""Libraries that no question about code or documents needs."""
DECLARED = (".sections", ".contributions")
"""Files that say what a family brings, and load nothing of it."""
AFTER = """
import atexit, json, sys
from pathlib import Path
out = Path(sys.argv.pop(1))
atexit.register(lambda: out.write_text(json.dumps(sorted(sys.modules))))
from bot.cli import main
main()
"""


def modules_after(folder: Path, *args: str) -> tuple[str, set[str]]:
    """What a command printed, and the modules that its process had loaded at its end."""
    out = folder / "modules.json"
    environment = {"ORACLE_HOME": str(folder / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", AFTER, str(out), *args],
        env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, set(json.loads(out.read_text()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with documents."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "payments.md").write_text("# Payments\n\nA payment is retried five times.\n", encoding="utf-8")
    return docs


def test_the_list_of_commands_loads_no_command(tmp_path: Path) -> None:
    printed, loaded = modules_after(tmp_path, "--help")
    assert "ask" in printed
    assert not {n.partition(".")[0] for n in loaded} & (HEAVY | {"numpy", "sqlalchemy", "rapidfuzz", "httpx"})
    used = {n for n in loaded if n.startswith(("workers.agents", "workers.tools", "workers.engine", "bot.cli.ask"))}
    assert not {n for n in used if not n.endswith(DECLARED)}


def test_a_search_loads_no_engine(tmp_path: Path, project: Path) -> None:
    printed, loaded = modules_after(tmp_path, "search", "docs", "retries of payments", "--docs", str(project))
    assert "five times" in printed
    assert not {n.partition(".")[0] for n in loaded} & (HEAVY | {"sqlalchemy"})
    agents = {n for n in loaded if n.startswith("workers.agents.") and not n.endswith(DECLARED)}
    assert not agents | {n for n in loaded if n.startswith(("workers.tools", "workers.engine.run"))}


def test_a_question_loads_no_library_of_other_questions(tmp_path: Path, project: Path) -> None:
    printed, loaded = modules_after(tmp_path, "ask", "how often is a payment retried?", "--docs", str(project))
    assert "doc_search" in printed
    found = {n.partition(".")[0] for n in loaded} & HEAVY
    assert found <= {"icalendar"}, found


def tools_of(loaded: set[str]) -> set[str]:
    """The modules of tools among those that were loaded, by their names in entries."""
    return {n.rpartition(".")[2] for n in loaded if n.startswith("workers.") and ".tools." in n}


def test_a_metric_loads_no_other_tool_no_index_and_no_client_of_the_web(tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    times = np.arange(0, 7_200_000, 15_000, dtype=np.int64) + 1_764_403_200_000
    write_store(samples, [("up", {"service": "shop"}, times, np.ones(len(times)))])
    (tmp_path / "home" / "config").mkdir(parents=True)
    (tmp_path / "home" / "config" / "oracle.yaml").write_text(f"samples: {samples}\n", encoding="utf-8")
    asked = ("metrics", "metric=latency_p95 window=1h", "--json")
    modules_after(tmp_path, *asked)  # makes the database, with the tables of all families
    _, loaded = modules_after(tmp_path, *asked)
    assert tools_of(loaded) == {"metrics"}
    assert not {n.partition(".")[0] for n in loaded} & (HEAVY | {"httpx", "tree_sitter"})
    assert not loaded & {"workers.sources.code.index", "workers.sources.documents.index"}
    assert not {n for n in loaded if n.startswith("workers.agents.") and not n.endswith(DECLARED)}
    assert not loaded & {
        "workers.bootstrap",
        "workers.engine.run",
        "workers.grounding.ground",
        "workers.reasoning.rules",
    }


def test_a_plan_loads_the_tools_whose_names_it_reads_and_those_that_it_plans(tmp_path: Path, project: Path) -> None:
    asked = ("plan", "how often is a payment retried?", "--docs", str(project), "--json")
    printed, loaded = modules_after(tmp_path, *asked)
    entries = load_settings(home=tmp_path / "home").tree.tools
    planned = {step["tool"] for step in json.loads(printed)["plan"]["steps"]}
    assert "doc_search" in planned
    assert tools_of(loaded) <= {entry.module for name, entry in entries.items() if entry.at_start or name in planned}
    assert not tools_of(loaded) & {"threads", "sql", "note_changes", "calendar_changes", "web"}
