"""What talks to Slack after an acknowledgement runs on threads of its own: no acknowledgement waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore

THREADS = 16
WAITING = 200

log = logging.getLogger(__name__)


class BackgroundThreads:
    """A few threads, and a bounded queue before them. Nothing that a worker needs to know goes this way.

    Args:
        threads: as many calls at the same time.
        waiting: as many before them; what comes then is dropped.
    """

    def __init__(self, threads: int = THREADS, waiting: int = WAITING) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="slack-later")
        self.room = BoundedSemaphore(threads + waiting)

    def __call__(self, do: Callable[[], object]) -> bool:
        """Do something soon; never waits. Returns: False when it was dropped, as too much waits already."""
        if not self.room.acquire(blocking=False):
            log.warning("someone is not told something: too much waits for Slack")
            return False
        self.pool.submit(do).add_done_callback(self.done)
        return True

    def done(self, future: Future[object]) -> None:
        """Make room; a mistake of our own is heard of in the log."""
        self.room.release()
        error = future.exception()
        if error is not None:
            log.error("what came after an acknowledgement failed", exc_info=error)
