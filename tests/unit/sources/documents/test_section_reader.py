"""Documents cut at their headings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.documents.section_reader import Document, Section, read_document

RUNBOOK = """---
title: "Bank runbook"
owner: payments
---

Opening words.

# Bank is down

Look first.

```sh
# not a heading
```

## Cause: the *network* `eth0`

1. Look at the graph
   of the link.
2. Call [the worker](https://worker.example).
   - at night, page
     the on-call
- [ ] Write it down

> # quoted

Setext heading
--------------

* restart:

  ```
  systemctl restart bank
  ```

## Cause: the *network* `eth0`
"""


def by_heading(document: Document) -> dict[str, Section]:
    return {s.anchor: s for s in document.sections}


def test_markdown() -> None:
    document = read_document("a/runbook.md", RUNBOOK.split("\n"))
    assert document.title == "Bank runbook"
    assert [(s.heading, s.level, s.start, s.end, s.anchor) for s in document.sections] == [
        ("Bank runbook", 0, 1, 7, ""),
        ("Bank is down", 1, 8, 15, "bank-is-down"),
        ("Cause: the network eth0", 2, 16, 26, "cause-the-network-eth0"),
        ("Setext heading", 2, 27, 35, "setext-heading"),
        ("Cause: the network eth0", 2, 36, 37, "cause-the-network-eth0-1"),
    ]
    cause = document.sections[2]
    assert cause.breadcrumb == ("Bank is down", "Cause: the network eth0")
    assert cause.steps == (
        ("Look at the graph of the link.", 18),
        ("Call the worker.", 20),
        ("at night, page the on-call", 21),
        ("Write it down", 23),
    )
    assert document.sections[3].steps == (("restart: systemctl restart bank", 30),)


def test_restructured_text() -> None:
    text = (
        "=====\nTitle\n=====\n\nWords.\n\nPart one\n--------\n\n- a step\n  goes on\n- another\n\n"
        "Deeper\n~~~~~~\n\nPart two\n--------\n"
    )
    document = read_document("x.rst", text.split("\n"))
    assert document.title == "Title"
    assert [(s.heading, s.level, s.start) for s in document.sections] == [
        ("Title", 1, 1),
        ("Part one", 2, 7),
        ("Deeper", 3, 14),
        ("Part two", 2, 17),
    ]
    assert document.sections[1].steps == (("a step goes on", 10), ("another", 12))
    assert document.sections[2].breadcrumb == ("Title", "Part one", "Deeper")


def test_asciidoc_and_plain_text() -> None:
    document = read_document("x.adoc", ["= Top", "words", "== Part", "more"])
    assert [(s.heading, s.level, s.start, s.end) for s in document.sections] == [("Top", 1, 1, 2), ("Part", 2, 3, 4)]
    plain = read_document("notes-of-may.txt", ["= no heading", "- item"])
    assert plain.title == "notes of may"
    assert [(s.start, s.end, s.steps) for s in plain.sections] == [(1, 2, (("item", 2),))]


@each_row(
    "heading, anchor",
    [
        ("What's new?", "whats-new"),
        ("C++ & Rust", "c--rust"),
        ("Über uns", "über-uns"),
        ("a_b-c", "a_b-c"),
        ("1. First", "1-first"),
    ],
)
def test_anchors_as_github_makes_them(heading: str, anchor: str) -> None:
    assert read_document("x.md", [f"# {heading}"]).sections[0].anchor == anchor


LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "### C",
        "====",
        "----",
        "~~~~",
        "text",
        "",
        "```",
        "- item",
        "  more",
        "1. one",
        "> # q",
        "---",
        "    # code",
        "= adoc",
        "\ra",
    ]
)


@given(
    st.lists(LINES | st.text(st.characters(exclude_characters="\n"), max_size=12), max_size=40),
    st.sampled_from(["x.md", "x.rst", "x.adoc", "x.txt"]),
)
def test_sections_cover_any_document_without_overlap(lines: list[str], path: str) -> None:
    found = read_document(path, lines).sections
    covered = [n for s in found for n in range(s.start, s.end + 1)]
    assert covered == list(range(1, len(lines) + 1))
    anchors = [s.anchor for s in found if s.level]
    assert len(anchors) == len(set(anchors))
    for section in found:
        assert section.breadcrumb
        assert all(section.start <= line <= section.end for _, line in section.steps)
        assert all("\n" not in text for text, _ in section.steps)
