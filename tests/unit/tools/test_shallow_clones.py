"""Shallow clones: the commit at which the history is cut brought nothing, and it is said that it is cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from tests.unit.tools.test_code_files import build as build_of
from tests.unit.tools.test_repo import call, tool_for
from workers.contracts import ToolOutput
from workers.search import find_changes, last_change
from workers.sources.code.commit_words import commits_of
from workers.sources.documents.document_files import last_changes
from workers.sources.git import open_repository
from workers.tools.commits import build_log_of, build_show_commit

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
BANK = "RETRY_LIMIT = 3\nTIMEOUT_MS = 200\n\n\ndef charge(card):\n    return post(card, TIMEOUT_MS)\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits, the newest two cloned: the second touches a colour alone."""
    folder = tmp_path_factory.mktemp("shallow")
    files = {"bank.py": BANK, "colours.css": "a { color: red }\n", "docs/a.md": "# Bank\n\nCharges cards.\n"}
    whole = make_repository(folder / "whole", files, NOON - timedelta(days=30))
    commit(whole, {"colours.css": "a { color: blue }\n"}, "Blue links", NOON - timedelta(days=2))
    commit(whole, {"bank.py": BANK.replace("= 3", "= 5")}, "Try the bank five times", NOON - timedelta(days=1))
    run_git(folder, "clone", "-q", "--depth", "2", f"file://{whole}", "shop")
    return folder / "shop"


def cut(shop: Path) -> str:
    return (shop / ".git/shallow").read_text().strip()


def told(output: ToolOutput) -> str:
    """Everything of an output that could credit a commit."""
    rows = [row for e in output.evidence for row in (e.title, e.excerpt, *(str(f.value) for f in e.facts.values()))]
    return "\n".join([output.summary, *rows])


def test_lines_that_only_the_cut_holds_have_no_last_change(shop: Path) -> None:
    assert last_change(shop, "HEAD", "bank.py", 5, 6) is None
    known = last_change(shop, "HEAD", "bank.py", 1, 2)
    assert known is not None
    assert known.subject == "Try the bank five times"


@each_row(
    "args",
    [
        {"query": "TIMEOUT_MS", "origin": True},
        {"query": "when was TIMEOUT_MS changed", "history": True},
        {"query": "charge card of the bank", "since": "2026-01-01T00:00:00Z"},
        {"since": "2026-01-01T00:00:00Z", "path": "bank.py"},
    ],
)
def test_what_changed_is_not_read_from_the_cut(shop: Path, home: Path, args: dict[str, Any]) -> None:
    output = call(tool_for(home, shop), **args)
    files = [f["path"] for c in output.data["changes"] if c["commit"] == cut(shop) for f in c["files"]]
    assert files == []
    assert not any(name.startswith("hunk") for e in output.evidence if e.title == "Blue links" for name in e.facts)
    (note,) = output.data["unavailable"]
    assert cut(shop)[:7] in note
    if "since" not in args or "path" in args:
        assert "Blue links" not in told(output)


def test_a_span_that_is_whole_says_nothing_of_the_cut(shop: Path, home: Path) -> None:
    output = call(tool_for(home, shop), since="2026-05-03T00:00:00Z")
    assert [c["subject"] for c in output.data["changes"]] == ["Try the bank five times"]
    assert output.data["unavailable"] == []


def test_the_cut_is_shown_without_a_diff(shop: Path, home: Path) -> None:
    for output in (
        call(build_of(build_show_commit, home, shop), commit=cut(shop)),
        call(tool_for(home, shop), commit=cut(shop)),
    ):
        (about,) = output.evidence
        assert about.title == "Blue links"
        assert not {"files", "added", "effect", "inert", "file_1", "hunk_1"} & about.facts.keys()
        assert "not known" in about.excerpt


def test_a_log_of_a_shallow_clone_is_at_least(shop: Path, home: Path) -> None:
    log = build_of(build_log_of, home, shop)
    for output in (call(log, path="bank.py"), call(log, path="bank.py", lines="1-2")):
        assert [c["subject"] for c in output.data["commits"]] == ["Try the bank five times"]
        assert (output.data["count"], output.data["whole"]) == (1, False)
        assert cut(shop)[:7] in output.reason
    assert call(log, path="bank.py", since="2026-05-03T00:00:00Z").data["whole"]


def test_a_range_between_two_cuts_is_not_whole(shop: Path, home: Path, tmp_path: Path) -> None:
    """Two tags fetched alone: what lies between them is not there, and the older is no rollback's."""
    whole = shop.parent / "whole"
    run_git(whole, "tag", "-f", "v1", "HEAD~2")
    run_git(whole, "tag", "-f", "v2", "HEAD")
    lone = make_repository(tmp_path / "lone")
    for tag in ("v1", "v2"):
        run_git(lone, "fetch", "-q", "--depth", "1", f"file://{whole}", f"refs/tags/{tag}:refs/tags/{tag}")
    run_git(lone, "reset", "-q", "--hard", "v2")
    output = call(tool_for(home, lone), range="v1..v2")
    assert output.data["range"]["behind"] == 0
    assert output.data["changes"][0]["files"] == []
    assert len(output.data["unavailable"]) == 1


def test_what_is_deepened_is_read_again(shop: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{shop.parent / 'whole'}", "deep")
    first = find_changes(tmp_path / "deep", None, None, k=5)
    assert [(c.subject, c.files) for c in first.changes] == [("Try the bank five times", ())]
    run_git(tmp_path / "deep", "fetch", "-q", "--unshallow")
    after = find_changes(tmp_path / "deep", None, None, k=5)
    assert [c.subject for c in after.changes] == ["Try the bank five times", "Blue links", "Begin"]
    assert [f.path for f in after.changes[0].files] == ["bank.py"]


def test_neither_files_nor_documents_learn_from_the_cut(shop: Path) -> None:
    repo = open_repository(shop)
    assert list(commits_of(repo, "HEAD")) == [("Try the bank five times", ["bank.py"])]
    assert last_changes(repo, "HEAD", {"docs/a.md", "bank.py"}).keys() == {"bank.py"}
