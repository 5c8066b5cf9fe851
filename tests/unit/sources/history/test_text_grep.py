"""A regular expression over a commit, through git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.sources.git import open_repository, resolve
from workers.sources.history import text_grep
from workers.sources.history.text_grep import Match, check_pattern, grep_commit

FILES = {
    "pay/client.py": "import x\n\nMAX = 3\nmax_retries = MAX\n",
    "conf/app.yaml": "max: 4\n",
    "pay/ünïcode.py": "MAX = 5\r\n",
    "logo.png": b"\x89PNG\0MAX = 3\n",
    "--output": "MAX = 9\n",
    "evil.txt": "a" * 40 + "!\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


def found(repository: Path, pattern: str, *paths: str, ignore_case: bool = False) -> list[tuple[str, int, str]]:
    repo = open_repository(repository)
    check_pattern(repo, pattern, ignore_case=ignore_case)
    matches = grep_commit(repo, resolve(repo) or "", pattern, paths, ignore_case=ignore_case)
    assert matches.whole
    return [(m.path, m.line, m.text) for m in matches.found]


def test_lines_of_text_files_at_the_commit(repository: Path) -> None:
    (repository / "pay/client.py").write_text("nothing\n")  # not committed, so not seen
    assert found(repository, r"^MAX\s*=") == [
        ("--output", 1, "MAX = 9"),
        ("pay/client.py", 3, "MAX = 3"),
        ("pay/ünïcode.py", 1, "MAX = 5"),
    ]
    assert found(repository, r"\bmax\b", ignore_case=True)[1] == ("conf/app.yaml", 1, "max: 4")
    assert found(repository, r"MAX", "pay/") == [
        ("pay/client.py", 3, "MAX = 3"),
        ("pay/client.py", 4, "max_retries = MAX"),
        ("pay/ünïcode.py", 1, "MAX = 5"),
    ]
    assert found(repository, "nowhere") == []
    assert found(repository, "--output|-e") == []


def test_the_place_in_the_line(repository: Path) -> None:
    repo = open_repository(repository)
    matches = grep_commit(repo, resolve(repo) or "", "MAX$", ())
    assert matches.found == (Match("pay/client.py", 4, 15, "max_retries = MAX"),)


@each_row(
    "pattern, said",
    [
        ("foo(", "parenthesis"),
        ("[a", "terminating ]"),
        ("a\nb", "line break"),
        ("\ud800", "line break"),
        ("  ", "empty"),
    ],
)
def test_what_is_no_pattern_is_said(repository: Path, pattern: str, said: str) -> None:
    with pytest.raises(ToolArgumentError, match=said):
        check_pattern(open_repository(repository), pattern, ignore_case=False)


def test_a_catastrophic_pattern_ends(repository: Path) -> None:
    repo = open_repository(repository)
    with pytest.raises(ToolUnavailable, match="repeat inside a repeat"):
        grep_commit(repo, resolve(repo) or "", r"^(a+)+$", ("evil.txt",))


def test_very_many_matches_are_cut_and_said_to_be(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, {"many.txt": "hit\n" * 500}, "Many")
    monkeypatch.setattr(text_grep, "MOST_BYTES", 4_000)
    repo = open_repository(repository)
    matches = grep_commit(repo, resolve(repo) or "", "hit", ())
    assert not matches.whole
    assert 10 < len(matches.found) < 100


def test_no_program_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    run_git(repository, "config", "diff.evil.textconv", f"touch {trace}; cat")
    commit(repository, {".gitattributes": "*.yaml diff=evil\n"}, "Attributes")
    assert found(repository, "max: 4") == [("conf/app.yaml", 1, "max: 4")]
    assert not trace.exists()
