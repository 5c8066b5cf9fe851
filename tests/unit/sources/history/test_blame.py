"""Who last changed lines, how a value came to be what it is, and files under the names that they had before."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.search import find_changes, last_change
from workers.sources.evidence.line_history import best_steps, values_of
from workers.sources.git import open_repository
from workers.sources.history.blame import before_hunks, line_history, line_mover, overlaps
from workers.sources.history.commits import kept_page, list_span
from workers.sources.history.diff import Hunk, read_patch
from workers.sources.history.value_changes import value_changes

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLIENT = """RETRY_LIMIT = {limit}
TIMEOUT = 30


def send(message):
    for attempt in range(RETRY_LIMIT):
        if deliver(message):
            return True
    return False
"""


def day(n: int) -> datetime:
    return DAY + timedelta(days=n)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A limit raised twice, around a rename, a reformatting that says so, one that is listed, and a shift."""
    folder = make_repository(tmp_path_factory.mktemp("lines") / "r", {"client.py": CLIENT.format(limit=3)}, DAY)
    commit(folder, {"client.py": CLIENT.format(limit=5)}, "Try five times", day(1))
    text = CLIENT.format(limit=5)
    commit(folder, {"client.py": None, "bank/sender.py": f'"""Sends."""\n\n{text}'}, "Move the client", day(2))
    text = f'"""Sends."""\n\n{CLIENT.format(limit=8)}'
    commit(folder, {"bank/sender.py": text}, "Retry more often", day(3))
    commit(folder, {"bank/sender.py": text.replace("    ", "\t")}, "Tabs", day(4))
    formatted = text.replace("RETRY_LIMIT = 8", "RETRY_LIMIT = (8)").replace("    ", "\t")
    commit(folder, {"bank/sender.py": formatted}, "Run black on everything", day(5))
    listed = commit(folder, {"bank/sender.py": formatted.replace("= 30", "= (30)")}, "Parentheses", day(6))
    commit(folder, {".git-blame-ignore-revs": f"# noise\n{listed}  # parentheses\n{'0' * 40}\n"}, "Pass over", day(7))
    return folder


def head(folder: Path) -> str:
    return run_git(folder, "rev-parse", "HEAD").strip()


def test_blame_passes_over_white_space_formatting_and_listed_commits(team: Path) -> None:
    limit = last_change(team, head(team), "bank/sender.py", 3, 3)
    assert limit is not None
    assert (limit.subject, limit.author, limit.at) == ("Retry more often", "Ada", day(3))
    timeout = last_change(team, head(team), "bank/sender.py", 4, 4)
    assert timeout is not None
    assert (timeout.subject, timeout.path) == ("Begin", "client.py"), "listed, then white space, then moved"
    loop = last_change(team, head(team), "bank/sender.py", 8, 10)
    assert loop is not None
    assert loop.subject == "Begin"


def test_what_only_formatting_made_is_from_it(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "a = 1\n"}, DAY)
    commit(folder, {"a.py": "a = 1\nb = 2\n"}, "Reformat", day(1))
    found = last_change(folder, head(folder), "a.py", 2, 2)
    assert found is not None
    assert found.subject == "Reformat"


def test_the_history_of_a_value_across_a_rename(team: Path) -> None:
    steps = line_history(open_repository(team), head(team), "bank/sender.py", 3, 3)
    assert [s.by.subject for s in steps] == ["Retry more often", "Try five times", "Begin"]
    assert [(s.by.path, s.old_path) for s in steps] == [
        ("bank/sender.py", "bank/sender.py"),
        ("client.py", "client.py"),
        ("client.py", ""),
    ]
    values = [[(v.name, v.old, v.new, v.new_line) for v in values_of(s, "retry limit")] for s in steps]
    assert values == [[("RETRY_LIMIT", "5", "8", 3)], [("RETRY_LIMIT", "3", "5", 1)], []]
    (step,) = values_of(steps[0], "retry limit")
    assert (step.old_text, step.new_text) == ("RETRY_LIMIT = 5", "RETRY_LIMIT = 8")


def test_the_step_that_changed_the_named_value_comes_first(team: Path) -> None:
    text = (team / "bank/sender.py").read_text()
    other = commit(team, {"bank/sender.py": text.replace("(30)", "45")}, "Other", day(8))
    try:
        steps = line_history(open_repository(team), other, "bank/sender.py", 1, 10)
        best = best_steps(steps, "when was the retry limit changed")
        assert steps[0].by.subject == "Other"
        assert best[0].by.subject == "Retry more often"
    finally:
        run_git(team, "reset", "-q", "--hard", "HEAD~1")


def test_no_time_no_history(team: Path) -> None:
    assert line_history(open_repository(team), head(team), "bank/sender.py", 3, 3, timeout_s=0) == []
    assert line_history(open_repository(team), head(team), "none.py", 3, 3) == []


def test_paths_are_followed_to_earlier_names(team: Path) -> None:
    found = [c.subject for c in find_changes(team, None, None, paths=("bank/",), k=20).changes]
    assert found[-3:] == ["Move the client", "Try five times", "Begin"], "moved and edited in one commit"
    assert "Pass over" not in found
    (moved,) = [
        c for c in find_changes(team, None, None, paths=("bank/",), k=20).changes if c.subject == "Move the client"
    ]
    assert [(f.path, f.old_path) for f in moved.files] == [("bank/sender.py", "client.py")]


def test_a_new_file_under_an_old_name_is_another(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"old.py": "a = 1\nb = 2\nc = 3\n"}, DAY)
    run_git(folder, "mv", "old.py", "new.py")
    commit(folder, {}, "Move", day(1))
    commit(folder, {"old.py": "print('something else')\n"}, "Another", day(2))
    commit(folder, {"old.py": "print('something else again')\n"}, "Another again", day(3))
    assert [c.subject for c in find_changes(folder, None, None, paths=("new.py",)).changes] == ["Move", "Begin"]
    assert [c.subject for c in find_changes(folder, None, None, paths=("old.py",)).changes][:2] == [
        "Another again",
        "Another",
    ]


def test_what_is_known_of_a_file_holds_for_its_earlier_name(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"old.py": "a = 1\nb = 2\nc = 3\n", "other.py": "x = 1\n"}, DAY)
    commit(folder, {"old.py": "a = 1\nb = 2\nc = 4\n"}, "Tune it", day(1))
    commit(folder, {"other.py": "x = 2\n"}, "Tune that", day(2))
    run_git(folder, "mv", "old.py", "new.py")
    commit(folder, {}, "Move", day(3))
    found = find_changes(folder, None, None, "tune", related={"new.py": 1.0}).changes
    assert [c.subject for c in found].index("Tune it") < [c.subject for c in found].index("Tune that")


def test_pages_are_the_same_as_one(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, now = open_repository(team), head(team)
    whole = list_span(repo, now, None, None)
    monkeypatch.setattr("workers.sources.history.commits.PAGE", 3)
    kept_page.cache_clear()
    try:
        assert list_span(repo, now, None, None) == whole
        for since, until in ((day(1), day(3)), (None, day(2)), (day(5), None), (day(2), day(2))):
            paged = [c.subject for c in list_span(repo, now, since, until).commits]
            own = [
                c.subject
                for c in whole.commits
                if (since is None or c.at >= since) and (until is None or c.at <= until)
            ]
            assert paged == own
        monkeypatch.setattr("workers.sources.history.commits.MOST_LISTED", 6)
        some = list_span(repo, now, None, None)
        assert (len(some.commits), some.left) == (6, len(whole.commits) - 6)
        found = find_changes(team, None, None, "retry", k=2)
        assert (found.count, found.listed, found.read) == (len(whole.commits), 6, 6)
        assert found.describe() == "2 of 8 commits, the newest 6 by subject and paths, the lines of 6 read"
    finally:
        kept_page.cache_clear()


def test_a_commit_whose_message_looks_like_the_log(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "a = 1\n"}, DAY)
    commit(folder, {"a.py": "a = 2\n"}, f"Odd\n\n\x01{'f' * 40} diff --git a/x b/x\n+++ b/evil.py", day(1))
    found = find_changes(folder, None, None).changes
    assert [(c.subject, [f.path for f in c.files]) for c in found] == [("Odd", ["a.py"]), ("Begin", ["a.py"])]


def test_a_missing_blob_takes_nothing_else_away(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "a = 1\n"}, DAY)
    for i in range(2, 6):
        commit(folder, {f"f{i}.py": f"value = {i}\n", "a.py": f"a = {i}\n"}, f"Set {i}", day(i))
    blob = run_git(folder, "rev-parse", "HEAD~1:f4.py").strip()
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = {c.subject: c for c in find_changes(folder, None, None, "value", k=20).changes}
    assert len(found) == 5
    assert {f.path for f in found["Set 4"].files} == {"a.py", "f4.py"}
    for i in (2, 3, 5):
        assert any(h.added_text == f"value = {i}" for f in found[f"Set {i}"].files for h in f.hunks)


def test_lines_of_a_deployed_commit_moved_to_the_indexed_one(team: Path) -> None:
    old = run_git(team, "rev-list", "HEAD").split()[-2]
    text = CLIENT.format(limit=5)
    grown = commit(
        team, {"client.py": "import time\nimport os\n" + text.replace("TIMEOUT = 30", "TIMEOUT = 60")}, "Grow"
    )
    try:
        move = line_mover(open_repository(team), old, grown)
        assert move("client.py", 1) == (3, f"line 1 of the deployed {old[:7]}")
        line, note = move("client.py", 2)
        assert line == 4
        assert note == f"line 2 of the deployed {old[:7]} was changed since; near here now"
        assert line_mover(open_repository(team), old, old)("client.py", 7) == (7, "")
    finally:
        run_git(team, "reset", "-q", "--hard", "HEAD~1")


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=14),
    st.lists(st.integers(0, 5), min_size=1, max_size=14),
    st.data(),
)
def test_unchanged_lines_are_found_before_any_hunks(old: list[int], new: list[int], data: st.DataObject) -> None:
    hunks, same = hunks_between(old, new)
    number = data.draw(st.integers(1, len(new)))
    if number in same:
        assert before_hunks(hunks, number, number) == (same[number], same[number])
    first = data.draw(st.integers(1, len(new)))
    last = data.draw(st.integers(first, len(new)))
    span = before_hunks(hunks, first, last)
    kept = [same[n] for n in range(first, last + 1) if n in same]
    if kept:
        assert span is not None
        assert span[0] <= min(kept)
        assert max(kept) <= span[1] <= len(old)


def hunks_between(old: list[int], new: list[int]) -> tuple[list[Hunk], dict[int, int]]:
    """Hunks as git writes them, and unchanged lines: number in ``new`` -> number in ``old``."""
    hunks, same = [], {}
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            same |= {c + i + 1: a + i + 1 for i in range(b - a)}
        else:
            start = c + 1 if d > c else c
            hunks.append(
                Hunk(
                    max(start, 1),
                    max(d, start, 1),
                    at=start,
                    lines=d - c,
                    old_start=a + 1 if b > a else a,
                    old_lines=b - a,
                )
            )
    return hunks, same


def test_a_hunk_overlaps_its_own_lines() -> None:
    hunk = Hunk(5, 7, lines=3)
    assert [n for n in range(1, 12) if overlaps(hunk, n, n)] == [5, 6, 7]


@each_row(
    "old, new, expected",
    [
        ("MAX_ATTEMPTS = 3", "MAX_ATTEMPTS = 5", ("MAX_ATTEMPTS", "3", "5")),
        ("  timeout: 30s", "  timeout: 45s", ("timeout", "30s", "45s")),
        ("  private static final int MAX = 10;", "  private static final int MAX = 20; // more", ("MAX", "10", "20")),
        ("retry = Retry(3)", "retry = Retry(settings.retries)", ("retry", "Retry(3)", "Retry(settings.retries)")),
        ("ENV WORKERS 4", "ENV WORKERS 8", ("WORKERS", "4", "8")),
        ("x := 5 * time.Second", "x := 10 * time.Second", ("x", "5", "10")),
        ('"port": 80,', '"port": 8080,', ("port", "80", "8080")),
        ("def pay(tries=1):", "def pay(tries=2):", ("tries", "1", "2")),
        ("const a: number = 3;", "const a: number = 4;", ("a", "3", "4")),
        ("enabled: true", "enabled: false", ("enabled", "true", "false")),
        ("return a", "return b", None),
        ("pay(1)", "refund(1)", None),
        ("a = 1", "a = 1", None),
    ],
)
def test_old_and_new_values(old: str, new: str, expected: tuple[str, str, str] | None) -> None:
    found = value_changes(Hunk(7, 7, new, old, lines=1, old_start=4, old_lines=1))
    assert [(v.name, v.old, v.new) for v in found] == ([expected] if expected else [])
    assert all(v.new_line == 7 for v in found)


@given(st.text(max_size=200), st.text(max_size=200))
def test_values_of_any_lines(old: str, new: str) -> None:
    found = value_changes(Hunk(1, 1, new, old, lines=new.count("\n") + 1, old_start=1, old_lines=old.count("\n") + 1))
    for v in found:
        assert v.old != v.new
        assert v.old in v.old_text
        assert v.new in v.new_text


def test_a_patch_says_where_its_lines_stood() -> None:
    patch = (
        "diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n"
        "@@ -3,2 +4 @@ def pay():\n-x\n-y\n+z\n@@ -9,0 +9 @@\n+\n@@ -12 +12,0 @@\n-q"
    )
    (file,) = read_patch(patch)
    assert (file.path, file.old_path, file.created, file.deleted) == ("b.py", "a.py", False, False)
    assert [(h.start_line, h.lines, h.old_start, h.old_lines, h.near) for h in file.hunks] == [
        (4, 1, 3, 2, "def pay():"),
        (9, 1, 9, 0, ""),
        (12, 0, 12, 1, ""),
    ]
