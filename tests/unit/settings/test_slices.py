"""What families bring that are slices of this project: keys of oracle.yaml, and tools, which the core does not name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workers.errors import ConfigError
from workers.settings.load import ROOT, load_settings
from workers.settings.slices import FOLDER, PACKAGE, find_own_tools, own_sections
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources


def write(home: Path, text: str) -> None:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(text)


def problems() -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_settings()
    return sorted(problem[problem.index("oracle.yaml") :] for problem in caught.value.problems)


def test_a_section_is_read_by_its_class(home: Path) -> None:
    write(home, "home_assistant: {url: 'http://attic:8123', token: t, languages: 'de, en'}\n")
    settings = load_settings()
    found = settings.section(own_sections()["home_assistant"])
    assert found.model_dump(include={"url", "languages", "keep_s"}) == {
        "url": "http://attic:8123",
        "languages": ("de", "en"),
        "keep_s": 60,
    }
    assert settings.tree.sections["calendars"] == ()


def test_its_mistakes_are_named_with_those_of_the_core(home: Path) -> None:
    write(home, "calendars:\n  - {path: plans, name: Ann}\n  - {path: plans}\nhome_assistant:\n  urls: x\nwroker: {}\n")
    found = problems()
    assert [problem.partition(": ")[0] for problem in found] == ["oracle.yaml:3", "oracle.yaml:5", "oracle.yaml:6"]
    assert "calendars.1: " in found[0]
    assert "home_assistant.urls: unknown key; did you mean url?" in found[1]
    assert "wroker: unknown key; did you mean worker?" in found[2]


def test_a_misspelled_section_is_an_unknown_key(home: Path) -> None:
    write(home, "home_asistant: {}\n")
    assert "home_asistant: unknown key; did you mean home_assistant?" in problems()[0]


def test_the_rest_of_a_family_is_not_imported_for_its_section(home: Path) -> None:
    program = "import sys; from workers.settings.load import load_settings; load_settings(); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    families = {name for name in ran.stdout.split() if name.startswith("workers.agents.")}
    assert families == {f"{PACKAGE}.{file.parent.name}.sections" for file in FOLDER.glob("*/sections.py")}


def test_a_family_s_tools_lie_beside_its_agent(home: Path) -> None:
    tools = build_tools(Resources(load_settings(), lambda start, end: ()))
    assert {"home_assistant_states", "calendar_events", "repo_search"} <= tools.keys()
    assert tools["home_assistant_states"].args.__module__ == find_own_tools("home_assistant")


@pytest.mark.parametrize("module", ["", "repo", "home", "__init__", "*", "../tools/home_assistant", "no_such_tool"])
def test_no_slice_has_other_tools(module: str) -> None:
    assert find_own_tools(module) == ""
