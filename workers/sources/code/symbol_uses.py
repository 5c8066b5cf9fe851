"""The uses of one definition: where several things have its name, only those that are surely of this one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from workers.language.tokens import joined
from workers.sources.code.index import IMPORT, PLAIN_WORD, CodeHit, CodeIndex, Use

SAME_PACKAGE = frozenset({".go", ".java", ".kt", ".scala", ".cs", ".swift"})
"""Languages in which files of a folder see each other without an import."""
LOOKED_AT = 40
ROOTS = frozenset({"", "src", "lib", "app"})


def own_uses(index: CodeIndex, hit: CodeHit, most: int) -> tuple[str, ...]:
    """Where the first symbol of a hit is used, outside its own lines.

    A name that something else in the repository has too counts where the module of this definition is imported, in its
    own file, or behind its class; a method with an everyday name (``get``) only behind its class.
    """
    if not hit.symbols or hit.kind not in {"code", "test", "example"}:
        return ()
    *scope, name = re.split(r"\.|::|#", hit.symbols[0])
    uses = [u for u in index.references(name, most + LOOKED_AT) if not inside(u, hit)]
    others = namesakes(index, hit, name)
    if others or (scope and PLAIN_WORD.fullmatch(name)):
        owner = scope[-1] if scope else ""
        uses = [u for u in uses if is_of(index, u, hit, owner, name, others)]
    return tuple(f"{u.path}:{u.line}" for u in uses[:most])


def inside(use: Use, hit: CodeHit) -> bool:
    """Whether a use stands in the lines of a hit."""
    return use.path == hit.path and hit.start_line <= use.line <= hit.end_line


def namesakes(index: CodeIndex, hit: CodeHit, name: str) -> set[str]:
    """The files in which something else has the same name."""
    columns = index.columns
    out = set()
    for row in columns.defined(joined(name)):
        found = columns.definition(row)
        path = columns.paths[int(columns.chunks[columns.definition_rows[row, 0], 0])]
        own = path == hit.path and hit.start_line <= found.start <= hit.end_line
        if found.name == name and not own:
            out.add(path)
    return out


def is_of(index: CodeIndex, use: Use, hit: CodeHit, owner: str, name: str, others: set[str]) -> bool:
    """Whether a use is of this very definition."""
    if owner:
        return re.search(rf"(?<!\w){re.escape(owner)}(?:\.|::|#|->){re.escape(name)}(?!\w)", use.text) is not None
    if use.path == hit.path:
        return hit.path not in others
    if use.path in others:
        return False
    place, other = PurePosixPath(hit.path), PurePosixPath(use.path)
    if place.suffix in SAME_PACKAGE and place.parent == other.parent:
        return not any(PurePosixPath(p).parent == place.parent for p in others)
    return imports(index, use, place, name)


def imports(index: CodeIndex, use: Use, place: PurePosixPath, name: str) -> bool:
    """Whether the file of a use imports the name from the module of a definition, or that module itself."""
    module = place.parent.name if place.stem in {"__init__", "index", "mod"} else place.stem
    lines = index.columns.lines_of(index.numbers[use.path])
    behind = re.search(rf"(?<!\w){re.escape(module)}\s*(?:\.|::)\s*{re.escape(name)}(?!\w)", use.text)
    wanted = re.compile(rf"(?<!\w){re.escape(module)}(?!\w)")
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    brought = [line for line in lines if IMPORT.match(line) and wanted.search(line) and in_folder(line, place, module)]
    return any(behind or named.search(line) or line.rstrip().endswith(("(", "{")) for line in brought)


def in_folder(line: str, place: PurePosixPath, module: str) -> bool:
    """Whether an import names no other folder than that of a module: ``from cart.service import`` is not orders'."""
    folder = (place.parent.parent if place.parent.name == module else place.parent).name
    before = re.search(rf"([\w-]*)[./]{re.escape(module)}(?!\w)", line)
    return before is None or before[1] in {"", folder} or folder in ROOTS
