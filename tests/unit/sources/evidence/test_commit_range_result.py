"""What a deploy brought, where histories were rewritten, files moved, and branches merged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from workers.contracts import Deploy, ToolOutput
from workers.search import CodeIndex
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.commit_range_result import Wanted, show_range, show_release
from workers.sources.history.releases import read_release

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = DAY + timedelta(days=30)


def day(n: int) -> datetime:
    return DAY + timedelta(days=n)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """v1, then a branch with a moved and edited file that is merged, v2."""
    body = "".join(f"line_{i} = {i}\n" for i in range(20))
    folder = make_repository(tmp_path / "shop", {"cart.py": body, "pay.py": "a = 1\n"}, DAY)
    run_git(folder, "tag", "v1")
    run_git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"cart.py": None, "shop/basket.py": body.replace("line_7 = 7", "line_7 = 70")}, "Move it", day(1))
    run_git(folder, "checkout", "-q", "main")
    commit(folder, {"pay.py": "a = 2\n"}, "Pay twice", day(2))
    run_git(folder, "merge", "-q", "--no-ff", "side", "-m", "Merge side", at=day(3))
    run_git(folder, "tag", "v2")
    return folder


def wanted(folder: Path, tmp_path: Path, deploys: tuple[Deploy, ...] = (), path: str = "", query: str = "") -> Wanted:
    index = CodeIndex.build(folder, tmp_path / "index")
    source = Source(folder, "shop", tmp_path / "index")
    return Wanted(query, path, 10, NOW, [(source, index)], (), deploys, "production")


def subjects(output: ToolOutput) -> list[str]:
    return [c["subject"] for c in output.data["changes"]]


def test_moved_files_count_under_their_new_name(shop: Path, tmp_path: Path) -> None:
    output = show_range(("v1", "v2"), wanted(shop, tmp_path, path="shop/"))
    assert subjects(output) == ["Move it"]
    (file,) = output.data["changes"][0]["files"]
    assert (file["path"], file["added"], file["removed"]) == ("shop/basket.py", 1, 1)
    assert output.data["range"]["count"] == 1


def test_a_merge_is_left_out_when_its_commits_are_there(shop: Path, tmp_path: Path) -> None:
    output = show_range(("v1", "v2"), wanted(shop, tmp_path))
    assert subjects(output) == ["Pay twice", "Move it"]
    assert (output.data["range"]["count"], output.data["range"]["behind"]) == (2, 0)


def test_a_deploy_that_was_pushed_over(shop: Path, tmp_path: Path) -> None:
    """The old deploy's commit is on no branch any more, but still there: what it alone has is said."""
    lost = commit(shop, {"pay.py": "a = 3\n"}, "Hot fix", day(4))
    run_git(shop, "reset", "-q", "--hard", "v2")
    kept = commit(shop, {"pay.py": "a = 4\n"}, "Proper fix", day(5))
    deploys = (
        Deploy(service="shop", version="a", commit=lost, at=day(4)),
        Deploy(service="shop", version="b", commit=kept, at=day(6)),
    )
    output = show_release(read_release("shop"), wanted(shop, tmp_path, deploys))
    assert subjects(output) == ["Proper fix"]
    assert (output.data["range"]["count"], output.data["range"]["behind"]) == (1, 1)
    assert output.summary.endswith("1 of shop a are not in shop b")


def test_a_deploy_whose_commit_is_gone(shop: Path, tmp_path: Path) -> None:
    kept = run_git(shop, "rev-parse", "v2").strip()
    deploys = (
        Deploy(service="shop", version="a", commit="f" * 40, at=day(1)),
        Deploy(service="shop", version="b", commit=kept, at=day(6)),
    )
    output = show_release(read_release("shop"), wanted(shop, tmp_path, deploys))
    assert output.status == "ok"
    assert output.reason == "the commit of the deploy before it is not known"
    assert subjects(output) == ["Merge side"]
    gone = (Deploy(service="shop", version="c", commit="e" * 40, at=day(7)),)
    nothing = show_release(read_release("shop"), wanted(shop, tmp_path, gone))
    assert nothing.reason == "shop c names no commit that shop has"
