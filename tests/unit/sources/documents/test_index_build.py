"""Folders of documents of every format and source, through their index."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.document_files import make_notebook, make_pdf
from tests.support.each_row import each_row
from tests.support.git_repositories import commit, lines_at, make_repository, run_git
from tests.unit.sources.documents.test_formats import ADOC, HTML, OPENAPI, RST
from workers.contracts import rfc3339
from workers.search import DocHit, DocIndex
from workers.sources.documents.document_files import last_changes, scan
from workers.sources.documents.index_build import count_skipped
from workers.sources.git import open_repository
from workers.sources.index_progress import heard_by

ID = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"
EVERY: dict[str, str | bytes] = {
    "guide.md": "# Guide\n\n## Zeppelins\n\nA zeppelin is filled with helium.\n",
    "queue.rst": RST,
    "gate.adoc": ADOC,
    "retries.html": HTML,
    "handbook.pdf": make_pdf([["Preface"], ["Parachutes", "Pack them twice."]], [("Parachutes", 2)]),
    "locked.pdf": make_pdf([["secret"]], password="x"),
    "load.ipynb": make_notebook(("markdown", "# Load test\n\nWe measure turbines."), ("code", "spin(rotor=3)")),
    "api.yaml": OPENAPI,
    "values.yaml": "replicas: 3\n",
    "notes.txt": "Ballast is dropped first.\n",
}


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def build(folder: Path, template: str = "") -> DocIndex:
    return DocIndex.ensure(folder, folder.parent / "index", template)


def first(index: DocIndex, question: str) -> DocHit:
    hits = index.search(question)
    assert hits
    return hits[0]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("every") / "r", {f"docs/{k}": v for k, v in EVERY.items()})
    run_git(root, "remote", "add", "origin", "https://github.com/o/r.git")
    return root


@pytest.fixture(scope="module")
def every(repository: Path) -> DocIndex:
    return build(repository / "docs")


@each_row(
    "question, path, heading, end",
    [
        ("what fills a zeppelin", "guide.md", "Zeppelins", "guide.md#zeppelins"),
        ("restart the worker", "queue.rst", "The queue guide", "queue.rst#the-queue-guide"),
        ("what is new change", "queue.rst", "What's new?", "queue.rst#whats-new"),
        ("stop the queue and start it", "gate.adoc", "Retry rules", "gate.adoc#retry"),
        ("tries per minute limits", "retries.html", "Limits", "retries.html"),
        ("pack parachutes", "handbook.pdf", "Parachutes", "handbook.pdf#page=2&search=Parachutes"),
        ("measure turbines", "load.ipynb", "Load test", "load.ipynb"),
        ("GET /orders/{id}", "api.yaml", "GET /orders/{id} — Show an order", "api.yaml#L5-L19"),
        ("ballast dropped", "notes.txt", "notes", "notes.txt#L1-L1"),
    ],
)
def test_every_format_is_found_and_linked(
    every: DocIndex, repository: Path, question: str, path: str, heading: str, end: str
) -> None:
    hit = first(every, question)
    head = run_git(repository, "rev-parse", "HEAD").strip()
    assert (hit.path, hit.heading) == (path, heading)
    assert hit.url == f"https://github.com/o/r/blob/{head}/docs/{end}"
    assert hit.commit == head
    assert hit.extracted == path.endswith((".html", ".pdf", ".ipynb"))


def test_excerpts_are_the_lines_at_the_commit(every: DocIndex, repository: Path) -> None:
    seen = set()
    for question in ("zeppelin", "worker", "queue", "orders", "ballast", "new change", "order missing", "retry"):
        for hit in every.search(question, max_lines=4):
            if not hit.extracted:
                seen.add(hit.path)
                shown = lines_at(repository, hit.commit, f"docs/{hit.path}", hit.start_line, hit.end_line)
                assert hit.excerpt == shown
    assert seen == {"guide.md", "queue.rst", "gate.adoc", "api.yaml", "notes.txt"}


def test_what_was_not_read_is_told_and_not_read_again(
    every: DocIndex, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert every.meta["skipped"] == {"locked.pdf": "it is encrypted"}
    assert "values.yaml" not in every.paths
    real = Path.read_bytes
    own = {repository / "docs" / name for name in EVERY}
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"{self}") if self in own else real(self))
    again = build(repository / "docs")
    assert again.container.identity == every.container.identity
    built = DocIndex.build(repository / "docs", repository / "index")
    assert built.meta["skipped"] == every.meta["skipped"]


def test_a_file_that_could_not_be_read_is_read_once_it_is_mended(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"a.pdf": b"%PDF-1.4 cut short"})
    assert list(build(folder).meta["skipped"]) == ["a.pdf"]
    write(folder, {"a.pdf": make_pdf([["Whole again"]])})
    index = build(folder)
    assert index.meta["skipped"] == {}
    assert first(index, "whole again").path == "a.pdf"


def test_superseded_decisions_are_marked_linked_and_held_below(tmp_path: Path) -> None:
    old = "# 1. Store sessions in Redis\n\n## Status\n\nSuperseded by [2](0002-sql.md)\n\n## Decision\n\nRedis.\n"
    new = "# 2. Store sessions in SQL\n\n## Status\n\nAccepted\n\n## Decision\n\nSQL.\n"
    folder = write(tmp_path / "docs", {"adr/0001-redis.md": old, "adr/0002-sql.md": new})
    hits = build(folder).search("store sessions")
    assert [h.path for h in hits if h.heading == h.title] == ["adr/0002-sql.md", "adr/0001-redis.md"]
    standing = {h.path: (h.status, h.successor) for h in hits}
    assert standing == {
        "adr/0001-redis.md": ("superseded", "adr/0002-sql.md"),
        "adr/0002-sql.md": ("accepted", ""),
    }
    (folder / "adr" / "0002-sql.md").unlink()
    write(folder, {"adr/0003-files.md": "# 3. Sessions in files\n\nStatus: Accepted\n\nSupersedes ADR-1\n"})
    again = {r.path: (r.status, r.successor) for r in build(folder).records}
    assert again == {"adr/0001-redis.md": ("superseded", "adr/0003-files.md"), "adr/0003-files.md": ("accepted", "")}


def moment(day: int) -> datetime:
    return datetime(2026, 3, day, 12, tzinfo=UTC)


def test_when_a_document_was_changed_last(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", {"docs/a.md": "# Alpha\n", "docs/b.md": "# Beta\n"}, moment(1))
    commits = {"a": run_git(root, "rev-parse", "HEAD").strip()}
    commits["b"] = commit(root, {"docs/b.md": "# Beta\n\nMore.\n"}, "More", moment(2))
    commit(root, {"code.py": "x = 1\n"}, "Code", moment(3))
    folder = root / "docs"

    def dates() -> dict[str, tuple[str, str]]:
        records = DocIndex.ensure(folder, tmp_path / "i").records
        return {r.path[0]: (r.last_commit, rfc3339(datetime.fromtimestamp(r.changed, UTC))) for r in records}

    assert dates() == {
        "a": (commits["a"], rfc3339(moment(1))),
        "b": (commits["b"], rfc3339(moment(2))),
    }
    commits["a"] = commit(root, {"docs/a.md": "# Alpha\n\nMore.\n", "docs/c.md": "# Gamma\n"}, "Gamma", moment(4))
    assert dates() == {
        "a": (commits["a"], rfc3339(moment(4))),
        "b": (commits["b"], rfc3339(moment(2))),
        "c": (commits["a"], rfc3339(moment(4))),
    }
    (folder / "b.md").write_text("# Beta\n\nNot committed.\n")
    os.utime(folder / "b.md", (moment(5).timestamp(), moment(5).timestamp()))
    assert dates()["b"] == ("", rfc3339(moment(5)))
    back = run_git(root, "rev-list", "--max-parents=0", "HEAD").strip()
    run_git(root, "reset", "-q", "--hard", back)
    assert dates() == {k: (back, rfc3339(moment(1))) for k in "ab"}


def test_the_history_is_read_no_further_than_needed(repository: Path) -> None:
    repo = open_repository(repository / "docs")
    head = run_git(repository, "rev-parse", "HEAD").strip()
    assert last_changes(repo, head, set()) == {}
    assert last_changes(repo, head, {"guide.md"})["guide.md"][0] == head
    assert last_changes(repo, head, {"none.md"}) == {}
    assert last_changes(repo, "0" * 40, {"guide.md"}) == {}


NOTION: dict[str, str | bytes] = {
    f"Team {ID}.md": f"# Team\n\nThe team owns [billing](Team%20{ID}/On%20call%20{OTHER}.md).\n",
    f"Team {ID}/On call {OTHER}.md": "# On call\n\nWho carries the pager.\n\n## Rota\n\nWeekly.\n",
}


def test_a_notion_export(tmp_path: Path) -> None:
    index = build(write(tmp_path / "docs", NOTION))
    hit = first(index, "who carries the pager")
    assert (hit.title, hit.breadcrumb) == ("On call", ("Team", "On call"))
    assert ID not in hit.title + " ".join(hit.breadcrumb)
    owner = first(index, "which team owns billing")
    assert [(x.path, x.title) for x in owner.links] == [(f"Team {ID}/On call {OTHER}.md", "On call")]
    assert not index.words.get(ID)[0].size


PAGE = '<html><head><title>Shop : {0}</title></head><body><div id="main-content">{1}</div></body></html>'
CONFLUENCE: dict[str, str | bytes] = {
    "SHOP/index.html": '<div class="pageSection"><h2>Available Pages:</h2><ul><li><a href="Home_1.html">Home</a><ul>'
    '<li><a href="Bank_2.html">Bank</a></li></ul></li></ul></div>',
    "SHOP/Home_1.html": PAGE.format("Home", '<p>Welcome to the shop. See <a href="Bank_2.html#fees">fees</a>.</p>'),
    "SHOP/Bank_2.html": PAGE.format("Bank", '<h2 id="fees">Fees</h2><p>Two percent.</p>'),
    "SHOP/attachments/3/4.png": b"\x89PNG",
}


def pack(path: Path, files: dict[str, str | bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_a_confluence_export(tmp_path: Path, zipped: bool) -> None:
    folder = tmp_path / "docs"
    if zipped:
        pack(folder / "shop.zip", CONFLUENCE)
    else:
        write(folder, CONFLUENCE)
    index = build(folder)
    start = "shop.zip/" if zipped else ""
    assert index.paths == [f"{start}SHOP/Bank_2.html", f"{start}SHOP/Home_1.html"]
    hit = first(index, "what are the fees")
    assert (hit.title, hit.breadcrumb, hit.anchor) == ("Bank", ("Home", "Bank", "Fees"), "fees")
    assert hit.excerpt == "Fees\nTwo percent."
    place = folder / ("shop.zip" if zipped else "SHOP/Bank_2.html")
    assert hit.url == place.as_uri() + ("" if zipped else "#fees")
    assert [x.shown for x in first(index, "welcome to the shop").links] == [f"{start}SHOP/Bank_2.html#fees"]
    assert build(folder).container.identity == index.container.identity


def test_zip_files_that_are_none_or_far_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "docs", {"broken.zip": b"PK\x03\x04 no", "a.md": "# Alpha"})
    pack(
        folder / "odd.zip",
        {"../../b.md": "# Beta", ".hidden.md": "x", "in/d.md": "x", "__MACOSX/c.md": "x", "d.exe": "x"},
    )
    assert [name for name, _, _ in scan(folder)] == ["a.md", "odd.zip/in/d.md"]
    monkeypatch.setattr("workers.sources.documents.document_files.MAX_EXPORT_BYTES", 3)
    pack(folder / "other.zip", {"b.md": "# Beta"})
    assert [name for name, _, _ in scan(folder)][:1] == ["a.md"]
    assert not any(name.startswith("other.zip") for name, _, _ in scan(folder))


def test_pages_of_a_crawl_lead_to_their_own_address(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "pages",
        {
            "docs.example.org/guide/index.html": '<h1 id="top">Guide</h1><p>Airships <a href="/a/b?x#m">moor</a>.</p>',
            "docs.example.org/a/b/index.html": '<main><h1>Masts</h1><h2 id="m">Mooring</h2><p>By the nose.</p>',
        },
    )
    index = build(folder)
    assert first(index, "mooring by the nose").url == "https://docs.example.org/a/b/#m"
    hit = first(index, "airships")
    assert hit.url == "https://docs.example.org/guide/#top"
    assert [(x.path, x.anchor) for x in hit.links] == [("docs.example.org/a/b/index.html", "m")]
    write(folder, {"own.html": "<main><h1 id='x'>Hangar</h1>"})
    assert first(build(folder), "hangar").url.startswith("file://")
    assert first(build(folder), "airships").url.startswith("file://")


def test_links_by_label_and_by_path(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "docs",
        {
            "a.rst": "Alpha\n=====\n\nSee :ref:`the mast <mast-rule>` and :doc:`b`, not :doc:`c`.\n",
            "b.rst": "Beta\n====\n\n.. _mast-rule:\n\nMasts\n-----\n\nTall.\n",
        },
    )
    assert [x.shown for x in first(build(folder), "alpha").links] == ["b.rst#masts", "b.rst"]


def test_documents_in_a_work_tree_of_a_bare_copy(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "r", {"docs/a.md": "# Alpha\n"}, moment(1))
    run_git(tmp_path, "clone", "-q", "--bare", str(root), "copy.git")
    run_git(tmp_path / "copy.git", "worktree", "add", "-q", "--detach", str(tmp_path / "tree"), "HEAD")
    hit = DocIndex.ensure(tmp_path / "tree" / "docs", tmp_path / "i").search("alpha")[0]
    assert hit.commit == hit.last_commit == run_git(root, "rev-parse", "HEAD").strip()
    assert hit.changed == rfc3339(moment(1))


def test_documents_that_are_left_out_are_counted_by_reason(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "# Alpha",
        "huge.md": "word " * 300_000,
        "huge.json": "[" + "1, " * 2_000_000 + "1]",
        "odd.txt": b"\0\1",
        "locked.pdf": make_pdf([["secret"]], password="x"),
    }
    folder = write(tmp_path / "docs", files)
    heard: list[tuple[int, int]] = []
    with heard_by(lambda done, total: heard.append((done, total))):
        index = build(folder)
    assert index.paths == ["a.md"]
    assert count_skipped(index.meta["skipped"].values()) == {"too large": 1, "binary": 1, "unreadable": 1}
    assert heard == [(i, 4) for i in range(5)], "data that is no document is not counted"
    assert build(folder).container.identity == index.container.identity, "nothing is read again"
