"""read_document on real folders, and the tables of documents."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.unit.tools.test_docs import tool_for as search_for
from workers.contracts import ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.docs import build_read_document

CONTEXT = ToolContext("r1", "research", datetime(2026, 5, 4, 12, tzinfo=UTC))
RUNBOOK = """# Checkout errors

Owner: @payments

## First look

1. Look at the gateway.
2. Look at the pool.

### Gateway

Call them.

## Rollback

1. Roll back.
"""
SERVICES = """# Who owns what

| Service | Owner | SLO |
|---|---|---|
| checkout | @payments-oncall | 99.9 % |
| search | @discovery | 99.5 % |
| till | @shops | 99 % |

## Pages

| Alert | Threshold |
|---|---|
| CheckoutSlow | p95 above 2 s |
| SearchSlow | p95 above 1 s |
"""


def tool_for(home: Path, *folders: Path, **source: str) -> Tool:
    documents = [{"path": str(folder), **source} for folder in folders]
    settings = load_settings({"oracle.documents": documents}, home=home)
    return build_read_document({}, Resources(settings, lambda start, end: ()))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "handbook"
    (place / "runbooks").mkdir(parents=True)
    (place / "runbooks/checkout-errors.md").write_text(RUNBOOK)
    (place / "services.md").write_text(SERVICES)
    long = "# Long\n\n" + "\n\n".join(f"## Part {n}\n\n" + f"word{n} " * 700 for n in range(12))
    (place / "long.md").write_text(long.replace("word3 ", "word3\n"))
    return place


def test_a_document_whole_with_its_headings(folder: Path, home: Path) -> None:
    output = call(tool_for(home, folder), path_or_title="checkout-errors.md")
    about, *sections = output.evidence
    assert about.excerpt.split("\n")[1:] == [
        "- Checkout errors",
        "  - First look",
        "    - Gateway",
        "  - Rollback",
    ]
    assert [s.facts["heading"].value for s in sections] == ["Checkout errors", "First look", "Gateway", "Rollback"]
    assert sections[1].excerpt == "## First look\n\n1. Look at the gateway.\n2. Look at the pool."
    assert sections[1].facts["step_2"].value == "Look at the pool."
    assert sections[0].facts["owner"].value == "@payments"
    assert sections[1].facts["lines"].value == "runbooks/checkout-errors.md:5-8"
    assert sections[1].url is not None
    assert sections[1].url.endswith("checkout-errors.md#first-look")
    assert [h["heading"] for h in output.data["headings"]] == ["Checkout errors", "First look", "Gateway", "Rollback"]


@each_row(
    "asked", ["Checkout errors", "checkout ERRORS", "runbooks/checkout-errors.md", "/x/runbooks/checkout-errors.md"]
)
def test_a_document_by_title_and_path(folder: Path, home: Path, asked: str) -> None:
    assert call(tool_for(home, folder), path_or_title=asked).data["path"] == "runbooks/checkout-errors.md"


def test_a_document_by_its_address(folder: Path, home: Path) -> None:
    tool = tool_for(home, folder, url="https://wiki.example/{path}#{anchor}")
    output = call(tool, path_or_title="https://wiki.example/runbooks/checkout-errors.md?x=1#rollback")
    assert [s["heading"] for s in output.data["sections"]] == ["Rollback"]
    assert call(tool, path_or_title="https://wiki.example/other.md").status == "empty"


@each_row(
    "section, headings",
    [
        ("First look", ["First look", "Gateway"]),
        ("rollback", ["Rollback"]),
        ("#gateway", ["Gateway"]),
        ("look", ["First look", "Gateway"]),
    ],
)
def test_one_section_with_those_below_it(folder: Path, home: Path, section: str, headings: list[str]) -> None:
    output = call(tool_for(home, folder), path_or_title="checkout-errors.md", section=section)
    assert [s["heading"] for s in output.data["sections"]] == headings


def test_a_long_document_is_cut_after_eight_sections_in_pieces_that_can_be_shown(folder: Path, home: Path) -> None:
    output = call(tool_for(home, folder), path_or_title="long.md")
    assert len(output.data["sections"]) == 8
    assert output.reason == "left out, give one as section: Part 7, Part 8, Part 9, Part 10, Part 11"
    part = [e for e in output.evidence if e.facts.get("heading") and e.facts["heading"].value == "Part 3"]
    assert len(part) > 1
    assert all(len(e.excerpt) <= 2_400 for e in part)
    whole = next(s["text"] for s in output.data["sections"] if s["heading"] == "Part 3")
    assert "\n".join(e.excerpt for e in part) == whole
    assert part[1].facts["lines"].value.startswith("long.md:")


def test_what_is_not_there(folder: Path, home: Path) -> None:
    tool = tool_for(home, folder)
    none = call(tool, path_or_title="Chekout errors")
    assert (none.status, none.nearest[0]) == ("empty", "Checkout errors")
    section = call(tool, path_or_title="services.md", section="Rollback")
    assert section.reason == "services.md has no section 'Rollback'"
    assert section.nearest == ("Who owns what", "Pages")
    with pytest.raises(ToolArgumentError, match="path_or_title is empty"):
        call(tool, path_or_title=" ")
    assert call(tool_for(home), path_or_title="a").reason == "no documents are connected"
    with pytest.raises(ToolUnavailable):
        call(tool_for(home, folder / "gone"), path_or_title="a")


def test_several_documents_that_may_be_meant(folder: Path, home: Path) -> None:
    (folder / "team").mkdir()
    (folder / "team/services.md").write_text("# Our services\n")
    output = call(tool_for(home, folder), path_or_title="services.md")
    assert call(tool_for(home, folder), path_or_title="Our services").data["path"] == "team/services.md"
    assert output.data["path"] == "services.md"
    both = call(tool_for(home, folder), path_or_title="services")
    assert (both.status, both.nearest) == ("empty", ("services.md", "team/services.md"))


@pytest.mark.parametrize(
    ("query", "heading", "row"),
    [
        ("who owns search", "Who owns what", "Service: search · Owner: @discovery · SLO: 99.5 %"),
        ("owner and SLO of checkout", "Who owns what", "Service: checkout · Owner: @payments-oncall · SLO: 99.9 %"),
        ("SearchSlow threshold", "Pages", "Alert: SearchSlow · Threshold: p95 above 1 s"),
    ],
)
def test_the_row_of_a_table_that_answers_comes_first(
    folder: Path, home: Path, query: str, heading: str, row: str
) -> None:
    output = search_for(home, folder).run(search_for(home, folder).args.model_validate({"query": query}), CONTEXT)
    best = next(e for e in output.evidence if e.facts["heading"].value == heading)
    assert best.facts["row_1"].value == row
    line = int(best.facts["row_1_line"].value)
    assert row.partition(" · ")[0].partition(": ")[2] in SERVICES.split("\n")[line - 1]
