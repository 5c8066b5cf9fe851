"""A folder that a question names by its bare name."""

from __future__ import annotations

from dataclasses import dataclass

from workers.language.tokens import joined
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index import CodeIndex
from workers.sources.terms.query_terms import read_query


@dataclass(frozen=True)
class Folder:
    """``path`` ends with a slash; ``files`` are those indexed below it."""

    path: str
    files: int


def named_folder(index: CodeIndex, query: str) -> Folder | None:
    """The folder whose name is all that a question names, the one with most sources; None when it is a symbol's too."""
    asked = read_query(query)
    wanted = joined("".join(asked.words))
    if not wanted or asked.files or asked.routes:
        return None
    counts: dict[str, int] = {}
    held: dict[str, int] = {}
    for path, number in index.numbers.items():
        parts = path.split("/")[:-1]
        for i, part in enumerate(parts, 1):
            if joined(part) == wanted:
                folder = f"{'/'.join(parts[:i])}/"
                counts[folder] = counts.get(folder, 0) + 1
                held[folder] = held.get(folder, 0) + (KINDS[int(index.columns.kinds[number])] in HELD_DOWN)
    if not counts or any(is_symbol(index, i, asked.words) for i in index.columns.defined(wanted)):
        return None
    best = max(counts, key=lambda f: (counts[f] - held[f], counts[f], -len(f)))
    return Folder(best, counts[best])


def is_symbol(index: CodeIndex, number: int, words: tuple[str, ...]) -> bool:
    """Whether a definition is one of the words as written: in a source, and no module, which is the folder's own."""
    d = index.columns.definition(number)
    file = int(index.columns.chunks[index.columns.definition_rows[number, 0], 0])
    module = d.kind == "class" and d.name == d.name.lower()
    return d.name in words and not module and KINDS[int(index.columns.kinds[file])] not in HELD_DOWN
