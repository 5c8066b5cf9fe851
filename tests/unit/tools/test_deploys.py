"""deploys through its own functions, on a real repository."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.deployed_history import BEGAN, History, call, deploy, resources, subjects, told
from workers.tools import deploys


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return History(tmp_path_factory.mktemp("deploys") / "till")


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


def test_a_service_that_was_never_deployed_is_said_with_the_nearest_name(home: Path, history: History) -> None:
    output = call(deploys.build({}, resources(home, history, history.deploys())), services="tills")
    assert output.status == "empty"
    assert output.reason == "no deploy of tills is known"
    assert output.nearest == ("till",)
