"""The rows of tables in a document's lines, each with the names of its columns: tables of Markdown, reStructuredText,
AsciiDoc, and of pages whose text was taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from workers.sources.code.excerpt import line_terms

DIVIDER = re.compile(r"[ \t|:+=-]*-[ \t|:+=-]*")
GRID = re.compile(r"\+(?:[-=]+\+)+")
SIMPLE = re.compile(r"=+(?: +=+)+")
CELL = re.compile(r"(?<!\\)\|")
MARKS = re.compile(r"\*\*|__|`|(?<!!)\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")
MOST_CELLS = 30
LONGEST = 4_000


@dataclass(frozen=True)
class TableRow:
    """A row: the line that it begins on, and its cells as (column, text); the column's name may be empty."""

    line: int
    cells: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """``Service: checkout · Owner: @payments``, empty cells left out."""
        shown = ((name, text) for name, text in self.cells if text)
        return " · ".join(f"{name}: {text}" if name and name != text else text for name, text in shown)


def table_rows(lines: Sequence[str], first: int = 1, *, extracted: bool = False) -> list[TableRow]:
    """All rows of all tables, without their headers.

    Args:
        lines: some lines of a document.
        first: the number of the first of them.
        extracted: they were taken out of a page, so that no line divides a header from its rows.
    """
    out: list[TableRow] = []
    fenced = False
    at = 0
    while at < len(lines):
        line = lines[at][:LONGEST].strip()
        fenced ^= line.startswith(("```", "~~~"))
        size, rows = (1, []) if fenced else table_at(lines, at, extracted=extracted)
        out += named_rows(rows, first)
        at += size
    return out


Cells = tuple[int, list[str]]
"""The offset of a row's line, and its cells."""


def table_at(lines: Sequence[str], at: int, *, extracted: bool) -> tuple[int, list[Cells]]:
    """The table that begins at a line: how many lines it takes, and its rows, header first; no rows if it is none."""
    line = lines[at].strip()
    if GRID.fullmatch(line):
        return grid_table(lines, at)
    if SIMPLE.fullmatch(line):
        return simple_table(lines, at)
    if line == "|===":
        return asciidoc_table(lines, at)
    size = next((n for n, text in enumerate(lines[at:]) if not is_row(text)), len(lines) - at)
    rows = [(at + n, cells_of(text)) for n, text in enumerate(lines[at : at + size])]
    divided = size > 1 and DIVIDER.fullmatch(lines[at + 1].strip())
    if divided:
        return size, [rows[0], *rows[2:]]
    same = len({len(cells) for _, cells in rows}) == 1
    return (size, rows) if extracted and size > 1 and same else (max(size, 1), [])


def is_row(text: str) -> bool:
    """Whether a line has cells."""
    return len(CELL.findall(text[:LONGEST].strip().strip("|"))) > 0 or bool(re.fullmatch(r"\|[^|]+\|", text.strip()))


def cells_of(text: str) -> list[str]:
    """The cells of a line, without marks of Markdown around words."""
    inside = text[:LONGEST].strip()
    inside = inside.removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return [plain(cell) for cell in CELL.split(inside)[:MOST_CELLS]]


def plain(cell: str) -> str:
    """A cell as a person reads it."""
    return " ".join(MARKS.sub(lambda m: m[1] or "", cell).replace("\\|", "|").replace("<br>", " ").split())


def grid_table(lines: Sequence[str], at: int) -> tuple[int, list[Cells]]:
    """A table drawn with ``+---+``; a row may take several lines."""
    size = next((n for n, text in enumerate(lines[at:]) if not text.strip().startswith(("+", "|"))), len(lines) - at)
    borders = [n for n in range(at, at + size) if lines[n].strip().startswith("+")]
    rows: list[Cells] = []
    for above, below in pairwise(borders):
        parts = [cells_of(lines[n]) for n in range(above + 1, below)]
        joined = [" ".join(filter(None, cell)) for cell in zip_longest(*parts, fillvalue="")]
        rows += [(above + 1, joined)] if joined else []
    return size, rows


def simple_table(lines: Sequence[str], at: int) -> tuple[int, list[Cells]]:
    """A table whose columns stand below ``====  ====``."""
    spans = [m.span() for m in re.finditer("=+", lines[at])]
    borders = [n for n in range(at, len(lines)) if SIMPLE.fullmatch(lines[n].strip())][:3]
    if len(borders) < 3 or any(not lines[n].strip() and not lines[n - 1].strip() for n in range(at + 1, borders[-1])):
        return 1, []
    wanted = [n for n in range(at + 1, borders[-1]) if n not in borders and lines[n].strip()]
    ends = [start for start, _ in spans[1:]] + [LONGEST]
    rows = [(n, [plain(lines[n][s:e]) for (s, _), e in zip(spans, ends, strict=True)]) for n in wanted]
    return borders[-1] - at + 1, rows


def asciidoc_table(lines: Sequence[str], at: int) -> tuple[int, list[Cells]]:
    """A table between ``|===``; where cells have lines of their own, a row is as long as the first line."""
    end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == "|==="), 0)
    if not end:
        return 1, []
    rows = [(n, cells_of(lines[n].strip())) for n in range(at + 1, end) if lines[n].strip().startswith("|")]
    width = len(rows[0][1]) if rows else 0
    flat = [(n, cell) for n, cells in rows for cell in cells]
    if width < 2 or len(flat) % width:
        return end - at + 1, []
    grouped = [flat[i : i + width] for i in range(0, len(flat), width)]
    return end - at + 1, [(group[0][0], [cell for _, cell in group]) for group in grouped]


def named_rows(rows: Sequence[Cells], first: int) -> Iterator[TableRow]:
    """Rows with the names of their columns."""
    if len(rows) < 2:
        return
    header = rows[0][1]
    for at, cells in rows[1:]:
        pairs = tuple(zip_longest(header, cells, fillvalue=""))
        if any(text for _, text in pairs):
            yield TableRow(first + at, pairs)


def best_rows(rows: Sequence[TableRow], worth: Mapping[str, float], most: int) -> list[TableRow]:
    """The rows that hold most of a question, by what each of its terms is worth; the others after them, in order."""
    held = [sum(worth[t] for t in line_terms(f"{row.text} {told(row)}") if t in worth) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (-held[i], i))
    return [rows[i] for i in order[:most]]


def told(row: TableRow) -> str:
    """The values of a row alone: what its header says is said of every row."""
    return " ".join(text for _, text in row.cells)
