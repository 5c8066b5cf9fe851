"""show_commit and log_of on real repositories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from tests.unit.tools.test_code_files import build, call
from workers.contracts import Deploy
from workers.errors import ToolArgumentError
from workers.ports import ToolContext
from workers.tools.commits import build_log_of, build_show_commit

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CACHE = "import time\n\nTTL_SECONDS = 300\n\n\ndef key(words):\n    return words\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    start = NOON - timedelta(days=10)
    folder = make_repository(
        tmp_path_factory.mktemp("commits") / "shop", {"cache.py": CACHE, "docs/a.md": "a\n"}, start
    )
    faster = CACHE.replace("= 300", "= 1").replace("return words", "return words, time.time()")
    changed = {"cache.py": faster, "docs/a.md": None, "big.txt": "x\n" * 500, "logo.png": b"\0"}
    commit(folder, changed, "Cache results\n\nAsked for in OPS-7.", NOON - timedelta(days=2))
    run_git(folder, "tag", "v2")
    commit(folder, {"README.md": "# Shop\n"}, "Say what it is", NOON - timedelta(days=1))
    return folder


def deploys(shop: Path) -> tuple[Deploy, ...]:
    commit_of_v2 = run_git(shop, "rev-parse", "v2").strip()
    return (Deploy(service="shop", version="2.0.1", commit=commit_of_v2, at=NOON - timedelta(days=1, hours=3)),)


def test_both_sides_of_a_commit(shop: Path, home: Path) -> None:
    output = call(build(build_show_commit, home, shop, deploys=deploys(shop)), commit="v2")
    about, *diffs = output.evidence
    assert about.kind == "change"
    assert about.title == "Cache results"
    assert "Asked for in OPS-7." in about.excerpt
    assert about.facts["first_tag"].value == "v2"
    assert about.facts["deploy_1"].value == "shop 2.0.1 to production"
    assert about.facts["deploy_1_at"].value == "2026-05-03T09:00:00Z"
    assert (about.facts["files"].value, about.facts["removed"].value) == (4, 3)
    cache = next(d for d in diffs if d.facts["path"].value == "cache.py")
    assert cache.excerpt.split("\n")[0] == "cache.py | +2 -2"
    assert {"-3: TTL_SECONDS = 300", "+3: TTL_SECONDS = 1", " 6: def key(words):"} <= set(cache.excerpt.split("\n"))
    assert cache.facts["hunk_1"].value == "cache.py:3-3"
    assert cache.facts["hunk_1_removed"].value == "TTL_SECONDS = 300"
    assert cache.facts["hunk_1_text"].value == "TTL_SECONDS = 1"
    assert cache.facts["hunk_2_symbol"].value == "key"
    gone = next(d for d in diffs if d.facts["path"].value == "docs/a.md")
    assert gone.excerpt == "docs/a.md | +0 -1 (deleted)\n-1: a"


def test_what_was_left_out_is_said(shop: Path, home: Path) -> None:
    tool = build(build_show_commit, home, shop)
    whole = call(tool, commit="v2")
    assert any("rows of the diff of big.txt were left out" in said for said in whole.data["cut"])
    assert any(said == "logo.png has no diff of text" for said in whole.data["cut"])
    alone = call(tool, commit="v2", path="big.txt")
    shown = [row for e in alone.evidence[1:] for row in e.excerpt.split("\n")[1:]]
    assert shown == [f"+{n}: x" for n in range(1, 301)]
    assert all(len(e.excerpt) <= 2_400 for e in alone.evidence)


def test_a_commit_by_a_deployed_version(shop: Path, home: Path) -> None:
    output = call(build(build_show_commit, home, shop, deploys=deploys(shop)), commit="v2.0.1", path="cache")
    assert output.summary.endswith("Cache results, by Ada at 2026-05-02T12:00:00Z: 4 files, +502 -3")
    assert "lists all that came with it" in output.reason


def test_a_commit_that_did_not_touch_a_path_says_what_it_did(shop: Path, home: Path) -> None:
    output = call(build(build_show_commit, home, shop), commit="HEAD", path="cache.py")
    assert (output.status, output.nearest) == ("empty", ("README.md",))
    with pytest.raises(ToolArgumentError, match="no commit, tag, branch or deployed version 'zzz'"):
        call(build(build_show_commit, home, shop), commit="zzz")
    with pytest.raises(ToolArgumentError, match="commit is empty"):
        call(build(build_show_commit, home, shop))


def test_the_history_of_a_file_and_of_its_lines(shop: Path, home: Path) -> None:
    tool = build(build_log_of, home, shop)
    output = call(tool, path="cache.py")
    assert [e.title for e in output.evidence] == ["history of cache.py", "Cache results", "Begin"]
    assert output.evidence[0].facts["commits"].value == 2
    assert output.evidence[1].facts["author"].value == "Ada"
    lines = call(tool, path="cache.py", lines="3")
    assert lines.evidence[1].excerpt.split("\n")[1:] == ["-3: TTL_SECONDS = 300", "+3: TTL_SECONDS = 1"]
    assert lines.evidence[1].facts["hunk_1"].value == "cache.py:3-3"


def test_a_file_that_is_gone_has_a_history(shop: Path, home: Path) -> None:
    output = call(build(build_log_of, home, shop), path="docs/a.md")
    assert [c["subject"] for c in output.data["commits"]] == ["Cache results", "Begin"]


def test_commits_by_author_words_and_time(shop: Path, home: Path) -> None:
    tool = build(build_log_of, home, shop)
    assert call(tool, author="ada").data["count"] == 3
    assert [c["subject"] for c in call(tool, words="ops-7 cache").data["commits"]] == ["Cache results"]
    since = (NOON - timedelta(days=1, hours=1)).isoformat()
    assert [c["subject"] for c in call(tool, since=since).data["commits"]] == ["Say what it is"]
    none = call(tool, author="nobody")
    assert (none.status, "by 'nobody'" in none.reason) == ("empty", True)


def test_nothing_after_the_moment_asked_about(shop: Path, home: Path) -> None:
    tool = build(build_log_of, home, shop)
    early = ToolContext("r1", "research", NOON - timedelta(days=5))
    output = tool.run(tool.args.model_validate({"path": "cache.py"}), early)
    assert [c["subject"] for c in output.data["commits"]] == ["Begin"]


def test_many_commits_are_counted_and_cut(tmp_path: Path, home: Path) -> None:
    folder = make_repository(tmp_path / "busy", {"a.py": "0\n"}, NOON - timedelta(days=50))
    for n in range(1, 36):
        commit(folder, {"a.py": f"{n}\n"}, f"Step {n}", NOON - timedelta(days=50 - n))
    output = call(build(build_log_of, home, folder), path="a.py")
    assert output.data["count"] == 36
    assert len(output.data["commits"]) == 30
    assert "the newest 30 of 36 commits are shown" in output.reason


@each_row(
    "args, said",
    [
        ({}, "which commits are meant"),
        ({"lines": "3", "author": "a"}, "lines need the path"),
        ({"path": "cache.py", "lines": "90-99"}, "has 7 lines"),
        ({"path": "docs/a.md", "lines": "1"}, "is a folder or is gone"),
        ({"path": "cache.py", "since": "yesterday"}, "RFC 3339"),
        ({"author": "a\nb"}, "author holds a line break"),
        ({"path": "\x00"}, "path holds"),
    ],
)
def test_mistakes_are_said(shop: Path, home: Path, args: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolArgumentError, match=said):
        call(build(build_log_of, home, shop), **args)


def test_what_never_was_there(shop: Path, home: Path) -> None:
    output = call(build(build_log_of, home, shop), path="cahce.py")
    assert output.status == "empty"
    assert output.reason == "shop has and had no file or folder 'cahce.py'"
    assert output.nearest == ("cache.py",)
