"""One thing done again and again beside everything else, until closed."""

from __future__ import annotations

import threading
from collections.abc import Callable


class RepeatingTask:
    """A thread of its own.

    Args:
        name: the thread's.
        act: what is done; returns the seconds until it is done again. It never raises.
        first_s: the seconds until it is done first.
    """

    def __init__(self, name: str, act: Callable[[], float], first_s: float = 0.0) -> None:
        self.act, self.first_s = act, first_s
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self.thread.start()

    def close(self) -> None:
        """Do it no more; what is under way may still end."""
        self.stopping.set()

    def run(self) -> None:
        """Until closed."""
        wait_s = self.first_s
        while not self.stopping.wait(wait_s):
            wait_s = self.act()
