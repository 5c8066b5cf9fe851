"""The files that a question names: by path, by a definition in them, or as what serves an endpoint."""

from __future__ import annotations

import re

from workers.language.route_notation import ROUTE
from workers.language.tokens import NAME_PARTS, joined, route_term
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.http_routes import resolve_route
from workers.sources.code.index import CodeIndex
from workers.sources.code.variable_types import VariableTypes
from workers.sources.history.path_matching import match_path
from workers.sources.terms.query_terms import read_query

MOST_DEFINERS = 2
"""A name that more files define than these tells no file."""
MOST_FILES = 8
REGISTRATION_LINES = 4
"""A registration ends so many lines after its endpoint at the latest."""
SERVES = frozenset({"class", "type", "function", "method"})
NAME = re.compile(r"[A-Za-z_]\w{2,}")
HEAD = re.compile(r"\A\s*(?:new\s+|[&*]|await\s+)?([A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*)")
TEXT = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")


def asked_files(index: CodeIndex, query: str) -> tuple[str, ...]:
    """Paths of the files that a question names, tests and documents left out unless by their path."""
    asked = read_query(query)
    paths = index.columns.paths
    found = [path for file in asked.files for path in match_path(file, paths).paths]
    found += [path for name in asked.names for path in defining_files(index, NAME_PARTS.split(name)[-1])]
    found += [path for route in ROUTE.findall(query) for path in serving_files(index, route)]
    return tuple(dict.fromkeys(found))[:MOST_FILES]


def defining_files(index: CodeIndex, name: str) -> tuple[str, ...]:
    """The files that define a name; none where more do than tell one."""
    columns = index.columns
    own = (i for i in columns.defined(joined(name)) if columns.names[i] == name)
    files = {int(columns.chunks[columns.definition_rows[i, 0], 0]) for i in own if columns.definition(i).kind in SERVES}
    kept = [file for file in sorted(files) if KINDS[int(columns.kinds[file])] not in HELD_DOWN]
    return tuple(columns.paths[file] for file in kept) if len(kept) <= MOST_DEFINERS else ()


def serving_files(index: CodeIndex, route: str) -> tuple[str, ...]:
    """The files of what an endpoint is registered with; the file that registers it where it names none."""
    columns = index.columns
    known = resolve_route(columns.words, columns.registered, route_term(route))
    places = [(file, line) for written, file, line in columns.routes if route_term(written) == known]
    places = [(file, line) for file, line in places if KINDS[int(columns.kinds[file])] not in HELD_DOWN]
    served = [
        path
        for file, line in places
        for handler in arguments(statement_after(columns.lines_of(file), line))
        for path in handler_files(index, file, handler)
    ]
    return tuple(dict.fromkeys(served or (columns.paths[file] for file, _ in places)))


def handler_files(index: CodeIndex, file: int, handler: str) -> tuple[str, ...]:
    """Where a handler is defined, by how a file writes it: ``carts.put``, ``Search(db).get``, ``auth(carts.put)``."""
    head = HEAD.match(handler)
    if head is None:
        return ()
    first, *rest = head[1].replace("::", ".").replace("->", ".").split(".")
    inside, after = bracketed(handler[head.end() :])
    last = next(iter(reversed([*rest, *NAME.findall(after)])), "")
    lines = index.columns.lines_of(file)
    types = {first, *VariableTypes(lines).of(first, (1, len(lines)))}
    owners = {path for name in types for path in defining_files(index, name)}
    members = set(defining_files(index, last)) if last else set[str]()
    wrapped = () if first[:1].isupper() or last else arguments(inside)
    own = tuple(sorted(owners & members or members or owners))
    return (*own, *(path for one in wrapped for path in handler_files(index, file, one)))


def arguments(text: str) -> list[str]:
    """What stands between the commas of a list, brackets kept whole."""
    out, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            out.append("")
        else:
            out[-1] += letter
    return [one.strip() for one in out if one.strip()]


def bracketed(text: str) -> tuple[str, str]:
    """What stands within the bracket that a text begins with, and what follows it."""
    if not text.startswith("("):
        return "", text
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if not depth:
            return text[1:i], text[i + 1 :]
    return text[1:], ""


def statement_after(lines: list[str], line: int) -> str:
    """What follows the first text in a line, until its brackets are closed."""
    rest = " ".join(TEXT.split(lines[line - 1])[1:])
    rows = (rest, *(TEXT.sub(" ", row) for row in lines[line : line + REGISTRATION_LINES - 1]))
    return bracketed("(" + "\n".join(rows) + "\n")[0]
