"""Which commits touched a file, a folder or some lines, and both sides of a commit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from workers.sources.git import open_repository, resolve
from workers.sources.history.change_search import change
from workers.sources.history.commit_log import (
    LogQuery,
    ever_touched,
    log_of_all,
    log_of_lines,
    log_of_path,
)
from workers.sources.history.numbered_diff import numbered_diffs

START = datetime(2026, 1, 1, tzinfo=UTC)
LATER = START + timedelta(days=100)
BODY = [f"line {n}" for n in range(1, 31)]


def text(**changed: str) -> str:
    return "\n".join(changed.get(f"l{i}", line) for i, line in enumerate(BODY, 1)) + "\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_repository(tmp_path_factory.mktemp("log") / "shop", {"old.py": text(), "old.py2": "x\n"}, START)
    days = iter(START + timedelta(days=n) for n in range(1, 20))
    commit(folder, {"old.py": text(l5="line five")}, "Spell five", next(days))
    commit(folder, {"old.py2": "y\n"}, "Not the same file", next(days))
    run_git(folder, "mv", "old.py", "new.py")
    commit(folder, {}, "Move it", next(days))
    commit(folder, {"new.py": text(l5="line five", l20="line twenty")}, "Spell twenty", next(days))
    commit(
        folder,
        {"new.py": "# top\n" + text(l5="line V", l20="line twenty")},
        "Roman five\n\nAs asked in OPS-7",
        next(days),
    )
    commit(folder, {"docs/a.md": "a\n"}, "Write it down", next(days))
    return folder


def subjects(log) -> list[str]:
    return [c.subject for c in log.changes]


def query(**more) -> LogQuery:
    return LogQuery(more.pop("since", None), more.pop("until", LATER), **more)


def test_of_a_file_under_earlier_names_too(repository: Path) -> None:
    repo = open_repository(repository)
    log = log_of_path(repo, resolve(repo) or "", "new.py", query())
    assert subjects(log) == ["Roman five", "Spell twenty", "Move it", "Spell five", "Begin"]
    assert log.count == 5


def test_of_a_folder_by_words_and_in_a_span(repository: Path) -> None:
    repo, head = open_repository(repository), resolve(open_repository(repository)) or ""
    assert subjects(log_of_path(repo, head, "docs/", query())) == ["Write it down"]
    assert subjects(log_of_path(repo, head, "new.py", query(words=("ops-7",)))) == ["Roman five"]
    assert subjects(log_of_path(repo, head, "new.py", query(author="nobody"))) == []
    late = query(since=START + timedelta(days=4), until=START + timedelta(days=4, hours=1))
    assert subjects(log_of_path(repo, head, "new.py", late)) == ["Spell twenty"]
    assert subjects(log_of_all(repo, head, query(words=("spell", "FIVE")))) == ["Spell five"]
    assert log_of_all(repo, head, query(author="ada")).count == 7


def test_of_lines_with_their_own_numbers(repository: Path) -> None:
    repo = open_repository(repository)
    log = log_of_lines(repo, resolve(repo) or "", "new.py", (4, 8), query())
    assert subjects(log) == ["Roman five", "Spell five", "Begin"]
    (hunk,) = log.changes[0].files[0].hunks
    assert (hunk.old_start, hunk.removed_text, hunk.start_line, hunk.added_text) == (5, "line five", 6, "line V")
    (first,) = log.changes[-1].files[0].hunks
    assert (first.start_line, first.end_line, first.old_lines) == (3, 7, 0)


def test_what_is_gone_was_there(repository: Path) -> None:
    repo, head = open_repository(repository), resolve(open_repository(repository)) or ""
    assert ever_touched(repo, head, "old.py")
    assert not ever_touched(repo, head, "never.py")


def test_both_sides_of_a_commit_are_numbered(repository: Path) -> None:
    repo = open_repository(repository)
    one = change(repo, "HEAD~1")
    assert one is not None
    diff = numbered_diffs(repo, one.commit, one.files)["new.py"]
    assert diff.rows[:3] == ("+1: # top", " 2: line 1", " 3: line 2")
    assert [row for row in diff.rows if row[0] in "+-"][1:] == ["-5: line five", "+6: line V"]
    created = change(repo, "HEAD")
    assert created is not None
    assert numbered_diffs(repo, created.commit, created.files)["docs/a.md"].rows == ("+1: a",)
