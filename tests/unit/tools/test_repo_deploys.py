"""repo_search asked what a deploy brought, on a real repository and deploys to two environments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.git_repositories import commit, make_repository, run_git
from workers.contracts import Deploy, Evidence, ToolOutput
from workers.errors import StoreUnavailable, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.repo import build

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CONTEXT = ToolContext("r1", "research", NOON)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = make_repository(tmp_path_factory.mktemp("deploys") / "shop", {"a.py": "A = 0\n"}, NOON - timedelta(days=9))
    hashes = [run_git(folder, "rev-parse", "HEAD").strip()]
    for n in range(1, 5):
        commit(folder, {"a.py": f"A = {n}\n"}, f"Step {n}", NOON - timedelta(days=9 - n))
        hashes.append(run_git(folder, "rev-parse", "HEAD").strip())
    run_git(folder, "tag", "mail-v7", hashes[2])
    return folder, hashes


def deploys_of(hashes: list[str]) -> tuple[Deploy, ...]:
    def one(service: str, version: str, commit: str, days: float, place: str = "production") -> Deploy:
        return Deploy(
            service=service, version=version, commit=commit, at=NOON - timedelta(days=days), environment=place
        )

    return (
        one("shop", "v1", hashes[0][:9], 8),
        one("shop", "v2", hashes[2], 6),
        one("shop", "v3", hashes[4], 4, "staging"),
        one("mail", "v7", "", 3),
        one("shop", "v2.1", hashes[3], 2),
        one("shop", "v9", hashes[4], -1),
    )


@pytest.fixture
def tool(shop: tuple[Path, list[str]], home: Path) -> Tool:
    folder, hashes = shop
    settings = load_settings({"oracle.repositories": [{"path": str(folder)}]}, home=home)

    def anywhere(start: datetime, end: datetime) -> tuple[Deploy, ...]:
        return tuple(d for d in deploys_of(hashes) if start <= d.at <= end)

    return build({}, Resources(settings, lambda start, end: (), deploys_anywhere=anywhere))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


def titles(output: ToolOutput) -> list[str]:
    return [e.title for e in output.evidence]


def value(evidence: Evidence, name: str) -> Any:
    return evidence.facts[name].value


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("shop", ["deploy shop v2.1", "deploy shop v2", "Step 3"]),
        ("SHOP@Production", ["deploy shop v2.1", "deploy shop v2", "Step 3"]),
        ("@prod", ["deploy shop v2.1", "deploy shop v2", "Step 3"]),
        ("@", ["deploy shop v2.1", "deploy shop v2", "Step 3"]),
        ("*", ["deploy shop v2.1", "deploy shop v2", "Step 3"]),
        ("shop:2", ["deploy shop v2", "deploy shop v1", "Step 2", "Step 1"]),
        (":v2", ["deploy shop v2", "deploy shop v1", "Step 2", "Step 1"]),
    ],
)
def test_a_deploy_is_its_commits_since_the_one_before(tool: Tool, asked: str, found: list[str]) -> None:
    assert titles(call(tool, deploy=asked)) == found


def test_the_facts_of_a_range_stand_with_its_deploy(tool: Tool, shop: tuple[Path, list[str]]) -> None:
    output = call(tool, deploy="shop", k=1)
    hashes = shop[1]
    new, old = output.evidence[:2]
    assert (value(new, "range_commits"), value(new, "range_behind")) == (1, 0)
    assert (value(new, "range_old"), value(new, "range_new")) == (hashes[2], hashes[3])
    assert (value(new, "environment"), value(new, "version"), value(old, "version")) == ("production", "v2.1", "v2")
    assert output.data["deploy"]["replaced"]["at"] == "2026-04-28T12:00:00Z"
    assert output.data["range"]["count"] == 1
    assert output.summary.startswith("1 commit from shop v2 to shop v2.1, first ")


def test_without_a_deploy_before_it_stands_alone(tool: Tool) -> None:
    output = call(tool, deploy="shop@staging")
    assert titles(output) == ["deploy shop v3", "Step 4"]
    assert output.reason == "no deploy before it is known"
    assert output.data["deploy"]["replaced"] is None
    assert value(output.evidence[0], "alone") == output.reason


def test_a_deploy_without_a_commit_is_known_by_its_tag(tool: Tool) -> None:
    assert titles(call(tool, deploy="mail")) == ["deploy mail v7", "Step 2"]


def test_a_deploy_that_no_repository_holds_is_still_told(home: Path, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "other", {"b.py": "B = 1\n"})
    settings = load_settings({"oracle.repositories": [{"path": str(folder)}]}, home=home)
    known = (Deploy(service="shop", version="v1", commit="a" * 40, at=NOON),)
    output = call(build({}, Resources(settings, lambda s, e: (), deploys_anywhere=lambda s, e: known)), deploy="shop")
    assert (output.status, titles(output)) == ("ok", ["deploy shop v1"])
    assert output.reason == "shop v1 names no commit that other has"


@pytest.mark.parametrize(
    ("asked", "reason", "nearest"),
    [
        ("shopp", "no deploy of shopp to production is known", "shop@production"),
        ("mail@staging", "no deploy of mail to staging is known", "mail@production"),
    ],
)
def test_an_unknown_deploy_names_the_nearest(tool: Tool, asked: str, reason: str, nearest: str) -> None:
    output = call(tool, deploy=asked)
    assert (output.status, output.reason) == ("empty", reason)
    assert output.nearest[0] == nearest
    assert set(output.nearest) == {"shop@production", "shop@staging", "mail@production"}


@pytest.mark.parametrize("version", ["v4", "v9"])
def test_an_unknown_version_names_the_nearest(tool: Tool, version: str) -> None:
    output = call(tool, deploy=f"shop:{version}")
    assert (output.status, output.reason) == ("empty", f"no deploy {version} of shop to production is known")
    assert output.nearest == ("shop:v3@staging", "shop:v2.1@production", "shop:v2@production", "shop:v1@production")
    assert call(tool, deploy=output.nearest[1]).status == "ok"


def test_versions_that_were_deployed_are_ends_of_a_range(tool: Tool) -> None:
    assert titles(call(tool, range="v1..v2.1")) == ["deploy shop v2.1", "deploy shop v1", "Step 3", "Step 2", "Step 1"]
    back = call(tool, range="v2.1..v1")
    assert back.summary == "v1 is 3 commits behind v2.1 and has nothing new: going there is a rollback"
    assert value(back.evidence[0], "range_behind") == 3
    with pytest.raises(ToolArgumentError, match="range: no commit v8 in shop"):
        call(tool, range="v1..v8")


@pytest.mark.parametrize("args", [{"deploy": "shop", "commit": "HEAD"}, {"deploy": "a b"}, {"deploy": "a@b@c"}])
def test_wrong_deploys(tool: Tool, args: dict[str, str]) -> None:
    with pytest.raises(ToolArgumentError, match=r"^deploy: "):
        call(tool, **args)


def test_a_store_that_cannot_be_reached_is_said(shop: tuple[Path, list[str]], home: Path) -> None:
    def unreachable(start: datetime, end: datetime) -> tuple[Deploy, ...]:
        raise StoreUnavailable("the database is locked")

    settings = load_settings({"oracle.repositories": [{"path": str(shop[0])}]}, home=home)
    with pytest.raises(ToolUnavailable, match="the database is locked"):
        call(build({}, Resources(settings, lambda s, e: (), deploys_anywhere=unreachable)), deploy="shop")
