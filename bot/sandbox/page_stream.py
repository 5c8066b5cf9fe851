"""Live updates for the pages that are open in browsers."""

import asyncio
from dataclasses import dataclass, field

from bot.sandbox.state import Json


@dataclass
class PageStream:
    """One queue for every open page."""

    queues: set["asyncio.Queue[Json]"] = field(default_factory=set)

    def open(self) -> "asyncio.Queue[Json]":
        """Returns: a queue that gets every update from now on; `close` it."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self.queues.add(queue)
        return queue

    def close(self, queue: "asyncio.Queue[Json]") -> None:
        """Stops the updates of one page."""
        self.queues.discard(queue)

    def send(self, kind: str, **fields: object) -> None:
        """Tells every page: `{"type": kind, …}`."""
        if self.queues:
            update: Json = {"type": kind, **fields}
            for queue in self.queues:
                queue.put_nowait(update)
