"""Files that have to do with a question without holding its words: what the code that answers it uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workers.language.tokens import NAME_PARTS, WORD, joined
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index import CodeHit, CodeIndex

SEEDS = (1.0, 0.8, 0.6)
DECAY = 0.6
MOST_DEFINERS = 2
SHORTEST = 4
MOST_PLACES = 6
MOST_SEEDS = 8
MOST_NAMES = 3
PLACE_LINES = 30
PLACE_DECAY = 0.8
DEFINING = frozenset({"class", "type", "function", "constant"})


def related_places(index: CodeIndex, query: str) -> dict[tuple[str, str], float]:
    """Weigh the definitions that a question is about: (path, name) -> 0..1, the best one 1."""
    hits = likely_hits(index, query, MOST_PLACES, PLACE_LINES)
    out: dict[tuple[str, str], float] = {}
    for rank, hit in enumerate(hits):
        for i, symbol in enumerate(hit.symbols[:MOST_NAMES]):
            name = NAME_PARTS.split(symbol)[-1]
            if len(name) >= SHORTEST:
                weight = round(hit.score / hits[0].score * PLACE_DECAY**rank * (1.0 if i == 0 else 0.5), 3)
                out[hit.path, name] = max(out.get((hit.path, name), 0.0), weight)
    return out


def related_files(index: CodeIndex, query: str, hops: int = 2) -> dict[str, float]:
    """Weigh files by how near they are to the code that a question is about.

    The best files for the question count 1.0 to 0.6, what they import or call by name 0.6 of that, and so on. A name
    that more than two files define says nothing and is left out.

    Returns:
        Path -> 0..1; empty when it is doubtful that the repository holds what is asked.
    """
    hits = likely_hits(index, query, MOST_SEEDS)
    seeds = dict.fromkeys(h.path for h in hits if h.score >= hits[0].score / 2)
    out = dict(zip(seeds, SEEDS, strict=False))
    edge = dict(out)
    for _ in range(hops):
        reached: dict[str, float] = {}
        for path, weight in edge.items():
            for other in used_files(index, index.numbers[path]):
                if other not in out:
                    reached[other] = max(reached.get(other, 0.0), round(weight * DECAY, 3))
        out |= reached
        edge = reached
    return out


def likely_hits(index: CodeIndex, query: str, most: int, max_lines: int | None = None) -> list[CodeHit]:
    """The best places for a question among those that count; none where it is doubtful that they answer."""
    found = index.find(query, most, max_lines=max_lines)
    return [h for h in found.likely_hits if h.kind not in HELD_DOWN]


def used_files(index: CodeIndex, file: int) -> set[str]:
    """Files that define a name, or are a module, which this file mentions; read once of an index."""
    if file not in index.used_paths:
        index.used_paths[file] = read_used_files(index, file)
    return index.used_paths[file]


def read_used_files(index: CodeIndex, file: int) -> set[str]:
    """The same, by the file's words."""
    columns = index.columns
    stems = index.modules
    words = {w for line in columns.lines_of(file) for w in WORD.findall(line) if len(w) >= SHORTEST}
    out: set[str] = set()
    for word in words:
        definers = {d for d in definers_of(index, stems, word) if KINDS[int(columns.kinds[d])] not in HELD_DOWN}
        if 0 < len(definers) <= MOST_DEFINERS and file not in definers:
            out.update(columns.paths[d] for d in definers)
    return out


def definers_of(index: CodeIndex, stems: Mapping[str, list[int]], word: str) -> Iterable[int]:
    """Files whose stem is a word, or that define it at their top level."""
    columns = index.columns
    yield from stems.get(word, ())
    for i in columns.defined(joined(word)):
        if columns.names[i] == word and not columns.scopes[i] and columns.definition(i).kind in DEFINING:
            yield int(columns.chunks[columns.definition_rows[i, 0], 0])
