"""Changes from one commit to another, on real repositories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.errors import ToolArgumentError
from workers.sources.git import open_repository
from workers.sources.history import commits
from workers.sources.history.commit_range import Between, between, read_range, unknown_ends

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """v1.0, a feature branch that is merged, v1.1, one more commit v1.2, and a hotfix v1.0.1 beside them."""
    folder = make_repository(tmp_path_factory.mktemp("between") / "shop", {"cart.py": "LIMIT = 1\n"}, DAY)
    run_git(folder, "tag", "v1.0")
    run_git(folder, "checkout", "-q", "-b", "feature")
    commit(folder, {"search.py": "def search(q):\n    return q\n"}, "Add search", DAY + HOUR)
    commit(folder, {"search.py": "def search(q):\n    return [q]\n"}, "Search returns lists", DAY + 2 * HOUR)
    run_git(folder, "checkout", "-q", "main")
    commit(folder, {"cart.py": "LIMIT = 2\n"}, "Raise the cart's limit", DAY + 3 * HOUR)
    run_git(folder, "merge", "-q", "--no-ff", "-m", "Merge feature", "feature", at=DAY + 4 * HOUR)
    run_git(folder, "tag", "-a", "-m", "1.1", "v1.1", at=DAY + 4 * HOUR)
    commit(folder, {"docs/cart.md": "# Cart\n"}, "Describe the cart", DAY + 5 * HOUR)
    run_git(folder, "tag", "v1.2")
    run_git(folder, "checkout", "-q", "-b", "hotfix", "v1.0")
    commit(folder, {"cart.py": "LIMIT = 1  # for now\n"}, "Explain the limit", DAY + 6 * HOUR)
    run_git(folder, "tag", "v1.0.1")
    run_git(folder, "checkout", "-q", "main")
    return folder


def find(folder: Path, old: str, new: str, query: str = "", paths: tuple[str, ...] = (), k: int = 10) -> Between:
    found = between(open_repository(folder), old, new, query, paths, k)
    assert found is not None
    return found


def subjects(found: Between) -> list[str]:
    return [c.subject for c in found.changes]


def test_newest_first_and_a_merge_that_its_commits_account_for_is_left_out(shop: Path) -> None:
    found = find(shop, "v1.0", "v1.1")
    assert subjects(found) == ["Raise the cart's limit", "Search returns lists", "Add search"]
    assert (found.count, found.behind) == (3, 0)
    assert found.old == run_git(shop, "rev-parse", "v1.0").strip()
    assert found.new == run_git(shop, "rev-parse", "v1.1^{commit}").strip()
    assert [f.path for f in found.changes[0].files] == ["cart.py"]


def test_any_name_of_a_commit(shop: Path) -> None:
    old, new = (run_git(shop, "rev-parse", f"{tag}^{{commit}}").strip() for tag in ("v1.0", "v1.1"))
    assert find(shop, old, new) == find(shop, old[:8], new[:8]) == find(shop, "v1.1~2", "v1.1")


def test_bounded_by_k_and_counted_in_full(shop: Path) -> None:
    found = find(shop, "v1.0", "v1.2", k=2)
    assert subjects(found) == ["Describe the cart", "Raise the cart's limit"]
    assert found.count == 4
    assert found.describe(("v1.0", "v1.2")) == (
        f"4 commits from v1.0 to v1.2, first {found.changes[0].short} Describe the cart"
    )


def test_counted_beyond_what_is_read(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "PAGE", 2)
    monkeypatch.setattr(commits, "MOST_LISTED", 2)
    commits.kept_page.cache_clear()
    found = find(shop, "v1.0", "v1.2")
    assert found.count == 4
    assert len(found.changes) <= 2
    commits.kept_page.cache_clear()


def test_limited_to_a_path_and_ranked_by_a_question(shop: Path) -> None:
    assert subjects(find(shop, "v1.0", "v1.2", paths=("cart",))) == ["Raise the cart's limit"]
    assert subjects(find(shop, "v1.0", "v1.2", "what changed in search"))[0] in {"Add search", "Search returns lists"}
    nothing = find(shop, "v1.0", "v1.1", paths=("docs/",))
    assert (nothing.changes, nothing.count) == ((), 0)
    assert nothing.describe(("v1.0", "v1.1"), "docs/") == "no commit under docs/ from v1.0 to v1.1"


def test_a_rollback(shop: Path) -> None:
    found = find(shop, "v1.2", "v1.0")
    assert (found.changes, found.count, found.behind) == ((), 0, 4)
    assert found.describe(("v1.2", "v1.0")) == (
        "v1.0 is 4 commits behind v1.2 and has nothing new: going there is a rollback"
    )


def test_branches_that_went_apart(shop: Path) -> None:
    found = find(shop, "v1.1", "v1.0.1")
    assert subjects(found) == ["Explain the limit"]
    assert (found.count, found.behind) == (1, 3)
    assert found.describe(("v1.1", "v1.0.1")).endswith("Explain the limit; 3 of v1.1 are not in v1.0.1")
    assert found.describe(("v1.1", "v1.0.1")).startswith("1 commit from v1.1 to v1.0.1, ")


def test_the_same_commit(shop: Path) -> None:
    found = find(shop, "v1.2", "main")
    assert (found.changes, found.count, found.behind) == ((), 0, 0)
    assert found.describe(("v1.2", "main")) == f"v1.2 and main are the same commit, {found.new[:7]}"


def test_an_unknown_end(shop: Path) -> None:
    repository = open_repository(shop)
    assert between(repository, "v1.0", "v9") is None
    assert between(repository, "v9", "v1.0") is None
    error = unknown_ends(("v1.0", "v1.3"), {"shop": repository})
    assert str(error) == "range: no commit v1.3 in shop; the nearest tags are v1.2, v1.1, v1.0.1"
    far = unknown_ends(("feedfeed", "deadbeef"), {"shop": repository})
    assert str(far).startswith("range: no commit feedfeed or deadbeef in shop; the nearest tags are ")
    assert far.nearest == ("v1.0.1", "v1.2", "v1.1"), "the newest"


def test_options_are_no_names(shop: Path) -> None:
    assert between(open_repository(shop), "--all", "v1.1") is None
    assert between(open_repository(shop), "v1.0", "--output=/tmp/x") is None


def test_without_tags_none_are_named(tmp_path: Path) -> None:
    repository = open_repository(make_repository(tmp_path / "r", {"a": "1"}))
    error = unknown_ends(("HEAD", "v1"), {"r": repository})
    assert (str(error), error.nearest) == ("range: no commit v1 in r", ())


def test_the_count_is_gits_own(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a": "0"}, DAY)
    for i in range(1, 8):
        commit(folder, {f"f{i % 3}": str(i)}, f"c{i}", DAY + i * HOUR)
    listed = run_git(folder, "log", "--format=%s", "HEAD~5..HEAD~1").split()
    found = find(folder, "HEAD~5", "HEAD~1")
    assert subjects(found) == listed
    assert found.count == len(listed) == 4


@each_row("text", ["", "v1", "v1..", "..v2", "v1...v2", " .. "])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ToolArgumentError, match=r"is not OLD\.\.NEW, two commits or tags"):
        read_range(text)


@given(st.text(st.characters(exclude_characters=". "), min_size=1), st.text(st.characters(exclude_characters=". ")))
def test_ends_come_back(old: str, new: str) -> None:
    if old.strip() and new.strip():
        assert read_range(f" {old}.. {new}") == (old.strip(), new.strip())
