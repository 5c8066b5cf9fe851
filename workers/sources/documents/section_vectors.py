"""What each section of an index means, as the encoder says, in a file beside the index.

A row belongs to a text and not to a place, so a section that moves is not encoded again, and a text that several
documents share is encoded once. The index works without the file, and with one that holds a part of its sections.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.array_file import fingerprint, read_container, write_container
from workers.sources.code.word_vectors import normed
from workers.sources.documents.encoder import (
    EMBEDDING_DIMENSIONS,
    Floats,
    encode,
    encode_question,
    has_encoder,
    weights_name,
)
from workers.sources.documents.ranking import Sections
from workers.sources.git import stamp_of

logger = logging.getLogger(__name__)
FILE_NAME, LOCK_NAME = "docs.vectors", "docs.vectors.lock"
SHAPE = fingerprint("documents/encoder", "documents/word_pieces", "documents/section_vectors")
LARGEST_BYTE = 127
AT_A_TIME, WRITTEN_AFTER = 4, 256
"""So many sections are encoded between two looks whether to stop, and so many between two files."""
LOOK_AGAIN_S = 0.5
Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Stored:
    """Keys of texts in ascending order with a row each, and the key of each section of ``index``, by its identity."""

    keys: Keys
    rows: NDArray[np.int8]
    units: Keys
    index: str

    @cached_property
    def embeddings(self) -> Floats:
        """The rows, each of length 1."""
        return normed(self.rows.astype(np.float32))

    @cached_property
    def row_of(self) -> NDArray[np.int64]:
        """The row of each section; -1 while it is not encoded."""
        if not len(self.keys):
            return np.full(len(self.units), -1)
        at = np.minimum(np.searchsorted(self.keys, self.units), len(self.keys) - 1)
        return np.where(self.keys[at] == self.units, at, -1)


EMPTY = Stored(np.empty(0, np.uint64), np.empty((0, EMBEDDING_DIMENSIONS), np.int8), np.empty(0, np.uint64), "")


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
    """What decides an embedding beside the text. Raises: NoEncoder."""
    return f"{SHAPE} {weights_name()}"


class SectionVectors:
    """The rows of one index. They are read again when the file is another one. Safe to share between threads."""

    def __init__(self, folder: Path, index: str) -> None:
        self.file = folder / FILE_NAME
        self.index = index
        self.lock = Lock()
        self.seen: tuple[int, ...] | None = None
        self.stored = EMPTY
        self.broken = False

    def read(self) -> Stored:
        """What is stored; nothing when it was encoded by another scheme. Raises: NoEncoder."""
        with self.lock:
            now = stamp_of(self.file)
            if now != self.seen:
                self.stored, self.seen = read_stored(self.file) if now else EMPTY, now
            return self.stored

    def similarity(self, question: str) -> Floats | None:
        """How near each section of the index is to a question, -1 to 1; NaN while it is not encoded.

        None when there is no encoder, or nothing is stored for this very index.
        """
        stored = self.read() if has_encoder() and not self.broken else EMPTY
        if stored.index != self.index or not len(stored.keys):
            return None
        try:
            asked = encode_question(question)
        except Exception as error:  # noqa: BLE001 - the index answers without it
            logger.warning("documents are ranked without the encoder: %s", error)
            self.broken = True
            return None
        near: Floats = np.where(stored.row_of >= 0, (stored.embeddings @ asked)[stored.row_of], np.nan)
        return near


def read_stored(file: Path) -> Stored:
    """The content of a file; nothing when it is damaged, or was encoded by another scheme. Raises: NoEncoder."""
    found = read_container(file)
    if found is None or found.meta.get("scheme") != scheme():
        return EMPTY
    return Stored(found.arrays["keys"], found.arrays["rows"], found.arrays["units"], found.meta["index"])


def encode_sections(
    sections: Sections,
    folder: Path,
    index: str,
    is_stopped: Callable[[], bool] = lambda: False,
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
        stored = SectionVectors(folder, index).read()
        if not free or (stored.index == index and (stored.row_of >= 0).all()):
            return 0
        units = list[int]()
        for unit in range(len(sections.units)):
            if is_stopped():
                return 0
            units.append(key_of(text_of(sections, unit)))
        places = dict(zip(units, range(len(units)), strict=True))
        held = {key: row for key, row in zip(stored.keys.tolist(), stored.rows, strict=True) if key in places}
        missing = [key for key in places if key not in held]
        done = written = 0
        while done < len(missing) and not is_stopped():
            batch = missing[done : done + AT_A_TIME]
            held |= zip(batch, quantize(encode([text_of(sections, places[key]) for key in batch])), strict=True)
            done += len(batch)
            tell(done, len(missing))
            if done - written >= WRITTEN_AFTER:
                write(folder, held, units, index)
                written = done
        write(folder, held, units, index)
        return done


def quantize(rows: Floats) -> NDArray[np.int8]:
    """Rows as bytes. Each is stretched as far as they reach, since its length says nothing."""
    largest = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-9)
    out: NDArray[np.int8] = np.rint(rows / largest * LARGEST_BYTE).astype(np.int8)
    return out


def write(folder: Path, held: Mapping[int, NDArray[np.int8]], units: Sequence[int], index: str) -> None:
    """Write the file anew: the rows that are held, and the key of each section. Raises: OSError."""
    order = sorted(held)
    rows = np.stack([held[key] for key in order]) if order else EMPTY.rows
    arrays: dict[str, NDArray[Any]] = {
        "keys": np.array(order, np.uint64),
        "rows": rows,
        "units": np.array(units, np.uint64),
    }
    write_container(folder / FILE_NAME, {"scheme": scheme(), "index": index}, arrays)


@contextmanager
def alone(folder: Path, is_stopped: Callable[[], bool]) -> Iterator[bool]:
    """Wait until no other process encodes the same sections; False when that was stopped. Raises: OSError."""
    with (folder / LOCK_NAME).open("a") as file:
        while not is_stopped():
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOOK_AGAIN_S)
            else:
                yield True
                return
        yield False
