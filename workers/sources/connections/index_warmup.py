"""Opening indexes and reading what their first question reads, so that no question waits for it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic
from weakref import WeakSet

from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_sources import Index, OpenSources

QUESTION = "where is the main configuration of the service read?"
"""Any question of plain words reads all parts of an index."""


class Warmer(Generic[Index]):
    """Opens the indexes of a shelf, and puts `QUESTION` to each new one once.

    Args:
        shelf: of the indexes.
        ask: puts a question to one index.
    """

    def __init__(self, shelf: OpenSources[Index], ask: Callable[[Index, str], object]) -> None:
        self.shelf, self.ask = shelf, ask
        self.lock = Lock()
        self.asked: WeakSet[Index] = WeakSet()

    def prepare(self) -> None:
        """Open what is not open yet. Raises: ToolUnavailable: there are sources, and none can be opened."""
        for _, index in open_all(self.shelf)[0]:
            with self.lock:  # calls side by side wait for the first of them
                if index not in self.asked:
                    self.ask(index, QUESTION)
                    self.asked.add(index)
