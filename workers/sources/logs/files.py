"""Logs in files and folders, plain or ``.gz``: small spans whole, large ones by an even sample and all their errors."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from threading import Lock

from workers.errors import ToolUnavailable
from workers.language.zones import read_zone
from workers.sources.logs.line_parser import LineForm, parse_lines
from workers.sources.logs.log_bytes import (
    PACKED,
    ByteSpan,
    LogBytes,
    all_lines,
    find_lines,
    find_span,
    has_room,
    open_log,
    sample_lines,
)
from workers.sources.logs.record import Reading, Record, Wanted, rank
from workers.sources.logs.timestamps import Clock

SUFFIXES = frozenset({".log", ".json", ".jsonl", ".ndjson", ".txt", ".out", ".err"})
ROTATED = re.compile(r"(?:[.-]\d{1,14}){1,6}$")
LINE_BYTES = 150
"""What a line is taken to be long, where bytes are budgeted."""
LEAST_BYTES = 131_072
SCAN_BYTES = 1_000_000_000
"""Of a larger span, not even the errors are looked for one by one."""
STYLES = (
    ((b'"level":30', b'"level": 30'), (b'"level":50', b'"level":60', b'"level": 50', b'"level": 60')),
    ((b'"info"', b'"warn"', b'"error"'), (b'"error"', b'"fatal"', b'"critical"')),
    ((b"=info", b"=warn", b"=error"), (b"=error", b"=fatal", b"=critical")),
    ((b"INFO", b"WARN", b"ERROR"), (b"ERROR", b"FATAL", b"CRITICAL")),
)
"""What lines hold whose levels are written in one way, and what errors among them hold."""
MOST_FILES = 300
KEPT_ARCHIVES = 4
Lines = Sequence[tuple[int, bytes]]


@dataclass(frozen=True)
class Part:
    """The part of a file that is read, and how its lines are."""

    path: Path
    log: LogBytes
    span: ByteSpan
    form: LineForm

    def records(self, lines: Iterable[tuple[int, bytes]], wanted: Wanted, weight: float = 1.0) -> list[Record]:
        """The records of lines that are wanted, each with its place and weight."""
        named = ((f"{self.path}@{place}", line) for place, line in lines)
        return [r for r in parse_lines(named, replace(self.form, weight=weight)) if wanted.fits(r)]


class LogFiles:
    """Files, folders and paths with ``*``, looked up anew for each reading. Threads may share it."""

    name = "log files"

    def __init__(self, paths: Sequence[str], timezone: str = "UTC") -> None:
        self.paths = tuple(paths)
        self.zone = read_zone(timezone)
        self.archives: dict[tuple[Path, int, int], LogBytes] = {}
        self.lock = Lock()

    def ping(self) -> str:
        """How many files there are. Raises: ToolUnavailable: none."""
        files, notes = self.found()
        return f"{len(files)} log files" + "".join(f"; {note}" for note in notes)

    def found(self) -> tuple[list[Path], list[str]]:
        """The files, and what is amiss. Raises: ToolUnavailable: there is none."""
        files: dict[Path, None] = {}
        notes = []
        for path in self.paths:
            lying = list(islice(find_files(path), MOST_FILES + 1))
            if not lying:
                notes.append(f"there is no log at {path}")
            if len(lying) > MOST_FILES:
                notes.append(f"of {path} only {MOST_FILES} files are read")
            files |= dict.fromkeys(lying[:MOST_FILES])
        if not files:
            raise ToolUnavailable("; ".join(notes) or "no log files are named")
        return list(files), notes

    def read(self, wanted: Wanted) -> Reading:
        """See `record.LogSource`."""
        files, notes = self.found()
        parts = []
        for path in files:
            with suppress(FileNotFoundError):  # it was rotated meanwhile
                try:
                    part, note = self.open_part(path, wanted)
                except OSError as error:
                    part, note = None, f"{path} cannot be read ({error.strerror or type(error).__name__})"
                parts += [part] if part else []
                notes += [note] if note else []
        total = sum(part.span.size for part in parts)
        records: list[Record] = []
        shares = [1.0]
        for part in parts:
            budget = max(int(wanted.most * LINE_BYTES * part.span.size / max(total, 1)), LEAST_BYTES)
            found, share = read_part(part, wanted, budget)
            records += found
            shares.append(share)
        return Reading(tuple(sorted(records, key=lambda r: r.at)), min(shares), tuple(notes))

    def open_part(self, path: Path, wanted: Wanted) -> tuple[Part | None, str]:
        """The part of a file that holds a span, None when there is none, and what is amiss. Raises: OSError."""
        state = path.stat()
        changed = datetime.fromtimestamp(state.st_mtime, UTC)
        packed = path.suffix == PACKED
        if packed and changed < wanted.since - timedelta(days=1):  # nothing in it can be later
            return None, ""
        if packed and not has_room(path):
            return None, f"{path} is too large to be unpacked here"
        log = self.opened(path, state.st_mtime_ns, state.st_size) if packed else open_log(path)
        form = LineForm(service_of(path), Clock(self.zone, changed))
        note = f"{path}: {log.broken}" if log.broken else ""
        span = find_span(log, wanted.since, wanted.until, form)
        if span is None:
            return None, note or (f"no line of {path} begins with a time" if log.size else "")
        if not span.ordered:
            note = note or f"{path} is not in order of time, so that all of it was looked through"
        return Part(path, log, span, form), note

    def opened(self, path: Path, changed: int, size: int) -> LogBytes:
        """An archive, unpacked once while it is among the last `KEPT_ARCHIVES`. Raises: OSError."""
        key = (path, changed, size)
        with self.lock:  # two spans of one archive are read at once
            log = self.archives.pop(key, None) or open_log(path)
            self.archives[key] = log
            for old in list(self.archives)[:-KEPT_ARCHIVES]:
                del self.archives[old]
            return log


def find_files(path: str) -> Iterable[Path]:
    """The files that a path names: itself, those of a folder that look like logs, or those that fit its ``*``."""
    place = Path(path).expanduser()
    if place.is_dir():
        return (file for file in sorted(place.rglob("*")) if looks_like_log(file) and file.is_file())
    if place.is_file():
        return (place,)
    return (Path(found) for found in sorted(glob.glob(str(place), recursive=True)) if Path(found).is_file())  # noqa: PTH207


def looks_like_log(path: Path) -> bool:
    """Whether a file's name is that of a log: by its ending, before the numbers of a rotation and ``.gz``."""
    name = ROTATED.sub("", path.name.removesuffix(PACKED))
    return Path(name).suffix in SUFFIXES or "log" in name.lower().split(".")[1:]


def service_of(path: Path) -> str:
    """Whose log a file is, by its name: ``checkout`` of ``checkout.log.2.gz``."""
    return ROTATED.sub("", path.name.split(".")[0]) or path.name


def read_part(part: Part, wanted: Wanted, budget: int) -> tuple[list[Record], float]:
    """The lines of a part of a file, and the share of it that was read.

    Args:
        budget: so many bytes are parsed at most, errors apart, which are a part of it again.

    Of what is larger, all lines are looked for that hold the wanted text, or else the service's name. Where there are
    too many or neither is wanted, those of errors are looked for, and the others are an even sample.
    """
    text = wanted.text.lower().encode("utf-8", "surrogatepass")
    word = text or service_word(part, wanted)
    if part.span.size <= budget:
        return part.records(holding(all_lines(part.log, part.span), word), wanted), 1.0
    scanned = part.span.size <= SCAN_BYTES
    hits = find_lines(part.log, part.span, (word,), any_case=True) if word and scanned else None
    if hits is not None:
        few, each = thin(hits, budget // LINE_BYTES)
        return part.records(few, wanted, each), 1 / each
    blocks = sample_lines(part.log, part.span, budget)
    severe = () if text else severe_words(blocks)
    hits = find_lines(part.log, part.span, severe, any_case=False) if severe and scanned else None
    few, each = thin(hits or (), budget // LINE_BYTES)
    found = part.records(few, wanted, each)
    sampled: list[Record] = []
    read = sum(len(line) + 1 for block in blocks for _, line in block)
    weight = part.span.size / max(read, 1)
    for block in blocks:
        kept = holding(block, word)
        if hits is not None:
            kept = [(place, line) for place, line in kept if not any(w in line for w in severe)]
        sampled += part.records(kept, wanted, weight)
    if hits is not None and not sampled and rank(wanted.level) >= rank("error"):
        return found, 1 / each  # no error is written in another way
    return found + sampled, min(1.0, 1 / weight)


def service_word(part: Part, wanted: Wanted) -> bytes:
    """What lines of the wanted service hold: its name, unless it is the file that is named after it."""
    name = wanted.service.lower()
    return b"" if name == part.form.service.lower() else name.encode("utf-8", "surrogatepass")


def holding(lines: Lines, word: bytes) -> Lines:
    """Those lines that hold a word, which is in small letters; all when it is empty."""
    return [(place, line) for place, line in lines if word in line.lower()] if word else lines


def severe_words(blocks: Iterable[Lines]) -> tuple[bytes, ...]:
    """What errors hold, by how the lines of a sample write their levels; nothing when they write none."""
    lines = [line for block in islice(blocks, 20) for _, line in islice(block, 50)]
    for usual, severe in STYLES:
        if sum(any(word in line for word in usual) for line in lines) * 2 > len(lines):
            return severe
    return ()


def thin(lines: Lines, most: int) -> tuple[Lines, float]:
    """An even choice of lines, and how many each stands for."""
    if len(lines) <= most:
        return lines, 1.0
    step = -(-len(lines) // max(most, 1))
    kept = lines[::step]
    return kept, len(lines) / len(kept)
