"""A queue of files for several processes on one machine, as a transport of kombu. Messages appear and vanish whole.

kombu's own transport of files writes a message under its final name and its table of queues in place: a reader may meet
half of either, and its worker ends. Here a message is written beside and renamed, taken by a rename, and every process
declares the queues that it uses.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.json import dumps, loads

SCHEME = "files"


class Channel(virtual.Channel):
    """Messages in the order of their names, which begin with the moment they were put."""

    @property
    def folder(self) -> Path:
        """Where the messages lie: the transport's option ``folder``."""
        return Path(self.connection.client.transport_options["folder"])

    def waiting(self, queue: str) -> Iterator[Path]:
        """The messages of a queue, oldest first; names that begin with a dot are being written or read."""
        return (path for path in sorted(self.folder.glob(f"*.{queue}.msg")) if not path.name.startswith("."))

    def _put(self, queue: str, message: Any, **_: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        unseen = self.folder / f".{name}"
        unseen.write_text(dumps(message), encoding="utf-8")  # type: ignore[no-untyped-call]
        unseen.rename(self.folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        del timeout
        for path in self.waiting(queue):
            taken = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4()}")
            try:
                path.rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            text = taken.read_text(encoding="utf-8")
            taken.unlink()
            return loads(text)  # type: ignore[no-untyped-call]
        raise Empty

    def _size(self, queue: str) -> int:
        return sum(1 for _ in self.waiting(queue))

    def _purge(self, queue: str) -> int:
        gone = list(self.waiting(queue))
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)


class Transport(virtual.Transport):
    """Made known to kombu under `SCHEME`."""

    Channel = Channel
    driver_type = driver_name = SCHEME
    global_state = virtual.BrokerState()  # type: ignore[no-untyped-call]


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
