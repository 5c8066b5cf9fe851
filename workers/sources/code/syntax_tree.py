"""Definitions of one source file, found by tree-sitter; grammars come bundled with semble-grammars, for no network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from threading import Lock

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from workers.sources.code.definition_queries import DEFINITIONS
from workers.sources.terms.programming_languages import CONFIG

MAX_DEFINITIONS = 4_000
LONGEST = 120
KINDS = ("class", "type", "function", "method", "constant", "key")
HOLLOWED = frozenset({"c", "csharp", "go", "java", "php", "rust", "swift"})
ENCLOSES = (
    rb"class|interface|enum|record|struct|namespace|object|trait|impl|mod|extern|union|module|actor|protocol"
    rb"|extension|new"
)
BODY = re.compile(  # a head with parentheses, then lines indented deeper than it, then a brace below its beginning
    rb"^([ \t]*)(?![@#\[})/*\s]|[A-Z_0-9]+\(|[^\n(]*\b(?:" + ENCLOSES + rb")\b)"
    rb"([^\n;{}(]*\((?:[^\n]*"
    rb"|[^\n;{}]*\n(?:\1[ \t][^\n;{}]*\n){0,12}?(?:\1[ \t]|\1\))[^\n;{}]*"
    rb"|[^\n;{}]*\n\1)\{[ \t\r]*\n)"
    rb"((?:(?:\1[ \t][^\n]*|[ \t\r]*)\n)+)(?=\1\})",
    re.MULTILINE,
)
SIGNATURE = re.compile(rb"([\w\])>}\"'])((?:[ \t]{0,9}(?://[^\n]*)?\r?\n){1,6}[ \t]{0,99})[ \t]<(?=[A-Z]|\r?\n)")
"""A member of an interface that begins with its type parameters, after another one that no semicolon ends."""
PARSING = Lock()
Row = tuple[int, int, int, int, str, str]
"""First and last byte, first and last line, kind and written name of a definition."""


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


def read_definitions(source: bytes, language: str) -> tuple[Definition, ...]:
    """Find what a file defines, in order; nothing where its language has no query.

    Args:
        source: the file's bytes.
        language: a name from `languages.language_of`.
    """
    pair = grammar(language)
    if pair is None:
        return ()
    parser, query = pair
    if language in HOLLOWED:
        source = hollow(source)
    with PARSING:  # a parser holds state and is shared
        found = captured(query, parser.parse(parsable(source, language)).root_node)
    return tuple(nest(list(found.values()), language))


def parsable(source: bytes, language: str) -> bytes:
    """A source of the same length that its grammar reads.

    TypeScript's takes type parameters on a new line for those of the line before, and all that follows for an error.
    """
    return SIGNATURE.sub(rb"\1\2;<", source) if language == "typescript" else source


def captured(query: Query, root: Node) -> dict[int, Row]:
    """What a tree defines, by the byte at which its name begins."""
    found: dict[int, Row] = {}
    for _, captures in QueryCursor(query).matches(root):
        name = captures["name"][0]
        kind = next(k for k in captures if k in KINDS)
        node = captures[kind][0]
        if name.start_byte not in found or kind != "constant":
            found[name.start_byte] = (
                node.start_byte,
                node.end_byte,
                node.start_point[0] + 1,
                last_line(node.end_point),
                kind,
                (name.text or b"").decode("utf-8", "replace"),
            )
        if len(found) >= MAX_DEFINITIONS:
            break
    return found


def hollow(source: bytes) -> bytes:
    """Empty the bodies of functions, line for line: little in them is a definition, and most of parsing is for them.

    Goes by how the code is indented: what is not laid out as usual stays as it is.
    """
    return BODY.sub(lambda m: m[1] + m[2] + b"\n" * m[3].count(b"\n"), source)


def last_line(point: tuple[int, int]) -> int:
    """A node that ends at column 0 ends on the line before."""
    return max(point[0] + (1 if point[1] else 0), 1)


def nest(rows: list[Row], language: str) -> list[Definition]:
    """Give every definition its scope, from how byte ranges enclose each other."""
    out: list[Definition] = []
    open_: list[tuple[int, tuple[str, ...]]] = []
    deepest = 4 if language in CONFIG else 8
    for start, end, first, last, kind, raw in sorted(rows, key=lambda r: (r[0], -r[1])):
        while open_ and open_[-1][0] <= start:
            open_.pop()
        scope = open_[-1][1] if open_ else ()
        outer, name = ((), raw) if raw.isidentifier() and len(raw) <= LONGEST else split_name(raw)
        if name and len(scope) <= deepest:
            out.append(Definition(name, kind, first, max(first, last), (*scope, *outer)))
        open_.append((end, (*scope, *outer, name)))
    return out


def split_name(raw: str) -> tuple[tuple[str, ...], str]:
    """``Server::start`` -> (``Server``,), ``start``; quotes, sigils and surplus blanks are dropped."""
    text = " ".join(raw.split()).strip("\"'`$@:")[:LONGEST]
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


@cache
def grammar(name: str) -> tuple[Parser, Query] | None:
    """A parser and the definitions query of a language, or None where only plain windows are possible."""
    source = DEFINITIONS.get(name)
    if source is None:
        return None
    import semble_grammars as grammars  # noqa: PLC0415 - needed when a file changed, not to search

    try:
        language: Language = grammars.get_language(name)
    except (grammars.GrammarLoadError, grammars.LanguageNotFoundError, grammars.UnsupportedPlatformError):
        return None
    return Parser(language), Query(language, source)
