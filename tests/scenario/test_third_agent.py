"""An agent that is no part of the project: a folder and an entry, asked on the command line and through Slack."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployment import ORACLE, Deployment, Slack, run_deployment, run_slack, until

MODULE = """
from workers.contracts import Claim, Draft, Intent, Plan, Step

QUESTION_TYPES = {"opening": "when the canteen is open", "price": "what a dish costs"}
PLAN_SLOTS = frozenset({"question"})
EXAMPLES = ("when does the canteen open on fridays?", "what does lunch cost in the canteen?")


def words(text):
    return {word.strip("?.,").lower() for word in text.split()}


def claim(question, landscape):
    asked = words(question.text)
    return max(len(asked & words(text)) / len(asked | words(text)) for text in EXAMPLES)


def read_intent(question, landscape, now, playbook):
    return Intent(question_type="price" if "cost" in words(question.text) else "opening", subjects=("canteen",))


def make_plan(question, intent, landscape, playbook):
    if intent.question_type == "price":
        step = Step(id="till", tool="metrics_query", args={"query": "metric=price"}, purpose="read the till")
        return Plan(pattern="NOVEL", query_intent="read a price", steps=(step,))
    name, pattern = next(iter(playbook.patterns.items()))
    steps = tuple(
        Step(id=s.id, tool=s.tool, args={"query": question.text}, purpose=s.purpose) for s in pattern.steps
    )
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief, playbook):
    if not brief.evidence:
        return Draft(headline=Claim(template="The documents say nothing of it."), missing=brief.gaps)
    first = brief.evidence[0]
    return Draft(headline=Claim(template=f"See {{{first.id}.heading}} of {{{first.id}.title}}.", evidence=(first.id,)))
"""
PATTERNS = """
canteen_hours:
  query_intent: find the opening hours
  question_types: [opening]
  steps:
    - {id: docs, tool: doc_search, args: {query: "{question}"}, purpose: look into the documents}
"""
ENTRY = """
canteen:
  module: canteen_agent
  task: canteen
  description: The canteen, its opening hours and its menu; reads only.
  tools: [doc_search]
  tool_timeout_ms: 20000
  tools_total_ms: 40000
  validators: [max_steps, tools_allowed]
"""
HOURS = "# Canteen\n\nWhere people eat.\n\n## Opening hours\n\nThe canteen opens at 11:30 from Monday to Friday.\n"
OPENS, COSTS, OTHER = "when does the canteen open?", "what does lunch cost?", "how do we deploy the search service?"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The variables with which every process finds the agent, its entry and a folder of documents."""
    package, config, docs = tmp_path / "more" / "canteen_agent", tmp_path / "config", tmp_path / "docs"
    for folder in (package, config, docs):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text(MODULE)
    (package / "patterns.yaml").write_text(PATTERNS)
    (config / "agents.yaml").write_text(ENTRY)
    (config / "oracle.yaml").write_text(f"documents: [{{path: {docs}}}]\n")
    (docs / "canteen.md").write_text(HOURS)
    return {"PYTHONPATH": f"{tmp_path / 'more'}:{Path.cwd()}", "ORACLE_CONFIG": str(config)}


@pytest.fixture
def team(tmp_path: Path, environment: dict[str, str]) -> Iterator[tuple[Slack, Deployment]]:
    """A local Slack, and bot and worker as processes of their own."""
    with run_slack() as slack, run_deployment(tmp_path / "slack_home", slack, **environment) as deployment:
        deployment.start_all()
        yield slack, deployment


def ask(deployment: Deployment, *arguments: str) -> Any:
    """What ``oracle …`` prints as JSON."""
    done = subprocess.run(
        [ORACLE, *arguments, "--json"], env=deployment.environment, capture_output=True, check=False, text=True
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_it_is_asked_routed_to_and_refused_on_the_command_line(tmp_path: Path, environment: dict[str, str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    deployment = Deployment(home, environment)
    opens = ask(deployment, "ask", OPENS)
    assert opens["route"]["task"] == "canteen"
    assert opens["route"]["tools_allowed"] == ["doc_search"]
    assert (opens["intent"]["question_type"], opens["plan"]["pattern"]) == ("opening", "canteen_hours")
    assert "Opening hours" in opens["answer"]["headline"]["text"]
    assert opens["answer"]["headline"]["evidence"] == ["E1"]
    assert opens["evidence"][0]["kind"] == "doc"
    assert opens["grounded"] is True
    costs = ask(deployment, "ask", COSTS)
    assert costs["answer"]["kind"] == "refusal"
    assert "metrics_query is not a tool of this agent" in costs["answer"]["headline"]["text"]
    assert costs["tool_calls"] == []
    assert ask(deployment, "plan", OTHER)["route"]["task"] == "research"


def test_it_is_asked_routed_to_and_refused_in_slack(team: tuple[Slack, Deployment]) -> None:
    slack, deployment = team
    asked = {text: slack.ask("search", f"@oracle {text}") for text in (OPENS, COSTS)}
    told = {
        text: until(lambda ts=ts: slack.answers("search", ts), f"an answer {deployment.log('worker')[-2000:]}")
        for text, ts in asked.items()
    }
    assert "Opening hours" in json.dumps(told[OPENS])
    assert "doc_search ×1" in json.dumps(told[OPENS], ensure_ascii=False)
    assert "metrics_query is not a tool of this agent" in json.dumps(told[COSTS])
