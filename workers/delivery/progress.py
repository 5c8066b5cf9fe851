"""The lossy channel: what is being checked, shown in the thread while it is checked.

One thread of its own posts and updates. Whatever goes wrong there, progress is dropped; an answer never waits for it
longer than `FINISH_S`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workers.contracts import Plan
from workers.delivery.blocks import render_plan
from workers.errors import ChatBusy, ChatUnavailable, OracleError
from workers.ports import Chat, Place, Post

logger = logging.getLogger(__name__)
INTERVAL_S = 1.0
FINISH_S = 0.3
CLOSE_S = 1.0
PAUSE_S = 2.0
MAX_TRIES = 3
MOST_SHOWN = 200


def tell_nobody(request_id: str, ts: str) -> None:
    """Nobody asked where progress is shown."""
    del request_id, ts


@dataclass
class Shown:
    """The progress of one request, guarded by the board's condition.

    ``fresh``: it says more than its message does. ``unclear``: nobody knows whether the message stands.
    """

    request_id: str
    place: Place
    question_text: str
    plan: Plan | None
    states: dict[str, tuple[str, str]] = field(default_factory=dict)
    ts: str = ""
    due_at: float = 0.0
    fresh: bool = True
    sending: bool = False
    unclear: bool = False
    tries: int = 0
    done: bool = False

    @property
    def key(self) -> str:
        """Marks its message."""
        return f"{self.request_id}:progress"


class ProgressBoard:
    """Shows the progress of many requests; every method returns at once, and none raises.

    Args:
        chat: the door to where people are.
        on_posted: told the request and the ts of its progress message, in the board's thread.
        most: requests shown at the same time; beyond, the oldest is no longer followed.
        interval_s: at least this long between two updates of a message.
    """

    def __init__(
        self,
        chat: Chat,
        on_posted: Callable[[str, str], None] = tell_nobody,
        *,
        most: int = MOST_SHOWN,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self.chat, self.on_posted, self.most, self.interval_s = chat, on_posted, most, interval_s
        self.dropped = 0
        self.changed = threading.Condition()
        self.shown: OrderedDict[str, Shown] = OrderedDict()
        self.quiet_until = 0.0
        self.closing_at: float | None = None
        self.thread: threading.Thread | None = None

    # --- what happens -----------------------------------------------------------------------------------------

    def plan(
        self,
        request_id: str,
        place: Place,
        question_text: str,
        plan: Plan | None,
        *,
        ts: str = "",
        states: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """The plan is known: show it.

        Args:
            request_id: whose.
            place: the thread.
            question_text: what was asked.
            plan: what will be done.
            ts: the progress message of an earlier worker, to go on with.
            states: step id → (pending|running|ok|empty|timeout|error|denied, summary), as far as known.
        """
        with self.changed:
            if self.closing_at is not None:
                return
            before = self.shown.pop(request_id, None)
            if before and not before.done:
                ts = ts or before.ts
            if len(self.shown) >= self.most:
                self.drop(next(iter(self.shown.values())), "too many at the same time")
            self.shown[request_id] = Shown(request_id, place, question_text, plan, dict(states or {}), ts)
            self.start()
            self.changed.notify_all()

    def step(self, request_id: str, step_id: str, status: str, summary: str) -> None:
        """A step began or ended."""
        with self.changed:
            item = self.shown.get(request_id)
            if item is None or item.done:
                return
            item.states[step_id] = (status, summary)
            item.fresh = True
            self.changed.notify_all()

    def finish(self, request_id: str) -> None:
        """The answer is about to be posted: a plan that is not shown yet never will be; one under way may arrive."""
        with self.changed:
            item = self.shown.get(request_id)
            if item is None:
                return
            if not (item.ts or item.sending or item.unclear):
                del self.shown[request_id]
                return
            item.done = item.fresh = True
            self.changed.notify_all()
            if not item.ts:
                self.changed.wait_for(lambda: not item.sending, FINISH_S)

    def close(self) -> None:
        """Show what has ended, as far as that takes less than a second, and stop."""
        with self.changed:
            self.closing_at = time.monotonic() + CLOSE_S
            self.changed.notify_all()
            thread = self.thread
        if thread is not None:
            thread.join(CLOSE_S)

    # --- the thread -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """The thread is made on first use: one made before a fork would be missing in the child."""
        if self.thread is None or not self.thread.is_alive():
            self.thread = threading.Thread(target=self.run, name="progress", daemon=True)
            self.thread.start()

    def run(self) -> None:
        """Send what is due, until closed."""
        while (item := self.take()) is not None:
            self.send(item)

    def take(self) -> Shown | None:
        """Wait for what is due, what is not posted yet first. Returns: None when closed and nothing is left."""
        with self.changed:
            while True:
                now = time.monotonic()
                item, due_at = self.next_due()
                if item is None and self.closing_at is not None:
                    return None
                if item is not None and due_at <= now:
                    item.sending, item.fresh = True, False
                    return item
                self.changed.wait(None if item is None else due_at - now)

    def next_due(self) -> tuple[Shown | None, float]:
        """What to send next, and when; at the end only what is done, at once."""
        fresh = [item for item in self.shown.values() if item.fresh]
        if self.closing_at is not None:
            fresh = [item for item in fresh if item.done and time.monotonic() < self.closing_at]
            return (fresh[0] if fresh else None), 0.0
        item = min(fresh, key=lambda i: i.due_at, default=None)
        return item, max(item.due_at, self.quiet_until) if item else 0.0

    def send(self, item: Shown) -> None:
        """Post or update one message."""
        with self.changed:
            states, done, known = dict(item.states), item.done, item.ts
        try:
            ts = self.show(item, render_plan(item.question_text, item.plan, states, done))
        except OracleError as error:
            self.failed(item, error)
        else:
            self.sent(item, ts, done)
            if ts and not known:
                self.tell(item.request_id, ts)
        finally:
            with self.changed:
                item.sending = False
                self.changed.notify_all()

    def show(self, item: Shown, post: Post) -> str | None:
        """One call or two. Returns: the ts of the message; None when it never arrived. Raises: OracleError."""
        ts = item.ts
        if not ts and not item.unclear:
            return self.chat.post(item.place, post, item.key, lossy=True)
        ts = ts or self.chat.find(item.place, item.key) or ""
        if not ts:
            return None
        self.chat.update(item.place, ts, post, item.key)
        return ts

    def sent(self, item: Shown, ts: str | None, done: bool) -> None:
        """It stands there now; or it was looked for and does not."""
        with self.changed:
            item.sending, item.unclear, item.tries = False, False, 0
            item.ts, item.due_at = ts or "", time.monotonic() + self.interval_s
            if ts is None:
                self.drop(item, "the message never arrived")
            elif done:
                self.forget(item)
            self.changed.notify_all()

    def failed(self, item: Shown, error: OracleError) -> None:
        """Everything is quiet for a while, then it is tried again, unless that is no use."""
        with self.changed:
            item.sending = False
            item.tries += 1
            item.unclear = item.unclear or (not item.ts and isinstance(error, ChatUnavailable))
            hopeless = (
                isinstance(error, ChatBusy) and not item.ts
            )  # the answer will be there before the channel is free
            if item.tries < MAX_TRIES and isinstance(error, ChatBusy | ChatUnavailable) and not hopeless:
                pause_s = error.retry_after_s if isinstance(error, ChatBusy) else PAUSE_S
                self.quiet_until = max(self.quiet_until, time.monotonic() + pause_s)
                item.fresh = True
            else:
                self.drop(item, str(error))
            self.changed.notify_all()

    def tell(self, request_id: str, ts: str) -> None:
        """Someone may want to go on with the message."""
        try:
            self.on_posted(request_id, ts)
        except OracleError as error:
            logger.debug("the progress message of %s is not noted: %s", request_id, error)

    def drop(self, item: Shown, why: str) -> None:
        """It is followed no longer."""
        self.forget(item)
        self.dropped += 1
        logger.debug("progress of %s dropped: %s", item.request_id, why)

    def forget(self, item: Shown) -> None:
        """Unless the request began anew in the meantime."""
        if self.shown.get(item.request_id) is item:
            del self.shown[item.request_id]
