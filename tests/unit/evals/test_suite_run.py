"""What a run makes of its cases: order, sites, crashes."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.support.eval_cases import NOW, write_suite
from workers.errors import ConfigError, ToolUnavailable
from workers.evals.case_score import CaseResult
from workers.evals.cases import Suite, load_suite
from workers.evals.suite_run import Task, chosen, make_tasks, result_of, run_suite
from workers.settings.load import load_settings


def suite_of(folder: Path, *cases: dict[str, Any]) -> Suite:
    """A suite with these cases."""
    full = [{"id": f"c{i}", "question": "why?", "expect": {}, **case} for i, case in enumerate(cases)]
    return load_suite(write_suite(folder, json.dumps(full)))


def one_task(folder: Path) -> Task:
    """A case of recorded results."""
    (task,) = make_tasks(suite_of(folder, {"tools": {}, "now": NOW}), load_settings(home=folder))
    return task


def ended(error: Exception | None = None) -> Future[CaseResult]:
    """A case that ended so."""
    future: Future[CaseResult] = Future()
    if error:
        future.set_exception(error)
    return future


def test_a_crash_is_a_failed_case(tmp_path: Path) -> None:
    result = result_of(ended(KeyError("x")), one_task(tmp_path))
    assert (result.id, result.right, result.wrong) == ("c0", False, ("crashed: KeyError: 'x'",))


@pytest.mark.parametrize("error", [ConfigError("tools.yaml: wrong"), ToolUnavailable("no repository")])
def test_what_concerns_all_cases_ends_the_run(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        result_of(ended(error), one_task(tmp_path))


def test_a_type_of_question_that_no_agent_has_is_named_with_its_case(tmp_path: Path) -> None:
    case = {"tools": {}, "now": NOW, "expect": {"question_type": ["debug_incident", "debug"]}}
    with pytest.raises(
        ConfigError, match=r"c0: expect.question_type: no agent has 'debug'; there are alert_triage, alerting, "
    ):
        run_suite(suite_of(tmp_path, case), load_settings(home=tmp_path), "rules", 1)


def test_cases_of_one_site_stand_together_and_each_has_its_moment(tmp_path: Path) -> None:
    recorded = {"tools": {}, "now": "2026-11-01T10:00:00Z"}
    world = {"world": "worlds/fleet.yaml"}
    suite = suite_of(tmp_path, world, recorded, {**world, "now": "2026-11-20T10:00:00Z"}, recorded)
    tasks = make_tasks(suite, load_settings(home=tmp_path / "home"))
    keys = [task.site.key for task in tasks]
    assert keys == sorted(keys)
    moments = {task.case.id: task.now and task.now.isoformat() for task in tasks}
    assert moments["c0"] == "2026-11-20T15:00:00+00:00"
    assert moments["c2"] == "2026-11-20T10:00:00+00:00"
    assert moments["c1"] == "2026-11-01T10:00:00+00:00"


def test_paths_of_ones_own_sources_are_relative_to_the_suite(tmp_path: Path) -> None:
    source = {"repositories": ["../code", {"path": "/srv/x", "name": "x"}], "documents": ["docs"]}
    (task,) = make_tasks(suite_of(tmp_path / "s", {"source": source}), load_settings(home=tmp_path))
    found = task.site.overrides
    assert [r["path"] for r in found["oracle.repositories"]] == [str(tmp_path / "code"), "/srv/x"]
    assert found["oracle.documents"][0]["path"] == str(tmp_path / "s" / "docs")
    assert found["oracle.samples"] == ""
    assert task.now is None


def test_cases_are_chosen_by_a_part_of_their_id(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, *[{"tools": {}, "now": NOW}] * 12)
    assert [entry.case.id for entry in chosen(suite, "c1")] == ["c1", "c10", "c11"]
