"""Events of a cluster in files: what ``kubectl get events -o json`` writes, or JSON lines, such as of a watch."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from workers.errors import ToolUnavailable
from workers.settings.schema import ClusterSection
from workers.sources.cluster.reading import ClusterReading, make_reading
from workers.sources.logs.files import find_files

MOST_FILES = 1_000


class ClusterFiles:
    """Files, folders, and paths with ``*``. They are read anew for each question."""

    name = "files of cluster events"

    def __init__(self, section: ClusterSection) -> None:
        self.paths, self.namespaces, self.most_bytes = section.files, section.namespaces, section.most_bytes

    def found(self) -> list[Path]:
        """The files. Raises: ToolUnavailable: there is none."""
        files = list(dict.fromkeys(file for path in self.paths for file in find_files(path)))[:MOST_FILES]
        if not files:
            raise ToolUnavailable(f"no file of events is at {', '.join(self.paths)}: see cluster.files in oracle.yaml")
        return files

    def ping(self) -> str:
        """How many files there are. Raises: ToolUnavailable: none."""
        return f"cluster events in {len(self.found())} files"

    def read(self, since: datetime, until: datetime) -> ClusterReading:
        """See `ClusterSource`."""
        values: list[Any] = []
        notes: list[str] = []
        for file in self.found():
            try:
                values += read_values(file, self.most_bytes, notes)
            except OSError as error:
                notes.append(f"{file.name} cannot be read ({error.strerror or type(error).__name__})")
        reading = make_reading(self.name, values, since, until, notes)
        inside = (
            e for e in reading.events if not self.namespaces or e.kind == "Node" or e.namespace in self.namespaces
        )
        return ClusterReading(tuple(inside), reading.notes)


def read_values(file: Path, most_bytes: int, notes: list[str]) -> list[Any]:
    """The JSON of a file, one document or one a line; what is none is told in ``notes``. Raises: OSError."""
    with file.open("rb") as opened:
        body = opened.read(most_bytes + 1)
    if len(body) > most_bytes:
        notes.append(f"{file.name} is larger than {most_bytes} bytes")
        return []
    try:
        return [orjson.loads(body)]
    except orjson.JSONDecodeError:
        lines = list(read_lines(body))
    found = [value for value in lines if value is not None]
    if len(found) < len(lines):
        notes.append(f"{len(lines) - len(found)} lines of {file.name} are no JSON")
    return found


def read_lines(body: bytes) -> Iterator[Any]:
    """Each line's value; None for one that is no JSON."""
    for line in body.splitlines():
        if line.strip():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                yield None
