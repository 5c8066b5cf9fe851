"""What a family brings: sections of oracle.yaml and tools, from a package that the core does not name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.errors import ConfigError
from workers.settings.load import load_settings
from workers.settings.schema import Section
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources

SECTIONS = """
from workers.settings.schema import Section


class PondSection(Section):
    fish: int = 3
    keeper: str = ""


SECTIONS = {"pond": PondSection}
"""
TOOL = """
from workers.contracts import ToolOutput
from workers.toolkit.tool import Tool, ToolArgs


def build(options, resources):
    fish = resources.settings.tree.sections["pond"].fish
    return Tool(name="count_fish", description="d", access="read", args=ToolArgs,
                run=lambda args, context: ToolOutput(summary=f"{fish} fish"))
"""
ENTRY = """
{name}:
  module: {name}
  task: {name}
  description: fish and frogs
  tools: [doc_search]
"""


@pytest.fixture
def ponds(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages, of which one is an agent's: it cannot be imported, but for its sections and tools."""
    monkeypatch.syspath_prepend(home / "more")
    (home / "config").mkdir()
    bring(home, "pond_family", SECTIONS, "raise RuntimeError('nobody needs it here')\n")
    yield home
    for name in [name for name in sys.modules if name.startswith(("pond_family", "other_family"))]:
        del sys.modules[name]


def bring(home: Path, name: str, sections: str, whole: str = "") -> None:
    """A package of an agent, and its entry."""
    package = home / "more" / name
    (package / "tools").mkdir(parents=True)
    (package / "__init__.py").write_text(whole)
    (package / "sections.py").write_text(sections)
    (package / "tools" / "pond_tools.py").write_text(TOOL)
    with (home / "config" / "agents.yaml").open("a") as file:
        file.write(ENTRY.format(name=name))


def write(home: Path, text: str, name: str = "oracle.yaml") -> None:
    (home / "config" / name).write_text(text)


def problems() -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_settings()
    return caught.value.problems


def test_a_family_s_section_is_read_without_the_family(ponds: Path) -> None:
    write(ponds, "pond:\n  fish: 12\n")
    pond = load_settings().tree.sections["pond"]
    assert (pond.fish, pond.keeper) == (12, "")
    assert "pond_family" not in sys.modules


def test_a_section_that_nobody_wrote_has_its_defaults(ponds: Path) -> None:
    assert load_settings().tree.sections["pond"].fish == 3


def test_its_mistakes_are_named_with_those_of_all_others(ponds: Path) -> None:
    write(ponds, "timezone: 7\npond:\n  fish: many\n  frogs: 2\n")
    found = [problem[problem.index("oracle.yaml") :] for problem in problems()]
    assert len(found) == 3
    assert found[0].startswith("oracle.yaml:1: timezone: ")
    assert found[1].startswith("oracle.yaml:3: pond.fish: ")
    assert found[2] == "oracle.yaml:4: pond.frogs: unknown key"


def test_without_the_family_its_key_is_unknown(home: Path) -> None:
    (home / "config").mkdir()
    write(home, "pond:\n  fish: 12\n")
    assert [problem.partition(": ")[2] for problem in problems()] == ["pond: unknown key"]


@pytest.mark.parametrize("key", ["pond", "timezone"])
def test_a_key_belongs_to_one(ponds: Path, key: str) -> None:
    bring(ponds, "other_family", SECTIONS.replace('"pond"', f'"{key}"'))
    assert [p.partition(": ")[2] for p in problems()] == [f"{key}: two families have a section of this name"]


def test_sections_that_cannot_be_imported_are_named(ponds: Path) -> None:
    (ponds / "more" / "pond_family" / "sections.py").write_text("import no_such_pond\n")
    (problem,) = problems()
    assert "pond_family/sections.py cannot be imported" in problem
    assert "no_such_pond" in problem


def test_a_class_that_no_family_brings_has_its_defaults(home: Path) -> None:
    class Pond(Section):
        fish: int = 4

    assert load_settings().section(Pond).fish == 4


def test_a_family_s_tools_are_found_beside_its_agent(ponds: Path) -> None:
    (ponds / "more" / "pond_family" / "__init__.py").write_text("")
    write(ponds, "pond:\n  fish: 12\n")
    write(ponds, "count_fish:\n  module: pond_tools\n", "tools.yaml")
    tools = build_tools(Resources(load_settings(), lambda start, end: ()))
    assert tools["count_fish"].run(None, None).summary == "12 fish"  # type: ignore[arg-type]
