"""The map of a repository, the graph behind it, and how both are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository
from workers.language.token_count import count_tokens
from workers.sources.code.identifier_counts import count_identifiers
from workers.sources.code.index import CodeIndex
from workers.sources.code.page_rank import page_rank
from workers.sources.code.reference_graph import FILE, GraphShelf, open_graph
from workers.sources.code.repo_map import map_repository

CORE = """class Engine:
    def start_engine(self, speed):
        return speed


def make_engine():
    return Engine()
"""
USER = "from core import make_engine\n\n\ndef drive_{0}():\n    return make_engine().start_engine({0})\n"
USERS = {f"pkg/user_{n}.py": USER.format(n) for n in range(90)}
FILES = {
    "core.py": CORE,
    **USERS,
    "zone/lonely.py": "def never_called_anywhere():\n    return 1\n",
    "tests/test_core.py": "def test_engine():\n    pass\n",
    "web/app.js": "function make_engine() {}\n",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> tuple[CodeIndex, Path]:
    folder = tmp_path_factory.mktemp("map")
    return CodeIndex.build(make_repository(folder / "repo", FILES), folder / "index"), folder / "index"


def test_the_most_used_comes_first_under_its_file(repo: tuple[CodeIndex, Path]) -> None:
    index, index_dir = repo
    text = map_repository(index, open_graph(index, index_dir), 500).text
    assert text.startswith("core.py\n  1: class Engine\n    2: def start_engine(self, speed)\n  6: def make_engine()")
    assert "test_core" not in text


@each_row("tokens", [60, 100, 300, 500])
def test_a_map_fills_its_tokens_and_never_exceeds_them(repo: tuple[CodeIndex, Path], tokens: int) -> None:
    index, index_dir = repo
    size = count_tokens(map_repository(index, open_graph(index, index_dir), tokens).text)
    assert size <= tokens
    assert size >= 0.9 * tokens


@settings(max_examples=40, deadline=None)
@given(
    tokens=st.integers(0, 900), focus=st.lists(st.sampled_from(["core.py", "pkg", "drive_3", "absent", ""]), max_size=3)
)
def test_no_map_exceeds_its_tokens(repo: tuple[CodeIndex, Path], tokens: int, focus: list[str]) -> None:
    index, index_dir = repo
    found = map_repository(index, open_graph(index, index_dir), tokens, focus)
    assert count_tokens(found.text) <= tokens
    for file in found.files:
        for symbol in file.symbols:
            assert symbol.name.rpartition(".")[2] in (index.lines(file.path, symbol.start, symbol.end) or "")


def test_focus_brings_what_is_asked_and_near(repo: tuple[CodeIndex, Path]) -> None:
    index, index_dir = repo
    graph = open_graph(index, index_dir)
    assert "never_called_anywhere" not in map_repository(index, graph, 100).text
    assert "never_called_anywhere" in map_repository(index, graph, 100, ["never_called_anywhere"]).text
    assert "zone/lonely.py" in map_repository(index, graph, 100, ["zone/lonely.py"]).text
    assert "test_engine" in map_repository(index, graph, 100, ["tests/test_core.py"]).text
    assert {f.path.partition("/")[0] for f in map_repository(index, graph, 500, path="pkg/").files} == {"pkg"}


def test_a_name_of_another_language_is_no_use(repo: tuple[CodeIndex, Path]) -> None:
    index, index_dir = repo
    graph = open_graph(index, index_dir)
    users = {index.columns.paths[file] for file, name, _ in graph.uses.tolist() if graph.names[name] == "make_engine"}
    assert users == set(USERS)


def test_the_graph_is_kept_for_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repository(tmp_path / "repo", {"a.py": "def first(): pass\n", "b.py": "from a import first\n"})
    index = CodeIndex.build(repo, tmp_path / "index")
    made = open_graph(index, tmp_path / "index")
    assert (tmp_path / "index" / FILE).exists()
    with monkeypatch.context() as patched:
        patched.setattr("workers.sources.code.reference_graph.read_graph", None)
        assert open_graph(index, tmp_path / "index").names == made.names
    commit(repo, {"c.py": "def second(): pass\n"}, "More")
    fresh = CodeIndex.ensure(repo, tmp_path / "index")
    assert "second" in open_graph(fresh, tmp_path / "index").names
    (tmp_path / "index" / FILE).write_bytes(b"damaged")
    assert "second" in open_graph(fresh, tmp_path / "index").names


def test_a_folder_that_cannot_be_written_keeps_nothing(repo: tuple[CodeIndex, Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert open_graph(repo[0], tmp_path / "file").names


def test_a_shelf_makes_each_graph_once(repo: tuple[CodeIndex, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = GraphShelf()
    first = shelf.get(*repo)
    monkeypatch.setattr("workers.sources.code.reference_graph.open_graph", None)
    assert shelf.get(*repo) is first


def test_what_is_too_much_is_left_unread(
    repo: tuple[CodeIndex, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.sources.code.reference_graph.MOST_BYTES", 300)
    assert open_graph(repo[0], tmp_path).unread > 30


def test_a_repository_without_code_has_an_empty_map(tmp_path: Path) -> None:
    index = CodeIndex.build(make_repository(tmp_path / "repo", {"a.md": "# A\n"}), tmp_path / "index")
    assert map_repository(index, open_graph(index, tmp_path / "index"), 500).text == ""


@each_row(
    "language, text, counts",
    [
        ("python", "a = b.a  # a\n'''a'''\n\"a\\\"a\" a", {"a": 2, "b": 1, ".a": 1}),
        ("typescript", "a /* a */ // a\n`a` 'a' a->b", {"a": 2, ".b": 1}),
        ("rust", "fn f<'a>(x: &'a str) { 'b' }", {"fn": 1, "f": 1, "a": 2, "x": 1, "str": 1}),
        ("go", "/* never closed a", {}),
    ],
)
def test_identifiers_outside_comments_and_strings(language: str, text: str, counts: dict[str, int]) -> None:
    assert dict(count_identifiers(text, language)) == counts


def test_page_rank_follows_the_edges() -> None:
    rank = page_rank(np.array([0, 1, 2]), np.array([2, 2, 0]), np.ones(3), np.ones(4))
    assert rank.sum() == pytest.approx(1)
    assert rank[2] > rank[0] > rank[1]
    assert rank[1] == pytest.approx(rank[3])
    asked = page_rank(np.array([0]), np.array([1]), np.ones(1), np.array([0.0, 0.0, 1.0]))
    assert asked.tolist() == pytest.approx([0, 0, 1])
