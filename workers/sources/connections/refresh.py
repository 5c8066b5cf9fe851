"""What the ``index`` queue does for a repository or web site elsewhere: fetch or crawl it, then index what changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from workers.errors import ToolUnavailable
from workers.settings.load import Settings
from workers.sources.connections.git_mirrors import check_out, fetch, repository_of
from workers.sources.connections.local_copies import (
    INDEXING,
    LocalCopy,
    State,
    ask_again,
    asked_again,
    hold,
    is_asked_again,
    stored_state,
    write_state,
)
from workers.sources.connections.open_sources import (
    PAGES,
    OpenSources,
    Source,
    local_copies,
    open_code_sources,
    open_document_sources,
    sources_of_copy,
)
from workers.sources.connections.source_status import describe_failure, note_index, note_problem
from workers.sources.connections.web_crawl import crawl
from workers.sources.git import open_repository, resolve
from workers.sources.index_progress import heard_by

Changed = Callable[[LocalCopy], None]
"""Told whenever the state of a copy is another one."""
PROGRESS_S = 1.0
SHARES = {"receiving": (0.0, 0.8), "resolving": (80.0, 0.2)}
"""Of a clone: where each part of git's work begins, in percent, and its share."""


def ignored(kept: LocalCopy) -> None:
    """Nobody wants to know."""
    del kept


@dataclass
class Reporter:
    """Writes the state of a copy as it changes, at most once every `PROGRESS_S` seconds while it only goes on."""

    kept: LocalCopy
    state: State
    changed: Changed
    told_at: float = 0.0

    def note(self, **changes: Any) -> None:
        """Write what changed."""
        self.state = replace(self.state, **changes)
        write_state(self.kept, self.state)
        self.told_at = time.monotonic()
        self.changed(self.kept)

    def progress(self, what: str, percent: int) -> None:
        """How far git or the crawl is."""
        begin, share = SHARES.get(what, (0.0, 1.0))
        percent, doing = int(begin + share * percent), self.state.doing or what
        late = time.monotonic() - self.told_at >= PROGRESS_S
        if late and percent != self.state.percent:
            self.note(doing=doing, percent=percent)

    def indexed(self, done: int, total: int) -> None:
        """How many files are read for the index."""
        if total and time.monotonic() - self.told_at >= PROGRESS_S:
            self.note(percent=100 * done // total, done=done, total=total)


def refresh_copy(settings: Settings, key: str, changed: Changed = ignored) -> bool:
    """Renew one copy and its indexes. When someone else is at it, that one is asked for another look afterwards.

    Args:
        settings: which name it.
        key: of the copy, see `workers.sources.connections.local_copies.LocalCopy`.
        changed: told how it goes.

    Returns:
        Whether all went well, or someone else does it; what went wrong is written down.

    Raises:
        ToolUnavailable: the folder of the copy cannot be written.
        ConfigError: an address template has a field that does not exist.
    """
    kept = local_copies(settings).get(key)
    if kept is None:
        return True  # it was taken out of the configuration
    well = True
    ask_again(kept)
    while True:
        with hold(kept) as lock:
            if lock is None:
                return True
            while asked_again(kept):
                well = renew(settings, kept, lock, changed)
        if not is_asked_again(kept):  # nobody asked between the last look and the end of the lock
            return well


def renew(settings: Settings, kept: LocalCopy, lock: int, changed: Changed) -> bool:
    """One look at a remote, and the indexes after it. Raises: ToolUnavailable: the state cannot be written."""
    reporter = Reporter(kept, stored_state(kept), changed)
    known = bool(reporter.state.fetched_at)
    first = "crawled" if kept.kind == "site" else "fetched" if known else "cloned"
    reporter.note(doing=first, percent=0, tried_at=time.time())
    try:
        if kept.kind == "site":
            note = crawl(kept, kept.folder / PAGES, reporter.progress)
        else:
            note = fetch(kept, lock, settings.core.fetch.timeout_s, reporter.progress)
    except ToolUnavailable as error:
        reporter.note(doing="", percent=0, error=str(error))
        return False
    reporter.note(doing="indexed", percent=0, done=0, total=0, error="", note=note, fetched_at=time.time())
    with hold(kept, INDEXING, wait=True), heard_by(reporter.indexed):
        well = index_all(settings, kept, lock)
    reporter.note(doing="", percent=0, done=0, total=0)
    return well


def index_all(settings: Settings, kept: LocalCopy, lock: int) -> bool:
    """Bring the indexes of all sources of a copy up to date; what goes wrong with one is noted with it."""
    well = True
    shelves: tuple[OpenSources[Any], ...] = (open_code_sources(settings), open_document_sources(settings))
    for shelf in shelves:
        for source in sources_of_copy(shelf.sources, kept):
            try:
                put_on_disk(source, lock, settings.core.fetch.timeout_s)
                shelf.build(source)
                note_index(source, shelf.get(source))
            except ToolUnavailable as error:
                note_problem(source, str(error))
                well = False
    return well


def put_on_disk(source: Source, lock: int, timeout_s: float) -> None:
    """Documents of a repository are read from files: those of the branch's commit. Raises: ToolUnavailable."""
    kept = source.kept
    if kept is None or kept.kind != "repository" or source.path == repository_of(kept):
        return
    commit = resolve(open_repository(repository_of(kept)), source.branch)
    if commit is None:
        return  # said by whoever indexes it
    check_out(kept, commit, source.branch, source.folder, lock, timeout_s)


def failure_of(kept: LocalCopy) -> str:
    """What went wrong with a copy when it was last looked at; empty when nothing did."""
    return describe_failure(kept, stored_state(kept))


def refresh_copies(settings: Settings, changed: Changed = ignored) -> None:
    """Renew everything elsewhere, one after the other; what cannot be is noted with it. Raises: ConfigError."""
    for key in local_copies(settings):
        with suppress(ToolUnavailable):
            refresh_copy(settings, key, changed)
