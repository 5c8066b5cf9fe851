"""Questions to a backend side by side, within a time; what is late or fails is named, and the rest is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from workers.errors import ToolUnavailable

T = TypeVar("T")
Job = tuple[str, Callable[[], T]]


class DeadlinePool(Generic[T]):
    """Runs side questions. ``gaps`` collects one sentence for each that was not answered.

    Args:
        parallel: how many at once; 1 runs them in this thread.
        until: monotonic seconds after which nothing more is started or waited for.
    """

    def __init__(self, parallel: int, until: float) -> None:
        self.parallel = parallel
        self.until = until
        self.gaps: list[str] = []

    def part(self, share: float) -> DeadlinePool[T]:
        """The same for a share of the time that is left; what it lacks is noted here."""
        now = time.monotonic()
        other = DeadlinePool[T](self.parallel, now + share * max(self.until - now, 0.0))
        other.gaps = self.gaps
        return other

    def run(self, jobs: Sequence[Job[T]]) -> list[T | None]:
        """Answers in the order of the jobs, each a name and what to do; None for one that failed or was late."""
        if self.parallel == 1:
            return [self.one(name, job) for name, job in jobs]
        pool = ThreadPoolExecutor(max_workers=self.parallel, thread_name_prefix="metrics")
        try:
            futures = [pool.submit(self.one, name, job) for name, job in jobs]
            done, _ = wait(futures, timeout=max(self.until - time.monotonic(), 0.0))
            out: list[T | None] = []
            for (name, _), future in zip(jobs, futures, strict=True):
                out.append(future.result() if future in done else None)
                if future not in done:
                    self.late(name)
            return out
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def one(self, name: str, job: Callable[[], T]) -> T | None:
        """One answer, or None."""
        if time.monotonic() >= self.until:
            self.late(name)
            return None
        try:
            return job()
        except ToolUnavailable as error:
            self.gaps.append(f"{name}: {error}")
            return None

    def late(self, name: str) -> None:
        """Note what there was no time for."""
        self.gaps.append(f"{name}: not read in time")
