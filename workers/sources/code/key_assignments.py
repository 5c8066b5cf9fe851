"""Lines that give a named key its value: in a map of options, an object, a signature, a settings file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.language.tokens import joined
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.index import HELD_DOWN, CodeHit, CodeIndex
from workers.sources.terms.query_terms import Query

OPENS = re.compile(r"[{\[(]\s*$")
MOST = 3


def asked_key(query: Query) -> str:
    """The key whose value is asked for, as written; nothing for other questions."""
    names = [n for n in (*query.variables, *query.names) if re.search(r"[a-zA-Z0-9]_[a-zA-Z0-9]|[a-z][A-Z]", n)]
    return names[0] if names and ("config" in query.wants or "configuration" in query.asks) else ""


def key_places(index: CodeIndex, name: str, max_lines: int) -> list[CodeHit]:
    """Where a key gets its value, sources first; a value of several lines with all of them."""
    word = re.escape(name)
    sets = re.compile(rf"(?<![\w.])[\"']?{word}[\"']?\]?\s*(?::[^=:]*?=(?!=)|:=|=>|=(?![=>])|:(?!:))\s*(?!=)\S")
    found = list(lines_of(index, name, sets, max_lines))
    return sorted(found, key=lambda h: (h.kind in HELD_DOWN, h.path, h.start_line))[:MOST]


def lines_of(index: CodeIndex, name: str, sets: re.Pattern[str], max_lines: int) -> Iterator[CodeHit]:
    """The places, as hits."""
    columns, seen = index.columns, set[tuple[int, int]]()
    for unit in sorted(columns.words.get(f"={joined(name)}")[0].tolist()):
        file, start, end = columns.chunks[unit].tolist()
        lines = columns.lines_of(file)
        for n in range(start, min(end, len(lines)) + 1):
            if (file, n) in seen or not sets.search(lines[n - 1]):
                continue
            seen.add((file, n))
            last = value_end(lines, n, max_lines)
            path, kind = columns.paths[file], KINDS[int(columns.kinds[file])]
            text, url = "\n".join(lines[n - 1 : last]), index.link(path, n, last)
            yield CodeHit(path, n, last, (name,), 1.0, text, index.commit, url, kind)


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
