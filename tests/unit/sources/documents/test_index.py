"""Search over documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository, run_git
from workers.errors import ToolUnavailable
from workers.search import DocHit, DocIndex
from workers.sources.documents.index_build import FILE

ADR = """# 1. Use SQLite

## Status

Accepted

## Context

We need a database.

## Decision

SQLite.

## Consequences

One writer.
"""
RUNBOOK = """# Search latency

What to do when search is slow.

## Cold cache

Keys that never repeat send every query to the database.

1. Check the cache key
2. Check the index

## Crawlers

Bots.
"""
FILES = {
    "runbooks/search-latency.md": RUNBOOK,
    "runbooks/checkout-errors.md": "# Checkout errors\n\n## Bank refuses\n\nCall the bank.\n",
    "adr/0001-use-sqlite.md": ADR,
    "design/search.md": "# Search\n\n## Ranking\n\nHow search ranks products by words.\n",
    "postmortems/2026-01.md": "# Outage of January\n\nThe bank was down.\n",
    "guide.md": "# Guide\n\n## Circuit breakers\n\nA circuit breaker stops calls to a service that keeps failing.\n\n"
    + "More words follow.\n" * 60,
    "CHANGELOG.md": "# Changes\n\n## 1.2\n\n- search latency is better, cache keys repeat\n",
    "image.png": "no document",
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> DocIndex:
    base = tmp_path_factory.mktemp("docs")
    return DocIndex.build(write(base / "docs", FILES), base / "index")


def first(hits: list[DocHit]) -> tuple[str, str]:
    return (hits[0].path, hits[0].heading) if hits else ("", "")


@each_row(
    "query, expected",
    [
        ("why is search slow, cache keys never repeat", ("runbooks/search-latency.md", "Cold cache")),
        ("What is a circuit breaker?", ("guide.md", "Circuit breakers")),
        ("how does search rank products", ("design/search.md", "Ranking")),
        ("the bank refuses at checkout", ("runbooks/checkout-errors.md", "Bank refuses")),
    ],
)
def test_the_section_that_answers(index: DocIndex, query: str, expected: tuple[str, str]) -> None:
    assert first(index.search(query)) == expected


@each_row("query", ["zeppelin flux capacitor", "/api/doesnotexist", "ZeppelinClient", "", "where is the"])
def test_nothing_is_found_for_what_is_not_there(index: DocIndex, query: str) -> None:
    assert index.search(query) == []


def test_an_endpoint_is_found_by_what_it_is_named_after(index: DocIndex) -> None:
    assert first(index.search("latency on /api/search"))[0] == "runbooks/search-latency.md"


def test_kinds(index: DocIndex) -> None:
    kinds = {r.path: r.kind for r in index.records}
    assert kinds == {
        "runbooks/search-latency.md": "runbook",
        "runbooks/checkout-errors.md": "runbook",
        "adr/0001-use-sqlite.md": "adr",
        "design/search.md": "design",
        "postmortems/2026-01.md": "postmortem",
        "guide.md": "guide",
        "CHANGELOG.md": "guide",
    }
    assert {h.kind for h in index.search("search", kind="design")} == {"design"}
    assert index.search("why did we choose sqlite as database")[0].kind == "adr"


def test_an_adr_is_known_by_its_headings(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"0001.md": FILES["adr/0001-use-sqlite.md"]})
    assert DocIndex.build(folder, tmp_path / "i").records[0].kind == "adr"


def test_a_hit_says_where_it_stands(index: DocIndex) -> None:
    hit = index.search("cache keys that never repeat")[0]
    assert hit.title == "Search latency"
    assert hit.breadcrumb == ("Search latency", "Cold cache")
    assert hit.anchor == "cold-cache"
    assert hit.steps == (("Check the cache key", 9), ("Check the index", 10))
    assert hit.url.startswith("file://")
    assert hit.url.endswith("/docs/runbooks/search-latency.md#cold-cache")
    assert 0 < hit.score < 1


def test_excerpts_are_lines_of_the_file(index: DocIndex) -> None:
    for query in ("search", "circuit breaker", "bank", "database"):
        for hit in index.search(query, max_lines=6):
            text = FILES[hit.path].split("\n")
            assert hit.excerpt == "\n".join(text[hit.start_line - 1 : hit.end_line])
            assert hit.end_line - hit.start_line < 6


def test_documents_in_a_repository(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "r", {f"docs/{k}": v for k, v in FILES.items()})
    run_git(folder, "remote", "add", "origin", "https://github.com/o/r.git")
    head = run_git(folder, "rev-parse", "HEAD").strip()
    index = DocIndex.ensure(folder / "docs", tmp_path / "i")
    hit = index.search("circuit breaker")[0]
    assert hit.commit == head
    assert hit.url == f"https://github.com/o/r/blob/{head}/docs/guide.md#circuit-breakers"
    (folder / "docs" / "guide.md").write_text("# Guide\n\n## Circuit breakers\n\nA circuit breaker, edited.\n")
    edited = DocIndex.ensure(folder / "docs", tmp_path / "i").search("circuit breaker")[0]
    assert edited.commit == ""
    assert edited.url.startswith("file://")
    assert "edited" in edited.excerpt
    head = commit(folder, {}, "Edit")
    assert DocIndex.ensure(folder / "docs", tmp_path / "i").search("circuit breaker")[0].commit == head


def test_addresses_by_template(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a b.md": "Words.\n\n# Title\n\nBreaker.\n"})
    index = DocIndex.build(folder, tmp_path / "i", "https://docs.example/{path}#{anchor}")
    assert index.search("breaker")[0].url == "https://docs.example/a%20b.md#title"
    assert index.search("words")[0].url == "https://docs.example/a%20b.md"


def test_only_changed_documents_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "docs", FILES)
    DocIndex.build(folder, tmp_path / "i")
    read: list[str] = []
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: (read.append(self.name), real(self))[1])
    DocIndex.ensure(folder, tmp_path / "i")
    assert read == []
    (folder / "new.md").write_text("# New\n\nZeppelins.\n")
    (folder / "guide.md").unlink()
    os.utime(folder / "design" / "search.md")
    index = DocIndex.ensure(folder, tmp_path / "i")
    assert sorted(read) == ["new.md", "search.md"]
    assert first(index.search("zeppelins")) == ("new.md", "New")
    assert index.search("circuit breaker") == []
    fresh = DocIndex.build(folder, tmp_path / "fresh")
    assert [(h.path, h.heading, h.score) for h in index.search("search cache bank")] == [
        (h.path, h.heading, h.score) for h in fresh.search("search cache bank")
    ]


def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", FILES)
    DocIndex.build(folder, tmp_path / "i")
    (tmp_path / "i" / FILE).write_bytes(b"ORACLEIX")
    with pytest.raises(ToolUnavailable, match="no readable document index"):
        DocIndex.open(tmp_path / "i")
    assert DocIndex.ensure(folder, tmp_path / "i").search("circuit breaker")


def test_what_is_not_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "docs",
        {".hidden/a.md": "zeppelin", "node_modules/b.md": "zeppelin", "big.md": "zeppelin " * 200_000, "bad.md": "x"},
    )
    (folder / "bad.md").write_bytes(b"zeppelin \0 binary")
    (folder / "link.md").symlink_to(folder / "big.md")
    (folder / "latin.md").write_bytes("# Grüße\n\nairship\n".encode("latin-1"))
    index = DocIndex.build(folder, tmp_path / "i")
    assert [r.path for r in index.records] == ["latin.md"]
    assert index.search("airship")[0].excerpt == "# Gr\ufffd\ufffde\n\nairship"


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="does not exist"):
        DocIndex.ensure(tmp_path / "none", tmp_path / "i")
    (tmp_path / "file").touch()
    with pytest.raises(ToolUnavailable, match="is not a folder"):
        DocIndex.build(tmp_path / "file", tmp_path / "i")
    (tmp_path / "docs").mkdir()
    assert DocIndex.build(tmp_path / "docs", tmp_path / "i").search("x") == []
    with pytest.raises(ToolUnavailable, match="cannot be written"):
        DocIndex.build(tmp_path / "docs", tmp_path / "file" / "i")
