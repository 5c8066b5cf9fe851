"""A repository whose culprit was committed days before it was merged, its deploys, and tools that read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.support.git_repositories import commit, make_repository, run_git
from tests.support.metric_shapes import END, options
from tests.unit.sources.metrics.conftest import ONSET
from workers.contracts import Deploy, Evidence, ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool

NOW = datetime.fromtimestamp(END, UTC)
BEGAN = datetime.fromtimestamp(ONSET, UTC)
CONTEXT = ToolContext("r1", "research", NOW)
CLIENT = """
def fetch(connection, query):
    rows = connection.run(query, timeout=5)
    return [row for row in rows if row.visible]
"""
SLOW = """
def fetch(connection, query):
    rows = connection.run(query, timeout=600)
    return [connection.run(detail(row), timeout=600) for row in rows]
"""


class History:
    """A repository whose culprit was committed days before it was merged, and its deploys."""

    def __init__(self, folder: Path) -> None:
        self.folder = make_repository(folder, {"till/client.py": CLIENT, "README.md": "Till"}, NOW - timedelta(days=9))
        self.first = run_git(folder, "rev-parse", "HEAD").strip()
        run_git(folder, "checkout", "-q", "-b", "details")
        self.culprit = commit(folder, {"till/client.py": SLOW}, "Read details of rows", NOW - timedelta(days=5))
        run_git(folder, "checkout", "-q", "main")
        self.second = commit(folder, {"README.md": "Till, again"}, "Say more", BEGAN - timedelta(hours=8))
        run_git(folder, "merge", "-q", "--no-ff", "-m", "Merge details", "details", at=BEGAN - timedelta(minutes=40))
        self.third = run_git(folder, "rev-parse", "HEAD").strip()
        self.newest = commit(folder, {"README.md": "Till."}, "Fix a comma", BEGAN - timedelta(minutes=5))

    def deploys(self) -> list[Deploy]:
        return [
            deploy("v1", self.first, BEGAN - timedelta(days=2)),
            deploy("v2", self.second, BEGAN - timedelta(hours=7)),
            deploy("v3", self.third, BEGAN - timedelta(minutes=30)),
            deploy("v4", self.newest, BEGAN - timedelta(minutes=3)),
        ]


def deploy(version: str, commit: str, at: datetime, service: str = "till", **more: Any) -> Deploy:
    return Deploy(service=service, version=version, commit=commit, at=at, **more)


def resources(home: Path, history: History, known: Sequence[Deploy], **core: Any) -> Resources:
    given = {"oracle.repositories": [{"path": str(history.folder)}], **{f"oracle.{k}": v for k, v in core.items()}}
    metrics = {f"tools.metrics_query.options.{name}": value for name, value in options().items()}
    settings = load_settings({**given, **metrics}, home=home)

    def between(start: datetime, end: datetime) -> tuple[Deploy, ...]:
        return tuple(d for d in known if start <= d.at <= end)

    return Resources(settings, between, deploys_anywhere=between)


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


def subjects(output: ToolOutput) -> list[str]:
    return [str(e.facts["subject"].value) for e in output.evidence if e.kind == "change"]


def told(output: ToolOutput, kind: str) -> list[Evidence]:
    return [e for e in output.evidence if e.kind == kind]
