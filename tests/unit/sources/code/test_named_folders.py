"""Folders that are asked for by their bare name, and definitions with all of their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.search import find_changes
from workers.sources.code.index import CodeIndex, whole_lines
from workers.sources.code.named_folders import named_folder

LIMIT = """pub struct Limit {
    max: usize,
}

impl Limit {
    pub fn new() -> Self {
        Limit { max: 1 }
    }
%s}
"""
METHOD = """    pub fn n%d(&self) -> usize {
        0
    }
"""
FILES = {
    "web-core/lib.rs": "//! The web-core crate.\npub mod limit;\n",
    "web-core/src/limit.rs": LIMIT % "".join(METHOD % i for i in range(30)),
    "web/tests/cache/a.rs": "fn a() {}\n",
    "web/cache/b.rs": "fn b() {}\n",
    "web/cache/c.rs": "fn c() {}\n",
    "web/store/d.rs": "fn store() {}\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    home = tmp_path_factory.mktemp("folders")
    return CodeIndex.build(make_repository(home / "r", dict(FILES)), home / "index")


@pytest.mark.parametrize(
    ("query", "path", "files"),
    [
        ("where is web-core", "web-core/", 2),
        ("web core", "web-core/", 2),
        ("what is in cache?", "web/cache/", 2),
    ],
)
def test_a_folder_by_its_name(index: CodeIndex, query: str, path: str, files: int) -> None:
    found = named_folder(index, query)
    assert found is not None
    assert (found.path, found.files) == (path, files)


@each_row("query", ["where is the cache limit", "store", "nowhere", "web-core/lib.rs", "where is it"])
def test_what_names_more_or_a_symbol_is_no_folder(index: CodeIndex, query: str) -> None:
    assert named_folder(index, query) is None


def test_a_type_and_what_is_implemented_for_it_are_whole(index: CodeIndex) -> None:
    hit = index.find("Limit", 1, max_lines=10).hits[0]
    assert hit.end_line - hit.start_line < 12
    last = len(FILES["web-core/src/limit.rs"].splitlines())
    assert whole_lines(index, hit) == (1, last)


def test_a_merge_is_not_listed_beside_what_it_merges(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "A = 1\n", "b.py": "B = 1\n"})
    run_git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"a.py": "A = 2\n"}, "Raise A")
    commit(folder, {"b.py": "B = 2\n"}, "Raise B")
    run_git(folder, "checkout", "-q", "main")
    run_git(folder, "merge", "-q", "--no-ff", "-m", "Merge side", "side")
    for query in ("", "raise"):
        found = find_changes(folder, None, None, query, ("a.py",))
        assert [c.subject for c in found.changes] == ["Raise A", "Begin"]
