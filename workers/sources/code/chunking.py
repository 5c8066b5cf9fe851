"""A file's lines cut into chunks that follow its syntax and cover it without overlap."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from workers.sources.code.syntax_tree import Definition

TARGET_LINES = 30
MAX_LINES = 50
ATTACHED = re.compile(r"\s*(?:@|#\[|#|//|/\*|\*|--|;;|%|\"\"\"|<!--|\[[A-Z])")
HEADING = re.compile(r"#{1,6} |=+\s*$")


@dataclass(frozen=True)
class Chunk:
    """Lines ``start`` to ``end`` (from 1, both included) and what they define or lie in."""

    start: int
    end: int
    definitions: tuple[Definition, ...] = ()
    scope: tuple[str, ...] = ()


def cut(lines: list[str], definitions: tuple[Definition, ...], *, prose: bool = False) -> list[Chunk]:
    """Cut a file.

    Args:
        lines: its lines, without line ends.
        definitions: what it defines; without any it is cut into plain windows.
        prose: cut at headings instead.

    Returns:
        Chunks in order; every line is in exactly one.
    """
    if not lines:
        return []
    if prose:
        spans = merge_small(split_at(1, len(lines), headings(lines)), lines)
    else:
        spans = merge_small(split(1, len(lines), list(definitions), lines), lines)
    return owned(spans, definitions)


def split(start: int, end: int, inside: list[Definition], lines: list[str]) -> list[tuple[int, int]]:
    """Cut a range at the outermost definitions in it, each too long one again at its own."""
    if end - start < TARGET_LINES:
        return [(start, end)]
    outermost = children(inside, start, end)
    if not outermost:
        return windows(start, end, lines) if end - start >= MAX_LINES else [(start, end)]
    out: list[tuple[int, int]] = []
    at = start
    for d in outermost:
        first = attached(lines, d.start, at)
        if first > at:
            out.extend(windows(at, first - 1, lines))
        if d.end - first < TARGET_LINES:
            out.append((first, d.end))
        else:
            nested = [x for x in inside if x is not d and d.start <= x.start and x.end <= d.end]
            out.extend(split(first, d.end, nested, lines))
        at = d.end + 1
    if at <= end:
        out.extend(windows(at, end, lines))
    return out


def children(inside: list[Definition], start: int, end: int) -> list[Definition]:
    """Definitions in a range that no other holds, without overlap; one that is the whole range does not count."""
    out: list[Definition] = []
    at = start
    for d in inside:
        if d.start >= at and d.end <= end and not (d.start == start and d.end == end):
            out.append(d)
            at = d.end + 1
    return out


def attached(lines: list[str], first: int, floor: int) -> int:
    """Where a definition begins with the decorators, attributes and comments that stand directly above it."""
    while first > floor and ATTACHED.match(lines[first - 2]):
        first -= 1
    return first


def windows(start: int, end: int, lines: list[str]) -> list[tuple[int, int]]:
    """Plain windows of about `TARGET_LINES`, cut at the shallowest line nearby."""
    out = []
    while end - start >= MAX_LINES:
        candidates = range(start + TARGET_LINES // 2, start + MAX_LINES)
        at = min(candidates, key=lambda i: (indent(lines[i - 1]), abs(i - start - TARGET_LINES)))
        out.append((start, at - 1))
        start = at
    out.append((start, end))
    return out


def indent(line: str) -> int:
    """Depth of a line; a blank one counts as a good place to cut."""
    return len(line) - len(line.lstrip()) if line.strip() else 0


def headings(lines: list[str]) -> list[int]:
    """Lines where a section of prose begins."""
    out, fenced = [], False
    for i, line in enumerate(lines, 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and HEADING.match(line):
            out.append(i if line.startswith("#") or i == 1 else i - 1)
    return out


def split_at(start: int, end: int, cuts: list[int]) -> list[tuple[int, int]]:
    """Cut a range before each given line."""
    edges = [start, *sorted({c for c in cuts if start < c <= end}), end + 1]
    pieces = [(a, b - 1) for a, b in pairwise(edges)]
    return [(s, min(s + MAX_LINES - 1, b)) for a, b in pieces for s in range(a, b + 1, MAX_LINES)]


def merge_small(spans: list[tuple[int, int]], lines: list[str]) -> list[tuple[int, int]]:
    """Join neighbours while together they stay within the target."""
    out: list[tuple[int, int]] = []
    for a, b in spans:
        if out and b - out[-1][0] < TARGET_LINES:
            out[-1] = (out[-1][0], b)
        else:
            out.append((a, b))
    return [s for s in out if any(line.strip() for line in lines[s[0] - 1 : s[1]])] or out[:1]


def owned(spans: list[tuple[int, int]], definitions: tuple[Definition, ...]) -> list[Chunk]:
    """Give every range the definitions that begin in it, and the scope that holds all of it."""
    out: list[Chunk] = []
    before: list[Definition] = []  # those that began above a range and reach into it
    at = 0
    for start, end in spans:
        while at < len(definitions) and definitions[at].start < start:
            before.append(definitions[at])
            at += 1
        before = [d for d in before if d.end >= start]
        around = next((d for d in reversed(before) if d.end >= end), None)
        first = at
        while at < len(definitions) and definitions[at].start <= end:
            at += 1
        begun = definitions[first:at]
        before.extend(begun)
        out.append(Chunk(start, end, begun, (*around.scope, around.name) if around else ()))
    return out
