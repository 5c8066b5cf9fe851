"""``oracle eval`` through the command line: a suite of a world, the demo team and recorded results."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.scenario.conftest import Oracle
from tests.support.eval_cases import write_suite
from tests.support.forked_pool import ForkedContext
from tests.support.model_server.replies import say
from tests.support.model_server.server import run_messages_server
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.feedback import save_feedback
from workers.store.tables import spending

CASES = """\
- id: world-routes
  question: Why did latency spike on /v1/routes after the last deploy?
  world: worlds/fleet.yaml
  expect:
    question_type: debug_incident
    tools: [metrics_query, repo_search]
    cites: [metric, change]
    facts: [/v1/routes, v2.9.1, ["1.9 s", "1.88 s"], Cache geocodes per request]
    not_facts: [all clear]
- id: world-nothing
  question: what is wrong with /v1/zeppelin?
  evidence: missing
  world: worlds/fleet.yaml
  expect: {gaps: [zeppelin], not_facts: [all clear]}
- id: demo-search
  question: Why did latency spike on /api/search after the last deploy?
  now: 2026-11-20T15:00:00Z
  source: {demo: 0}
  expect:
    question_type: debug_incident
    cites: [metric, change, search_service.py]
    facts: [Add result cache to search]
- id: recorded-limit
  question: where is the plan timeout of routes configured?
  now: 2026-11-20T15:00:00Z
  landscape: {repositories: [fleet]}
  tools:
    repo_search:
      - when: {query: "(?i)timeout"}
        output:
          evidence:
            - kind: code
              title: PlanTimeout
              locator: services/routes.go:4-4
              excerpt: const PlanTimeout = 4 * time.Second
              facts:
                path: {value: services/routes.go, unit: path, entity: services/routes.go}
                lines: {value: "services/routes.go:4-4", unit: lines, entity: services/routes.go}
                start_line: {value: 4, unit: line, entity: services/routes.go}
                end_line: {value: 4, unit: line, entity: services/routes.go}
                symbol: {value: PlanTimeout, entity: services/routes.go}
                repository: {value: fleet, entity: services/routes.go}
  expect: {question_type: locate_code, cites: [code, "routes.go:4"], facts: [PlanTimeout, services/routes.go]}
- id: recorded-wrong
  question: restart the routes service
  now: 2026-11-20T15:00:00Z
  tools: {}
  expect: {kind: answer, facts: [restarted]}
"""


@pytest.fixture(autouse=True)
def forked_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes of a run are forked: to spawn one takes seconds of imports."""
    contexts = {"spawn": ForkedContext()}
    monkeypatch.setattr("workers.evals.suite_run.get_context", contexts.__getitem__)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder with a suite."""
    return write_suite(tmp_path / "suite", CASES).parent


def everything(folder: Path) -> set[str]:
    """All files below a folder but the built worlds."""
    found = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return {str(path) for path in found if path.parts[:2] != ("evals", "worlds")}


def test_a_suite_of_all_three_sorts_of_source(oracle: Oracle, suite: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "run.json"
    ran = oracle("eval", str(suite), "--jobs", "1", "--json", str(out))
    assert ran.code == 0, ran.err
    cases = {case["id"]: case for case in json.loads(out.read_text(encoding="utf-8"))["cases"]}
    assert {name: case["wrong"] for name, case in cases.items()} == {
        "world-routes": [],
        "world-nothing": [],
        "demo-search": [],
        "recorded-limit": [],
        "recorded-wrong": ["kind is refusal, expected answer", "lacks 'restarted'"],
    }
    assert list(cases) == ["world-routes", "world-nothing", "demo-search", "recorded-limit", "recorded-wrong"]
    rows = {row[:18].strip(): row[18:].split() for row in ran.out.splitlines()}
    assert rows["all"][:3] == ["5", "80", "%"]
    assert rows["evidence missing"][:3] == ["1", "100", "%"]
    assert "1 of 5 cases are not fully right" in ran.out
    assert "recorded-wrong  kind is refusal, expected answer; lacks 'restarted'" in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert ran.err == ""
    assert everything(home) == set()


def test_several_processes_find_the_same(oracle: Oracle, suite: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert oracle("eval", str(suite), "--only", "world", "--jobs", "1", "--json", str(one)).code == 0
    ran = oracle("eval", str(suite), "--only", "world", "--jobs", "2", "--json", str(two), "--compare", str(one))
    assert ran.code == 0, ran.err
    kept = [[(c["id"], c["answer"], c["wrong"]) for c in json.loads(p.read_bytes())["cases"]] for p in (one, two)]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2
    assert "0 better\n0 worse\n" in ran.out


def test_two_runs_are_compared_and_too_few_right_cases_fail(oracle: Oracle, suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    arguments = ("eval", str(suite), "--only", "recorded", "--jobs", "1", "--reasoner", "rules")
    assert oracle(*arguments, "--json", str(out), "--fail-under", "0.5").code == 0
    assert oracle(*arguments, "--fail-under", "0.51").code == 1
    text = (suite / "cases.yaml").read_text(encoding="utf-8")
    changed = text.replace("kind: answer, facts: [restarted]", "kind: refusal").replace(
        "[PlanTimeout,", "[RouteTimeout,"
    )
    (suite / "cases.yaml").write_text(changed, encoding="utf-8")
    ran = oracle(*arguments, "--compare", str(out))
    assert (
        "1 better\nrecorded-wrong  now right\n1 worse\nrecorded-limit  was right · new: lacks 'RouteTimeout'" in ran.out
    )
    assert re.search(r"kind accuracy +50 % +100 % +\+50.0 points", ran.out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: does not exist"),
        (["SUITE", "--only", "zzz"], "--only: no case of"),
        (["SUITE", "--compare", "none.json"], "--compare: none.json cannot be read"),
        (["SUITE", "--compare", "SUITE/cases.yaml"], "is not what --json writes"),
        (["SUITE", "--reasoner", "claude"], "--reasoner: no language model is connected"),
        (["SUITE", "--reasoner", "gpt"], "--reasoner"),
        (["SUITE", "--export-downvoted"], "is a folder; name the file to write"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(oracle: Oracle, suite: Path, arguments: list[str], said: str) -> None:
    ran = oracle("eval", *(argument.replace("SUITE", str(suite)) for argument in arguments))
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_every_mistake_of_a_suite_is_named(oracle: Oracle, suite: Path) -> None:
    path = suite / "cases.yaml"
    text = path.read_text(encoding="utf-8").replace("id: world-nothing", "id: world-routes").replace("gaps:", "gap:")
    path.write_text(text, encoding="utf-8")
    world = suite / "worlds" / "fleet.yaml"
    world.write_text(world.read_text(encoding="utf-8").replace("p95: 1.9", "p95: 0.1"), encoding="utf-8")
    ran = oracle("eval", str(suite))
    assert ran.code == 2
    assert "cases.yaml: world-routes: expect.gap: unknown key" in ran.err
    assert "fleet.yaml: metrics.0.latency: p95 (0.1) must be greater than p50 (0.3)" in ran.err


def test_a_source_that_cannot_be_read_ends_the_run(oracle: Oracle, tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    case = {"id": "a", "question": "where is the timeout?", "source": {"repositories": ["./none"]}, "expect": {}}
    path.write_text(json.dumps([case]), encoding="utf-8")
    ran = oracle("eval", str(path), "--jobs", "1")
    assert ran.code == 1
    assert "none does not exist" in ran.err


SPENT = """\
- id: refused
  question: restart the routes service
  now: 2026-11-20T15:00:00Z
  tools: {}
  expect: {kind: refusal}
- id: asked
  question: where is the plan timeout of routes configured?
  now: 2026-11-20T15:00:00Z
  tools: {}
  expect: {}
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_model_is_paid_from_the_budget_of_the_day_and_a_run_ends_with_it(
    oracle: Oracle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    home, path = tmp_path / "home", tmp_path / "cases.yaml"
    path.write_text(SPENT, encoding="utf-8")
    (home / "config").mkdir(parents=True)
    (home / "config" / "models.yaml").write_text("budget: {day_tokens: 300}\n", encoding="utf-8")
    with run_messages_server(models=None) as server:
        server.on(lambda _: True, say("I would rather not say."))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        first, second = (oracle("eval", str(path), "--reasoner", "claude", "--jobs", jobs, home=home) for _ in range(2))
        assert len(server.requests) == 1
    for ran in (first, second):
        assert ran.code == 1
        assert ran.err.strip() == "stopped after 1 of 2 cases: today's budget for everybody is used up"
        assert re.search(r"^all +1 +100 %", ran.out, re.MULTILINE)
    database = open_database(load_settings(home=home).database_url)
    with database.begin() as connection:
        assert connection.execute(select(spending.c.tokens)).scalar_one() >= 300
    database.close()


def test_bad_answers_become_cases_that_run(oracle: Oracle, demo_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    questions = (
        "Latency on /api/search has been spiky since yesterday's deploy. What's going on?",
        "where is the retry policy of the payment client?",
        "something is broken, help",
        "why is /api/zeppelin slow?",
    )
    lines = "\n".join(json.dumps({"text": text}) for text in questions)
    logs = [json.loads(line) for line in oracle("ask", "-", home=demo_home, stdin=lines).out.splitlines()]
    assert len(logs) == len(questions)
    database = open_database(load_settings(home=demo_home).database_url)
    for log in logs:
        save_feedback(database, log["request_id"], "T1", "U1", "bad", "incomplete", "AKIAIOSFODNN7EXAMPLE is missing")
    database.close()
    assert "4 new cases" in oracle("eval", str(file), "--export-downvoted", home=demo_home).out
    assert "0 new cases" in oracle("eval", str(file), "--export-downvoted", home=demo_home).out
    assert "AKIAIOSFODNN7EXAMPLE" not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    out = tmp_path / "run.json"
    ran = oracle("eval", str(file), "--jobs", "1", "--json", str(out), home=demo_home)
    assert ran.code == 0, ran.err
    cases = {case["id"]: case for case in json.loads(out.read_bytes())["cases"]}
    for log in logs:
        case = cases[f"down-{log['request_id']}"]
        assert case["wrong"] == []
        first, _, _ = log["answer"]["headline"]["text"].partition(". ")  # the names that exist besides are not kept
        assert case["answer"].startswith(first)


def test_a_run_leaves_no_thread_and_no_folder(
    oracle: Oracle, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = set(threading.enumerate())
    assert oracle("eval", str(suite), "--only", "recorded", "--jobs", "1").code == 0
    assert list(scratch.iterdir()) == []
    assert {t for t in threading.enumerate() if t.name.startswith("eval")} <= before
