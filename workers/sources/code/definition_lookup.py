"""Definitions of a repository by their name, bare or behind what holds them: ``Client.get``, ``pkg::run``, ``A#b``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from workers.language.tokens import joined
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index import CodeIndex
from workers.sources.code.syntax_tree import Definition
from workers.sources.terms.programming_languages import CONFIG, PROSE, language_of

SEPARATOR = re.compile(r"\.|::|#|->|/|\\")
GO_RECEIVER = re.compile(r"func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)")
ANNOTATION = re.compile(r"[ \t]{0,200}(?:@(?!interface)|#\[|\[)")
MODULE_FILES = frozenset({"__init__", "index", "mod", "lib", "main"})
SIGNATURE_LINES, SIGNATURE_CHARS = 12, 200
HEAD_LINES = 8
MOST_PLACES = 400


@dataclass(frozen=True)
class DefinitionPlace:
    """Where something is defined. ``start`` to ``end`` are its lines, ``line`` the one that names it, all from 1.

    ``kind``: class, type, function, method, constant, key, or implementation (of Rust). ``container``: what holds it,
    outermost first, joined by dots. ``signature``: its first line, put together when it was broken. ``file_kind``: one
    of `file_kinds.KINDS`.
    """

    path: str
    name: str
    kind: str
    start: int
    end: int
    line: int
    container: str
    signature: str
    file_kind: str

    @property
    def qualified(self) -> str:
        """The name behind its container."""
        return f"{self.container}.{self.name}" if self.container else self.name

    @property
    def owner(self) -> str:
        """The innermost name of its container, empty at the top."""
        return self.container.rpartition(".")[2]


def split_symbol(symbol: str) -> tuple[tuple[str, ...], str]:
    """``pkg::Client.get`` -> (``pkg``, ``Client``), ``get``; brackets of a call and blanks are dropped."""
    bare = re.sub(r"\(.*", "", symbol[:400])
    parts = [name for part in SEPARATOR.split(bare) if (name := re.sub(r"[^\w$]", "", part))]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), "")


def find_definitions(index: CodeIndex, symbol: str, path: str = "", language: str = "") -> list[DefinitionPlace]:
    """Every definition of a symbol, the likeliest to be meant first.

    Args:
        index: of one repository.
        symbol: a name, or one behind its classes, modules or packages, with any of ``. :: # ->`` between.
        path: only files whose path begins so.
        language: only files of this language, see `in_language`.

    Returns:
        Those spelled exactly so; where there are none, those that differ in capitals and underscores alone. Where
        nothing around the name agrees with what stands before it, there are none.
    """
    before, name = split_symbol(symbol)
    places = list(places_named(index, name, path, language))
    exact = [place for place in places if place.name == name]
    graded = [(agreement(place, before), place) for place in exact or places]
    best = max((grade for grade, _ in graded), default=0)
    kept = [place for grade, place in graded if grade == best and grade > 0]
    return sorted(kept, key=order_of)


def places_named(index: CodeIndex, name: str, path: str = "", language: str = "") -> Iterator[DefinitionPlace]:
    """Definitions of a name in any spelling, in the order of the index; those of documents left out."""
    columns = index.columns
    for row in columns.defined(joined(name))[:MOST_PLACES]:
        file = int(columns.chunks[columns.definition_rows[row, 0], 0])
        own = columns.paths[file]
        if own.startswith(path) and language_of(own) not in PROSE and in_language(own, language):
            yield place_of(columns.definition(row), own, columns.lines_of(file), KINDS[int(columns.kinds[file])])


def in_language(path: str, language: str) -> bool:
    """Whether a file is in a language, by its name or the suffix of its files; any when none is given."""
    if not language:
        return True
    asked, spoken = language.lower().lstrip("."), language_of(path)
    asked = language_of(f"x.{asked}") or asked
    return spoken == asked or {spoken, asked} <= {"typescript", "tsx"} or {spoken, asked} == {"c", "cpp"}


def place_of(found: Definition, path: str, lines: Sequence[str], file_kind: str) -> DefinitionPlace:
    """A definition with what its lines say of it."""
    line, signature = head_of(found, lines)
    container, kind = ".".join(found.scope), found.kind
    if kind == "method" and not container and (match := GO_RECEIVER.match(signature)):
        container = match[1]
    if kind == "function" and container and language_of(path) not in CONFIG and not nested(found, lines):
        kind = "method"
    if kind == "class" and re.match(r"(?:unsafe\s+)?impl\b", signature):
        kind = "implementation"
    return DefinitionPlace(path, found.name, kind, found.start, found.end, line, container, signature, file_kind)


def nested(found: Definition, lines: Sequence[str]) -> bool:
    """Whether a function stands in another one, and not in a class."""
    depth = len(lines[found.start - 1]) - len(lines[found.start - 1].lstrip()) if found.start <= len(lines) else 0
    for text in reversed(lines[: found.start - 1]):
        if (
            text.strip()
            and len(text) - len(text.lstrip()) < depth
            and not text.lstrip().startswith(("@", "#", "//", "*", ")"))
        ):
            return re.match(r"\s*(?:async\s+)?(?:export\s+)?(?:def|function|fn|func|const|let)\b", text) is not None
    return False


def head_of(found: Definition, lines: Sequence[str]) -> tuple[int, str]:
    """The line that names a definition, and its signature: up to where its brackets are closed, on one line."""
    last = min(found.end, len(lines), found.start + SIGNATURE_LINES - 1)
    named = re.compile(rf"(?<!\w){re.escape(found.name)}(?!\w)")
    span = range(found.start, last + 1)
    line = next((n for n in span if named.search(lines[n - 1]) and not ANNOTATION.match(lines[n - 1])), found.start)
    text = ""
    for n in range(line, min(found.end, len(lines), line + HEAD_LINES - 1) + 1):
        text = f"{text} {lines[n - 1].strip()}".strip()
        if text.count("(") <= text.count(")") or len(text) > SIGNATURE_CHARS:
            break
    text = re.sub(r"\(\s+", "(", re.sub(r",?\s+\)", ")", text))
    return line, text[:SIGNATURE_CHARS].rstrip(" {:=<(")


def agreement(place: DefinitionPlace, before: Sequence[str]) -> int:
    """How well what holds a definition agrees with what was asked before its name; 0: not at all.

    The names asked for must follow each other in its path and container; best when they are the nearest to it.
    """
    if not before:
        return 1
    modules, classes = module_parts(place.path), list(filter(None, place.container.split(".")))
    held, at, grades = [*modules, *classes], len(modules) + len(classes), list[int]()
    for wanted in reversed(before):
        found = next((i for i in range(at - 1, -1, -1) if joined(held[i]) == joined(wanted)), None)
        if found is None:
            return 0
        inner = found >= len(modules)
        near = 3 if inner and found == len(held) - 1 else 2 if not inner and not classes else int(inner)
        grades.append(1 + 2 * near + (held[found] == wanted))
        at = found
    return grades[0]


def module_parts(path: str) -> list[str]:
    """The folders and the module of a file, as code names them: ``a/b/__init__.py`` -> a, b."""
    parts = list(PurePosixPath(path).parts)
    stem = parts.pop().partition(".")[0] if parts else ""
    return parts if stem in MODULE_FILES or not stem else [*parts, stem]


KIND_ORDER = {k: i for i, k in enumerate("class type function method constant implementation key".split())}


def order_of(place: DefinitionPlace) -> tuple[bool, int, int, str, int]:
    """Sources before tests and examples, types before what they hold, the outer before the inner."""
    rank = KIND_ORDER.get(place.kind, len(KIND_ORDER))
    return place.file_kind in HELD_DOWN, rank, place.container.count("."), place.path, place.start
