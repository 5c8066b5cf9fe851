"""Encodes texts in the background, those of one index after the other, so that no question waits for it."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from workers.sources.documents.encoder import NoEncoder

logger = logging.getLogger(__name__)
THREAD_NICENESS = 10
STOPS_S, LOOK_AGAIN_S = 5.0, 0.1
Work = Callable[[Callable[[], bool], Callable[[int, int], None]], object]
"""Encodes until all is done, or it is told to stop; tells how many are done, of how many."""


class Backlog:
    """What waits, by folder or file. A thread of low priority works on it, and ends when all is done."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[Path, Work] = {}
        self.thread: threading.Thread | None = None
        self.stopped = threading.Event()
        self.done = self.total = 0

    def add(self, place: Path, work: Work) -> None:
        """Have the texts of a place encoded; an earlier version of them that still waits is dropped."""
        with self.lock:
            self.waiting[place] = work
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
                place = next(iter(self.waiting))
                work = self.waiting.pop(place)
            self.note(0, 0)
            try:
                work(self.stopped.is_set, self.note)
            except NoEncoder:
                continue
            except Exception as error:  # noqa: BLE001 - the index answers without it
                logger.warning("the texts of %s are not encoded: %s", place.name, error)

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
