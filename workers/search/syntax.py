"""Definitions and comments of one source file, found by tree-sitter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from threading import Lock

from tree_sitter import QueryCursor

from workers.search.languages import CONFIG, grammar

MAX_DEFINITIONS = 4_000
KINDS = ("class", "type", "function", "method", "constant", "key")
_parsing = Lock()


@dataclass(frozen=True)
class Definition:
    """One named thing. Lines count from 1 and include both ends; ``scope`` names what encloses it, outermost first."""

    name: str
    kind: str
    start: int
    end: int
    scope: tuple[str, ...] = ()

    @property
    def qualified(self) -> str:
        """The name with its scope, joined by dots."""
        return ".".join((*self.scope, self.name))


@dataclass(frozen=True)
class Outline:
    """What a file defines, in order, and the line ranges of its comments."""

    definitions: tuple[Definition, ...] = ()
    comments: tuple[tuple[int, int], ...] = ()


def read_outline(source: bytes, language: str) -> Outline:
    """Find the definitions and comments of a file.

    Args:
        source: the file's bytes.
        language: a name from `languages.language_of`.

    Returns:
        An empty outline where the language has no definitions query.
    """
    with _parsing:  # parsers hold state and are shared
        pair = grammar(language)
        if pair is None:
            return Outline()
        parser, query = pair
        tree = parser.parse(source)
        matches = QueryCursor(query).matches(tree.root_node)
        found: dict[tuple[int, str], tuple[int, int, int, int, str, str]] = {}
        comments: list[tuple[int, int]] = []
        for _, captures in matches:
            if "comment" in captures:
                node = captures["comment"][0]
                comments.append((node.start_point[0] + 1, last_line(node.end_point)))
                continue
            name = captures["name"][0]
            kind = next(k for k in captures if k in KINDS)
            node = captures[kind][0]
            key = (name.start_byte, "")
            row = (
                node.start_byte,
                node.end_byte,
                node.start_point[0] + 1,
                last_line(node.end_point),
                kind,
                (name.text or b"").decode("utf-8", "replace"),
            )
            if key not in found or kind != "constant":
                found[key] = row
            if len(found) >= MAX_DEFINITIONS:
                break
    return Outline(tuple(nest(sorted(found.values()), language)), tuple(sorted(comments)))


def last_line(point: tuple[int, int]) -> int:
    """A node that ends at column 0 ends on the line before."""
    return max(point[0] + (1 if point[1] else 0), 1)


def nest(rows: list[tuple[int, int, int, int, str, str]], language: str) -> list[Definition]:
    """Give every definition its scope, from how byte ranges enclose each other."""
    out: list[Definition] = []
    open_: list[tuple[int, str]] = []
    deepest = 4 if language in CONFIG else 8
    for start, end, first, last, kind, raw in sorted(rows, key=lambda r: (r[0], -r[1])):
        while open_ and open_[-1][0] <= start:
            open_.pop()
        scope = tuple(name for _, name in open_)
        outer, name = split_name(raw)
        if name and len(scope) <= deepest:
            out.append(Definition(name, kind, first, max(first, last), (*scope, *outer)))
        open_.append((end, name))
    return out


def split_name(raw: str) -> tuple[tuple[str, ...], str]:
    """``Server::start`` -> (``Server``,), ``start``; quotes, sigils and surplus blanks are dropped."""
    text = " ".join(raw.split()).strip("\"'`$@:")[:120]
    if " " in text or text.startswith((".", "#", "/")):
        return (), text
    parts = [p for p in text.replace("::", ".").split(".") if p]
    return tuple(parts[:-1]), parts[-1] if parts else ""


def enclosing(definitions: tuple[Definition, ...], line: int) -> Definition | None:
    """The innermost definition that holds a line."""
    best = None
    for d in definitions:
        if d.start <= line <= d.end and (best is None or d.end - d.start <= best.end - best.start):
            best = d
    return best


def merged_ranges(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch or overlap."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def gaps(ranges: list[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """What the ranges leave free between two lines."""
    edges = [(first - 1, first - 1), *ranges, (last + 1, last + 1)]
    return [(a[1] + 1, b[0] - 1) for a, b in pairwise(edges) if a[1] + 1 <= b[0] - 1]
