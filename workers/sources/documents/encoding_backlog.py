"""Encodes the sections of indexes in the background, one index after the other, so that no question waits for it."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from workers.sources.documents.encoder import NoEncoder, has_encoder
from workers.sources.documents.ranking import Sections
from workers.sources.documents.section_vectors import encode_sections

logger = logging.getLogger(__name__)
THREAD_NICENESS = 10
STOPS_S, LOOK_AGAIN_S = 5.0, 0.1


class Backlog:
    """Indexes that wait for the encoder. A thread of low priority works on them, and ends when none is left."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[Path, tuple[Sections, str]] = {}
        self.thread: threading.Thread | None = None
        self.stopped = threading.Event()
        self.done = self.total = 0

    def add(self, sections: Sections, folder: Path, index: str) -> None:
        """Have the sections of an index encoded; an earlier version of it that still waits is dropped."""
        if not has_encoder():
            return
        with self.lock:
            self.waiting[folder] = (sections, index)
            if self.thread is None or not self.thread.is_alive():
                self.stopped.clear()
                self.thread = threading.Thread(target=self.work, name="encoder", daemon=True)
                self.thread.start()

    def work(self) -> None:
        """Encode until nothing waits."""
        lower_priority()
        while not self.stopped.is_set():
            with self.lock:
                if not self.waiting:
                    self.thread = None
                    return
                folder = next(iter(self.waiting))
                sections, index = self.waiting.pop(folder)
            self.note(0, 0)
            try:
                encode_sections(sections, folder, index, self.stopped.is_set, self.note)
            except NoEncoder:
                continue
            except Exception as error:  # noqa: BLE001 - the index answers without it
                logger.warning("the sections of %s are not encoded: %s", folder.name, error)

    def note(self, done: int, total: int) -> None:
        """How far the index at work is."""
        self.done, self.total = done, total

    def wait(self, tell: Callable[[int, int], None]) -> None:
        """Wait until all is encoded, and say meanwhile how many sections are, of how many."""
        while (thread := self.thread) is not None and thread.is_alive():
            if self.total:
                tell(self.done, self.total)
            thread.join(LOOK_AGAIN_S)

    def stop(self) -> None:
        """Leave the rest for another time."""
        self.stopped.set()
        if (thread := self.thread) is not None and thread.is_alive():
            thread.join(STOPS_S)


def lower_priority() -> None:
    """Let questions go before this thread, where the system can give a thread a priority of its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), THREAD_NICENESS)


BACKLOG = Backlog()
atexit.register(BACKLOG.stop)
