"""The few lines of a chunk that answer a question best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum  # exact: sets have no order

from workers.language.tokens import WORD, routes_in, terms_of
from workers.sources.code.chunking import attached
from workers.sources.code.syntax_tree import Definition

NAMED = 0.5
WHOLE = 0.25
SETTING = 0.3
LINE_COST, SETTING_LINE_COST = 0.001, 0.012
"""What a further line costs, as a share of the rarest word; a setting stands in few lines."""
WINDOWS = (5, 9)
ABOVE = 6
MARKDOWN = (".md", ".mdx", ".markdown")


def tighten(
    lines: Sequence[str],
    span: tuple[int, int],
    definitions: Sequence[Definition],
    rarity: Mapping[str, float],
    max_lines: int,
    *,
    settings: bool = False,
) -> tuple[int, int]:
    """Choose a range inside ``span``: a definition, a run of short ones, or the densest window.

    Args:
        lines: all lines of the file.
        span: first and last line of the chunk, from 1.
        definitions: those of the file.
        rarity: what each term of the question is worth.
        max_lines: the longest range allowed.
        settings: prefer assignments and keys, and few lines.

    Returns:
        First and last line, from 1, without blank lines at either end.
    """
    first, last = trim(lines, *span)
    if last - first < max_lines and last - first < 4:
        return first, last
    found = [line_terms(lines[i - 1]) & rarity.keys() for i in range(first, last + 1)]
    biggest = max(rarity.values(), default=1.0) or 1.0
    line_cost = SETTING_LINE_COST if settings else LINE_COST

    def worth(a: int, b: int, names: Sequence[Definition]) -> float:
        held = set().union(*found[a - first : b - first + 1])
        named = {t for d in names for t in terms_of(d.name) if t in rarity}
        values = sum(d.kind in {"constant", "key"} for d in names)
        preferred = SETTING * biggest * (bool(values) if settings else -(0 < values == len(names)))
        value = fsum(rarity[t] for t in held) + NAMED * fsum(rarity[t] for t in named)
        whole = WHOLE * biggest if names and all(d.end <= b for d in names) else 0.0
        return value + preferred + whole - line_cost * biggest * (b - a)

    options = candidates(lines, first, last, definitions, max_lines)
    line_worth = [fsum(rarity[t] for t in terms) for terms in found]

    def off_centre(a: int, b: int) -> float:
        inside = line_worth[a - first : b - first + 1]
        return abs(inside.index(max(inside)) - (b - a) / 2)

    a, b, _ = max(options, key=lambda o: (worth(*o), -off_centre(o[0], o[1]), -o[0], o[0] - o[1]))
    return trim(lines, a, b)


def densest(
    lines: Sequence[str], span: tuple[int, int], rarity: Mapping[str, float], max_lines: int
) -> tuple[int, int]:
    """The window of ``max_lines`` of a section that holds most of the question, the earliest of equals."""
    first, last = trim(lines, *span)
    if last - first < max_lines:
        return first, last
    found = [line_terms(lines[i - 1]) & rarity.keys() for i in range(first, last + 1)]
    worth = [
        fsum(rarity[t] for t in set().union(*found[a : a + max_lines])) for a in range(last - first - max_lines + 2)
    ]
    start = first + worth.index(max(worth))
    return trim(lines, start, start + max_lines - 1)


def candidates(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], max_lines: int
) -> list[tuple[int, int, list[Definition]]]:
    """Ranges worth weighing, each with the definitions that it shows from their first line."""
    inside = [d for d in definitions if first <= d.start <= last]
    out: list[tuple[int, int, list[Definition]]] = []
    for i, d in enumerate(inside):
        start = attached(list(lines), d.start, max(first, d.start - ABOVE))
        shown = [d]
        end = min(d.end, last, start + max_lines - 1)
        out.append((start, end, list(shown)))
        for nxt in inside[i + 1 :]:
            if nxt.end > last or nxt.end - start >= max_lines:
                break
            shown.append(nxt)
            out.append((start, max(end, nxt.end), list(shown)))
    for size in {min(n, max_lines) for n in WINDOWS} | {max_lines}:
        starts = range(first, max(first, last - size + 1) + 1)
        spans = ((a, min(last, a + size - 1)) for a in starts)
        out.extend((a, b, []) for a, b in spans if not any(a < d.start <= b < d.end for d in inside))
    return out


def line_terms(line: str) -> set[str]:
    """All terms of one line."""
    terms = {t for w in WORD.findall(line) for t in terms_of(w)}
    return terms | set(routes_in(line)) if "/" in line else terms


def trim(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """Leave out blank lines at both ends."""
    last = min(last, len(lines))
    while first < last and not lines[first - 1].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def front_matter_end(lines: Sequence[str]) -> int:
    """The last line of YAML front matter, which tells of a document and not of its subject; 0 where there is none."""
    if not lines or lines[0].strip("\ufeff \t\r") != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:200], 2) if line.rstrip() in {"---", "..."}), 0)
