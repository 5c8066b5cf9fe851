"""A vault is read as a person writes it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.support.vaults import make_vault
from workers.agents.memory.source.vault.vault import Vault
from workers.agents.memory.source.vault.vault_watch import VaultWatch

PATIENCE_S = 60.0


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_is_written_moved_and_removed_is_seen(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", {"A.md": "[[B]]", "B.md": "", "d/C.md": ""})
    told: list[int] = []
    with VaultWatch(vault, lambda: told.append(1)) as watch:
        wait_until(lambda: watch.works)
        (vault.root / "New.md").write_text("[[A]] #tag")
        wait_until(lambda: "New.md" in vault.index.notes and vault.index.tagged("tag") == ["New.md"])
        (vault.root / "d").rename(vault.root / "e")
        wait_until(lambda: vault.index.files == ["A.md", "B.md", "New.md", "e/C.md"])
        (vault.root / "A.md").unlink()
        wait_until(lambda: "A.md" not in vault.index.notes)
        (vault.root / ".obsidian").mkdir()
        (vault.root / ".obsidian" / "workspace.md").write_text("x")
        (vault.root / "B.md").write_text("[[New]]")
        wait_until(lambda: [b.source for b in vault.index.backlinks("New.md")] == ["B.md"])
    assert told
    assert not watch.works
    assert vault.index.notes == Vault.open(vault.root).index.notes


def test_a_folder_that_comes_later_is_waited_for(tmp_path: Path) -> None:
    vault = Vault.open(tmp_path / "later")
    with VaultWatch(vault) as watch:
        make_vault(tmp_path / "later", {"A.md": "x"})
        wait_until(lambda: watch.works)
        assert vault.index.files == ["A.md"]
