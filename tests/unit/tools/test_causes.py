"""deploys and candidate_causes through their own functions, on a real repository and real samples."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from tests.support.metric_shapes import END, options
from tests.unit.sources.metrics.conftest import ONSET, store  # noqa: F401 - a fixture
from workers.contracts import Deploy, Evidence, ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools import causes, deploys

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


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return History(tmp_path_factory.mktemp("causes") / "till")


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


def role(output: ToolOutput, subject: str) -> str:
    found = next(e for e in output.evidence if e.kind == "change" and e.facts["subject"].value == subject)
    return str(found.facts["role"].value)


def told(output: ToolOutput, kind: str) -> list[Evidence]:
    return [e for e in output.evidence if e.kind == kind]


def test_a_deploy_brought_what_lies_between_the_commits_whenever_that_was_made(home: Path, history: History) -> None:
    tool = deploys.build({}, resources(home, history, history.deploys()))
    output = call(tool, services="till", until=BEGAN.isoformat())
    assert "Read details of rows" in subjects(output)
    (found,) = [e for e in told(output, "change") if e.facts["subject"].value == "Read details of rows"]
    assert found.facts["carried_by"].value == "till v3"
    assert [e.facts["version"].value for e in told(output, "deploy")] == ["v4", "v3", "v2"]


def test_what_was_deployed_later_or_elsewhere_does_not_count(home: Path, history: History) -> None:
    known = [*history.deploys()[:2], deploy("v3", history.third, BEGAN - timedelta(hours=1), environment="staging")]
    tool = deploys.build({}, resources(home, history, [*known, deploy("v4", history.newest, BEGAN + timedelta(1))]))
    output = call(tool, until=BEGAN.isoformat())
    assert [e.facts["version"].value for e in told(output, "deploy")] == ["v2", "v1"]
    assert "Read details of rows" not in subjects(output)


def test_a_rollback_says_that_it_took_commits_away(home: Path, history: History) -> None:
    back = deploy("v2", history.second, BEGAN - timedelta(minutes=1))
    tool = deploys.build({}, resources(home, history, [*history.deploys(), back]))
    newest = told(call(tool, services="till", until=BEGAN.isoformat()), "deploy")[0]
    assert newest.facts["version"].value == "v2"
    assert "rollback" in newest.facts


def test_commits_are_found_by_time_where_the_one_before_is_not_known(home: Path, history: History) -> None:
    known = [deploy("v9", "f" * 40, BEGAN - timedelta(hours=9)), *history.deploys()[3:]]
    output = call(deploys.build({}, resources(home, history, known)), services="till", until=BEGAN.isoformat())
    newest = told(output, "deploy")[0]
    assert newest.facts["alone"].value == "the commit of the deploy before it is not known"
    assert "Fix a comma" in subjects(output)


def test_without_deploys_the_commits_of_the_span_are_told(home: Path, history: History) -> None:
    tool = deploys.build({}, resources(home, history, ()))
    since = (BEGAN - timedelta(hours=9)).isoformat()
    assert subjects(call(tool, since=since, until=BEGAN.isoformat()))[-1:] == ["Say more"]


METRIC = "metric=latency_p95 window=24h endpoint=/pay"


def test_the_commit_that_can_do_it_is_the_cause_and_not_the_newest(
    home: Path,
    history: History,
    store: Path,  # noqa: F811
) -> None:
    tool = causes.build({}, resources(home, history, history.deploys(), samples=str(store)))
    output = call(tool, question="why are queries of /pay slow", metric=METRIC)
    assert output.data["commit"] == history.culprit
    assert role(output, "Read details of rows") == "cause"
    assert role(output, "Fix a comma") == "ruled out"
    (verdict,) = told(output, "incident")
    assert verdict.facts["cause_kind"].value == "commit"


def test_nothing_is_blamed_when_only_documents_went_out(home: Path, history: History, store: Path) -> None:  # noqa: F811
    known = [history.deploys()[2].model_copy(update={"at": BEGAN - timedelta(days=30)}), history.deploys()[3]]
    tool = causes.build({}, resources(home, history, known, samples=str(store)))
    output = call(tool, question="why are queries of /pay slow", metric=METRIC)
    assert output.data["commit"] == "none"
    assert subjects(output) == ["Fix a comma"]


def test_what_did_not_move_has_no_cause(home: Path, history: History, store: Path) -> None:  # noqa: F811
    tool = causes.build({}, resources(home, history, history.deploys(), samples=str(store)))
    output = call(tool, question="is anything wrong", metric="metric=latency_p95 window=24h endpoint=/status")
    assert not told(output, "incident")
    assert told(output, "deploy")


def test_a_service_that_was_never_deployed_is_said_with_the_nearest_name(home: Path, history: History) -> None:
    output = call(deploys.build({}, resources(home, history, history.deploys())), services="tills")
    assert output.status == "empty"
    assert output.reason == "no deploy of tills is known"
    assert output.nearest == ("till",)
