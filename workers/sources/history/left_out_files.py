"""Files of a commit that its index leaves out, and why: what stands in them is not found, but is there."""

from __future__ import annotations

from collections.abc import Sequence

from workers.errors import ToolUnavailable
from workers.sources.code.file_kinds import MAX_BYTES, skip_path, skip_source, utf8
from workers.sources.code.index import CodeIndex
from workers.sources.git import Blob, Repository, call, path_of, read_blobs
from workers.sources.history.file_lines import files_at, size_of

MOST_NAMED, MOST_NAMES, MOST_SEARCHED = 3, 3, 500
SEARCH_S = 2.0
REASONS = {"generated": "a lock file, minified or generated", "installed": "a package of others"}


def left_out_notes(
    name: str, repo: Repository, index: CodeIndex, files: Sequence[str], names: Sequence[str]
) -> tuple[str, ...]:
    """A sentence for each file that is asked for, or that holds a name as it is written, and is not indexed.

    Args:
        name: what the repository is called.
        repo: the repository.
        index: of one of its commits.
        files: file names, or paths that end in one.
        names: what the index does not find.
    """
    if not index.commit or not (files or names):
        return ()
    try:
        others = {p: b for p, b in files_at(repo, index.commit).items() if p not in index.numbers and b.size}
        wanted = [f"/{f.lower()}" for f in files]
        asked = [p for p in others if f"/{p.lower()}".endswith(tuple(wanted))] if wanted else []
        held = [p for p in holders(repo, index.commit, others, names) if p not in asked]
        told = [others[p] for p in (*asked, *held)[:MOST_NAMED]]
        reasons = [reason(blob, raw) for blob, raw in zip(told, read_blobs(repo, [b.hash for b in told]), strict=True)]
    except ToolUnavailable:
        return ()
    return tuple(
        f"{blob.path} is in {name}{' and holds the name' if blob.path in held else ''}, but is not indexed: {why}"
        for blob, why in zip(told, reasons, strict=True)
        if why
    )


def reason(blob: Blob, raw: bytes) -> str:
    """Why a file is left out; empty when nothing says why."""
    why = skip_path(blob.path) or ("too large" if blob.size > MAX_BYTES else skip_source(utf8(raw)))
    if why == "too large":
        return f"{size_of(blob.size)}, larger than {size_of(MAX_BYTES)}"
    return REASONS.get(why, why)


def holders(repo: Repository, commit: str, others: dict[str, Blob], names: Sequence[str]) -> list[str]:
    """Text files among those left out that hold a name as a word; none when git takes too long."""
    searched = sorted(others)[:MOST_SEARCHED]
    named = [part for n in names[:MOST_NAMES] if n.isprintable() for part in ("-e", n)]
    if not named or not searched:
        return []
    limits = [f":(top,literal){path}" for path in searched]
    args = ["grep", "-l", "-z", "-w", "-F", "-I", "--full-name", *named, commit, "--", *limits]
    try:
        done = call(repo, args, timeout_s=SEARCH_S)
    except ToolUnavailable:
        return []
    return [path_of(row.removeprefix(f"{commit}:".encode())) for row in done.stdout.split(b"\0") if row]
