"""The files of a log: which there are, which log each is, and its next lines. Plain ones and ``.gz``."""

from __future__ import annotations

import glob
import gzip
import hashlib
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

MOST_LINE = 1_000_000
"""Longer lines are broken ones."""
FIRST_BYTES = 65_536
PACKED = ".gz"


@dataclass(frozen=True)
class LogFile:
    """A file as it was when it was looked at: its size on disk, and when it was changed last."""

    path: str
    size: int
    modified: float

    @property
    def packed(self) -> bool:
        """Whether it is an archive, which is not written to any more."""
        return self.path.endswith(PACKED)


def find_logs(patterns: Iterable[str]) -> list[LogFile]:
    """The files that paths with ``*`` and ``?`` name, those changed first first."""
    found: dict[str, LogFile] = {}
    for pattern in patterns:
        for path in glob.glob(str(Path(pattern).expanduser())):  # noqa: PTH207 - folders may vary too
            with suppress(OSError):  # it was renamed meanwhile: the next look finds it
                state = Path(path).stat()
                if Path(path).is_file():
                    found[path] = LogFile(path, state.st_size, state.st_mtime)
    return sorted(found.values(), key=lambda log: (log.modified, log.path))


def open_log(path: str) -> IO[bytes]:
    """Open for reading, unpacked. Raises: OSError."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.endswith(PACKED) else Path(path).open("rb")


def key_of(stream: IO[bytes]) -> str:
    """Which log this is: the hash of its first line, which no other log has; empty while that line is not complete.

    Raises: OSError, EOFError, zlib.error: it cannot be unpacked.
    """
    stream.seek(0)
    first = stream.readline(FIRST_BYTES)
    if not first.endswith(b"\n") and len(first) < FIRST_BYTES:
        return ""
    return hashlib.sha256(first).hexdigest()


@dataclass(frozen=True)
class Lines:
    """Complete lines from one place on. ``end``: the place behind them; ``broken``: those too long to be read;
    ``whole``: nothing stands behind them.
    """

    lines: list[bytes]
    end: int
    broken: int = 0
    whole: bool = False


def next_lines(stream: IO[bytes], start: int, most_bytes: int, *, ended: bool) -> Lines:
    """The next complete lines of a log.

    Args:
        stream: see `open_log`.
        start: the place of the first, in bytes as they are unpacked.
        most_bytes: how much is read at once.
        ended: nothing more is written to it, so that its last line needs no end.

    Raises: OSError, EOFError, zlib.error: it cannot be unpacked that far.
    """
    stream.seek(start)
    block = stream.read(most_bytes)
    whole = len(block) < most_bytes
    last = block.rfind(b"\n") + 1
    if whole and ended:
        last = len(block)
    if last:
        lines = block[:last].split(b"\n")
        return Lines([line for line in lines if line.strip()], start + last, whole=whole)
    if len(block) < MOST_LINE:
        return Lines([], start, whole=whole)
    behind = skip_line(stream)  # in the middle of a line that nobody reads
    return Lines([], start + len(block) + behind, broken=1) if behind >= 0 else Lines([], start, whole=True)


def skip_line(stream: IO[bytes]) -> int:
    """Bytes up to the end of a line, which is included; -1: it has none yet."""
    passed = 0
    while block := stream.read(MOST_LINE):
        if (end := block.find(b"\n")) >= 0:
            return passed + end + 1
        passed += len(block)
    return -1


UNREADABLE = (OSError, EOFError, zlib.error)
"""What reading a log raises."""
