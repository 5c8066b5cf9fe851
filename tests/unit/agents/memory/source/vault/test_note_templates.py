"""Notes from templates, and where they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.vaults import make_vault
from workers.agents.memory.source.vault.note import read_note
from workers.agents.memory.source.vault.note_paths import check_new_path
from workers.agents.memory.source.vault.note_templates import place_of, render_note
from workers.errors import ToolArgumentError

VALUES = {
    "title": "Slow search",
    "question": "Why?",
    "date": "2026-03-01",
    "findings": ["a cache", "an index {{ not run }}"],
    "sources": ["search.py:12"],
    "open_questions": [],
}


def test_a_research_note() -> None:
    text = render_note("research_note", VALUES)
    assert [h.text for h in read_note(text.encode()).headings] == ["Slow search", "Findings", "Sources"]
    assert "- an index {{ not run }}\n" in text


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ToolArgumentError, match="findings"):
        render_note("research_note", {"title": "x", "question": "", "date": "", "sources": []})
    with pytest.raises(ToolArgumentError):
        render_note("../oracle/system", {})


@pytest.mark.parametrize("title", ["Why: a/b?", "x" * 300, "...", "[[a]]#^|b", "  "])
def test_a_free_and_valid_place(tmp_path: Path, title: str) -> None:
    vault = make_vault(tmp_path, {})
    first = place_of(vault.index, "research_note", title, "2026-03-01")
    assert check_new_path(first).startswith("notes/research/2026-03-01")
    vault.index.put(first, read_note(b""))
    assert place_of(vault.index, "research_note", title, "2026-03-01") not in {first, first.upper()}
