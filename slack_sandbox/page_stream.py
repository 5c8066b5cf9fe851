"""Live updates for the pages that are open in browsers."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from slack_sandbox.state import Json


@dataclass
class PageStream:
    """One queue for every open page, with the user who looks at it."""

    queues: dict["asyncio.Queue[Json]", str] = field(default_factory=dict)

    def open(self, user: str) -> "asyncio.Queue[Json]":
        """Returns: a queue that gets what this user may see from now on; `close` it."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self.queues[queue] = user
        return queue

    def close(self, queue: "asyncio.Queue[Json]") -> None:
        """Stops the updates of one page."""
        self.queues.pop(queue, None)

    def send(self, kind: str, to: Collection[str], **fields: object) -> None:
        """Tells the pages of these users: `{"type": kind, …}`."""
        if self.queues:
            update: Json = {"type": kind, **fields}
            for queue, user in self.queues.items():
                if user in to:
                    queue.put_nowait(update)
