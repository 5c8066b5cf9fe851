"""Where a key that a question names stands as it is written: where it is defined, is given a value, or is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

import numpy as np

from workers.language.tokens import WORD, joined, terms_of
from workers.language.written_names import holds
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index_columns import Columns
from workers.sources.terms.query_terms import Query

OPENS = re.compile(r"[{\[(]\s*$")
COMMENT = re.compile(r"#|//|/?\*|--\s|;|<!--")
MOST, MOST_KEYS, MOST_UNITS = 3, 2, 400
DEFINES, SETS, QUOTES, READS = range(4)
ABOUT_OTHERS = frozenset({"test", "error", "route"})
"""What may be asked of a key that its own place does not answer."""


@dataclass(frozen=True)
class LiteralPlace:
    """Lines of a file, by its number, that hold a key. ``grade``: `DEFINES`, `SETS`, `QUOTES` or `READS`."""

    key: str
    file: int
    start: int
    end: int
    symbol: str
    grade: int


def literal_places(
    columns: Columns, query: Query, max_lines: int | None, first: Mapping[int, int], path: str = ""
) -> list[LiteralPlace]:
    """The places of the keys that a question names, best first; none where something else is asked of them.

    Sources come first, then definitions, then files by their rank in ``first``. Of a key that stands in more than
    `MOST` places, those in other files are left to the ranking. What only reads a key counts where nothing gives it a
    value. Only files whose path begins with ``path`` count.
    """
    if query.asks & ABOUT_OTHERS or query.wants & {"test", "example"}:
        return []
    each = [places_of(columns, key, HELD_DOWN - query.wants, max_lines, first, path) for key in query.keys[:MOST_KEYS]]
    turns = [place for i in range(MOST) for places in each for place in places[i : i + 1]]
    return turns[:MOST]


def places_of(
    columns: Columns, key: str, held: Set[str], max_lines: int | None, first: Mapping[int, int], path: str
) -> list[LiteralPlace]:
    """The best places of one key. ``held``: kinds of files that come last, and count only where they define it."""

    def is_held(place: LiteralPlace) -> bool:
        return KINDS[int(columns.kinds[place.file])] in held

    defined = list(definitions_of(columns, key, max_lines))
    taken = {(p.file, p.start) for p in defined}
    # overloads only announce what the longest of them does
    longest = {(p.file, p.symbol): p for p in sorted(defined, key=lambda p: p.end - p.start)}
    found = [*longest.values(), *(p for p in lines_with(columns, key, max_lines) if (p.file, p.start) not in taken)]
    found = [p for p in found if columns.paths[p.file].startswith(path)]
    kept = [p for p in found if p.grade <= SETS or not is_held(p)]
    best = min((p.grade for p in kept), default=DEFINES)
    wanted = [p for p in kept if p.grade <= max(best, SETS)]
    ranked = wanted if len(wanted) <= MOST else [p for p in wanted if p.file in first]
    return sorted(ranked, key=lambda p: (is_held(p), p.grade, first.get(p.file, len(first)), p.start))[:MOST]


def definitions_of(columns: Columns, key: str, max_lines: int | None) -> Iterator[LiteralPlace]:
    """Definitions that are spelled so, with what holds them where the key names it."""
    for i in dict.fromkeys([*columns.defined(joined(key)), *columns.defined(joined(key.rpartition(".")[2]))]):
        found = columns.definition(i)
        if not (key in {found.name, found.qualified} or found.qualified.endswith(f".{key}")):
            continue
        file = int(columns.chunks[columns.definition_rows[i, 0], 0])
        lines, last = columns.lines_of(file), key.rpartition(".")[2] if found.name != key else key
        start = next((n for n in range(found.start, found.end + 1) if holds(lines[n - 1], last)), found.start)
        end = max(start, min(found.end, start + max_lines - 1) if max_lines else found.end)
        yield LiteralPlace(key, file, start, end, found.qualified, DEFINES)


def lines_with(columns: Columns, key: str, max_lines: int | None) -> Iterator[LiteralPlace]:
    """Lines that hold the key as it is written; those that only read it where no sign joins its parts."""
    plain = not re.search(r"[.-]", key)
    sets = assignment(key)
    quoted = re.compile(rf"([\"'])-{{0,2}}{re.escape(key)}\1|(?<![\w-])--{re.escape(key)}(?![\w-])")
    seen = set[tuple[int, int]]()
    for unit in units_with(columns, key):
        file, first, last = columns.chunks[unit].tolist()
        lines = columns.lines_of(file)
        for n in range(first, min(last, len(lines)) + 1):
            line = lines[n - 1]
            if (file, n) in seen or not holds(line, key) or COMMENT.match(line.lstrip()):
                continue
            seen.add((file, n))
            place = LiteralPlace(key, file, n, n, key, READS)
            if sets.search(line):
                yield replace(place, end=value_end(lines, n, max_lines or len(lines)), grade=SETS)
            elif quoted.search(line):
                yield replace(place, grade=QUOTES)
            elif plain:
                yield place


def assignment(key: str) -> re.Pattern[str]:
    """What gives a key its value: in a map of options, an object, a signature, a settings file."""
    return re.compile(
        rf"(?<![\w.])[\"']?{re.escape(key)}[\"']?\]?\s*(?::[^=:]*?=(?!=)|:=|=>|=(?![=>])|:(?!:))\s*(?!=)\S"
    )


def units_with(columns: Columns, key: str) -> list[int]:
    """Chunks that hold all parts of a key, in order; not all of them where they are very many."""
    terms = [known[-1] for word in WORD.findall(key) if (known := terms_of(word))]
    found = [columns.words.get(term)[0] for term in dict.fromkeys(terms)]
    if not found:
        return []
    both = found[0]
    for units in found[1:]:
        both = np.intersect1d(both, units)
    return sorted(both.tolist())[:MOST_UNITS]


def value_end(lines: list[str], start: int, max_lines: int) -> int:
    """The last line of a value that opens a bracket on its first."""
    if not OPENS.search(lines[start - 1]):
        return start
    deep = indent(lines[start - 1])
    for n in range(start + 1, min(start + max_lines - 1, len(lines)) + 1):
        if lines[n - 1].strip() and indent(lines[n - 1]) <= deep:
            return n
    return min(start + max_lines - 1, len(lines))


def indent(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())
