"""What read_file, grep_code and list_files return."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from workers.contracts import ToolOutput
from workers.errors import ToolArgumentError
from workers.sources.connections.open_clones import Clone
from workers.sources.evidence.code_files_result import (
    by_file,
    count_evidence,
    counted,
    lines_evidence,
    matches_evidence,
)
from workers.sources.history.file_lines import files_at, read_lines, size_of
from workers.sources.history.path_matching import in_folder, match_path, nearest_paths
from workers.sources.history.text_grep import Match

MOST_LINES = 400
MOST_MATCHES = 60
MOST_IN_A_FILE = 12
MOST_FILES = 20


def show_file(clone: Clone, path: str, span: tuple[int, int], problems: Sequence[str]) -> ToolOutput:
    """Lines of one file. Raises: ToolArgumentError: it has fewer lines."""
    blob = files_at(clone.repo, clone.commit)[path]
    lines, why = read_lines(clone.repo, blob)
    if why or not lines:
        return ToolOutput(status="empty", reason=f"{path} {why or 'is empty'}")
    first, last = span[0], min(span[1] or len(lines), len(lines))
    if first > len(lines):
        raise ToolArgumentError(
            f"lines: {path} has {len(lines)} lines at {clone.commit[:7]}, so it has no line {first}"
        )
    end = min(last, first + MOST_LINES - 1)
    cut = f"lines {end + 1}-{last} of {path} were left out; ask for lines {end + 1}-{last}" if end < last else ""
    shown = lines[first - 1 : end]
    place = f"{path}:{first}-{end}"
    return ToolOutput(
        summary=f"{place} of {len(lines)} lines, {clone.name} at {clone.commit[:7]}, {size_of(blob.size)}",
        data={
            "path": path,
            "repository": clone.name,
            "commit": clone.commit,
            "start_line": first,
            "end_line": end,
            "total_lines": len(lines),
            "text": "\n".join(shown),
            "cut": cut,
        },
        evidence=lines_evidence(clone, path, shown, first, len(lines)),
        reason="; ".join(filter(None, [cut, *problems])),
    )


def unclear(asked: str, meant: Sequence[tuple[Clone, str]]) -> ToolOutput:
    """Several files that may be meant."""
    several = len({clone.name for clone, _ in meant}) > 1
    names = [f"{clone.name}: {path}" if several else path for clone, path in meant]
    reason = f"{asked!r} may be any of {len(names)} files: {', '.join(names[:8])}; give more of the path" + (
        " or repo" * several
    )
    near = tuple(dict.fromkeys(path for _, path in meant))[:8]
    return ToolOutput(status="empty", reason=reason, nearest=near, data={"candidates": names[:40]})


def no_file(asked: str, clones: Sequence[Clone], nearest: Sequence[str]) -> ToolOutput:
    """There is no such file: whether it is a folder, or stands at the newest commit."""
    where = ", ".join(f"{c.name} at {c.commit[:7]}" for c in clones)
    folders = [f for c in clones for f in in_folder(asked, tuple(files_at(c.repo, c.commit)))]
    if folders:
        return ToolOutput(
            status="empty", reason=f"{folders[0]} is a folder; list_files shows it", nearest=tuple(folders)
        )
    later = [c for c in clones if c.commit != c.head and match_path(asked, tuple(files_at(c.repo, c.head))).paths]
    hint = "; the newest commit has it" if later else ""
    return ToolOutput(status="empty", reason=f"no file {asked!r} in {where}{hint}", nearest=tuple(nearest)[:5])


def no_match(pattern: str, path: str, clones: Sequence[Clone], otherwise: int) -> ToolOutput:
    """No line matches; ``otherwise``: so many do when capital letters count as small ones."""
    where = ", ".join(c.name for c in clones) + (f" under {path}" if path else "")
    hint = f"; with ignore_case {counted(otherwise, 'line')} would" if otherwise else ""
    reason = f"no line of any text file in {where} matches {pattern!r}{hint}"
    return ToolOutput(status="empty", reason=reason, data=data_of({}, [], whole=True))


def show_matches(
    pattern: str, clones: Sequence[Clone], found: Sequence[tuple[Clone, Match]], problems: Sequence[str], *, whole: bool
) -> ToolOutput:
    """The count, then the matching lines file by file."""
    files = by_file(found)
    named = {clone.name: clone for clone in clones}
    shown: list[tuple[str, str, Match]] = []
    evidence = [count_evidence(pattern, files, whole=whole)]
    for (name, path), matches in list(files.items())[:MOST_FILES]:
        some = matches[: min(MOST_IN_A_FILE if len(files) > 1 else MOST_MATCHES, MOST_MATCHES - len(shown))]
        if not some:
            break
        clone = named[name]
        lines, _ = read_lines(clone.repo, files_at(clone.repo, clone.commit)[path])
        evidence.append(matches_evidence(clone, path, lines, some, len(matches)))
        shown += [(name, path, match) for match in some]
    total = sum(map(len, files.values()))
    cut = f"{len(shown)} of {total} matching lines are shown; a path or a longer pattern shows others"
    first = ", ".join(f"{path} ({len(matches)})" for (_, path), matches in list(files.items())[:5])
    least = "" if whole else "at least "
    where = f"{counted(total, 'matching line')} in {counted(len(files), 'file')}"
    return ToolOutput(
        summary=f"{least}{where}: {first}",
        data=data_of(files, shown, whole=whole),
        evidence=tuple(evidence),
        reason="; ".join(filter(None, [cut if len(shown) < total else "", *problems])),
    )


def data_of(
    files: dict[tuple[str, str], list[Match]], shown: Sequence[tuple[str, str, Match]], *, whole: bool
) -> dict[str, Any]:
    """The search's JSON object."""
    rows = [{"repository": name, "path": path, "line": m.line, "text": m.text[:600]} for name, path, m in shown]
    return {"matches": sum(map(len, files.values())), "files": len(files), "whole": whole, "lines": rows}


def no_folder(path: str, glob: str, clones: Sequence[Clone]) -> ToolOutput:
    """No file fits: the folders, or files, whose names come nearest."""
    paths = [p for c in clones for p in files_at(c.repo, c.commit)]
    folders = list(dict.fromkeys(str(PurePosixPath(p).parent) + "/" for p in paths if "/" in p))
    asked = glob if glob and not path else path
    near = nearest_paths(re.sub(r"[*?\[\]]", "", asked).strip("/"), paths if glob else folders)
    where = ", ".join(c.name for c in clones)
    what = f"file that fits {glob!r}" if glob else "folder"
    inside = f" under {path!r}" if path and glob else f" {path!r}" if path else ""
    return ToolOutput(status="empty", reason=f"no {what}{inside} in {where}", nearest=near)
