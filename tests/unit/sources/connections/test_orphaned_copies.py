"""Copies that were taken out of the configuration are deleted, and nothing else under ORACLE_HOME or beside it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.git_repositories import make_repository
from workers.settings.load import Settings, load_settings
from workers.sources.connections.local_copies import hold
from workers.sources.connections.open_sources import doc_sources, local_copies, open_code_sources
from workers.sources.connections.orphaned_copies import remove_orphaned_copies
from workers.sources.connections.refresh import refresh_copies

FILES = {"client.py": "def charge_card(card):\n    return card\n", "docs/a.md": "# Cards\n\nHow cards are charged.\n"}


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "remotes" / "shop", FILES)


def configured(home: Path, **core: Any) -> Settings:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump({"repositories": [], "documents": [], **core}))
    return load_settings(home=home)


def with_shop(home: Path, origin: Path) -> Settings:
    """One copy with two indexes, and a folder of one's own with another."""
    own = make_repository(home.parent / "own", FILES)
    address = f"file://{origin}"
    documents = [{"repository": address, "path": "docs", "name": "handbook"}]
    settings = configured(home, repositories=[{"url": address}, {"path": str(own)}], documents=documents)
    refresh_copies(settings)
    for source in open_code_sources(settings).sources:
        open_code_sources(settings).refresh(source)
    return settings


def grow_old(folder: Path, seconds: float) -> None:
    """Let nobody have looked at a copy for so long."""
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | {"tried_at": state["tried_at"] - seconds}))


def all_below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_a_copy_that_nothing_names_goes_with_its_indexes(home: Path, origin: Path) -> None:
    settings = with_shop(home, origin)
    (kept,) = local_copies(settings).values()
    shop, own = (s.index_dir for s in open_code_sources(settings).sources)
    (handbook,) = (s.index_dir for s in doc_sources(settings) if s.beside is None)
    for made in (kept.folder, shop, own, handbook):
        assert made.is_dir()
    grow_old(kept.folder, 3_600)
    assert remove_orphaned_copies(settings) == [], "it is configured"
    assert remove_orphaned_copies(configured(home, repositories=[{"path": str(home.parent / "own")}])) == [
        kept.folder.name
    ]
    assert not any(made.exists() for made in (kept.folder, shop, handbook))
    assert list((home / "mirrors").iterdir()) == []
    assert own.is_dir()
    assert (origin / "client.py").is_file()


def test_a_copy_stays_while_someone_may_need_it(home: Path, origin: Path) -> None:
    settings = with_shop(home, origin)
    (kept,) = local_copies(settings).values()
    without = configured(home)
    before = all_below(home)
    assert remove_orphaned_copies(without) == [], "another process looked at it just now"
    grow_old(kept.folder, 3_600)
    for name in ("lock", "indexing"):
        with hold(kept, name):
            assert remove_orphaned_copies(without) == [], "someone is at it"
    for key in ("oracle.repositories", "oracle.documents"):
        assert remove_orphaned_copies(load_settings({key: []}, home=home)) == [], "the command line names others"
    assert all_below(home) - before == set()
    assert before - all_below(home) == set()


def test_what_oracle_did_not_make_stays(home: Path, origin: Path, tmp_path: Path) -> None:
    settings = with_shop(home, origin)
    (kept,) = local_copies(settings).values()
    grow_old(kept.folder, 3_600)
    indexes = {s.index_dir for s in open_code_sources(settings).sources}
    moved = kept.folder.rename(tmp_path / "elsewhere")
    kept.folder.symlink_to(moved)
    mine = [home / "mirrors" / "notes-0123456789ab" / "a.txt", home / "mirrors" / "plain" / "state.json"]
    mine += [home / "index" / "notes-0123456789ab" / "a.txt", home / "sites" / "b-0123456789ab" / "lock"]
    for path in mine:
        path.parent.mkdir(parents=True)
        path.write_text("mine")
    before = all_below(moved)
    assert remove_orphaned_copies(configured(home)) == []
    assert all_below(moved) == before
    assert kept.folder.is_symlink()
    assert all(path.read_text() == "mine" for path in mine)
    assert all(index_dir.is_dir() for index_dir in indexes)


def test_what_a_killed_run_left_is_cleared(home: Path) -> None:
    left = home / "mirrors" / ".gone-shop-0123456789ab" / "git"
    left.mkdir(parents=True)
    assert remove_orphaned_copies(configured(home)) == []
    assert not left.parent.exists()
