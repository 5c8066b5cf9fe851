"""Commits of a span, ranked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.search import change as one_change
from workers.search import find_changes, last_change
from workers.sources.history.commits import Change

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
CACHE = "TTL_SECONDS = 60\n\n\nclass Cache:\n    def get(self, key):\n        return self.items.get(key)\n"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a week of history and a merge."""
    folder = make_repository(
        tmp_path_factory.mktemp("team") / "r",
        {"cache.py": CACHE, "search.py": "def search(q):\n    return q\n", "README.md": "# R\n"},
        DAY,
    )
    commit(folder, {"README.md": "# R\n\nSearch and cache.\n"}, "Describe search", DAY + timedelta(days=1))
    commit(
        folder,
        {
            "cache.py": CACHE.replace("60", "1"),
            "search.py": "from cache import Cache\n\n\ndef search(q):\n    return Cache().get(q) or q\n",
            "test_search.py": "def test_search():\n    assert search(1) == 1\n",
        },
        "Cache results of search\n\nSaves a query.",
        DAY + timedelta(days=2),
    )
    run_git(folder, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(folder, {"pay.py": "def pay():\n    return 1\n"}, "Pay", DAY + timedelta(hours=1))
    run_git(folder, "checkout", "-q", "main")
    run_git(folder, "merge", "-q", "--no-ff", "side", "-m", "Merge side", at=DAY + timedelta(days=3))
    commit(
        folder, {"search.py": None, "find er.py": "def find():\n    pass\n"}, "Rename search", DAY + timedelta(days=4)
    )
    return folder


def subjects(found: list[Change]) -> list[str]:
    return [c.subject for c in found]


def test_a_span_newest_first(team: Path) -> None:
    found = find_changes(team, DAY + timedelta(days=1), DAY + timedelta(days=3)).changes
    assert subjects(found) == ["Merge side", "Cache results of search", "Describe search"]
    assert found[1].at == DAY + timedelta(days=2)
    assert found[1].body == "Saves a query."
    assert found[1].author == "Ada"
    assert found[1].short == found[1].commit[:7]


def test_both_ends_belong_to_the_span_in_any_zone(team: Path) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    moment = (DAY + timedelta(days=2)).astimezone(zone)
    assert subjects(find_changes(team, moment, moment).changes) == ["Cache results of search"]
    assert (
        find_changes(team, moment + timedelta(seconds=1), moment + timedelta(days=1) - timedelta(seconds=1)).changes
        == ()
    )


def test_no_limits(team: Path) -> None:
    assert len(find_changes(team, None, None, k=20).changes) == 5
    assert len(find_changes(team, None, None, k=2).changes) == 2


def test_a_merge_counts_only_for_what_it_brings_in(team: Path) -> None:
    whole = find_changes(team, None, None, k=20).changes
    assert "Merge side" not in subjects(whole)
    (merge,) = [c for c in find_changes(team, DAY + timedelta(days=3), None).changes if c.merge]
    assert [f.path for f in merge.files] == ["pay.py"]


def test_the_question_ranks(team: Path) -> None:
    found = find_changes(team, None, None, "why is the cache of search slow").changes
    assert found[0].subject == "Cache results of search"
    assert found[0].score > found[1].score
    assert [f.path for f in found[0].files][-1] == "test_search.py"
    assert find_changes(team, None, None, "pay").changes[0].subject == "Pay"


def test_related_files_rank(team: Path) -> None:
    assert find_changes(team, None, None, "zeppelin", related={"pay.py": 1.0}).changes[0].subject == "Pay"


def test_hunks_are_lines_of_the_new_side(team: Path) -> None:
    found = find_changes(team, None, None, "cache", k=20).changes
    seen = 0
    for c in found:
        for f in c.files:
            for h in f.hunks:
                if h.added_text:
                    assert h.added_text == lines_at(team, c.commit, f.path, h.start_line, h.end_line)
                    seen += 1
    assert seen > 5
    top = {f.path: f for f in found[0].files}
    assert [(h.start_line, h.end_line, h.symbol) for h in top["cache.py"].hunks] == [(1, 1, "TTL_SECONDS")]
    assert {h.symbol for h in top["search.py"].hunks} >= {"search"}
    assert (top["cache.py"].added, top["cache.py"].removed) == (1, 1)


def test_a_removed_file_and_a_path_with_a_blank(team: Path) -> None:
    found = one_change(team, "HEAD")
    assert found is not None
    assert {(f.path, f.deleted) for f in found.files} == {("find er.py", False), ("search.py", True)}


def test_paths_limit(team: Path) -> None:
    assert subjects(find_changes(team, None, None, paths=("pay",)).changes) == ["Pay"]
    assert find_changes(team, None, None, paths=("none/",)).changes == ()


def test_one_commit(team: Path) -> None:
    found = one_change(team, "HEAD~1")
    assert found is not None
    assert found.merge
    assert [f.path for f in found.files] == ["pay.py"]
    root = run_git(team, "rev-list", "--max-parents=0", "HEAD").strip()
    first = one_change(team, root)
    assert first is not None
    assert len(first.files) == 3
    for bad in ("nowhere", "-p", "", "\0"):
        assert bad == "" or one_change(team, bad) is None


def test_last_change_of_lines(team: Path) -> None:
    head = run_git(team, "rev-parse", "HEAD").strip()
    value = last_change(team, head, "cache.py", 1, 1)
    body = last_change(team, head, "cache.py", 4, 6)
    assert value is not None
    assert body is not None
    assert (value.subject, value.at, value.author) == ("Cache results of search", DAY + timedelta(days=2), "Ada")
    assert (body.subject, body.at) == ("Begin", DAY)
    assert last_change(team, head, "cache.py", 1, 6) == value
    assert last_change(team, head, "none.py", 1, 2) is None
    assert last_change(team, head, "cache.py", 90, 99) is None
    assert last_change(team, head, "cache.py", 1, 1, timeout_s=0.0) is None


def test_quoted_paths_binaries_and_modes(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"run.sh": "echo\n", 'q"\tü.py': "a = 1\n"}, DAY)
    (folder / "run.sh").chmod(0o755)
    (folder / "logo.png").write_bytes(b"\0\1\2")
    commit(folder, {'q"\tü.py': "a = 2\n", "old.py": "x = 1\ny = 2\nz = 3\n"}, "Odd", DAY)
    found = one_change(folder, "HEAD")
    assert found is not None
    assert {f.path for f in found.files} == {"run.sh", "logo.png", 'q"\tü.py', "old.py"}
    run_git(folder, "mv", "old.py", "new.py")
    commit(folder, {}, "Move", DAY)
    moved = one_change(folder, "HEAD")
    assert moved is not None
    assert [f.path for f in moved.files] == ["new.py"]


def test_patches_too_large_are_left_out(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.sources.history.commits.MAX_PATCH_BYTES", 900)
    found = find_changes(team, None, None, k=20).changes
    assert len(found) == 5
    assert all(f.path for c in found for f in c.files)
    monkeypatch.setattr("workers.sources.history.commits.MAX_PATCH_BYTES", 400)
    whole = one_change(team, "HEAD~2")
    assert whole is not None
    assert {f.path for f in whole.files} == {"cache.py", "search.py", "test_search.py"}


def test_a_user_configuration_changes_nothing(team: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = find_changes(team, None, None, k=20).changes
    config = tmp_path / "gitconfig"
    config.write_text(
        "[diff]\n noprefix = true\n mnemonicPrefix = true\n external = false\n[color]\n ui = always\n"
        "[log]\n showSignature = true\n showRoot = false\n[core]\n pager = false\n quotePath = true\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert find_changes(team, None, None, k=20).changes == before


def test_nothing_to_read(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r")
    assert find_changes(folder, None, None).changes == ()
    assert one_change(folder, "HEAD") is None
    with pytest.raises(ToolUnavailable):
        find_changes(tmp_path / "none", None, None)
