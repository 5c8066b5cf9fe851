"""What each section of an index means, as the encoder says, in a file beside the index.

A row belongs to a text and not to a place, so a section that moves is not encoded again, and a text that several
documents share is encoded once. The index works without the file, and with one that holds a part of its sections.
"""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.array_file import fingerprint, read_container, write_container
from workers.sources.documents.encoder import (
    DIMENSIONS,
    Floats,
    encode,
    encode_question,
    has_encoder,
    unit_length,
    weights_name,
)
from workers.sources.documents.index_records import DocRecord
from workers.sources.documents.section_reader import Section

FILE, LOCK = "docs.vectors", "docs.vectors.lock"
SHAPE = fingerprint("documents/encoder", "documents/word_pieces", "documents/section_vectors")
LARGEST = 127
AT_A_TIME, WRITTEN_AFTER = 4, 256
"""So many sections are encoded between two looks whether to stop, and so many between two files."""
LOOK_AGAIN_S = 0.5
Keys = NDArray[np.uint64]


class Sections(Protocol):
    """Sections of an index with the texts that they are cut from."""

    @property
    def records(self) -> Sequence[DocRecord]:
        """The documents."""
        ...

    @property
    def units(self) -> Sequence[tuple[int, Section]]:
        """The sections, each with the number of its document."""
        ...

    @property
    def lines_of(self) -> Callable[[int], list[str]]:
        """Lines of a document."""
        ...


def text_of(sections: Sections, unit: int) -> str:
    """What is encoded of a section: the headings above it, then its lines."""
    file, section = sections.units[unit]
    record = sections.records[file]
    above = dict.fromkeys((record.title, *record.crumbs, *section.breadcrumb))
    lines = sections.lines_of(file)[section.start - 1 : section.end]
    return "\n".join((" > ".join(filter(None, above)), *lines)).rstrip()


def key_of(text: str) -> int:
    """A number that tells a text from others."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def scheme() -> str:
    """What decides a direction beside the text. Raises: NoEncoder."""
    return f"{SHAPE} {weights_name()}"


class SectionVectors:
    """The rows of one index. They are read again when the file is another one. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self.lock = Lock()
        self.seen: tuple[int, ...] = ()
        self.index = ""
        self.keys: Keys = np.empty(0, np.uint64)
        self.rows: NDArray[np.int8] = np.empty((0, DIMENSIONS), np.int8)

    def stored(self) -> tuple[Keys, NDArray[np.int8]]:
        """The keys of texts in ascending order, and a row each. Raises: NoEncoder."""
        with self.lock:
            now = stamp_of(self.file)
            if now != self.seen:
                found = read_container(self.file) if now else None
                if found is not None and found.meta.get("scheme") == scheme():
                    self.keys, self.rows, self.index = found.arrays["keys"], found.arrays["rows"], found.meta["index"]
                else:
                    self.keys, self.rows, self.index = self.keys[:0], self.rows[:0], ""
                self.seen = now
            return self.keys, self.rows

    def nearness(self, sections: Sections, units: Sequence[int], question: str) -> Floats:
        """How near sections are to a question, from -1 to 1; NaN for those that are not encoded."""
        out = np.full(len(units), np.nan, np.float32)
        if not has_encoder():
            return out
        keys, rows = self.stored()
        if not len(keys):
            return out
        wanted = np.array([key_of(text_of(sections, unit)) for unit in units], np.uint64)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        known = keys[at] == wanted
        if known.any():
            out[known] = unit_length(rows[at[known]]) @ encode_question(question)
        return out


def stamp_of(file: Path) -> tuple[int, ...]:
    """What tells a file from the one that takes its place; empty when there is none."""
    try:
        found = file.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size


def encode_sections(
    sections: Sections,
    folder: Path,
    index: str,
    is_stopped: Callable[[], bool] = bool,
    tell: Callable[[int, int], None] = lambda *_: None,
) -> int:
    """Encode the sections of an index that are not encoded yet, and write them beside it, a part at a time.

    Args:
        sections: of the index.
        folder: where its files are.
        index: the identity of its file.
        is_stopped: whether to leave the rest for another time.
        tell: told how many are encoded, of how many.

    Returns:
        How many were encoded.

    Raises:
        NoEncoder: it is not installed, or turned off.
        OSError: the folder cannot be written.
    """
    with alone(folder, is_stopped) as free:
        known = SectionVectors(folder)
        keys, rows = known.stored()
        if not free or known.index == index:
            return 0
        places = {key_of(text_of(sections, unit)): unit for unit in range(len(sections.units))}
        held = {key: row for key, row in zip(keys.tolist(), rows, strict=True) if key in places}
        missing = [key for key in places if key not in held]
        done = written = 0
        while done < len(missing) and not is_stopped():
            batch = missing[done : done + AT_A_TIME]
            held |= zip(batch, rounded(encode([text_of(sections, places[key]) for key in batch])), strict=True)
            done += len(batch)
            tell(done, len(missing))
            if done - written >= WRITTEN_AFTER:
                write(folder, held, "")
                written = done
        write(folder, held, index if done == len(missing) else "")
        return done


def rounded(rows: Floats) -> NDArray[np.int8]:
    """Rows as bytes. Each is stretched as far as they reach, since its length says nothing."""
    largest = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-9)
    out: NDArray[np.int8] = np.rint(rows / largest * LARGEST).astype(np.int8)
    return out


def write(folder: Path, held: dict[int, NDArray[np.int8]], index: str) -> None:
    """Write the file anew; ``index`` is the one whose sections it holds all, or empty. Raises: OSError."""
    order = sorted(held)
    rows = np.stack([held[key] for key in order]) if order else np.empty((0, DIMENSIONS), np.int8)
    meta = {"scheme": scheme(), "index": index}
    write_container(folder / FILE, meta, {"keys": np.array(order, np.uint64), "rows": rows})


@contextmanager
def alone(folder: Path, is_stopped: Callable[[], bool]) -> Iterator[bool]:
    """Wait until no other process encodes the same sections; False when that was stopped. Raises: OSError."""
    with (folder / LOCK).open("a") as file:
        while not is_stopped():
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOOK_AGAIN_S)
            else:
                yield True
                return
        yield False
