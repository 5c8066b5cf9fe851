"""Entries of config/tools.yaml that stand for the tools of a server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.agents.registry import build_agents
from workers.errors import ConfigError
from workers.settings.load import ROOT, load_settings
from workers.settings.schema import ToolEntry, served_name
from workers.sources.mcp.server_options import ServerOptions
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources


def entry(**more: Any) -> dict[str, Any]:
    return {"module": "mcp", "tools": ["look"], "options": {"command": ["true"]}, **more}


def test_an_agent_names_an_entry_or_a_tool_of_it(home: Path) -> None:
    store = entry(tools=["look", "find"], writes=["drop"])
    tools = load_settings(home=home).tree.agents["research"].tools
    settings = load_settings({"tools.store": store, "agents.research.tools": [*tools, "store"]}, home=home)
    assert build_agents(settings)["research"].limits.tools[-3:] == ("store_look", "store_find", "store_drop")
    settings = load_settings({"tools.store": store, "agents.research.tools": [*tools, "store_find"]}, home=home)
    assert build_agents(settings)["research"].limits.tools[-1:] == ("store_find",)


def test_an_entry_is_off_until_its_variables_are_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings({"tools.store": entry(requires=["STORE_KEY"])}, home=home)
    assert settings.tree.tools["store"].unset == ("STORE_KEY",)
    assert settings.tools_of(["doc_search", "store", "store_look"]) == ("doc_search",)
    assert "store_look" not in build_tools(Resources(settings, lambda start, end: ()))
    monkeypatch.setenv("STORE_KEY", "k")
    assert settings.tools_of(["doc_search", "store", "store_look"]) == ("doc_search", "store_look")
    assert "store_look" in build_tools(Resources(settings, lambda start, end: ()))


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"tools.store": entry(tools=["look", "look"])}, "stands twice"),
        ({"tools.store": entry(), "tools.st": entry(tools=["ore_look"])}, ""),
        ({"tools.store": entry(), "tools.store_look": entry(tools=["x"])}, "a tool named 'store_look' too"),
        ({"tools.doc": entry(tools=["search"])}, "a tool named 'doc_search' too"),
    ],
)
def test_names_are_each_tool_s_own(home: Path, over: dict[str, Any], words: str) -> None:
    if not words:
        load_settings(over, home=home)
        return
    with pytest.raises(ConfigError, match=words):
        load_settings(over, home=home)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": {}}, "give either command"),
        ({"options": {"command": ["x"], "url": "http://x"}}, "give either command"),
        ({"options": {"command": ["x"], "shell": True}}, "options.shell: unknown key"),
        ({"module": "docs"}, "tools and writes go with module: mcp"),
    ],
)
def test_mistakes_are_named_with_file_and_key(home: Path, change: dict[str, Any], words: str) -> None:
    settings = load_settings({"tools.store": entry(**change)}, home=home)
    with pytest.raises(ConfigError, match=words):
        build_tools(Resources(settings, lambda start, end: ()))


def test_ready_entries_need_their_variables_and_are_written_right(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = {n: e for n, e in load_settings(home=home).tree.tools.items() if e.module == "mcp"}
    assert set(ready) == {"github", "grafana", "kubernetes", "sentry", "pagerduty", "home_assistant", "netbox"}
    assert not any(e.on for e in ready.values())
    page = (ROOT / "docs" / "mcp.md").read_text()
    for name, tool in ready.items():
        for variable in tool.requires:
            assert variable in page
            monkeypatch.setenv(variable, "https://x.example" if variable.endswith("URL") else "secret")
        assert f"`{name}`" in page
    for tool in load_settings(home=home).tree.tools.values():
        if tool.module == "mcp":
            assert tool.on
            options = ServerOptions.model_validate(tool.options)
            assert not options.url or options.url.startswith("https://")


@given(st.text(max_size=200))
def test_names_are_safe_for_providers(tool: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", served_name("store", tool))


def test_long_names_stay_apart() -> None:
    assert len({served_name("store", "x" * 100 + end) for end in "abc"}) == 3
    assert served_name("netbox", "netbox_get_objects") == "netbox_get_objects"
    assert ToolEntry(module="docs").names("doc_search") == {"doc_search": "doc_search"}
