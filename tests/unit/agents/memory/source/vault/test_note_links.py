"""What is a link in a note, and what only looks like one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.agents.memory.source.vault.note import bytes_of, find_subpath, read_note, text_of


def links(text: str) -> list[tuple[str, str, str]]:
    return [(link.style, link.path, link.subpath) for link in read_note(text.encode()).links]


@each_row(
    "text, found",
    [
        ("[[Note]]", [("wikilink", "Note", "")]),
        ("see [[folder/Note|its alias]].", [("wikilink", "folder/Note", "")]),
        ("[[Note#Heading#Sub]] [[Note#^block]]", [("wikilink", "Note", "Heading#Sub"), ("wikilink", "Note", "^block")]),
        ("[[#Here]]", [("wikilink", "", "Here")]),
        ("![[pic.png|100]]", [("wikilink", "pic.png", "")]),
        ("[t](../a%20b.md#h)", [("markdown", "../a b.md", "h")]),
        ('![t](<a b.png> "title")', [("markdown", "a b.png", "")]),
        ("[![i](a.png)](b.md)", [("markdown", "a.png", ""), ("markdown", "b.md", "")]),
        ("[t](a_(b).md)", [("markdown", "a_(b).md", "")]),
        (
            "[x]: ../target.md 'title'\n[y]: <other one.md>",
            [("definition", "../target.md", ""), ("definition", "other one.md", "")],
        ),
        ("| [[Note\\|alias]] | b |", [("wikilink", "Note", "")]),
        (
            '---\nup: "[[Parent]]"\nlist:\n  - "[[Other|x]]"\n---\ntext',
            [("property", "Parent", ""), ("property", "Other", "")],
        ),
        ("---\nup: [[Parent]]\n---\n", []),
        ("`[[code]]` and ``a ` [[code]]``", []),
        ("```\n[[code]]\n```\n[[after]]", [("wikilink", "after", "")]),
        ("- item\n  ~~~\n  [[code]]\n  ~~~\n  [[after]]", [("wikilink", "after", "")]),
        ("> ```\n> [[code]]\n\n[[after]]", [("wikilink", "after", "")]),
        ("text\n\n    [[indented code]]\n\n[[after]]", [("wikilink", "after", "")]),
        ("- item\n\n    [[in the item]]", [("wikilink", "in the item", "")]),
        ("1. one\n```\n[[code]]\n```\n2. two\n\t![[kept.png]]", [("wikilink", "kept.png", "")]),
        ("%% [[hidden]] %% [[shown]]", [("wikilink", "shown", "")]),
        ("%%\n[[hidden]]\n\n[[hidden]]\n%%\n[[shown]]", [("wikilink", "shown", "")]),
        ("<!-- [[hidden]] -->\n[[shown]]", [("wikilink", "shown", "")]),
        ("a <!-- [[hidden]] --> [[shown]]", [("wikilink", "shown", "")]),
        ("<div>\n[[hidden]]\n</div>\n\n[[shown]]", [("wikilink", "shown", "")]),
        ("$$\n[[hidden]]\n$$\n[[shown]]", [("wikilink", "shown", "")]),
        ("$a [[hidden]] b$ [[shown]]", [("wikilink", "shown", "")]),
        ("it costs $5, [[shown]] and $6", [("wikilink", "shown", "")]),
        ("\\[[escaped]] \\![[embedded]]", [("wikilink", "embedded", "")]),
        ("[w](https://example.com/a.md) [m](mailto:a@b.c) [[a]](b)", [("wikilink", "a", "")]),
        (
            "# A heading with [[Note]]\n[^1]: a footnote [[Other]]",
            [("wikilink", "Note", ""), ("wikilink", "Other", "")],
        ),
        ("[[not\na link]] [[]] [[ spaced ]]", [("wikilink", "spaced", "")]),
    ],
)
def test_what_is_a_link(text: str, found: list[tuple[str, str, str]]) -> None:
    assert links(text) == found
    assert links(text.replace("\n", "\r\n")) == found
    assert links("\ufeff" + text) == found


def test_tags_aliases_headings_and_blocks() -> None:
    note = read_note(
        b"---\ntags: [one, '#two/three']\nalias: Other name\n---\n# Title #\n\n"
        b"text #four #5 a#b `#six` ^b1\n\nSet\n===\n"
        b"\n## Sub: part\nhttp://x/#seven #\xc3\xa4/x\n"
    )
    assert note.tags == ("one", "two/three", "four", "ä/x")
    assert note.aliases == ("Other name",)
    assert [tuple(h) for h in note.headings] == [(1, "Title", 5), (1, "Set", 9), (2, "Sub: part", 12)]
    assert note.blocks == (("b1", 7),)
    assert find_subpath(note, "set#sub part") == (12, 0)
    assert find_subpath(note, "TITLE") == (5, 8)
    assert find_subpath(note, "Title#Sub part") is None
    assert find_subpath(note, "^B1") == (7, 7)


PIECES = st.sampled_from(
    [
        "[[",
        "]]",
        "[",
        "](",
        ")",
        "`",
        "``",
        "\n",
        "\n\n",
        "%%",
        "$$",
        "$",
        "<!--",
        "-->",
        "<div>",
        "> ",
        "- ",
        "    ",
        "\t",
        "```",
        "#",
        "a",
        "N|b",
        "\\",
        "![",
        "^x",
        "---\n",
        "\r\n",
        "é",
        "\x00",
        "]: ",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_spans_are_what_is_written(text: str) -> None:
    note = read_note(text.encode())
    for link in note.links:
        assert text[link.path_start : link.path_end] == link.raw
        assert 0 <= link.start <= link.path_start <= link.path_end <= link.end <= len(text)
        assert link.line == text.count("\n", 0, link.start) + 1
    ends = [link.end for link in note.links if link.style == "wikilink"]
    assert len(set(ends)) == len(ends)


@given(st.binary(max_size=200))
def test_bytes_come_back(raw: bytes) -> None:
    assert bytes_of(text_of(raw)) == raw
    read_note(raw)


@each_row(
    "piece",
    ["[", "[[", "![[a", "`", "$", "$a ", "%%", "<!--", "](", "[a](", "#a", "> ", "- ", "\\", "<a ", "``` `", "[x]: "],
)
def test_long_runs_are_read(piece: str) -> None:
    """Each would take very long if a search that failed were made again at every place."""
    note = read_note((piece * (150_000 // len(piece))).encode())
    assert note.size <= 150_000
    assert re.fullmatch("[0-9a-f]{64}", note.sha256)
