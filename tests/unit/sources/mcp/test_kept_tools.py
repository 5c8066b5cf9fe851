"""What is kept of servers between starts."""

from __future__ import annotations

from pathlib import Path

from mcp_types import Tool, ToolAnnotations

from workers.sources.mcp.connection import Listing
from workers.sources.mcp.kept_tools import KeptTools, version_of


def listing(*tools: Tool) -> Listing:
    return Listing("store 1", "2026-07-28", tools)


def tool(name: str = "look", about: str = "Looks.", **marks: bool) -> Tool:
    annotations = ToolAnnotations(**marks) if marks else None
    return Tool(name=name, description=about, input_schema={"type": "object"}, annotations=annotations)


def test_only_what_is_allowed_is_kept(tmp_path: Path) -> None:
    kept = KeptTools(tmp_path / "mcp" / "store.json").renew(listing(tool(), tool("drop")), ("look",))
    assert list(kept.tools) == ["look"]


def test_what_it_was_at_first_stays(tmp_path: Path) -> None:
    path = tmp_path / "store.json"
    KeptTools(path).renew(listing(tool()), ("look",))
    again = KeptTools(path)
    assert again.renew(listing(tool()), ("look",)).changed == ()
    kept = again.renew(listing(tool(about="Looks at everything.")), ("look",))
    assert kept.changed == ("look",)
    assert KeptTools(path).read().tools["look"].first.description == "Looks."
    assert again.renew(listing(), ("look",)).changed == ("look",)


def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path) -> None:
    path = tmp_path / "store.json"
    path.write_text('{"tools": 3}')
    assert KeptTools(path).read().tools == {}
    assert list(KeptTools(path).renew(listing(tool()), ("look",)).tools) == ["look"]


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "store.json"
    mine, other = KeptTools(path), KeptTools(path)
    assert mine.read().tools == {}
    other.renew(listing(tool()), ("look",))
    assert list(mine.read().tools) == ["look"]


def test_a_server_tells_what_changes_something() -> None:
    assert version_of(tool()).writes is None
    assert version_of(tool(read_only_hint=True)).writes is False
    assert version_of(tool(read_only_hint=False)).writes is True
    assert version_of(tool(destructive_hint=True)).writes is True
