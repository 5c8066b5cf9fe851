"""Agents are loaded by their entries; every mistake is named at boot, with file and key, and all of them at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from workers.agents import registry
from workers.agents.registry import build_agents, playbook_of, read_module
from workers.bootstrap import build_engine
from workers.contracts import Question
from workers.errors import ConfigError
from workers.ports import AgentModule
from workers.settings.load import load_settings

WHOLE = """
QUESTION_TYPES = {"opening": "when it is open"}
def read_intent(question, landscape, now, playbook): ...
def make_plan(question, intent, landscape, playbook): ...
def write_answer(brief, playbook): ...
"""
ENTRY = "probe:\n  module: {module}\n  task: probe\n  description: Probes.\n  tools: [doc_search]\n"
PATTERN = """
{name}:
  query_intent: other
  question_types: [{kind}]
  agent: {agent}
  steps:
    - {{id: a, tool: {tool}, args: {{query: "{query}"}}, purpose: p}}
    - {{id: {second}, tool: doc_search, args: {{query: x}}, purpose: p, after: [{after}]}}
"""
RIGHT = {
    "name": "probe",
    "kind": "other",
    "agent": "research",
    "tool": "repo_search",
    "query": "x",
    "second": "b",
    "after": "a",
}
Probe = Callable[..., tuple[str, ...]]


@pytest.fixture
def probe(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Probe:
    """Configure an agent of a package of its own. Returns: the mistakes, none when it is loaded."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (home / "config").mkdir()
    package = tmp_path / "probe_agent"
    package.mkdir()

    def configure(
        code: str = WHOLE, more: str = "", patterns: str = "", module: str = "probe_agent"
    ) -> tuple[str, ...]:
        monkeypatch.delitem(sys.modules, "probe_agent", raising=False)
        (package / "__init__.py").write_text(code)
        (package / "patterns.yaml").write_text(patterns)
        (home / "config" / "agents.yaml").write_text(ENTRY.format(module=module) + more)
        try:
            build_agents(load_settings(home=home))
        except ConfigError as error:
            return error.problems
        return ()

    return configure


def test_an_agent_that_exports_what_is_required_is_loaded(probe: Probe, home: Path) -> None:
    assert probe() == ()
    agents = build_agents(load_settings(home=home))
    assert list(agents)[-1] == "probe"
    assert agents["probe"].limits.tools == ("doc_search",)
    assert agents["probe"].module.claim(Question.model_construct(text=""), None) == 0.0  # type: ignore[arg-type]


def test_a_start_reads_each_module_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def count(module: ModuleType, place: str) -> AgentModule:
        read.append(module.__name__)
        return read_module(module, place)

    monkeypatch.setattr(registry, "read_module", count)
    oracle = build_engine(load_settings(home=home))
    oracle.close()
    assert read == [agent.module for agent in load_settings(home=home).tree.agents.values()]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"module": "nowhere.at_all"}, "agents.yaml:2: probe.module: there is no Python package 'nowhere.at_all'"),
        ({"module": "'..'"}, "agents.yaml:2: probe.module: there is no Python package '..'"),
        ({"code": "import nonsuch"}, "probe.module: probe_agent cannot be imported (No module named 'nonsuch')"),
        ({"code": "def :"}, "probe.module: probe_agent cannot be imported (invalid syntax"),
        ({"code": WHOLE.replace("write_answer", "write")}, "probe.module: probe_agent has no write_answer"),
        ({"code": WHOLE + "claim = 3\n"}, "probe.module: probe_agent.claim is no function"),
        ({"code": WHOLE + "VALIDATORS = 3\n"}, "probe.module: probe_agent.VALIDATORS is no mapping"),
        ({"code": WHOLE + "VALIDATORS = {'order': print}\n"}, "VALIDATORS: 'order' is a rule of the engine"),
        ({"code": WHOLE.replace("opening", "Opening!")}, "QUESTION_TYPES: 'Opening!' is not in lower case with"),
        ({"more": "  validators: [politeness]\n"}, "agents.yaml:6: probe.validators: no validator named 'politeness'"),
        ({"more": "  needs: gold\n"}, "agents.yaml:6: probe.needs: no agent's module has a need named 'gold'"),
        ({"patterns": PATTERN.format(**RIGHT | {"agent": "probe", "tool": "doc_search"})}, "has no 'other'; it has o"),
        (
            {"patterns": PATTERN.format(**RIGHT | {"name": "traffic"})},
            "another agent has a pattern named 'traffic' too",
        ),
    ],
)
def test_a_mistake_of_an_agent_is_named_with_file_and_key(probe: Probe, changes: dict[str, str], expected: str) -> None:
    assert any(expected in problem for problem in probe(**changes)), probe(**changes)


def test_all_mistakes_are_named_at_once(probe: Probe, home: Path) -> None:
    (home / "config" / "patterns.yaml").write_text(PATTERN.format(**RIGHT | {"kind": "gossip"}))
    problems = probe(more="  needs: gold\n  validators: [politeness]\n")
    assert len(problems) == 3
    assert len(probe(code="QUESTION_TYPES = {}\n")) == 3


def test_an_entry_without_a_module_is_refused(probe: Probe, home: Path) -> None:
    (home / "config" / "agents.yaml").write_text(ENTRY.format(module="x").replace("  module: x\n", ""))
    with pytest.raises(ConfigError, match=r"agents.yaml:1: probe.module: is required"):
        load_settings(home=home)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"agent": "nobody"}, "patterns.yaml:2: probe.agent: no agent named 'nobody' in agents.yaml"),
        ({"kind": "gossip"}, "patterns.yaml:4: probe.question_types.0: agent 'research' has no 'gossip'; it has"),
        ({"tool": "shell"}, "patterns.yaml:7: probe.steps.0.tool: agent 'research' may not use 'shell'"),
        ({"query": "{user_id}"}, "patterns.yaml:7: probe.steps.0.args: nothing fills the slot {user_id}"),
        ({"second": "a"}, "patterns.yaml:8: probe.steps.1.id: 'a' stands twice"),
        ({"after": "c"}, "patterns.yaml:8: probe.steps.1.after: no earlier step 'c'"),
        ({"after": "b"}, "patterns.yaml:8: probe.steps.1.after: no earlier step 'b'"),
    ],
)
def test_patterns_are_checked_against_agents_and_tools(
    probe: Probe, home: Path, changes: dict[str, str], expected: str
) -> None:
    (home / "config" / "patterns.yaml").write_text(PATTERN.format(**RIGHT | changes))
    assert any(expected in problem for problem in probe()), probe()


def test_a_pattern_belongs_to_the_agent_it_names_or_lies_beside(probe: Probe, home: Path) -> None:
    own = PATTERN.format(**RIGHT | {"name": "hours", "kind": "opening", "tool": "doc_search"})
    assert probe(patterns=own.replace("  agent: research\n", "")) == ()
    more = PATTERN.format(**RIGHT | {"name": "more"}).replace("  agent: research\n", "")
    (home / "config" / "patterns.yaml").write_text(f"{more}hours:\n  query_intent: changed\n")
    settings = load_settings(home=home)
    books = {name: playbook_of(settings, name, agent.limits) for name, agent in build_agents(settings).items()}
    assert list(books["probe"].patterns) == ["hours"]
    assert books["probe"].patterns["hours"].query_intent == "changed"
    assert "more" in books["research"].patterns
    assert not {"more", "hours", "traffic"} & set(books["operations"].patterns)


def test_two_agents_of_one_module_share_its_known_plans(probe: Probe, home: Path) -> None:
    assert probe(module="workers.agents.research", more="  evidence_tokens: 900\n") == ()
    settings = load_settings(home=home)
    limits = build_agents(settings)["probe"].limits
    assert "locate_code" in playbook_of(settings, "probe", limits).patterns


def test_the_first_agent_is_the_default_one_when_none_is_named(home: Path) -> None:
    assert load_settings({"oracle.default_agent": ""}, home=home).default_agent == "research"
    assert load_settings({"oracle.default_agent": "operations"}, home=home).default_agent == "operations"
