"""The few lines of a chunk that answer a question best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.search.chunk import attached
from workers.search.syntax import Definition
from workers.search.tokens import WORD, routes_in, terms_of

NAMED = 0.5
PER_LINE = 0.012


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
        settings: prefer assignments and keys.

    Returns:
        First and last line, from 1, without blank lines at either end.
    """
    first, last = trim(lines, *span)
    if last - first < max_lines and last - first < 4:
        return first, last
    found = [line_terms(lines[i - 1]) & rarity.keys() for i in range(first, last + 1)]
    biggest = max(rarity.values(), default=1.0) or 1.0

    def worth(a: int, b: int, names: Sequence[Definition]) -> float:
        held = set().union(*found[a - first : b - first + 1])
        named = {t for d in names for t in terms_of(d.name) if t in rarity}
        preferred = 0.3 * biggest if settings and any(d.kind in {"constant", "key"} for d in names) else 0.0
        value = sum(rarity[t] for t in held) + NAMED * sum(rarity[t] for t in named)
        return value + preferred - PER_LINE * biggest * (b - a)

    options = candidates(lines, first, last, definitions, max_lines)
    a, b, _ = max(options, key=lambda o: (worth(*o), -o[0], o[0] - o[1]))
    return trim(lines, a, b)


def candidates(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], max_lines: int
) -> list[tuple[int, int, list[Definition]]]:
    """Ranges worth weighing, each with the definitions that it shows from their first line."""
    inside = [d for d in definitions if first <= d.start <= last]
    out: list[tuple[int, int, list[Definition]]] = []
    for i, d in enumerate(inside):
        start = attached(list(lines), d.start, max(first, d.start - 3))
        shown = [d]
        end = min(d.end, last, start + max_lines - 1)
        out.append((start, end, list(shown)))
        for nxt in inside[i + 1 :]:
            if nxt.end > last or nxt.end - start >= max_lines:
                break
            shown.append(nxt)
            out.append((start, max(end, nxt.end), list(shown)))
    for start in range(first, max(first, last - max_lines + 1) + 1):
        end = min(last, start + max_lines - 1)
        out.append((start, end, [d for d in inside if d.start == start]))
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
