"""Notes that this process hears Slack, so that what nobody heard while it was away is read afterwards."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from workers.errors import StoreUnavailable
from workers.store.database import Database
from workers.store.hearing import note_hearing

NOTED_S = 20.0
TRIED_S = 1.0
"""How soon it is noted after a connection is open again."""

log = logging.getLogger(__name__)


class Hearing:
    """The note, kept up to date.

    Args:
        database: where it stands; of all processes that take events in, one that hears is enough.
        connected: whether events can come in at this moment; returns at once.
    """

    def __init__(self, database: Database, connected: Callable[[], bool]) -> None:
        self.database, self.connected = database, connected
        self.stopping = threading.Event()

    def start(self) -> None:
        """Note it again and again, until closed."""
        threading.Thread(target=self.run, name="hearing", daemon=True).start()

    def close(self) -> None:
        """Note it no more."""
        self.stopping.set()

    def run(self) -> None:
        """Until closed."""
        wait_s = 0.0
        while not self.stopping.wait(wait_s):
            wait_s = NOTED_S if self.note() else TRIED_S

    def note(self) -> bool:
        """Returns: whether it was noted."""
        if not self.connected():
            return False
        try:
            missed = note_hearing(self.database)
        except StoreUnavailable as error:
            log.debug("that Slack is heard cannot be noted: %s", error)
            return False
        if missed:
            log.warning("Slack was not heard for a while: %s followed channels are read again", missed)
        return True
