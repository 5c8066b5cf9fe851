"""Which sections of documents commits changed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from bench.search.questions import git
from workers.search import DocIndex
from workers.sources.documents.document import Section

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
NEW_HEADING = re.compile(r"^\+(#{1,6}\s+\S|={1,6}\s+\S|([=\-~^\"'`*+])\2{3,}\s*$)", re.MULTILINE)
SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc"})
MOST_FILES = 3
Key = tuple[str, tuple[str, ...]]


def changed_sections(
    source: Path, base: str, folder: str, wanted: Callable[[str], object]
) -> Iterator[tuple[str, set[Key]]]:
    """Subjects of the commits after ``base`` with the path (in ``folder``) and breadcrumb of each section they changed.

    Commits whose subject is not ``wanted``, that touch many documents, or that add one or a heading are left out.
    """
    commits = dict(edits(source, base, folder, wanted))
    with tempfile.TemporaryDirectory() as scratch:
        for (commit, _), patches in commits.items():
            for path in patches:
                place = Path(scratch, "before", commit, path)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(git(source, "show", f"{commit}^:{path}"), encoding="utf-8")
        if not commits:
            return
        index = DocIndex.build(Path(scratch, "before"), Path(scratch, "index"))
        before = {r.path: (index.lines_of(file), r.sections) for file, r in enumerate(index.records)}
    for (commit, subject), patches in commits.items():
        yield (
            subject,
            {
                (path.removeprefix(f"{folder}/") if folder else path, crumbs)
                for path, patch in patches.items()
                if f"{commit}/{path}" in before
                for crumbs in touched(*before[f"{commit}/{path}"], patch)
            },
        )


def edits(
    source: Path, base: str, folder: str, wanted: Callable[[str], object]
) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Commit and subject with the patch of each document that it changed."""
    options = ("--no-merges", "--no-renames", "--format=%x01%H%x00%s%x00", "--name-status")
    for entry in git(source, "log", *options, f"{base}..HEAD", "--", folder or ".").split("\1")[1:]:
        commit, subject, names = entry.split("\0", 2)
        rows = [line.split("\t") for line in names.split("\n") if "\t" in line]
        paths = {path: status for status, path in rows if PurePosixPath(path).suffix.lower() in SUFFIXES}
        if wanted(subject) and 1 <= len(paths) <= MOST_FILES and set(paths.values()) == {"M"}:
            patches = {path: git(source, "show", "-U0", "--format=", commit, "--", path) for path in paths}
            if not any(map(NEW_HEADING.search, patches.values())):
                yield (commit, subject), patches


def touched(lines: list[str], sections: tuple[Section, ...], patch: str) -> set[tuple[str, ...]]:
    """Breadcrumbs of the sections that a patch changed lines of; front matter is of none."""
    front = lines.index("---", 1) + 1 if lines[:1] == ["---"] and "---" in lines[1:] else 0
    spans = [(int(m[1]), int(m[1]) + max(int(m[2] or 1), 1) - 1) for m in HUNK.finditer(patch)]
    return {
        s.breadcrumb for s in sections for first, last in spans if last > front and first <= s.end and last >= s.start
    }
