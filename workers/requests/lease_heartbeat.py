"""The heartbeat of a lease: it is renewed while its row, such as a request, is worked on."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from workers.errors import LeaseLost, StoreUnavailable
from workers.requests.worker_context import WorkerContext
from workers.store.leases import Held, Leases

logger = logging.getLogger(__name__)
LONGEST_JOB_S = 300.0
"""A stage that still runs after this is stuck: its lease is no longer renewed."""


class Lease:
    """Whether a worker still holds its row, such as a request, as its heartbeat knows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = threading.Event()

    def check(self) -> None:
        """Raises: LeaseLost: a person stopped the request, or another worker has it."""
        if self.lost.is_set():
            raise LeaseLost(f"{self.name} was taken away while it was worked on")


@contextmanager
def lease_heartbeat(worker: WorkerContext, leases: Leases[Held], held: Held) -> Iterator[Lease]:
    """Renew a lease while the block runs."""
    limits, name = worker.ledger.limits, leases.name(leases.key_of(held))
    stop, lease = threading.Event(), Lease(name)

    def beat() -> None:
        end = time.monotonic() + LONGEST_JOB_S
        while not stop.wait(limits.heartbeat_s) and time.monotonic() < end:
            try:
                leases.renew(worker.ledger.database, held, limits.lease_s)
            except LeaseLost:
                lease.lost.set()
                return
            except StoreUnavailable as error:
                logger.warning("heartbeat of %s failed: %s", name, error)

    thread = threading.Thread(target=beat, name=f"lease-{name}", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        stop.set()
