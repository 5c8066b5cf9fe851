"""Search over notes: words, meaning, filters; it follows the vault."""

from __future__ import annotations

from pathlib import Path

from tests.support.vaults import make_vault
from workers.agents.memory.source.vault.note_search import NoteSearch

FILES = {
    "ops/Rollback.md": "---\ntags: [ops/deploy]\naliases: [Undo a release]\n---\n# Rollback\n\nFirst read this.\n\n"
    "## Steps\n\nRun the revert pipeline and wait for the canary.\n",
    "ops/Pager.md": "#ops\n\nWho is paged when the queue grows.\n",
    "food/Soup.md": "Cook carrots slowly. #recipe\n",
}


def test_sections_with_their_lines(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", FILES)
    search = NoteSearch(tmp_path / "notes.db")
    hit = search.search("how do I revert with the pipeline", vault.index, vault.read)[0]
    assert (hit.path, hit.heading, hit.title) == ("ops/Rollback.md", "Steps", "Rollback")
    assert hit.excerpt == "\n".join(FILES[hit.path].split("\n")[hit.start_line - 1 : hit.end_line])
    assert "revert pipeline" in hit.excerpt
    assert 0 < hit.score <= 1
    assert search.search("undo a release", vault.index, vault.read)[0].path == "ops/Rollback.md"
    assert search.search("zebra", vault.index, vault.read) == []


def test_filters(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", FILES)
    search = NoteSearch(tmp_path / "notes.db")
    assert [h.path for h in search.search("tag:ops", vault.index, vault.read)] == ["ops/Pager.md", "ops/Rollback.md"]
    assert [h.path for h in search.search("tag:ops/deploy", vault.index, vault.read)] == ["ops/Rollback.md"]
    assert search.search("carrots path:ops", vault.index, vault.read) == []
    assert search.search('carrots path:"food"', vault.index, vault.read)[0].path == "food/Soup.md"
    assert search.search('"; drop table notes; -- NEAR( * ^', vault.index, vault.read) == []


def test_it_follows_the_vault(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", FILES)
    search = NoteSearch(tmp_path / "notes.db")
    assert search.follow(vault.index, vault.read) == 3
    assert search.follow(vault.index, vault.read) == 0
    (vault.root / "food" / "Soup.md").write_text("Now about bicycles.")
    (vault.root / "ops" / "Pager.md").unlink()
    vault.refresh()
    assert NoteSearch(tmp_path / "notes.db").follow(vault.index, vault.read) == 1
    assert search.search("carrots", vault.index, vault.read) == []
    assert search.search("paged queue", vault.index, vault.read) == []
    assert search.search("bicycle", vault.index, vault.read)[0].path == "food/Soup.md"
