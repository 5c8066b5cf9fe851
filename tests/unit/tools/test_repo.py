"""repo_search through its own function, on real repositories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from tests.unit.sources.conftest import FILES
from workers.contracts import Evidence, ToolOutput
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.repo import build

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CONTEXT = ToolContext("r1", "research", NOON)


def tool_for(home: Path, *folders: Path, options: dict[str, Any] | None = None, **source: str) -> Tool:
    repositories = [{"path": str(folder), **source} for folder in folders]
    settings = load_settings({"oracle.repositories": repositories}, home=home)
    return build({"blame_ms": 5_000, **(options or {})}, Resources(settings, lambda start, end: ()))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


def value(evidence: Evidence, name: str) -> Any:
    return evidence.facts[name].value


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_repository(tmp_path_factory.mktemp("tool") / "shop", FILES, NOON - timedelta(days=30))
    run_git(folder, "tag", "v1.0")
    faster = str(FILES["billing/client.py"]).replace("MAX_ATTEMPTS = 4", "MAX_ATTEMPTS = 9")
    tests = str(FILES["tests/test_client.py"]) + "\n\ndef test_more():\n    assert True\n"
    commit(
        folder,
        {"billing/client.py": faster, "tests/test_client.py": tests},
        "Try harder to reach the bank",
        NOON - timedelta(days=1),
    )
    commit(folder, {"README.md": "# Shop\n\nSells more.\n"}, "Say what it sells", NOON - timedelta(hours=2))
    return folder


@pytest.fixture
def tool(shop: Path, home: Path) -> Tool:
    return tool_for(home, shop)


def test_code_with_all_its_facts(tool: Tool, shop: Path) -> None:
    output = call(tool, query="where is charge_card of the bank client")
    assert output.status == "ok"
    best = output.evidence[0]
    assert best.kind == "code"
    assert best.title == value(best, "symbol") == "BankClient.charge_card"
    path, start, end = (value(best, n) for n in ("path", "start_line", "end_line"))
    assert path == "billing/client.py"
    assert best.locator == value(best, "lines") == f"{path}:{start}-{end}"
    assert best.excerpt == lines_at(shop, value(best, "commit"), path, start, end)
    assert end - start < 15
    assert value(best, "repository") == "shop"
    assert 0 < value(best, "score") < 1
    assert value(best, "last_subject") == "Begin"
    assert value(best, "last_at") == "2026-04-04T12:00:00Z"
    assert value(best, "reference_1") == "web/routes.py:8"
    assert {f.unit for f in best.facts.values()} <= {"path", "lines", "line", "commit", "text", "ratio", "time"}
    assert all(f.entity for f in best.facts.values())
    snippet = output.data["snippets"][0]
    assert (snippet["path"], snippet["start_line"], snippet["excerpt"]) == (path, start, best.excerpt)
    assert snippet["repository"] == "shop"
    assert output.data["changes"] == []
    assert output.summary == f"{len(output.evidence)} places, first {best.locator}"


def test_the_last_change_of_the_lines(tool: Tool) -> None:
    output = call(tool, query="MAX_ATTEMPTS")
    best = output.evidence[0]
    assert "MAX_ATTEMPTS = 9" in best.excerpt
    assert value(best, "last_subject") == "Try harder to reach the bank"
    assert best.facts["last_commit"].unit == "commit"


def test_details_are_for_the_best_and_within_time(shop: Path, home: Path) -> None:
    output = call(tool_for(home, shop, options={"detailed_hits": 1}), query="charge card")
    assert "last_commit" in output.evidence[0].facts
    assert all("last_commit" not in e.facts for e in output.evidence[1:])
    hurried = call(tool_for(home, shop, options={"blame_ms": 0}), query="charge card")
    assert hurried.status == "ok"
    assert "last_commit" not in hurried.evidence[0].facts


def test_changes_of_a_span(tool: Tool, shop: Path) -> None:
    since = (NOON - timedelta(days=2)).isoformat()
    output = call(tool, query="attempts of the bank client", since=since)
    assert [e.title for e in output.evidence] == ["Try harder to reach the bank", "Say what it sells"]
    best = output.evidence[0]
    assert best.kind == "change"
    assert best.locator == value(best, "short") == value(best, "commit")[:7]
    assert best.observed_at == NOON - timedelta(days=1)
    assert value(best, "at") == "2026-05-03T12:00:00Z"
    assert (value(best, "files"), best.facts["files"].unit) == (2, "count")
    assert [value(best, f"file_{i}") for i in (1, 2)] == ["billing/client.py", "tests/test_client.py"]
    assert value(best, "hunk_1") == "billing/client.py:7-7"
    assert value(best, "hunk_1_symbol") == "MAX_ATTEMPTS"
    assert value(best, "hunk_1_text") == "MAX_ATTEMPTS = 9"
    assert value(best, "hunk_1_removed") == "MAX_ATTEMPTS = 4"
    assert "\n-MAX_ATTEMPTS = 4\n+MAX_ATTEMPTS = 9" in best.excerpt
    assert best.facts["hunk_1"].entity == "billing/client.py"
    assert best.facts["commit"].entity == "shop"
    assert best.url == f"{(shop / 'billing/client.py').as_uri()}#L7-L7"
    assert best.excerpt.startswith("Try harder to reach the bank\n billing/client.py | +1 -1\n")
    assert output.data["snippets"] == []
    change = output.data["changes"][0]
    assert change["files"][0]["hunks"][0]["start_line"] == 7


def test_all_changes_newest_first_and_none_after_now(tool: Tool) -> None:
    output = call(tool, since="2026-01-01T00:00:00Z")
    assert [e.title for e in output.evidence] == ["Say what it sells", "Try harder to reach the bank", "Begin"]
    early = ToolContext("r1", "research", NOON - timedelta(hours=3))
    titles = [e.title for e in tool.run(tool.args(since="2026-01-01T00:00:00Z"), early).evidence]  # type: ignore[call-arg]
    assert titles == ["Try harder to reach the bank", "Begin"]
    assert [e.title for e in call(tool, since="2026-01-01T00:00:00Z", path="billing/").evidence] == [
        "Try harder to reach the bank",
        "Begin",
    ]


def test_one_commit(tool: Tool, shop: Path) -> None:
    output = call(tool, commit="HEAD~1", query="attempts")
    assert [e.title for e in output.evidence] == ["Try harder to reach the bank"]
    assert call(tool, commit="v1.0").evidence[0].title == "Begin"
    missing = call(tool, commit="feedfeed")
    assert missing.status == "empty"
    assert missing.reason == "no commit feedfeed in shop"


def test_what_changed_between_two_commits(tool: Tool, shop: Path) -> None:
    old, head = (run_git(shop, "rev-parse", name).strip() for name in ("v1.0", "HEAD"))
    output = call(tool, range="v1.0..HEAD", k=1)
    assert output.status == "ok"
    assert output.summary == f"2 commits from v1.0 to HEAD, first {head[:7]} Say what it sells"
    assert output.data["range"] == {"repository": "shop", "old": old, "new": head, "count": 2, "behind": 0}
    assert [c["subject"] for c in output.data["changes"]] == ["Say what it sells"]
    (best,) = output.evidence
    assert (best.kind, best.title, value(best, "commit")) == ("change", "Say what it sells", head)
    assert (value(best, "range"), value(best, "range_commits")) == ("v1.0..HEAD", 2)
    assert (value(best, "range_old"), value(best, "range_new")) == (old, head)
    assert (best.facts["range_commits"].unit, best.facts["range_old"].unit) == ("count", "commit")
    titles = [e.title for e in call(tool, range=f"{old[:9]}..{head[:9]}", query="attempts of the bank client").evidence]
    assert titles[0] == "Try harder to reach the bank"
    assert [e.title for e in call(tool, range="v1.0..HEAD", path="billing/").evidence] == [
        "Try harder to reach the bank"
    ]


def test_a_range_without_changes_says_why(tool: Tool) -> None:
    back = call(tool, range="HEAD..v1.0")
    assert back.status == "empty"
    assert back.reason == "v1.0 is 2 commits behind HEAD and has nothing new: going there is a rollback"
    assert back.data["range"]["behind"] == 2
    assert call(tool, range="HEAD..HEAD").reason.startswith("HEAD and HEAD are the same commit, ")


def test_an_end_of_a_range_that_is_unknown(tool: Tool) -> None:
    with pytest.raises(
        ToolArgumentError, match=r"^range: no commit v1\.1 in shop; the nearest tags are v1\.0$"
    ) as caught:
        call(tool, range="v1.1..HEAD")
    assert caught.value.nearest == ("v1.0",)


def test_a_range_in_several_repositories(shop: Path, home: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "mailer", {"mail.py": "def send_mail(to):\n    return to\n"}, NOON)
    run_git(other, "tag", "mail-1")
    commit(other, {"mail.py": "def send_mail(to):\n    return [to]\n"}, "Mail lists", NOON)
    tool = tool_for(home, shop, other)
    (found,) = call(tool, range="mail-1..HEAD").evidence
    assert (found.title, value(found, "repository")) == ("Mail lists", "mailer")
    with pytest.raises(ToolArgumentError, match=r"v1\.0 and mail-1 are of different repositories \(shop, mailer\)"):
        call(tool, range="v1.0..mail-1")


def test_an_empty_span_says_so(tool: Tool) -> None:
    output = call(tool, since="2026-05-04T11:00:00Z", until="2026-05-04T11:30:00Z")
    assert output.status == "empty"
    assert output.reason == "no commit in shop after 2026-05-04T11:00:00Z up to 2026-05-04T11:30:00Z"


@pytest.mark.parametrize("span", [{}, {"since": "2026-01-01T00:00:00Z"}])
def test_what_exists_nowhere(tool: Tool, span: dict[str, str]) -> None:
    output = call(tool, query="why is /api/doesnotexist slow", **span)
    assert output.status == "empty"
    assert output.reason == "no file in shop names /api/doesnotexist"
    assert not output.evidence
    assert output.data["missing"] == ["/api/doesnotexist"]
    assert call(tool, query="/api/ordres").nearest == ("/api/orders",)


def test_absent_words_are_named(tool: Tool) -> None:
    output = call(tool, query="zeppelin flux capacitor")
    assert output.reason == "no file in shop names zeppelin, flux, capacitor"
    assert call(tool, query="bank client of the zeppelin").data["absent"] == ["zeppelin"]


@each_row(
    "args, sentence",
    [
        ({}, "query is empty"),
        ({"query": "  "}, "query is empty"),
        ({"query": "x", "since": "yesterday"}, "since: 'yesterday' is not RFC 3339"),
        ({"query": "x", "until": "2026-01-01T00:00:00"}, "until: '2026-01-01T00:00:00' has no time zone"),
        ({"range": "v1.0"}, "range: 'v1.0' is not OLD..NEW"),
        (
            {"range": "v1.0..HEAD", "commit": "HEAD"},
            "range: give only one of since with until, commit, range and deploy",
        ),
        ({"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "since .* is after until"),
    ],
)
def test_wrong_arguments(tool: Tool, args: dict[str, str], sentence: str) -> None:
    with pytest.raises(ToolArgumentError, match=sentence):
        call(tool, **args)


def test_arguments_and_options_are_strict(tool: Tool, home: Path) -> None:
    with pytest.raises(ValidationError):
        tool.args.model_validate({"query": "x", "k": 21})
    with pytest.raises(ValidationError):
        tool_for(home, options={"no_such_option": 1})


def test_several_repositories(shop: Path, home: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "mailer", {"mail.py": "def send_mail(to):\n    return to\n"}, NOON)
    tool = tool_for(home, shop, other)
    assert value(call(tool, query="send_mail").evidence[0], "repository") == "mailer"
    assert value(call(tool, query="charge_card").evidence[0], "repository") == "shop"
    assert call(tool, query="zeppelin").reason == "no file in shop, mailer names zeppelin"
    assert call(tool, commit="HEAD").evidence[0].title == "Say what it sells"


def test_no_repository(home: Path) -> None:
    tool = tool_for(home)
    assert call(tool, query="x").reason == "no repository is connected"
    assert tool.ping is not None
    assert tool.ping() == "no repository is connected"


def test_repositories_that_cannot_be_read(shop: Path, home: Path, tmp_path: Path) -> None:
    missing = tool_for(home, tmp_path / "none")
    with pytest.raises(ToolUnavailable, match="none does not exist"):
        call(missing, query="x")
    assert missing.ping is not None
    with pytest.raises(ToolUnavailable, match="none does not exist"):
        missing.ping()
    (tmp_path / "plain").mkdir()
    with pytest.raises(ToolUnavailable, match="plain is not a git repository"):
        call(tool_for(home, tmp_path / "plain"), query="x")
    mixed = call(tool_for(home, tmp_path / "none", shop), query="charge_card")
    assert mixed.status == "ok"
    assert mixed.data["unavailable"] == [mixed.reason] == [f"{tmp_path / 'none'} does not exist"]


def test_an_empty_repository(home: Path, tmp_path: Path) -> None:
    tool = tool_for(home, make_repository(tmp_path / "fresh"))
    assert call(tool, query="anything").reason == "fresh has no commits yet"
    assert call(tool, since="2026-01-01T00:00:00Z").status == "empty"
    assert call(tool, commit="HEAD").reason == "no commit HEAD in fresh"
    assert tool.ping is not None
    assert tool.ping() == "fresh at no commit yet, 0 files indexed"
    assert tool.landscape is not None
    assert tool.landscape(CONTEXT).repositories == ("fresh",)


def test_a_new_commit_is_seen(home: Path, tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {"a.py": "def alpha():\n    pass\n"}, NOON)
    tool = tool_for(home, folder)
    assert call(tool, query="omega").status == "empty"
    commit(folder, {"b.py": "def omega():\n    pass\n"}, "Add omega", NOON)
    assert value(call(tool, query="omega").evidence[0], "path") == "b.py"


def test_permalinks_by_template(home: Path, shop: Path) -> None:
    tool = tool_for(home, shop, permalink="https://code.example/{commit}/{path}#{start}-{end}")
    best = call(tool, query="charge_card").evidence[0]
    head, start, end = (value(best, n) for n in ("commit", "start_line", "end_line"))
    assert best.url == f"https://code.example/{head}/billing/client.py#{start}-{end}"


def test_a_template_with_an_unknown_field(home: Path, shop: Path) -> None:
    with pytest.raises(ConfigError, match=r"repositories\.0\.permalink: unknown field \{line\}; known are \{commit\}"):
        tool_for(home, shop, permalink="https://code.example/{path}#{line}")


def test_landscape_and_ping(tool: Tool, shop: Path) -> None:
    assert tool.landscape is not None
    land = tool.landscape(CONTEXT)
    assert land.repositories == ("shop",)
    assert land.labels["route"] == ("/api/orders", "/api/orders/{order_id}", "/api/charges")
    assert [(d.service, d.version, d.at, d.source) for d in land.deploys] == [
        ("shop", "v1.0", NOON - timedelta(days=30), "git tag")
    ]
    assert tool.landscape(ToolContext("r", "research", NOON - timedelta(days=60))).deploys == ()
    assert tool.ping is not None
    head = run_git(shop, "rev-parse", "HEAD")[:7]
    assert tool.ping() == f"shop at {head}, {len(FILES) - 1} files indexed; left out: 1 binary"
