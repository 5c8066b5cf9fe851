"""The bytes of a log's file: where a span begins and ends, an even sample of it, and the lines that hold a word."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from workers.sources.logs.line_parser import LineForm, parse_line

PACKED = ".gz"
NEAR_BYTES = 65_536
"""How exactly the beginning of a span is looked for."""
BLOCK_BYTES = 32_768
CHUNK_BYTES = 4_194_304
MOST_LINE_BYTES = 1_048_576
PROBES = 48
SLACK = timedelta(seconds=5)
"""So much later may a line be written than one that stands after it: threads write side by side."""
MOST_HITS = 200_000
COPY_BYTES = 1_048_576
MOST_UNPACKED = 4_000_000_000


class LogBytes:
    """An open log, unpacked where it was packed, which threads may share. ``broken``: what could not be unpacked."""

    def __init__(self, descriptor: int, broken: str = "") -> None:
        self.descriptor = descriptor
        self.size = os.fstat(descriptor).st_size
        self.broken = broken
        weakref.finalize(self, os.close, descriptor)

    def read(self, start: int, end: int) -> bytes:
        """Bytes from one place to another. Raises: OSError."""
        parts = []
        while start < end and (part := os.pread(self.descriptor, end - start, start)):
            parts.append(part)
            start += len(part)
        return b"".join(parts)


def open_log(path: Path) -> LogBytes:
    """Open a log; a ``.gz`` is unpacked into a file without a name first. Raises: OSError: it cannot be read."""
    if path.suffix != PACKED:
        return LogBytes(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)))
    with tempfile.TemporaryFile() as unpacked:
        broken = ""
        try:
            with gzip.open(path, "rb") as packed:
                while unpacked.tell() < MOST_UNPACKED and (part := packed.read1(COPY_BYTES)):
                    unpacked.write(part)
                if packed.read(1):
                    broken = f"only the first {MOST_UNPACKED // 10**9} GB of it were unpacked"
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            broken = f"it is damaged after {unpacked.tell()} bytes ({str(error)[:80]})"
        unpacked.flush()
        return LogBytes(os.dup(unpacked.fileno()), broken)


def has_room(path: Path) -> bool:
    """Whether an archive can be unpacked beside what else lies in the folder for temporary files."""
    with suppress(OSError):
        return shutil.disk_usage(tempfile.gettempdir()).free > 12 * path.stat().st_size
    return False


@dataclass(frozen=True)
class ByteSpan:
    """The part of a log that holds a span of time. ``ordered``: it was found by time; else it is the whole log."""

    start: int
    end: int
    ordered: bool = True

    @property
    def size(self) -> int:
        """How many bytes."""
        return self.end - self.start


def find_span(log: LogBytes, since: datetime, until: datetime, form: LineForm) -> ByteSpan | None:
    """Where a span of time lies in a log, up to `NEAR_BYTES` more at both ends; None when nothing in it has a time.

    Raises: OSError.
    """
    step = max(log.size // PROBES, 1)
    times = [t for place in range(0, log.size, step) if (t := time_at(log, place, form, min(step, NEAR_BYTES)))]
    if not times:
        return None
    if not ordered(times):
        return ByteSpan(0, log.size, ordered=False)
    start = place_of(log, since - SLACK, form)[0]
    return ByteSpan(start, max(place_of(log, until + SLACK, form)[1], start))


def ordered(times: Sequence[datetime]) -> bool:
    """Whether no time is earlier than one before it, but for `SLACK`."""
    latest = times[0]
    for moment in times:
        if moment < latest - SLACK:
            return False
        latest = max(latest, moment)
    return True


def place_of(log: LogBytes, moment: datetime, form: LineForm) -> tuple[int, int]:
    """Two places, at most `NEAR_BYTES` apart, between which the first line of a moment or later begins."""
    low, high = 0, log.size
    while high - low > NEAR_BYTES:
        middle = (low + high) // 2
        found = time_at(log, middle, form, high - middle)
        if found is not None and found < moment:
            low = middle
        else:
            high = middle
    return low, high


def time_at(log: LogBytes, place: int, form: LineForm, most: int) -> datetime | None:
    """The time of the first line that begins at a place or within so many bytes after it; None when none has one."""
    length = 4_096
    while True:
        block = log.read(place, place + length)
        for offset, line in whole_lines(block, place, last=place + length >= log.size):
            if offset >= place + most:
                return None
            if found := parse_line(line, "", form):
                return found[0].at
        if length >= MOST_LINE_BYTES or place + length >= log.size:
            return None
        length *= 8


def whole_lines(block: bytes, place: int, *, last: bool) -> list[tuple[int, bytes]]:
    """The lines of a block with their places, without the halves at its ends.

    ``place``: of the block; at 0 it begins with a line. ``last``: the block ends with a line, whether that has an end
    or not.
    """
    begin = 0 if place == 0 else block.find(b"\n") + 1
    if place and not begin:
        return []
    end = len(block) if last else block.rfind(b"\n")
    lines = []
    for line in block[begin : max(end, begin)].split(b"\n"):
        if line:
            lines.append((place + begin, line))
        begin += len(line) + 1
    return lines


def all_lines(log: LogBytes, span: ByteSpan) -> list[tuple[int, bytes]]:
    """Every line that begins in a span, with its place. Raises: OSError."""
    block = log.read(span.start, span.end)
    rest = log.read(span.end, min(span.end + MOST_LINE_BYTES, log.size))
    block += rest[: rest.find(b"\n") + 1 or len(rest)]
    return whole_lines(block, span.start, last=True)


def sample_lines(log: LogBytes, span: ByteSpan, most_bytes: int) -> list[list[tuple[int, bytes]]]:
    """Lines of blocks that lie evenly in a span, a list for each block. Raises: OSError."""
    blocks = max(most_bytes // BLOCK_BYTES, 1)
    stride = max(span.size / blocks, BLOCK_BYTES)
    places = [span.start + int(n * stride) for n in range(blocks) if n * stride + BLOCK_BYTES <= span.size]
    return [whole_lines(log.read(place, place + BLOCK_BYTES), place, last=False) for place in places]


def find_lines(
    log: LogBytes, span: ByteSpan, words: Sequence[bytes], *, any_case: bool
) -> list[tuple[int, bytes]] | None:
    """Every line of a span that holds one of some words, with its place; None when there are more than `MOST_HITS`.

    ``any_case``: the words are in small letters and stand in the log in any. Raises: OSError.
    """
    found: list[tuple[int, bytes]] = []
    for place, chunk in chunks(log, span):
        hay = chunk.lower() if any_case else chunk
        ends: dict[int, int] = {}
        for word in words:
            at = hay.find(word)
            while at >= 0:
                start = hay.rfind(b"\n", 0, at) + 1
                end = hay.find(b"\n", at)
                ends[start] = end if end >= 0 else len(hay)
                at = hay.find(word, ends[start])
        found += [(place + start, chunk[start : ends[start]]) for start in sorted(ends)]
        if len(found) > MOST_HITS:
            return None
    return found


def chunks(log: LogBytes, span: ByteSpan) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in a span, as large pieces of whole lines with their places. Raises: OSError."""
    place = span.start
    if place:  # the line that it begins within is the one before
        place += log.read(place, place + MOST_LINE_BYTES).find(b"\n") + 1
    while place < span.end:
        chunk = log.read(place, min(place + CHUNK_BYTES, span.end))
        if place + len(chunk) >= span.end:
            rest = log.read(span.end, min(span.end + MOST_LINE_BYTES, log.size))
            whole = chunk + rest[: rest.find(b"\n") + 1 or len(rest)]
        else:
            whole = chunk[: chunk.rfind(b"\n") + 1] or chunk
        if not whole:
            return
        yield place, whole
        place += len(whole)
