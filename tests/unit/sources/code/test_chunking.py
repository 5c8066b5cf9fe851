"""Chunks follow definitions and cover a file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.code.chunking import MAX_LINES, Chunk, cut
from workers.sources.code.syntax_tree import Definition, read_definitions

SOURCES = sorted(Path(__file__).resolve().parents[4].glob("workers/**/*.py"))


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], tuple[Definition, ...]]:
    lines = draw(
        st.lists(
            st.sampled_from(["", "x = 1", "    y = 2", "# note", "@route", "        z()"]), min_size=1, max_size=300
        )
    )
    spans = draw(st.lists(st.tuples(st.integers(1, len(lines)), st.integers(0, 120)), max_size=12))
    definitions = sorted(
        (
            Definition(f"d{i}", "function", start, min(start + size, len(lines)))
            for i, (start, size) in enumerate(spans)
        ),
        key=lambda d: (d.start, -d.end),
    )
    return lines, tuple(definitions)


def check_cover(chunks: list[Chunk], lines: list[str]) -> None:
    assert all(1 <= c.start <= c.end <= len(lines) for c in chunks)
    assert all(a.end < b.start for a, b in pairwise(chunks))
    inside = {n for c in chunks for n in range(c.start, c.end + 1)}
    assert all(n in inside for n, line in enumerate(lines, 1) if line.strip())


@given(files())
def test_chunks_cover_any_file_without_overlap(file: tuple[list[str], tuple[Definition, ...]]) -> None:
    lines, definitions = file
    check_cover(cut(lines, definitions), lines)
    check_cover(cut(lines, (), prose=True), lines)


@each_row("path", SOURCES[:40])
def test_chunks_of_real_sources(path: Path) -> None:
    lines = path.read_text().split("\n")
    definitions = read_definitions(path.read_bytes(), "python")
    chunks = cut(lines, definitions)
    check_cover(chunks, lines)
    assert all(c.end - c.start < 2 * MAX_LINES for c in chunks)
    assert [d for c in chunks for d in c.definitions] == list(definitions)


def test_decorators_and_comments_stay_with_their_function() -> None:
    body = [f"    x{i} = {i}" for i in range(25)]
    lines = ["import a", "", *body, "", "# Lists them.", "@app.get", "def f():", *body]
    f = Definition("f", "function", len(lines) - 25, len(lines))
    last = cut(lines, (f,))[-1]
    assert lines[last.start - 1] == "# Lists them."
    assert last.definitions == (f,)


def test_members_of_a_long_class_know_their_scope() -> None:
    method = ["    def f(self):", *["        pass"] * 34]
    lines = ["class A:", *method, *method]
    outer = Definition("A", "class", 1, len(lines))
    inner = [Definition("f", "function", 2, 36, ("A",)), Definition("f", "function", 37, 71, ("A",))]
    chunks = cut(lines, (outer, *inner))
    assert len(chunks) > 1
    assert chunks[-1].scope == ("A",)


def test_empty_file() -> None:
    assert cut([], ()) == []
    assert len(cut([""], ())) == 1
