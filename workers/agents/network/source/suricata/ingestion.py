"""Brings the database up to date with the logs: batch by batch, each with the place it ends at in one transaction.

So a process may die at any moment, and several may read at once: no line is kept twice, and none is left out.
"""

from __future__ import annotations

import logging
import platform
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO

from sqlalchemy import select, update

from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata.batch import Batch, insert_for, read_batch, write_batch
from workers.agents.network.source.suricata.log_file import (
    MOST_LINE,
    UNREADABLE,
    LogFile,
    find_logs,
    key_of,
    next_lines,
    open_log,
)
from workers.agents.network.tables import ids_logs
from workers.store.database import Database

logger = logging.getLogger(__name__)
BATCH_BYTES = 2 * MOST_LINE


@dataclass(frozen=True)
class Progress:
    """What one catching up did: lines read and broken, bytes of plain logs that are still unread, and what went wrong
    with a log, a line each.
    """

    lines: int = 0
    broken: int = 0
    behind: int = 0
    failures: tuple[str, ...] = ()


@dataclass
class Reading:
    """A log that is being read: its file, which one it is, and how far."""

    file: LogFile
    stream: IO[bytes]
    key: str
    offset: int
    lines: int
    behind: bool = True


def catch_up(database: Database, section: SuricataSection, within_s: float) -> Progress:
    """Read what is new in all logs, a batch of each in turn, until there is nothing or the time is over.

    Raises:
        StoreUnavailable: the database cannot be written.
    """
    end, progress = time.monotonic() + within_s, Progress()
    kept = known_files(database)
    sensor = section.sensor or platform.node() or "sensor"
    with ExitStack() as opened:
        readings: list[Reading] = []
        for file in find_logs(section.eve):
            if kept.get(file.path) == (file.size, file.modified):
                continue
            try:
                if reading := begin(database, file, opened):
                    readings.append(reading)
            except UNREADABLE as error:
                progress = failed(progress, file, error)
        waiting = deque(readings)
        while waiting:
            reading = waiting.popleft()
            progress = advance(database, section, sensor, reading, progress)
            if reading.behind:
                waiting.append(reading)
            if time.monotonic() >= end:  # one batch at least, so that there is progress on a slow machine too
                break
        behind = sum(max(r.file.size - r.offset, 0) for r in readings if r.behind)
        return replace(progress, behind=behind)


def known_files(database: Database) -> dict[str, tuple[int, float]]:
    """Path -> size and time of files that were read to their end."""
    logs = ids_logs.c
    with database.begin() as connection:
        rows = connection.execute(select(logs.path, logs.size, logs.modified).where(logs.whole))
        return {path: (size, modified) for path, size, modified in rows}


def begin(database: Database, file: LogFile, opened: ExitStack) -> Reading | None:
    """Open a log and find out how far it was read; None while it has no first line."""
    stream = opened.enter_context(open_log(file.path))
    key = key_of(stream)
    if not key:
        return None
    logs = ids_logs.c
    new = {"key": key, "path": file.path, "size": file.size, "modified": file.modified, "error": ""}
    counts = {"offset": 0, "lines": 0, "broken": 0, "whole": False, "read_at": time.time()}
    with database.begin(exclusive=True) as connection:
        statement = insert_for(connection, ids_logs).values(**new, **counts)
        connection.execute(statement.on_conflict_do_nothing())  # it may be known, or become so at this moment
        offset, lines = connection.execute(select(logs.offset, logs.lines).where(logs.key == key)).one()
    return Reading(file, stream, key, offset, lines)


def advance(
    database: Database, section: SuricataSection, sensor: str, reading: Reading, progress: Progress
) -> Progress:
    """Read one batch of a log, and keep it with the place it ends at."""
    file = reading.file
    try:
        found = next_lines(reading.stream, reading.offset, BATCH_BYTES, ended=file.packed)
    except UNREADABLE as error:
        reading.behind = False
        leave(database, reading, error)
        return failed(progress, file, error)
    batch = read_batch(found.lines, reading.key, reading.lines + 1, sensor, frozenset(section.kinds))
    lines, broken = len(found.lines) + found.broken, batch.broken + found.broken
    place = {
        "path": file.path,
        "size": file.size,
        "modified": file.modified,
        "offset": found.end,
        "lines": reading.lines + lines,
        "broken": ids_logs.c.broken + broken,
        "whole": found.whole,
        "read_at": time.time(),
        "error": "; ".join(f"{n} × {why}" for why, n in batch.reasons.most_common(3)) if broken else ids_logs.c.error,
    }
    if not keep(database, batch, reading, place):
        reading.behind = False  # another process reads it: what is left is that one's, or the next look's
        return progress
    reading.offset, reading.lines, reading.behind = found.end, reading.lines + lines, not found.whole
    if broken:
        logger.warning("%s: %s of %s lines cannot be read: %s", file.path, broken, lines, place["error"])
    return replace(progress, lines=progress.lines + lines, broken=progress.broken + broken)


def keep(database: Database, batch: Batch, reading: Reading, place: dict[str, object]) -> bool:
    """Write a batch unless somebody else read on from the same place. Returns: whether it was written."""
    logs = ids_logs.c
    same = (logs.key == reading.key, logs.offset == reading.offset)
    with database.begin(exclusive=True) as connection:
        if not connection.execute(update(ids_logs).where(*same).values(**place)).rowcount:
            return False
        write_batch(connection, batch)
    return True


def leave(database: Database, reading: Reading, error: Exception) -> None:
    """Note that a log cannot be read further, so that it is not tried again until its file changes."""
    file, logs = reading.file, ids_logs.c
    known = {"path": file.path, "size": file.size, "modified": file.modified, "whole": True, "error": str(error)[:300]}
    with database.begin(exclusive=True) as connection:
        connection.execute(update(ids_logs).where(logs.key == reading.key).values(**known))


def failed(progress: Progress, file: LogFile, error: Exception) -> Progress:
    """A log could not be read: the others are."""
    why = f"{file.path}: cannot be read ({getattr(error, 'strerror', None) or str(error) or type(error).__name__})"
    return replace(progress, failures=(*progress.failures, why))


def report(progress: Progress) -> Iterator[tuple[str, bool]]:
    """How a catching up went, in lines for people, each with whether that is well."""
    behind = f"; {progress.behind:,} bytes are not read yet" if progress.behind else ""
    broken = f", {progress.broken:,} of them broken" if progress.broken else ""
    if progress.lines or behind:
        yield f"{progress.lines:,} lines read{broken}{behind}", not progress.broken
    yield from ((why, False) for why in progress.failures)
