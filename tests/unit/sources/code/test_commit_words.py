"""What commits said of files, and that it ranks them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from workers.search import CodeIndex
from workers.sources.code.commit_words import COMMITS, MOST_FILES, commits_of, read_commit_words
from workers.sources.git import open_repository

FILES = {"a.py": "x = 1\n", "b.py": "y = 2\n"}


def told_of(folder: Path, paths: list[str]) -> tuple[set[str], list[list[int]]]:
    told = read_commit_words(open_repository(folder), run_git(folder, "rev-parse", "HEAD").strip(), paths)
    return set(told.words.terms.tobytes().decode().split()), told.often.tolist()


def test_words_of_subjects_belong_to_the_files_that_were_changed(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", FILES)
    commit(folder, {"b.py": "y = 3\n"}, "Cap the invoices of a tenant")
    terms, often = told_of(folder, ["a.py", "b.py", "other.py"])
    assert {"begin", "cap", "invoic", "tenant"} <= terms
    assert often == [[1, 1], [2, 2], [0, 0]]


def test_a_commit_that_changed_very_many_files_counts_but_says_nothing(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", FILES)
    commit(folder, {f"f{i}.py": "z = 0\n" for i in range(MOST_FILES + 1)}, "Sweeping rewrite")
    terms, often = told_of(folder, ["a.py", "f1.py"])
    assert "rewrit" not in terms
    assert often == [[1, 1], [1, 1]]


def test_merges_say_nothing(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", FILES)
    run_git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"a.py": "x = 5\n"}, "Aside")
    run_git(folder, "checkout", "-q", "main")
    commit(folder, {"b.py": "y = 5\n"}, "Meanwhile")
    run_git(folder, "merge", "-q", "--no-ff", "-m", "Conflux", "side")
    terms, _ = told_of(folder, ["a.py", "b.py"])
    assert {"asid", "meanwhil"} <= terms
    assert "conflux" not in terms


def test_only_commits_since_an_earlier_index_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.sources.code.index_build.FEW_FILES", 0)
    folder = make_repository(tmp_path / "r", FILES)
    old = CodeIndex.build(folder, tmp_path / "i")
    commit(folder, {"b.py": "y = 9\n", "a.py": None, "c.py": "z = 1\n"}, "Shed ballast")
    new = CodeIndex.build(folder, tmp_path / "i").columns
    fresh = CodeIndex.build(folder, tmp_path / "fresh").columns
    assert old.columns.often.tolist() == [[1, 1], [1, 1]]
    for name in ("units", "counts", "lengths"):
        assert np.array_equal(getattr(new.told, name), getattr(fresh.told, name))
    assert new.often.tolist() == fresh.often.tolist() == [[2, 2], [1, 1]]


def test_a_rewritten_history_is_read_anew(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", FILES)
    commit(folder, {"b.py": "y = 9\n"}, "Regrettable")
    CodeIndex.build(folder, tmp_path / "i")
    run_git(folder, "reset", "-q", "--hard", "HEAD~1")
    commit(folder, {"b.py": "y = 8\n"}, "Considered")
    terms = set(CodeIndex.build(folder, tmp_path / "i").columns.told.terms.tobytes().decode().split())
    assert "consid" in terms
    assert "regrett" not in terms


def test_what_a_commit_said_brings_its_file_forward(tmp_path: Path) -> None:
    texts = {f"part{i}.py": f"def step{i}(value):\n    return value + {i}\n" for i in range(8)}
    texts |= {f"part{i}.py": f"def ledger{i}(entry):\n    return entry + {i}\n" for i in (2, 5, 6)}
    folder = make_repository(tmp_path / "r", texts)
    commit(folder, {"part5.py": "def ledger5(entry):\n    return entry * 5\n"}, "Round invoices half up")
    found = CodeIndex.build(folder, tmp_path / "i").search("ledger entry of invoices")
    assert found[0].path == "part5.py"


def test_paths_and_subjects_of_any_kind_are_read(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"with space.py": "x = 1\n", "ü/é.py": "y = 1\n"})
    commit(folder, {"with space.py": "x = 2\n"}, "Ärger: 100 % of «it»")
    read = list(commits_of(open_repository(folder), "HEAD"))
    assert read == [("Ärger: 100 % of «it»", ["with space.py"]), ("Begin", ["with space.py", "ü/é.py"])]
    assert len(read) < COMMITS
