"""Which commit brought a name, a file or a folder, and which took a name out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.contracts import ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.sources.git import open_repository
from workers.sources.history.code_origin import file_origin, name_origin
from workers.toolkit.tool import Resources, Tool
from workers.tools.repo import build

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WIDE = "class RetryPolicyError(Exception):\n    pass\n"
POLICY = "\n\nclass RetryPolicy:\n    limit = 3\n"
GAUGE = "class OldGauge:\n    def read(self):\n        return 1\n"


def day(n: int) -> datetime:
    return NOON + timedelta(days=n)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A class that came after one whose name begins alike, moved twice; one that is gone; a folder."""
    folder = make_repository(tmp_path_factory.mktemp("origin") / "shop", {"net.py": WIDE, "CHANGES.md": "RetryPolicy"})
    made = {"came": commit(folder, {"net.py": WIDE + POLICY, "gauge.py": GAUGE}, "Add a policy", day(1))}
    run_git(folder, "tag", "v1.0")
    commit(folder, {"net.py": WIDE, "core/policy.py": POLICY.lstrip()}, "Move it", day(2))
    commit(folder, {"core/policy.py": None, "lib/retry/policy.py": POLICY.lstrip() + "    wait = 2\n"}, "Again", day(3))
    made["gone"] = commit(folder, {"gauge.py": None, "CHANGES.md": "OldGauge is gone"}, "Drop the gauge", day(4))
    commit(folder, {"CHANGES.md": "OldGauge is gone, OldGauge"}, "Notes", day(5))
    made["billing"] = commit(folder, {"billing/charge.py": "def charge():\n    return 1\n"}, "Charge", day(6))
    commit(folder, {"billing/refund.py": "def refund():\n    return 2\n"}, "Refund", day(7))
    return folder, made


def test_a_name_is_followed_through_the_files_that_held_it(history: tuple[Path, dict[str, str]]) -> None:
    folder, made = history
    found = name_origin(open_repository(folder), "HEAD", "RetryPolicy", ["lib/retry/policy.py"], until=monotonic() + 20)
    assert found is not None
    assert (found.commit, found.path, found.line) == (made["came"], "net.py", 5)
    assert (found.text, found.tag, found.whole) == ("class RetryPolicy:", "v1.0", True)


def test_a_name_that_is_gone_has_a_commit_that_removed_it(history: tuple[Path, dict[str, str]]) -> None:
    folder, made = history
    found = name_origin(open_repository(folder), "HEAD", "OldGauge", [], until=monotonic() + 20)
    assert found is not None
    assert (found.removed, found.commit, found.path) == (made["gone"], made["came"], "gauge.py")


def test_a_name_that_never_was_and_no_time(history: tuple[Path, dict[str, str]]) -> None:
    repo = open_repository(history[0])
    assert name_origin(repo, "HEAD", "NeverThere", [], until=monotonic() + 20) is None
    assert name_origin(repo, "HEAD", "RetryPolicy", ["lib/retry/policy.py"], until=monotonic()) is None


def test_a_file_and_a_folder(history: tuple[Path, dict[str, str]]) -> None:
    repo, made = open_repository(history[0]), history[1]
    for path in ("billing/charge.py", "billing/"):
        found = file_origin(repo, "HEAD", path, until=monotonic() + 20)
        assert found is not None
        assert found.commit == made["billing"]


def call(home: Path, folder: Path, **args: Any) -> ToolOutput:
    settings = load_settings({"oracle.repositories": [{"path": str(folder)}]}, home=home)
    tool: Tool = build({}, Resources(settings, lambda start, end: (), deploys_anywhere=lambda a, b: ()))
    return tool.run(tool.args.model_validate(args), ToolContext("r1", "research", day(9)))


@each_row(
    "query, came, name",
    [
        ("RetryPolicy", "came", "RetryPolicy"),
        ("the `RetryPolicy` class", "came", "RetryPolicy"),
        ("billing/charge.py", "billing", "billing/charge.py"),
        ("billing package", "billing", "billing/"),
    ],
)
def test_what_a_question_names(
    home: Path, history: tuple[Path, dict[str, str]], query: str, came: str, name: str
) -> None:
    folder, made = history
    output = call(home, folder, query=query, origin=True)
    assert output.data["origin"]["name"] == name
    assert output.evidence[0].facts["commit"].value == made[came]


def test_what_stands_nowhere_is_said(home: Path, history: tuple[Path, dict[str, str]]) -> None:
    output = call(home, history[0], query="NeverThere", origin=True)
    assert (output.status, "NeverThere" in output.reason) == ("empty", True)


def test_a_removed_name_has_both_commits(home: Path, history: tuple[Path, dict[str, str]]) -> None:
    folder, made = history
    output = call(home, folder, query="OldGauge", origin=True)
    assert [e.facts["commit"].value for e in output.evidence] == [made["came"], made["gone"]]
    assert output.evidence[1].facts["removed"].value == "OldGauge"
