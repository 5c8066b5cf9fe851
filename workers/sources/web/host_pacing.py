"""One request a host every so often, whoever of this process asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from workers.errors import ToolUnavailable

MOST_HOSTS = 1_000


class HostPacing:
    """When each host may be asked next."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self.sleep = sleep
        self.lock = threading.Lock()
        self.free_at: dict[str, float] = {}

    def wait(self, host: str, pause_s: float, most_s: float) -> None:
        """Wait for a turn, which is then taken, and leaves the host in peace for ``pause_s``.

        Raises:
            ToolUnavailable: the turn comes later than in ``most_s``; it is not taken.
        """
        with self.lock:
            now = time.monotonic()
            turn = max(self.free_at.get(host, 0.0), now)
            if turn - now > most_s:
                raise ToolUnavailable(f"{host} was asked a lot just now; ask again in {turn - now:.0f} s")
            if len(self.free_at) >= MOST_HOSTS:
                self.free_at = {known: at for known, at in self.free_at.items() if at > now}
            self.free_at[host] = turn + pause_s
        if turn > now:
            self.sleep(turn - now)
