"""What installed packages bring by their entry points, and how one that is broken leaves the others alone."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.cli.check import check, check_packages, check_plans, check_tools
from tests.support.each_row import each_row
from workers.agents.registry import build_agents
from workers.bootstrap import build_engine
from workers.errors import ConfigError
from workers.settings.load import load_settings
from workers.settings.schema import Section

AGENT = """
QUESTION_TYPES = {"brew": "what is brewing"}
def read_intent(question, landscape, now, playbook): ...
def make_plan(question, intent, landscape, playbook): ...
def write_answer(brief, playbook): ...
"""
TOOL = """
from workers.contracts import ToolOutput
from workers.toolkit.tool import Tool, ToolArgs
def build(options, resources):
    return Tool(name="kettles", description="d", access="read", args=ToolArgs, run=lambda args, context: ToolOutput())
"""
SECTION = """
from workers.settings.schema import Section
class Kitchen(Section):
    address: str = ""
    most: int = 3
"""
AGENTS_FILE = "{agent}:\n  task: {agent}\n  description: Tea.\n  tools: [{tool}]\n"
PATTERNS = """
{agent}_now:
  query_intent: see
  question_types: [brew]
  steps:
    - {{id: a, tool: {tool}, args: {{}}, purpose: look}}
"""
URN = """
from workers.ports import BackgroundTask
LEAF = 3
def brew(*given): ...
TASK = BackgroundTask(every_s=brew, run=brew)
"""
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Lay a package down as pip does: its code, and its metadata beside it."""
    laid: list[str] = []

    def lay(package: str, agent: str = "tea", tool: str = "kettles", section: str = "kitchen", **changed: str) -> Path:
        laid.append(package)
        site = tmp_path / f"site-{package}"
        code, metadata = site / package, site / f"{package}-1.2.dist-info"
        code.mkdir(parents=True)
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        points = {
            "oracle.agents": f"{agent} = {package}",
            "oracle.tools": f"{tool} = {package}.tools",
            "oracle.settings": f"{section} = {package}.settings:Kitchen",
        }
        (metadata / "entry_points.txt").write_text("".join(f"[{group}]\n{line}\n" for group, line in points.items()))
        files = {
            "__init__.py": AGENT,
            "tools.py": TOOL.replace("kettles", tool),
            "settings.py": SECTION,
            "agents.yaml": AGENTS_FILE.format(agent=agent, tool=tool),
            "patterns.yaml": PATTERNS.format(agent=agent, tool=tool),
        }
        for name, text in (files | {n.replace("__", "."): t for n, t in changed.items()}).items():
            (code / name.replace("init.py", "__init__.py")).write_text(text)
        monkeypatch.syspath_prepend(site)
        return code

    yield lay
    for module in [name for name in sys.modules if name.partition(".")[0] in laid]:
        del sys.modules[module]


def refused(home: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(home=home)
    return "\n".join(caught.value.problems)


def configure(home: Path, **files: str) -> None:
    (home / "config").mkdir(exist_ok=True)
    for name, text in files.items():
        (home / "config" / f"{name}.yaml").write_text(text)


def test_agents_tools_plans_and_settings_of_a_package_are_there(install: Install, home: Path) -> None:
    code = install("tea_house")
    configure(home, oracle="kitchen: {address: here}\n", agents="tea: {max_steps: 3}\n")
    settings = load_settings(home=home)
    agent = build_agents(settings)["tea"]
    assert (agent.limits.tools, agent.limits.max_steps) == (("kettles",), 3)
    assert settings.tree.patterns["tea_now"].agent == "tea"
    assert settings.where("agents.tea.task") == f"{code / 'agents.yaml'}:2"
    assert settings.where("tools.kettles.module") == "tea_house 1.2"
    kitchen = settings.section(type(settings.tree.sections["kitchen"]))
    assert kitchen.model_dump() == {"address": "here", "most": 3}
    assert '"address":"here"' in settings.tree.model_dump_json()
    oracle = build_engine(settings)
    oracle.close()
    assert "kettles" in oracle.toolbox.tools


def test_a_mistake_in_a_section_is_named_with_its_line(install: Install, home: Path) -> None:
    install("tea_room")
    configure(home, oracle="kitchen:\n  most: many\n  colour: red\n")
    told = refused(home)
    assert "oracle.yaml:2: kitchen.most: must be a whole number" in told
    assert "oracle.yaml:3: kitchen.colour: unknown key" in told


def test_a_section_that_no_package_names_is_none(home: Path) -> None:
    class Nowhere(Section):
        pass

    with pytest.raises(ConfigError, match="no installed package names"):
        load_settings(home=home).section(Nowhere)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"tools__py": "import no_such_library\n"}, "tea_shed.tools cannot be imported (No module named 'no_such_lib"),
        ({"init__py": "raise KeyError('leaf')\n"}, "tea_shed cannot be imported (KeyError: 'leaf')"),
        ({"init__py": "raise SystemExit(3)\n"}, "tea_shed cannot be imported (SystemExit: 3)"),
        ({"settings__py": "Kitchen = 3\n"}, "tea_shed.settings:Kitchen is no subclass of"),
        ({"agents__yaml": ""}, "tea_shed/agents.yaml: tea: description, task, tools are required of a new entry"),
        (
            {"agents__yaml": AGENTS_FILE.format(agent="tea", tool="x") + "  max_step: 3\n"},
            "tea.max_step: unknown key; did",
        ),
        ({"agents__yaml": AGENTS_FILE.format(agent="milk", tool="x")}, "milk is no entry point of oracle.agents"),
        (
            {"tools__yaml": "kettles: {timeout_ms: soon}\n"},
            "tools.yaml:1: kettles.timeout_ms: must be a whole number, and is 'soon'",
        ),
    ],
)
def test_a_broken_package_is_left_out_and_takes_nothing_else_down(
    install: Install, home: Path, changed: dict[str, str], why: str
) -> None:
    install("coffee_bar", agent="coffee", tool="mills", section="beans")
    install("tea_shed", **changed)
    configure(
        home,
        oracle="kitchen: {address: here}\n",
        agents="tea: {max_steps: 3}\nresearch: {tools: [repo_search, kettles]}\n",
        tools="kettles: {timeout_ms: 900}\ndoc_search: {agents: [tea, coffee]}\n",
        patterns="",
    )
    settings = load_settings(home=home)
    assert {"tea"} & set(settings.tree.agents) == set()
    assert {"coffee", "research"} <= set(settings.tree.agents)
    assert settings.tree.agents["research"].tools == ("repo_search",)
    assert settings.tree.tools["doc_search"].agents == ("coffee",)
    assert {"tea_now", "coffee_now"} & set(settings.tree.patterns) == {"coffee_now"}
    told = {family.package: family.line for family in settings.families}
    assert why in told["tea_shed 1.2"]
    assert told["coffee_bar 1.2"] == "agents: coffee; tools: mills; settings: beans"


def test_check_tells_of_a_broken_package_in_one_sentence(
    install: Install, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install("tea_hut", tools__py="import no_such_library\n")
    with pytest.raises(BaseException, match="1"):
        check()
    out = capsys.readouterr().out
    assert out.count("left out") == 1
    assert "tea_hut 1.2: " in out
    assert "left out: tea_hut.tools cannot be imported (No module named 'no_such_library')" in out


@pytest.mark.parametrize(
    ("second", "kind"),
    [({"agent": "tea"}, "agents"), ({"tool": "kettles"}, "tools"), ({"section": "kitchen"}, "settings")],
)
def test_two_packages_with_one_name_are_both_named(
    install: Install, home: Path, second: dict[str, str], kind: str
) -> None:
    install("leaf_one")
    install("leaf_two", **({"agent": "coffee", "tool": "mills", "section": "beans"} | second))
    (name,) = second.values()
    assert f"oracle.{kind}: leaf_one 1.2 and leaf_two 1.2 both bring {name!r}" in refused(home)


@pytest.mark.parametrize("taken", [{"agent": "research"}, {"tool": "repo_search"}, {"section": "vault"}])
def test_a_name_of_this_project_is_taken(install: Install, home: Path, taken: dict[str, str]) -> None:
    install("leaf_three", **taken)
    (name,) = taken.values()
    assert f"oracle-on-call and leaf_three 1.2 both bring {name!r}" in refused(home)


@each_row(
    "points, why",
    [
        ("[oracle.commands]\nbrew = urn:bru\n", "oracle.commands: brew: the module urn has no 'bru'"),
        ("[oracle.commands]\nbrew = urns:brew\n", "oracle.commands: brew: there is no Python module 'urns'"),
        ("[oracle.commands]\nbrew = urn:LEAF\n", "oracle.commands: brew: urn:LEAF is no function"),
        ("[oracle.commands]\nask = urn:brew\n", "oracle.commands: Oracle has 'ask' already: rename it"),
        ("[oracle.commands]\ndeals = urn:brew\n", "oracle.commands: deals has 'deals' already: rename it"),
        (
            "[oracle.subcommands]\nstatus ID = urn:brew\n",
            "oracle.subcommands: Oracle has 'status ID' already: rename it",
        ),
        ("[oracle.tasks]\nbrew = urn:brew\n", "oracle.tasks: brew: urn:brew is no workers.ports.BackgroundTask"),
        ("[oracle.tasks]\nbrew = urn:TASK\n[oracle.task]\nx = y\n", "left out: oracle.task: unknown group of entry"),
        ("[oracle.tasks]\nbrew = urn:TASK\n[oracle.demo]\nbrew = urn:brew\n", "demo: brew; tasks: brew"),
    ],
)
def test_what_of_a_package_cannot_be_used_is_told_by_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: str, why: str
) -> None:
    site = Path(tempfile.mkdtemp(dir=tmp_path))
    (site / "urn.py").write_text(URN)
    about = site / "urn-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: urn\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(points)
    with monkeypatch.context() as path:
        path.syspath_prepend(site)
        (told,) = check_packages(load_settings(home=tmp_path))
    assert why in told.detail
    assert told.ok == why.startswith("demo")


def test_an_argument_that_a_tool_does_not_have_is_told_with_its_line(install: Install, home: Path) -> None:
    install("tea_pot", patterns__yaml=PATTERNS.format(agent="tea", tool="kettles").replace("{}", "{heat: 9}"))
    oracle = build_engine(load_settings(home=home))
    oracle.close()
    (told,) = check_plans(oracle)
    assert told.name.endswith("patterns.yaml:6")
    assert told.detail == "tea_now.steps.0.args: kettles has no argument 'heat'"


def test_a_ping_that_fails_in_a_way_of_its_own_keeps_no_other_from_being_asked(install: Install, home: Path) -> None:
    install("tea_cup", tools__py=TOOL.replace("ToolOutput())", "ToolOutput(), ping=lambda: {}['leaf'])"))
    oracle = build_engine(load_settings(home=home))
    oracle.close()
    told = {row.name: row for row in check_tools(oracle)}
    assert (told["kettles"].ok, told["kettles"].detail) == (False, "its ping raised KeyError: 'leaf'")
    assert told["repo_search"].ok


def test_a_default_agent_that_is_left_out_is_told_with_the_reason(install: Install, home: Path) -> None:
    install("tea_van", init__py="import no_such_library\n")
    configure(home, oracle="default_agent: tea\n")
    told = refused(home)
    assert "default_agent: no agent named 'tea'" in told
    assert "tea_van 1.2 is left out: tea_van cannot be imported" in told
