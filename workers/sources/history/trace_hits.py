"""The lines of a repository that the frames of a stack trace name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index import CodeHit, CodeIndex, symbols
from workers.sources.code.syntax_tree import Definition, enclosing
from workers.sources.history.stack_traces import Frame, Trace

AROUND = 15
ABOVE = 0.7
# Installed packages: what follows must be a path of the repository from its first folder on.
LIBRARY = re.compile(
    r"(?<![^/])(?:(?:site|dist)-packages|node_modules|gems/[^/]+-\d[^/]*|lib/(?:python|ruby)[\d./]*|(?<!^/)go/src|pkg/mod/.+?@[^/]+"
    r"|rustc/[0-9a-f]+|registry/src/[^/]+/[^/]+|vendor/(?!bundle)[^/]+|java\.base)/"
)
BUILT = re.compile(r"(?:^|/)(?:dist|build|lib|out|\.next|target)/(?:server/|esm/|cjs/|src/)*")
SOURCES = (".ts", ".tsx", ".jsx", ".mts", ".cts", ".vue", ".svelte")
MOVED = "the indexed commit has other lines there; placed by the name of the function"
COMPILED = "the trace names a compiled file; placed by the name of the function"
BEYOND = "the indexed commit's file is shorter; the line is not there"
Mover = Callable[[str, int], tuple[int, str]]


@dataclass(frozen=True)
class TraceHit:
    """Where a frame's call stands at the indexed commit. ``note`` says why the line is another than in the trace."""

    hit: CodeHit
    frame: Frame
    line: int
    note: str = ""


def find_frames(
    index: CodeIndex, trace: Trace, k: int = 5, max_lines: int = AROUND, move: Mover | None = None
) -> list[TraceHit]:
    """The frames that are the repository's own, the innermost of the first cause first.

    Args:
        index: the repository.
        trace: what was pasted.
        k: how many.
        max_lines: of each excerpt.
        move: turns a line of a path as it was deployed into one of the indexed commit, with a note on it.
    """
    out: list[TraceHit] = []
    seen: set[tuple[str, int]] = set()
    for frame in trace.frames:
        found = place_frame(index, frame, max_lines, move)
        if found and (found.hit.path, found.line) not in seen:
            seen.add((found.hit.path, found.line))
            out.append(found)
        if len(out) == k:
            break
    return out


def place_frame(index: CodeIndex, frame: Frame, max_lines: int, move: Mover | None) -> TraceHit | None:
    """One frame's lines; None when it is not of this repository."""
    chosen = file_of(index, frame)
    if chosen is None:
        return None
    file, compiled = chosen
    lines, outline = index.columns.lines_of(file), index.columns.definitions_of(file)
    path = index.columns.paths[file]
    line, note = move(path, frame.line) if move and not compiled else (frame.line, COMPILED if compiled else "")
    named = [d for d in outline if frame.function and d.name == frame.function]
    inside = [d for d in named if d.start <= line <= d.end]
    around: Definition | None
    if named and not inside and (compiled or not note):
        around = min(named, key=lambda d: abs(d.start - line))
        line, note = around.start, note or MOVED
    elif compiled:
        return None
    else:
        around = inside[-1] if inside else enclosing(outline, line)
        if line > len(lines):
            line, note = len(lines), BEYOND
    start, end = window(line, around, len(lines), max_lines)
    kind = KINDS[int(index.columns.kinds[file])]
    held = symbols(lines, outline, start, end)
    own = (around.qualified,) if around else ()
    hit = CodeHit(
        path,
        start,
        end,
        tuple(dict.fromkeys((*own, *held))),
        1.0,
        "\n".join(lines[start - 1 : end]),
        index.commit,
        index.link(path, start, end),
        kind,
    )
    return TraceHit(hit, frame, line, note)


def window(line: int, around: Definition | None, most: int, max_lines: int) -> tuple[int, int]:
    """The lines to show: those before the call rather than those after it, inside its function."""
    low, high = (around.start, min(around.end, most)) if around else (1, most)
    start = max(low, line - int(max_lines * ABOVE))
    end = min(high, start + max_lines - 1)
    return max(low, min(start, end - max_lines + 1)), max(end, min(line, most))


def file_of(index: CodeIndex, frame: Frame) -> tuple[int, bool] | None:
    """The file a frame names, and whether it is the source of a compiled one."""
    found = best_file(index, frame, frame.path, (PurePosixPath(frame.path).name,))
    if found is not None:
        return found, False
    place = PurePosixPath(frame.path)
    if frame.language == "node" and place.suffix in {".js", ".cjs", ".mjs"}:
        source = BUILT.sub("/", frame.path)
        found = best_file(index, frame, source, tuple(place.stem + s for s in SOURCES))
    return (found, True) if found is not None else None


def best_file(index: CodeIndex, frame: Frame, path: str, names: tuple[str, ...]) -> int | None:
    """The file whose path has most in common with one, from its end; None when too little."""
    known = sorted(((key, file) for key, file in candidates(index, frame, path, names)), reverse=True)
    return -known[0][1] if known else None


def candidates(
    index: CodeIndex, frame: Frame, path: str, names: tuple[str, ...]
) -> Iterator[tuple[tuple[float, ...], int]]:
    """Files that may be meant: how well each fits, and its number, negative so that the first wins a tie."""
    library = list(LIBRARY.finditer(path))
    wanted = [p for p in (path[library[-1].end() :] if library else path).split("/") if p not in {"", ".", ".."}]
    for number in index.modules.get(PurePosixPath(names[0]).stem, ()):
        own = index.columns.paths[number].split("/")
        if own[-1] not in names:
            continue
        if len(names) > 1:  # a source is often one folder deeper than what is made of it
            own, wanted = ([p for p in parts if p != "src"] for parts in (own, wanted))
        folders = zip(reversed(wanted[:-1]), reversed(own[:-1]), strict=False)
        same = 1
        for one, other in folders:
            if one != other:
                break
            same += 1
        whole = same == len(wanted) or same == len(own)
        if (same < len(wanted) or same < 2) if library else not (whole or same >= 2):
            continue
        defined = any(d.name == frame.function for d in index.columns.definitions_of(number))
        held = KINDS[int(index.columns.kinds[number])] in HELD_DOWN
        yield (same, whole, defined, not held, -len(own)), -number
