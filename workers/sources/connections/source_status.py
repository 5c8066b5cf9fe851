"""How every source stands: its commit, what is indexed, when it was fetched, what is going on, what went wrong.

One table for the command line, the checks and what people see in Slack. Reading it touches no index and no network.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from workers.errors import ToolUnavailable
from workers.settings.load import Settings
from workers.settings.remote_addresses import read_remote_address
from workers.sources.code.index import CodeIndex
from workers.sources.connections.local_copies import LocalCopy, State, is_free, read_state, stored_state, write_json
from workers.sources.connections.open_sources import (
    OpenSources,
    Source,
    code_sources,
    doc_sources,
    postmortem_drafts,
    stamps,
)
from workers.sources.documents.index import DocIndex
from workers.sources.documents.index_build import count_skipped
from workers.sources.git import call, open_repository

NOTES = "standing.json"
LATE = 3
"""So many periods without a fetch that went well make a source late."""
Tool = Literal["repo_search", "doc_search"]
UNITS: dict[Tool, str] = {"repo_search": "files", "doc_search": "documents"}


@dataclass(frozen=True)
class SourceStatus:
    """One row. Moments are seconds since 1970, 0 when unknown; ``commit`` is empty for what has none.

    ``doing``: what is going on; ``problem``: why it could not be fetched or indexed when that was last tried;
    ``skipped``: how many files are not in the index, by reason.
    """

    tool: Tool
    name: str
    place: str
    kind: str = "folder"
    commit: str = ""
    committed_at: float = 0.0
    count: int | None = None
    indexed_at: float = 0.0
    fetched_at: float = 0.0
    doing: str = ""
    problem: str = ""
    note: str = ""
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem


def source_statuses(settings: Settings) -> tuple[SourceStatus, ...]:
    """All sources in the order of the configuration, repositories first. Raises: ConfigError."""
    code = (standing_of("repo_search", source) for source in code_sources(settings))
    return (
        *code,
        *(standing_of("doc_search", source) for source in (*doc_sources(settings), *postmortem_drafts(settings))),
    )


def standing_of(tool: Tool, source: Source) -> SourceStatus:
    """One source."""
    noted, kept = read_notes(source), source.kept
    state = read_state(kept) if kept else State()
    return SourceStatus(
        tool=tool,
        name=source.name,
        place=shown_place(source),
        kind=kept.kind if kept else "folder",
        commit=noted["commit"],
        committed_at=noted["committed_at"],
        count=noted["count"],
        indexed_at=noted["indexed_at"],
        fetched_at=state.fetched_at,
        doing=describe_doing(kept, state) if kept else "",
        problem=". ".join(filter(None, [describe_failure(kept, state) if kept else "", noted["problem"]])),
        note=state.note,
        skipped=noted["skipped"],
    )


def shown_place(source: Source) -> str:
    """Where a source lies, without credentials."""
    kept = source.kept
    if kept is None:
        return str(source.path)
    address = read_remote_address(kept.address).shown if kept.kind == "repository" else kept.address
    return f"{address} {source.folder}".rstrip()


def describe_doing(kept: LocalCopy, state: State) -> str:
    """What is going on with a copy, or that it is waited for."""
    if state.doing and state.total:
        return f"being {state.doing} ({state.done:,} of {state.total:,} files)"
    if state.doing:
        return f"being {state.doing} ({state.percent} %)" if state.percent else f"being {state.doing}"
    if not state.fetched_at and not state.error:
        return f"not {'cloned' if kept.kind == 'repository' else 'crawled'} yet"
    return ""


def describe_failure(kept: LocalCopy, state: State) -> str:
    """Why the last look at a copy failed."""
    if not state.error:
        return ""
    what = "crawl" if kept.kind == "site" else "fetch" if state.fetched_at else "clone"
    return f"the last {what} failed: {state.error}"


# --- what is said of it ---------------------------------------------------------------------------------------


def lines_of(rows: tuple[SourceStatus, ...]) -> list[tuple[str, str, bool]]:
    """Tool, a line on one source, and whether all is well with it: what `workers.store.source_refreshes` keeps."""
    return [(row.tool, describe(row), row.ok) for row in rows]


def describe(row: SourceStatus) -> str:
    """One source in a line, trouble first: lines are cut where there is little room."""
    if row.count is None:
        said = (row.problem, row.doing, row.note)
        return f"{row.name}: {'; '.join(filter(None, said)) or 'not indexed yet'}"
    if row.problem:
        return f"{row.name}: {row.problem}; known {indexed(row)}"
    known = f"{row.name} {indexed(row)}" if row.tool == "repo_search" else f"{row.name}: {indexed(row)}"
    return "; ".join(filter(None, [known, row.doing, row.note, left_out(row)]))


def left_out(row: SourceStatus) -> str:
    """How many files are not in the index, and why; empty for none."""
    counts = ", ".join(f"{count:,} {why}" for why, count in row.skipped.items())
    return f"left out: {counts}" if counts else ""


def indexed(row: SourceStatus) -> str:
    """What of a source is indexed."""
    fetched = f", fetched {moment(row.fetched_at)}" if row.fetched_at else ""
    if row.tool == "doc_search":
        return f"{row.count or 0:,} documents{fetched}"
    of = f" of {moment(row.committed_at)}" if row.committed_at and row.fetched_at else ""
    return f"at {row.commit[:7] or 'no commit yet'}{of}, {row.count or 0:,} files indexed{fetched}"


def moment(seconds: float) -> str:
    """A moment of UTC to the minute."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def ago(seconds: float) -> str:
    """A span up to now in words: ``3 h``."""
    span = max(time.time() - seconds, 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if span >= size:
            return f"{span / size:.0f} {unit}"
    return f"{span:.0f} s"


# --- what a question is told ----------------------------------------------------------------------------------


def waiting(source: Source) -> str:
    """Why there is no index of what lies elsewhere yet."""
    kept = source.kept
    if kept is None:
        return f"{source.name} is not indexed yet"
    state = read_state(kept)
    if state.doing or not (state.error or state.fetched_at):
        return f"{source.name} is {describe_doing(kept, state)}"
    if state.error:
        return f"{source.name} cannot be read: {describe_failure(kept, state)}"
    return f"{source.name} is not indexed yet{'; ' + problem if (problem := read_notes(source)['problem']) else ''}"


def lateness(source: Source) -> str:
    """What a reader must know of an index of what lies elsewhere: that it is old, and why; empty when it is not."""
    kept = source.kept
    if kept is None:
        return ""
    state, problem = read_state(kept), read_notes(source)["problem"]
    if problem:
        return f"{source.name} is known as it was indexed {ago(read_notes(source)['indexed_at'])} ago: {problem}"
    if time.time() - state.fetched_at < LATE * kept.every_s:
        return ""
    why = describe_failure(kept, state) or describe_doing(kept, state) or "nothing has looked at it since"
    commit = str(read_notes(source)["commit"])[:7]
    of = f" is known at {commit} and" if commit else ""
    return f"{source.name}{of} was last fetched {ago(state.fetched_at)} ago, at {moment(state.fetched_at)}: {why}"


# --- what the indexer notes -----------------------------------------------------------------------------------


def refreshed(tool: Tool, shelf: OpenSources[Any]) -> Iterator[tuple[str, bool]]:
    """Bring the index of every source up to date with what is on this machine.

    Yields: a line on each, and whether it went well; one that fails keeps none of the others.
    """
    for source in shelf.sources:
        try:
            note_index(source, shelf.refresh(source))
        except ToolUnavailable as error:
            if source.kept is None:
                note_problem(source, str(error))
                yield str(error), False
                continue
            if stored_state(source.kept).fetched_at and is_free(source.kept):
                note_problem(source, str(error))
        row = standing_of(tool, source)
        yield describe(row), row.ok


def joined(lines: Iterator[tuple[str, bool]]) -> str:
    """All lines as one. Raises: ToolUnavailable: with those that tell of trouble, when one does."""
    told = list(lines)
    wrong = [line for line, ok in told if not ok]
    if wrong:
        raise ToolUnavailable("; ".join(wrong))
    return "; ".join(line for line, _ in told)


def note_index(source: Source, index: CodeIndex | DocIndex, problem: str = "") -> None:
    """Write down what an index holds, and why it could not be brought up to date, if so."""
    commit, count, skipped = held(index)
    old, written = read_notes(source), max((stamp[1] for stamp in stamps(source.index_dir)), default=0) / 1e9
    new = {"commit": commit, "count": count, "indexed_at": written, "problem": problem, "skipped": skipped}
    if new.items() <= old.items():
        return
    write_json(source.index_dir / NOTES, new | {"committed_at": committed_at(source, commit)})


def note_problem(source: Source, problem: str) -> None:
    """Write down why a source could not be indexed; what was indexed before still is."""
    old = read_notes(source)
    if old["problem"] != problem:
        write_json(source.index_dir / NOTES, old | {"problem": problem})


def held(index: CodeIndex | DocIndex) -> tuple[str, int, dict[str, int]]:
    """Commit, number of files or documents, and how many were left out by reason."""
    if isinstance(index, CodeIndex):
        files = sum(map(bool, index.columns.paths))  # a file that is gone has no path
        return index.commit, files, index.meta["skipped"]
    return index.meta["commit"], len(index.records), count_skipped(index.meta["skipped"].values())


def committed_at(source: Source, commit: str) -> float:
    """When a commit was made; 0 when that is not known."""
    if not commit:
        return 0.0
    try:
        shown = call(open_repository(source.path), ["show", "-s", "--format=%ct", "--end-of-options", commit])
    except ToolUnavailable:
        return 0.0
    said = shown.stdout.strip()
    return float(said) if said.isdigit() else 0.0


def read_notes(source: Source) -> dict[str, Any]:
    """What was written down of an index; of none when nothing was."""
    none: dict[str, Any] = {"commit": "", "committed_at": 0.0, "count": None, "indexed_at": 0.0}
    none |= {"problem": "", "skipped": {}}
    try:
        found = json.loads((source.index_dir / NOTES).read_bytes())
    except (OSError, ValueError):
        return none
    return none | found if isinstance(found, dict) else none
