"""Files, matching lines and folders of a commit, as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from workers.contracts import Evidence, Fact
from workers.sources.code.file_kinds import KINDS, kind_of
from workers.sources.connections.open_clones import Clone
from workers.sources.git import Blob
from workers.sources.history.file_lines import pieces, shortened, size_of
from workers.sources.history.text_grep import Match

PIECE_CHARS = 2_200
"""What one piece of evidence holds, so that a reader is shown all of it."""
MOST_FACTS = 10
MOST_ROWS = 200
ORDER = {kind: i for i, kind in enumerate(("code", "config", "other", "doc", "test", "example", "history"))}


def place_facts(clone: Clone, path: str) -> dict[str, Fact]:
    """Facts of every place: path, commit, repository, file_kind."""
    return {
        "path": Fact(value=path, unit="path", entity=path),
        "commit": Fact(value=clone.commit, unit="commit", entity=path),
        "repository": Fact(value=clone.name, entity=path),
        "file_kind": Fact(value=kind_of(path), entity=path),
    }


def lines_evidence(clone: Clone, path: str, lines: Sequence[str], first: int, total: int) -> tuple[Evidence, ...]:
    """Lines of a file, in pieces that can be shown whole. Facts also: lines, start_line, end_line, total_lines."""
    shown = [shortened(line) for line in lines]
    out = []
    for start, end in pieces(shown, first, PIECE_CHARS):
        place = f"{path}:{start}-{end}"
        facts = {
            **place_facts(clone, path),
            "lines": Fact(value=place, unit="lines", entity=path),
            "start_line": Fact(value=start, unit="line", entity=path),
            "end_line": Fact(value=end, unit="line", entity=path),
            "total_lines": Fact(value=total, unit="count", entity=path),
        }
        text = "\n".join(shown[start - first : end - first + 1])
        name = path.rpartition("/")[2]
        link = clone.link(path, start, end)
        out.append(Evidence(kind="code", title=name, locator=place, url=link, excerpt=text, facts=facts))
    return tuple(out)


def by_file(found: Sequence[tuple[Clone, Match]]) -> dict[tuple[str, str], list[Match]]:
    """Matches by repository and path: code first, then settings, documents, tests and the rest."""
    out: dict[tuple[str, str], list[Match]] = {}
    for clone, match in found:
        out.setdefault((clone.name, match.path), []).append(match)
    return dict(sorted(out.items(), key=lambda row: (ORDER.get(kind_of(row[0][1]), len(KINDS)), row[0])))


def count_evidence(pattern: str, files: Mapping[tuple[str, str], Sequence[Match]], *, whole: bool) -> Evidence:
    """How many lines match in which files. Facts: pattern, matches, matching_files; at least so many if not whole."""
    total = sum(map(len, files.values()))
    least = "" if whole else "at least "
    several = len({name for name, _ in files}) > 1
    rows = [
        f"{name + ': ' if several else ''}{path}  {len(matches)}" for (name, path), matches in list(files.items())[:60]
    ]
    more = [f"and {len(files) - len(rows)} more files"] if len(files) > len(rows) else []
    facts = {
        "pattern": Fact(value=pattern, entity=pattern),
        "matches": Fact(value=total, unit="count", entity=pattern),
        "matching_files": Fact(value=len(files), unit="count", entity=pattern),
    }
    head = f"{least}{counted(total, 'matching line')} in {counted(len(files), 'file')}"
    text = "\n".join([head, *rows, *more])[:PIECE_CHARS]
    return Evidence(kind="code", title=f"lines that match {pattern}", locator=pattern, excerpt=text, facts=facts)


def counted(number: int, noun: str) -> str:
    """So many of something."""
    return f"{number} {noun}{'s' * (number != 1)}"


def matches_evidence(clone: Clone, path: str, lines: Sequence[str], shown: Sequence[Match], count: int) -> Evidence:
    """Matching lines of a file (``44: …``), each with one line around it (``43- …``).

    Facts also: matches_in_file, match_1, match_1_text …
    """
    facts = {**place_facts(clone, path), "matches_in_file": Fact(value=count, unit="count", entity=path)}
    for i, match in enumerate(shown[:MOST_FACTS], 1):
        facts[f"match_{i}"] = Fact(value=f"{path}:{match.line}-{match.line}", unit="lines", entity=path)
        facts[f"match_{i}_text"] = Fact(value=shortened(match.text.strip(), match.column)[:300], entity=path)
    rows = list(around(lines, shown))
    first = shown[0].line
    left = f"\nand {count - len(shown)} more matching lines in this file" if count > len(shown) else ""
    return Evidence(
        kind="code",
        title=path.rpartition("/")[2],
        locator=f"{path}:{first}-{first}",
        url=clone.link(path, first, first),
        excerpt="\n".join(rows) + left,
        facts=facts,
    )


def around(lines: Sequence[str], shown: Sequence[Match]) -> Iterator[str]:
    """Rows of matches with one line of the file before and after each, gaps marked."""
    held = {m.line: m for m in shown}
    wanted = sorted({n for line in held for n in (line - 1, line, line + 1) if 1 <= n <= max(len(lines), line)})
    for before, number in pairwise([wanted[0] - 1, *wanted]):
        if number > before + 1:
            yield "--"
        if number in held:
            yield f"{number}: {shortened(held[number].text, held[number].column)}"
        elif number <= len(lines):
            yield f"{number}- {shortened(lines[number - 1])}"


def tree_rows(folder: str, files: Sequence[Blob]) -> list[str]:
    """A folder as a list: as many levels of it as fit into the rows; what lies deeper as folders with their counts."""
    above = folder.count("/")
    deepest = max((f.path.count("/") for f in files), default=0)
    depth = above
    while depth < deepest and len({shut(f.path, depth + 1) for f in files}) <= MOST_ROWS:
        depth += 1
    groups: dict[str, list[Blob]] = {}
    for file in files:
        groups.setdefault(shut(file.path, depth), []).append(file)
    rows = [row_of(name, held) for name, held in sorted(groups.items())]
    left = len(rows) - MOST_ROWS
    return rows if left <= 0 else [*rows[:MOST_ROWS], f"and {left} more; give a folder or a glob"]


def shut(path: str, depth: int) -> str:
    """A path, or the folder so many levels down that it lies in."""
    parts = path.split("/")
    return path if len(parts) <= depth + 1 else "/".join(parts[: depth + 1]) + "/"


def row_of(name: str, held: Sequence[Blob]) -> str:
    """A file with its size, or a folder with how much it holds."""
    size = size_of(sum(b.size for b in held))
    return f"{name}  {len(held)} file{'s' * (len(held) > 1)}, {size}" if name.endswith("/") else f"{name}  {size}"


def tree_evidence(clone: Clone, folder: str, rows: Sequence[str], files: Sequence[Blob]) -> tuple[Evidence, ...]:
    """A list of files in pieces. Facts: folder, file_count, size, commit, repository."""
    place = folder or clone.name
    facts = {
        "folder": Fact(value=folder or ".", unit="path", entity=place),
        "file_count": Fact(value=len(files), unit="count", entity=place),
        "size": Fact(value=sum(f.size for f in files), unit="bytes", entity=place),
        "commit": Fact(value=clone.commit, unit="commit", entity=place),
        "repository": Fact(value=clone.name, entity=place),
    }
    spans = pieces(rows, 1, PIECE_CHARS)
    return tuple(
        Evidence(
            kind="code",
            title=f"files of {place}" + (f", part {i} of {len(spans)}" if len(spans) > 1 else ""),
            locator=folder or clone.name,
            excerpt="\n".join(rows[start - 1 : end]),
            facts=facts,
        )
        for i, (start, end) in enumerate(spans, 1)
    )
