"""doc_search through its own function, on real folders."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.git_repositories import make_repository
from tests.unit.sources.documents.test_index import FILES, write
from tests.unit.sources.documents.test_question_coverage import PAGES
from workers.contracts import ToolOutput, rfc3339
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable
from workers.ports import ALL_TEAMS, ToolContext
from workers.settings.load import load_settings
from workers.sources.connections.open_sources import code_sources, open_code_sources
from workers.toolkit.cache import cache_key
from workers.toolkit.tool import Resources, Tool
from workers.tools.docs import DocArgs, build

CONTEXT = ToolContext("r1", "research", datetime(2026, 5, 4, 12, tzinfo=UTC))


def tool_for(home: Path, *folders: Path, options: dict[str, Any] | None = None, **source: str) -> Tool:
    documents = [{"path": str(folder), **source} for folder in folders]
    settings = load_settings({"oracle.documents": documents}, home=home)
    return build(options or {}, Resources(settings, lambda start, end: ()))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "handbook", FILES)


@pytest.fixture
def tool(folder: Path, home: Path) -> Tool:
    return tool_for(home, folder)


def test_a_section_with_all_its_facts(tool: Tool, folder: Path) -> None:
    output = call(tool, query="cache keys that never repeat")
    assert output.status == "ok"
    best = output.evidence[0]
    assert (best.kind, best.title) == ("doc", "Search latency")
    assert best.locator == "runbooks/search-latency.md#cold-cache"
    assert best.url is not None
    assert best.url.endswith("/handbook/runbooks/search-latency.md#cold-cache")
    facts = {name: (fact.value, fact.unit) for name, fact in best.facts.items()}
    score = facts.pop("score")[0]
    assert 0 < score < 1
    written = datetime.fromtimestamp((folder / "runbooks" / "search-latency.md").stat().st_mtime, UTC)
    assert facts.pop("last_at") == (rfc3339(written), "time")
    assert facts == {
        "title": ("Search latency", "text"),
        "heading": ("Cold cache", "text"),
        "breadcrumb": ("Search latency › Cold cache", "text"),
        "doc_kind": ("runbook", "text"),
        "path": ("runbooks/search-latency.md", "path"),
        "lines": ("runbooks/search-latency.md:5-10", "lines"),
        "anchor": ("cold-cache", "text"),
        "source": ("handbook", "text"),
        "step_1": ("Check the cache key", "text"),
        "step_1_line": (9, "line"),
        "step_2": ("Check the index", "text"),
        "step_2_line": (10, "line"),
    }
    assert all(f.entity == "runbooks/search-latency.md" for f in best.facts.values())
    assert best.excerpt == "\n".join(FILES["runbooks/search-latency.md"].split("\n")[4:10])
    section = output.data["sections"][0]
    assert (section["title"], section["heading"], section["url"]) == (best.title, "Cold cache", best.url)
    assert section["excerpt"] == best.excerpt


def test_steps_are_at_most_twelve(home: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "d", {"x.md": "# Long list\n\n" + "\n".join(f"- do {i}" for i in range(30))})
    facts = call(tool_for(home, folder), query="long list").evidence[0].facts
    assert "step_12" in facts
    assert "step_13" not in facts


def test_kind_and_k(tool: Tool) -> None:
    assert {e.facts["doc_kind"].value for e in call(tool, query="search", kind="design").evidence} == {"design"}
    assert len(call(tool, query="search", k=1).evidence) == 1
    for wrong in ({"query": "x", "kind": "novel"}, {"query": "x", "k": 0}, {}):
        with pytest.raises(ValidationError):
            tool.args.model_validate(wrong)


def test_what_no_document_mentions(tool: Tool) -> None:
    output = call(tool, query="/api/doesnotexist")
    assert output.status == "empty"
    assert output.reason == "no document in handbook mentions /api/doesnotexist"
    assert output.data["sections"] == []
    assert output.data["missing"] == ["/api/doesnotexist"]
    near = call(tool, query="circut braker")
    assert near.status == "empty"
    assert near.nearest == ("Circuit breakers",)
    assert call(tool, query="zeppelin", kind="runbook").reason == "no runbook in handbook mentions zeppelin"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("How do workers wait for Kubernetes jobs?", "Kubernetes"),
        ("How is the customers' ledger reconciled with payments?", "reconciled"),
        ("How often is a failed job tried again?", ""),
    ],
)
def test_doubt_is_told(home: Path, tmp_path: Path, asked: str, told: str) -> None:
    output = call(tool_for(home, write(tmp_path / "pages", PAGES)), query=asked)
    assert output.status == "ok"
    assert output.data["unnamed"] == [
        f"no document in pages names “{word}”; what is shown lies nearest" for word in [told] if word
    ]


def test_an_empty_query_is_refused(tool: Tool) -> None:
    with pytest.raises(ToolArgumentError, match="query is empty"):
        call(tool, query=" ")


def test_folders(home: Path, folder: Path, tmp_path: Path) -> None:
    assert call(tool_for(home), query="x").reason == "no documents are connected"
    with pytest.raises(ToolUnavailable, match="none does not exist"):
        call(tool_for(home, tmp_path / "none"), query="x")
    mixed = call(tool_for(home, tmp_path / "none", folder), query="circuit breaker")
    assert mixed.status == "ok"
    assert mixed.data["unavailable"] == [f"{tmp_path / 'none'} does not exist"]
    more = write(tmp_path / "more", {"airship.md": "# Airship\n\nZeppelins.\n"})
    both = tool_for(home, folder, more)
    assert call(both, query="zeppelins").evidence[0].facts["source"].value == "more"
    assert call(both, query="circuit breaker").evidence[0].facts["source"].value == "handbook"
    assert both.ping is not None
    assert both.ping() == "handbook: 7 documents; more: 1 documents"


def test_addresses_by_template(home: Path, folder: Path) -> None:
    tool = tool_for(home, folder, url="https://docs.example/{path}#{anchor}")
    best = call(tool, query="cache keys that never repeat").evidence[0]
    assert best.url == "https://docs.example/runbooks/search-latency.md#cold-cache"


def test_a_template_with_an_unknown_field(home: Path, folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"documents\.0\.url: unknown field \{commit\}; known are \{path\}"):
        tool_for(home, folder, url="https://docs.example/{commit}")


def test_a_changed_document_is_seen(tool: Tool, folder: Path) -> None:
    assert call(tool, query="zeppelin").status == "empty"
    (folder / "new.md").write_text("# Zeppelin\n\nAn airship.\n")
    assert call(tool, query="zeppelin").evidence[0].title == "Zeppelin"


def test_landscape(tool: Tool, home: Path, tmp_path: Path) -> None:
    assert tool.landscape is not None
    assert "Search latency" in tool.landscape(CONTEXT).documents
    broken = tool_for(home, tmp_path / "none").landscape
    assert broken is not None
    assert broken(CONTEXT).documents == ()


def test_options_are_strict(home: Path) -> None:
    with pytest.raises(ValidationError):
        tool_for(home, options={"excerpt_lines": 0})


def test_files_of_a_repository_and_other_documents_that_a_section_names(home: Path, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", {"src/bank.py": "FEE = 2\n", "src/other.py": "x = 1\n"})
    folder = write(
        tmp_path / "docs",
        {
            "fees.md": "# Fees\n\nSee `bank.py:1`, src/gone.py and [banks](banks.md#rules).\n",
            "banks.md": "# Banks\n\n## Rules\n\nNone.\n",
        },
    )
    given = {"oracle.documents": [{"path": str(folder)}], "oracle.repositories": [{"path": str(root), "name": "shop"}]}
    settings = load_settings(given, home=home)
    tool = build({}, Resources(settings, lambda start, end: ()))
    facts = call(tool, query="fees").evidence[0].facts
    assert (facts["link_1"].value, facts["link_1_title"].value) == ("banks.md#rules", "Banks")
    assert not any(name.startswith("code_") for name in facts)  # not indexed yet, and a search indexes no repository
    open_code_sources(settings).get(code_sources(settings)[0])
    facts = call(tool, query="fees").evidence[0].facts
    assert (facts["code_1"].value, facts["code_1"].unit, facts["code_1_repository"].value) == (
        "src/bank.py:1",
        "lines",
        "shop",
    )
    assert "code_2" not in facts
    facts = call(tool, query="rules").evidence[0].facts
    assert not any(name.startswith(("code_", "link_")) for name in facts)


def test_decisions_and_texts_taken_out_of_files(home: Path, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "docs",
        {
            "adr/0001-a.md": "# Sessions in Redis\n\nStatus: superseded by 2\n",
            "adr/0002-b.md": "# Sessions in SQL\n\nStatus: accepted\n",
            "masts.html": "<h1>Masts</h1><p>Tall.</p>",
        },
    )
    tool = tool_for(home, folder)
    by_path = {e.facts["path"].value: e.facts for e in call(tool, query="sessions").evidence}
    old = by_path["adr/0001-a.md"]
    assert (old["doc_status"].value, old["doc_successor"].value) == ("superseded", "adr/0002-b.md")
    assert by_path["adr/0002-b.md"]["doc_status"].value == "accepted"
    page = call(tool, query="masts").evidence[0]
    assert page.facts["extracted"].value == "text taken out of masts.html"
    assert "lines" not in page.facts
    assert page.excerpt == "Masts\nTall."


def test_drafts_of_postmortems_are_their_own_workspaces(folder: Path, home: Path) -> None:
    for team in ("T1", "T2"):
        text = (
            f"# Postmortem draft: zanzibar outage of {team}\n\n## Root cause\n\nThe zanzibar pool of {team} ran dry.\n"
        )
        write(home / "postmortems" / team, {"2026-05-01-zanzibar.md": text})
    tool = tool_for(home, folder)

    def read(team: str) -> tuple[str, str]:
        context = replace(CONTEXT, team=team)
        output = tool.run(tool.args.model_validate({"query": "zanzibar pool ran dry"}), context)
        assert tool.landscape is not None
        return output.model_dump_json(), tool.landscape(context).model_dump_json()

    for found in read("T1"):
        assert "outage of T1" in found
        assert "of T2" not in found
    for team in ("T3", ""):
        assert all("of T1" not in found and "of T2" not in found for found in read(team))
    assert all("of T1" in found and "of T2" in found for found in read(ALL_TEAMS))


def test_what_one_workspace_was_told_is_kept_for_no_other() -> None:
    arguments = DocArgs(query="zanzibar")
    keys = {cache_key("doc_search", arguments, replace(CONTEXT, team=team), 60) for team in ("T1", "T2", "T1")}
    assert len(keys) == 2
