"""Uses of a symbol, found in the syntax trees of the files that hold its name, each with the definition it means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from workers.language.stems import stem
from workers.language.tokens import joined
from workers.sources.code.class_lineage import Lineage
from workers.sources.code.definition_lookup import (
    DefinitionPlace,
    find_definitions,
    in_language,
    places_named,
    split_symbol,
)
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.import_statements import read_imports, same_family
from workers.sources.code.index import CodeIndex
from workers.sources.code.node_roles import Role
from workers.sources.code.reference_meaning import Certainty, UsingFile, meant_by
from workers.sources.code.syntax_occurrences import Occurrence, find_occurrences
from workers.sources.code.syntax_tree import enclosing
from workers.sources.code.variable_types import VariableTypes
from workers.sources.terms.programming_languages import CONFIG, PROSE, language_of

MOST_FILES = 1_500


@dataclass(frozen=True)
class Reference:
    """One use. ``text``: its line; ``inside``: the definition around it, qualified, empty at the top of a file.

    ``means``: the definitions it may mean, equally likely; empty when none of the repository has the name.
    ``certainty``: how sure it is that it means one of those that were asked for.
    """

    path: str
    line: int
    text: str
    inside: str
    means: tuple[DefinitionPlace, ...]
    certainty: Certainty
    imports: bool
    file_kind: str
    language: str


@dataclass(frozen=True)
class References:
    """The uses of a symbol, the surest first, and the definitions that were asked for.

    ``namesakes``: definitions with the same name that were not. ``unread``: files that hold the name and were not
    read, because there are too many.
    """

    uses: tuple[Reference, ...]
    definitions: tuple[DefinitionPlace, ...]
    namesakes: tuple[DefinitionPlace, ...]
    unread: int


def find_references(index: CodeIndex, symbol: str, path: str = "", within: str = "", language: str = "") -> References:
    """Every use of a symbol.

    Args:
        index: of one repository.
        symbol: a name, or one behind its classes, modules or packages.
        path: which definition is meant: one in files whose path begins so.
        within: only uses in files whose path begins so.
        language: only definitions and uses in this language.

    Returns:
        At most one a line. Definitions, comments, strings, and local variables of the name are none. A symbol with a
        qualifier has only the uses that may mean it; one that is defined nowhere has all occurrences of its name.
    """
    before, name = split_symbol(symbol)
    wanted = find_definitions(index, symbol, path, language)
    if wanted:
        name = wanted[0].name
    if not name or (not wanted and (before or path)):
        return References((), (), (), 0)
    places = [p for p in places_named(index, name) if p.name == name and p.kind != "key"]
    files, unread = files_with(index, name, within, language, {p.path for p in wanted})
    uses: dict[tuple[str, int], Reference] = {}
    lineage = Lineage(index)
    for number in files:
        for use in uses_in(index, number, name, places, wanted, lineage):
            key = (use.path, use.line)
            if key not in uses or uses[key].certainty < use.certainty:
                uses[key] = use
    others = tuple(p for p in places if p not in wanted)
    return References(tuple(sorted(uses.values(), key=order_of)), tuple(wanted), others, unread)


def order_of(use: Reference) -> tuple[int, bool, bool, str, int]:
    """The surest first; sources before tests, uses before imports."""
    return -use.certainty, use.file_kind in HELD_DOWN, use.imports, use.path, use.line


def files_with(index: CodeIndex, name: str, within: str, language: str, homes: set[str]) -> tuple[list[int], int]:
    """Numbers of the files that hold a name: those that define it and their folders first; how many are left out."""
    columns, whole = index.columns, joined(name)
    found = [columns.words.get(f"={whole}")[0], columns.words.get(stem(whole))[0]]
    numbers = np.unique(columns.file_of[np.concatenate(found)]).tolist()
    folders = {PurePosixPath(home).parent for home in homes}

    def rank(number: int) -> tuple[bool, bool, bool, str]:
        path = columns.paths[number]
        held_down = KINDS[int(columns.kinds[number])] in HELD_DOWN
        return path not in homes, held_down, PurePosixPath(path).parent not in folders, path

    kept = [n for n in numbers if is_read(columns.paths[n], within, language)]
    kept.sort(key=rank)
    return kept[:MOST_FILES], max(len(kept) - MOST_FILES, 0)


def is_read(path: str, within: str, language: str) -> bool:
    """Whether a file may hold uses."""
    return path.startswith(within) and language_of(path) not in PROSE | CONFIG | {""} and in_language(path, language)


def uses_in(
    index: CodeIndex,
    number: int,
    name: str,
    places: Sequence[DefinitionPlace],
    wanted: Sequence[DefinitionPlace],
    lineage: Lineage,
) -> Iterator[Reference]:
    """The uses in one file that mean something that is wanted, or may."""
    columns = index.columns
    path, lines = columns.paths[number], columns.lines_of(number)
    language = language_of(path)
    named = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    text = "\n".join(lines)
    if not named.search(text):
        return
    found = find_occurrences(text.encode(), language, name)
    if found is None:
        return
    file = UsingFile(
        path,
        language,
        lines,
        read_imports(found.imports, path, language),
        found.definitions,
        VariableTypes(lines),
        lineage,
    )
    known = [p for p in places if same_family(language_of(p.path), language)]
    for use in found.uses:
        certainty, means = meant_by(use, file, known)
        if not wanted:
            certainty, means = Certainty.LIKELY, []
        elif not any(place in wanted for place in means):
            continue
        elif len(means) > 1 and any(place not in wanted for place in means):
            certainty = min(certainty, Certainty.POSSIBLE)
        yield reference(file, use, certainty, means, KINDS[int(columns.kinds[number])])


def reference(
    file: UsingFile, use: Occurrence, certainty: Certainty, means: Sequence[DefinitionPlace], kind: str
) -> Reference:
    """One use with what is around it."""
    around = enclosing(tuple(file.definitions), use.line)
    return Reference(
        path=file.path,
        line=use.line,
        text=file.lines[use.line - 1].strip(),
        inside=around.qualified if around else "",
        means=tuple(means),
        certainty=certainty,
        imports=use.role is Role.IMPORT,
        file_kind=kind,
        language=file.language,
    )
