"""candidate_causes through its own functions, on a real repository and real samples."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.deployed_history import BEGAN, History, call, resources, subjects, told
from tests.unit.sources.metrics.conftest import store  # noqa: F401 - a fixture
from workers.agents.causes.tools import causes
from workers.contracts import ToolOutput

METRIC = "metric=latency_p95 window=24h endpoint=/pay"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return History(tmp_path_factory.mktemp("causes") / "till")


def role(output: ToolOutput, subject: str) -> str:
    found = next(e for e in output.evidence if e.kind == "change" and e.facts["subject"].value == subject)
    return str(found.facts["role"].value)


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
