"""config/tools.yaml -> tools."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import workers.tools
from tests.support.toolkit_parts import make_context, make_limits
from workers.errors import ConfigError, ToolUnavailable
from workers.settings.load import Settings, load_settings
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources
from workers.toolkit.toolbox import build_toolbox

GOOD = """
    from pydantic import BaseModel, ConfigDict, Field
    from workers.contracts import ToolOutput
    from workers.toolkit.tool import Tool, ToolArgs

    class Limits(BaseModel):
        model_config = ConfigDict(extra="forbid")
        depth: int = Field(3, le=9)

    class Options(BaseModel):
        model_config = ConfigDict(extra="forbid")
        limits: Limits = Limits()
        label: str = ""

    def build(options, resources):
        checked = Options.model_validate(options)
        def run(args, context):
            return ToolOutput(summary=f"{checked.limits.depth} {checked.label}")
        return Tool(name="probe", description="d", access="read", args=ToolArgs, run=run)
"""

Configure = Callable[..., Settings]


@pytest.fixture
def configure(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Settings with only these tools, and these modules among workers/tools."""
    modules = tmp_path / "modules"
    modules.mkdir()
    monkeypatch.setattr(workers.tools, "__path__", [*workers.tools.__path__, str(modules)])
    numbers = iter(range(100))

    def write(tools: str, **sources: str) -> Settings:
        for name, source in sources.items():
            (modules / f"{name}.py").write_text(textwrap.dedent(source))
        folder = tmp_path / f"config-{next(numbers)}"
        folder.mkdir()
        (folder / "tools.yaml").write_text(textwrap.dedent(tools))
        monkeypatch.setenv("ORACLE_CONFIG", str(folder))
        settings = load_settings()
        kept = {n: t for n, t in settings.tree.tools.items() if n.startswith("probe")}
        return Settings(settings.home, settings.tree.model_copy(update={"tools": kept}), settings.origin)

    return write


def build(settings: Settings) -> dict[str, object]:
    return dict(build_tools(Resources(settings, lambda start, end: ())))


def problems(settings: Settings) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        build(settings)
    return caught.value.problems


def test_options_reach_the_tool(configure: Configure) -> None:
    settings = configure("probe: {module: probe_a, options: {limits: {depth: 7}, label: x}}\n", probe_a=GOOD)
    tools = build_tools(Resources(settings, lambda start, end: ()))
    assert list(tools) == ["probe"]
    assert tools["probe"].run(None, None).summary == "7 x"  # type: ignore[arg-type]


def test_disabled_tool_is_not_even_imported(configure: Configure) -> None:
    settings = configure("probe: {module: nowhere, enabled: false}\n")
    assert build(settings) == {}


def sentence(problem: str) -> str:
    """The problem without the folder of its file."""
    return problem[problem.index("tools.yaml") :]


def test_missing_module(configure: Configure) -> None:
    (problem,) = problems(configure("probe:\n  module: nowhere\n"))
    assert sentence(problem) == "tools.yaml:2: probe.module: there is no workers/tools/nowhere.py"


@pytest.mark.parametrize("module", ["../evil", "", "__init__"])
def test_module_that_is_none(configure: Configure, module: str) -> None:
    (problem,) = problems(configure(f"probe:\n  module: '{module}'\n"))
    assert sentence(problem) == f"tools.yaml:2: probe.module: there is no workers/tools/{module}.py"


@pytest.mark.parametrize(
    ("module", "wrong"),
    [
        ("os.path", "os.path has no build(options, resources)"),
        ("os.nowhere", "there is no Python package 'os.nowhere'"),
        ("acme_broken.probe", "acme_broken.probe cannot be imported (ZeroDivisionError: division by zero)"),
        ("acme_broken", "acme_broken cannot be imported (ZeroDivisionError: division by zero)"),
    ],
)
def test_a_module_elsewhere_that_is_no_tool(
    configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, wrong: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "acme_broken").mkdir()
    (tmp_path / "acme_broken" / "__init__.py").write_text("HALF = 1 / 0\n")
    (problem,) = problems(configure(f"probe:\n  module: '{module}'\n"))
    assert sentence(problem).startswith(f"tools.yaml:2: probe.module: {wrong}")


@pytest.mark.parametrize("module", ["acme_probe", "acme.probe"])
def test_a_module_elsewhere(configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = (tmp_path / module.replace(".", "/")).with_suffix(".py")
    file.parent.mkdir(exist_ok=True)
    file.write_text(textwrap.dedent(GOOD))
    settings = configure(f"probe: {{module: {module}, options: {{label: far}}}}\n")
    tools = build_tools(Resources(settings, lambda start, end: ()))
    assert tools["probe"].run(None, None).summary == "3 far"  # type: ignore[arg-type]


def test_module_without_build(configure: Configure) -> None:
    (problem,) = problems(configure("probe:\n  module: probe_b\n", probe_b="X = 1\n"))
    assert sentence(problem) == "tools.yaml:2: probe.module: workers/tools/probe_b.py has no build(options, resources)"


def test_module_that_needs_another_package(configure: Configure) -> None:
    (problem,) = problems(configure("probe:\n  module: probe_c\n", probe_c="import no_such_package\n"))
    assert (
        sentence(problem) == "tools.yaml:2: probe.module: workers/tools/probe_c.py needs the package 'no_such_package'"
    )


def test_tool_of_another_name(configure: Configure) -> None:
    (problem,) = problems(configure("probe_x:\n  module: probe_d\n", probe_d=GOOD))
    assert sentence(problem) == "tools.yaml:1: probe_x: module 'probe_d' builds the tool 'probe', not 'probe_x'"


def test_all_wrong_options_are_named_with_their_line(configure: Configure) -> None:
    settings = configure(
        """
        probe:
          module: probe_e
          options:
            limits:
              depth: 10
            colour: red
        probe_2:
          module: nowhere
        """,
        probe_e=GOOD,
    )
    assert [sentence(p) for p in problems(settings)] == [
        "tools.yaml:6: probe.options.limits.depth: must be at most 9, and is 10",
        "tools.yaml:7: probe.options.colour: unknown key; there are limits, label",
        "tools.yaml:9: probe_2.module: there is no workers/tools/nowhere.py",
    ]


def test_errors_of_the_tool_itself_are_passed_on(configure: Configure) -> None:
    source = """
        from workers.errors import ConfigError, ToolUnavailable
        def build(options, resources):
            raise ConfigError("first mistake", "second mistake")
    """
    assert problems(configure("probe: {module: probe_f}\n", probe_f=source)) == ("first mistake", "second mistake")


def test_a_tool_that_fails_to_be_built_is_named(configure: Configure) -> None:
    source = "def build(options, resources):\n    return {}['leaf']\n"
    (told,) = problems(configure("probe: {module: probe_g}\n", probe_g=source))
    assert told.endswith("tools.yaml:1: probe: its build raised KeyError: 'leaf'")


def test_what_tools_share_is_opened_once_and_what_fails_is_tried_again(home: Path) -> None:
    resources, tries = Resources(load_settings(home=home), lambda start, end: ()), list[str]()

    def connect(settings: object) -> object:
        tries.append("try")
        if len(tries) == 1:
            raise ToolUnavailable("not yet")
        return object()

    with pytest.raises(ToolUnavailable):
        resources.shared(connect)
    assert resources.shared(connect) is resources.shared(connect)
    assert len(tries) == 2


def test_a_shipped_tool_waits_for_its_first_use_and_one_that_somebody_wrote_does_not(home: Path) -> None:
    shipped = build_tools(Resources(load_settings(home=home), lambda start, end: ()))
    assert "thread_push" in shipped
    assert "thread_push" not in {tool.name for tool in shipped.ready}
    assert shipped["thread_push"] is shipped["thread_push"]
    assert "thread_push" in {tool.name for tool in shipped.ready}
    written = load_settings({"tools.thread_push.timeout_ms": 900}, home=home)
    assert "thread_push" in {tool.name for tool in build_tools(Resources(written, lambda start, end: ())).ready}


def test_a_tool_whose_data_are_not_connected_waits_for_its_first_use(home: Path) -> None:
    resources = Resources(load_settings(home=home), lambda start, end: ())
    ready = {tool.name for tool in build_tools(resources, {"deals", "bundle"}).ready}
    assert not ready & {"deal_search", "deal_list", "triage_alerts", "candidate_causes"}
    assert "repo_search" in ready
    connected = {tool.name for tool in build_tools(resources, {"calendars"}).ready}
    assert {"deal_list", "triage_alerts", "candidate_causes"} <= connected


def test_a_tool_that_cannot_be_built_when_it_is_called_says_why(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "workers.agents.memory.tools.threads", None)
    toolbox = build_toolbox(Resources(load_settings(home=home), lambda start, end: ()))
    record, output = toolbox.open(make_context(), make_limits(tools=("thread_list",))).call("s1", "thread_list", {})
    assert record.status == "error"
    assert "workers/agents/memory/tools/threads.py" in output.reason
