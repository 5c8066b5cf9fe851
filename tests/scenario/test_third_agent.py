"""An agent that is no part of the project: a folder and an entry, asked on the command line and through Slack."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenario.conftest import Oracle
from tests.support.one_process import run_house
from tests.support.slack_payloads import wait_for
from tests.support.tables import sqlite_tables
from workers.entrypoints.tasks import take

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
def home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """ORACLE_HOME with the agent's entry and a folder of documents; its module is on the path of this process."""
    package, config, docs = tmp_path / "more" / "canteen_agent", home / "config", tmp_path / "docs"
    for folder in (package, config, docs):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text(MODULE)
    (package / "patterns.yaml").write_text(PATTERNS)
    (config / "agents.yaml").write_text(ENTRY)
    (config / "oracle.yaml").write_text(f"documents: [{{path: {docs}}}]\n")
    (docs / "canteen.md").write_text(HOURS)
    monkeypatch.syspath_prepend(tmp_path / "more")
    yield home
    sys.modules.pop("canteen_agent", None)


def test_it_is_asked_routed_to_and_refused_on_the_command_line(home: Path, oracle: Oracle) -> None:
    opens = oracle("ask", OPENS, "--json", home=home).json
    assert opens["route"]["task"] == "canteen"
    assert opens["route"]["tools_allowed"] == ["doc_search"]
    assert (opens["intent"]["question_type"], opens["plan"]["pattern"]) == ("opening", "canteen_hours")
    assert "Opening hours" in opens["answer"]["headline"]["text"]
    assert opens["answer"]["headline"]["evidence"] == ["E1"]
    assert opens["evidence"][0]["kind"] == "doc"
    assert opens["grounded"] is True
    costs = oracle("ask", COSTS, "--json", home=home).json
    assert costs["answer"]["kind"] == "refusal"
    assert "metrics_query is not a tool of this agent" in costs["answer"]["headline"]["text"]
    assert costs["tool_calls"] == []
    assert oracle("plan", OTHER, "--json", home=home).json["route"]["task"] == "research"


def test_it_is_asked_routed_to_and_refused_in_slack(home: Path) -> None:
    sqlite_tables(home / "oracle.db")
    told: dict[str, str] = {}
    with run_house(home) as house:
        for text in (OPENS, COSTS):
            ts = house.say("search", f"@oracle {text}", user="you")
            take(house.worker, wait_for(lambda: house.asked).pop(0))
            told[text] = json.dumps(house.slack.answers("search", ts), ensure_ascii=False)
    assert "Opening hours" in told[OPENS]
    assert "doc_search ×1" in told[OPENS]
    assert "metrics_query is not a tool of this agent" in told[COSTS]
