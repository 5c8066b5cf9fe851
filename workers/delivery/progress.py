"""The lossy channel: what is being checked, shown in the thread while it is checked.

One thread of its own makes all calls. Whatever goes wrong there, progress is dropped; an answer never waits for it
longer than `FINISH_S`.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from functools import partial

from workers.contracts import Plan
from workers.delivery.plan_progress import Source, StepState, Todo, say_status
from workers.delivery.progress_message import ProgressMessage, show
from workers.delivery.thread_status import LOAD_S, ThreadStatus
from workers.errors import ChatBusy, ChatUnavailable, OracleError
from workers.ports import Chats, Place, Recipient

logger = logging.getLogger(__name__)
INTERVAL_S = 1.0
FINISH_S = 0.3
CLOSE_S = 1.0
PAUSE_S = 2.0
STREAM_S, BEAT_S, NEWS_S = 240.0, 60.0, 10.0
"""Slack ends a stream after five minutes, and clears a status after two; a status of ten seconds may be replaced."""
MAX_TRIES = 3
MOST_SHOWN = 200
Act = Callable[[], object]


def tell_nobody(request_id: str, ts: str) -> None:
    """Nobody asked where progress is shown."""
    del request_id, ts


class ProgressBoard:
    """Shows the progress of many requests; every method returns at once, and none raises.

    Args:
        chats: the chat of a workspace.
        on_posted: told the request and the ts of its progress message, in the board's thread.
        most: requests shown at the same time; beyond, the oldest is no longer followed.
        interval_s: at least this long between two updates of a message.
        monotonic: seconds that only ever go forward.
    """

    def __init__(
        self,
        chats: Chats,
        on_posted: Callable[[str, str], None] = tell_nobody,
        *,
        most: int = MOST_SHOWN,
        interval_s: float = INTERVAL_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.chats, self.on_posted, self.most, self.interval_s = chats, on_posted, most, interval_s
        self.monotonic, self.signals = monotonic, ThreadStatus(chats, monotonic)
        self.dropped = 0
        self.changed = threading.Condition()
        self.shown: OrderedDict[str, ProgressMessage] = OrderedDict()
        self.leaving: deque[ProgressMessage] = deque()
        self.quiet_until: dict[str, float] = {}
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
        recipient: Recipient | None = None,
        ts: str = "",
        states: Mapping[str, tuple[str, str]] | None = None,
        after_s: float = 0.0,
    ) -> None:
        """The plan is known: show it; or the question is being read, which is shown when that takes long.

        Args:
            request_id: whose.
            place: the thread.
            question_text: what was asked.
            plan: what will be done.
            recipient: whom it is streamed to; without one it is a message.
            ts: the progress message of an earlier worker, to go on with.
            states: step id → (pending|running|ok|empty|timeout|error|denied, summary), as far as known.
            after_s: a message that does not stand yet is posted so many seconds later, unless more is said before.
        """
        with self.changed:
            if self.closing_at is not None:
                return
            item = self.shown.get(request_id)
            if item is None or item.done or item.place != place:
                item = self.add(ProgressMessage(request_id, place, question_text, plan, ts=ts))
            item.plan, item.question_text, item.fresh = plan, question_text, True
            item.due_at = item.due_at if item.ts else self.monotonic() + after_s
            item.recipient = recipient if recipient and recipient.user and recipient.team else None
            for step_id, (status, found) in (states or {}).items():
                if item.states.get(step_id, StepState())[:2] != (status, found):
                    item.states[step_id] = StepState(status, found)
            self.start()
            self.changed.notify_all()

    def add(self, item: ProgressMessage) -> ProgressMessage:
        """Follow a message; one of the same request that still has to be ended stays until it is."""
        before = self.shown.pop(item.request_id, None)
        if before is not None and (before.ts or before.sending or before.unclear):
            before.name, before.done, before.fresh = f"{before.request_id} {id(before)}", True, True
            self.shown[before.name] = before
        if len(self.shown) >= self.most:
            self.drop(next(iter(self.shown.values())), "too many at the same time")
        item.status_on = item.session_on = bool(item.ts)
        item.name = item.request_id
        self.shown[item.name] = item
        return item

    def step(self, request_id: str, step_id: str, status: str, summary: str, sources: tuple[Source, ...] = ()) -> None:
        """A step began or ended; ``sources``: title and address of what it found."""
        with self.changed:
            item = self.shown.get(request_id)
            if item is None or item.done:
                return
            item.states[step_id] = StepState(status, summary, sources)
            item.began.setdefault(step_id, self.monotonic())
            item.fresh, item.beats_at = True, min(item.beats_at, item.beaten_at + NEWS_S)
            self.changed.notify_all()

    def todo(self, request_id: str, todo: Todo) -> None:
        """A model's to-do list as it is now, shown in place of the steps; its active item names the one that runs."""
        with self.changed:
            item = self.shown.get(request_id)
            if item is None or item.done or item.todo == todo:
                return
            item.todo, item.fresh = todo, True
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

    def abandon(self, request_id: str) -> None:
        """Another worker has the request now: its message is that worker's."""
        with self.changed:
            self.shown.pop(request_id, None)
            self.changed.notify_all()

    def close(self) -> None:
        """Show what has ended, as far as that takes less than a second, and stop."""
        with self.changed:
            self.closing_at = self.monotonic() + CLOSE_S
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
        """Do what is due, until closed."""
        while (act := self.take()) is not None:
            act()

    def take(self) -> Act | None:
        """Wait for what is due, what is not posted yet first. Returns: None when closed and nothing is left."""
        with self.changed:
            while True:
                now = self.monotonic()
                item = min(self.shown.values(), key=self.due, default=None)
                due_at = self.due(item) if item else math.inf
                if item and due_at <= now:
                    return partial(self.send if due_at == self.send_due(item) else self.beat, item)
                if self.leaving:
                    return partial(self.unwind, self.leaving.popleft())
                if self.closing_at is not None:
                    return None
                self.changed.wait(None if due_at == math.inf else due_at - now)

    def due(self, item: ProgressMessage) -> float:
        """When something has to be said of it; at the end only what is done, at once."""
        if self.closing_at is not None:
            return 0.0 if item.done and item.fresh and self.monotonic() < self.closing_at else math.inf
        return min(self.send_due(item), math.inf if item.done else item.beats_at)

    def send_due(self, item: ProgressMessage) -> float:
        """When its message is due."""
        if self.closing_at is not None:
            return self.due(item)
        slow_at = math.inf if item.done else max(item.due_at, item.ticks_at)
        at = min(item.due_at if item.fresh else math.inf, item.rolls_at, slow_at)
        return max(at, self.quiet_until.get(item.place.team, 0.0))

    def send(self, item: ProgressMessage) -> None:
        """Bring its message up to date."""
        with self.changed:
            if self.shown.get(item.name) is not item:
                return
            item.sending, item.fresh, item.sent_at = True, False, self.monotonic()
            states, done, known = item.states_at(item.sent_at), item.done, item.ts
            roll = self.monotonic() >= item.rolls_at
        try:
            ts = show(self.chats(item.place.team), self.signals, item, states, done, roll)
        except OracleError as error:
            self.failed(item, error)
        else:
            self.sent(item, ts, done, roll)
            if ts and not known:
                self.tell(item.request_id, ts)
        finally:
            with self.changed:
                item.sending = False
                self.changed.notify_all()

    def sent(self, item: ProgressMessage, ts: str | None, done: bool, roll: bool) -> None:
        """It stands there now; or it was looked for and does not."""
        with self.changed:
            now = self.monotonic()
            if roll or item.beats_at == math.inf:
                item.beats_at = now  # a session ends with its stream
            if item.stream is None:
                item.rolls_at = math.inf
            elif item.rolls_at == math.inf:
                item.rolls_at = now + STREAM_S
            item.sending, item.unclear, item.tries = False, False, 0
            item.ts, item.due_at = ts or "", now + self.interval_s
            if ts is None:
                self.drop(item, "the message never arrived")
            elif done:
                self.forget(item)
            self.changed.notify_all()

    def failed(self, item: ProgressMessage, error: OracleError) -> None:
        """A workspace is left alone for a while, then it is tried again, unless that is no use."""
        with self.changed:
            item.sending = False
            item.tries += 1
            item.unclear = item.unclear or (not item.ts and isinstance(error, ChatUnavailable))
            busy = isinstance(error, ChatBusy)
            if isinstance(error, ChatBusy):
                self.signals.rest(item.place.team, "load", max(error.retry_after_s, LOAD_S))
            hopeless = busy and not item.ts  # the answer will be there before the channel is free
            if item.tries < MAX_TRIES and isinstance(error, ChatBusy | ChatUnavailable) and not hopeless:
                until = self.monotonic() + (error.retry_after_s if isinstance(error, ChatBusy) else PAUSE_S)
                self.quiet_until[item.place.team] = max(self.quiet_until.get(item.place.team, 0.0), until)
                item.fresh = True
            else:
                self.drop(item, str(error))
            self.changed.notify_all()

    # --- below the thread -------------------------------------------------------------------------------------

    def beat(self, item: ProgressMessage) -> None:
        """Status and session, as long as there is room for them."""
        with self.changed:
            item.beaten_at = self.monotonic()
            item.beats_at = item.beaten_at + BEAT_S
            text, user = (
                say_status(item.plan, item.states_at(item.beaten_at)),
                item.recipient.user if item.recipient else "",
            )
        if self.signals.rests(item.place.team, "load"):
            return
        status = self.signals.status(item.place, text)
        session = self.signals.session(item.place, "processing", item.question_text, user)
        with self.changed:
            item.status_on, item.session_on = item.status_on or status, item.session_on or session
            if self.shown.get(item.name) is not item:
                self.leave(item)

    def unwind(self, item: ProgressMessage) -> None:
        """Take back status and session, unless another request of the thread is still worked on."""
        with self.changed:
            if any(other.place == item.place and not other.done for other in self.shown.values()):
                return
        if item.status_on:
            self.signals.status(item.place, "")
        if item.session_on:
            self.signals.session(item.place, "active")

    # --- the end ----------------------------------------------------------------------------------------------

    def tell(self, request_id: str, ts: str) -> None:
        """Someone may want to go on with the message."""
        try:
            self.on_posted(request_id, ts)
        except OracleError as error:
            logger.debug("the progress message of %s is not noted: %s", request_id, error)

    def drop(self, item: ProgressMessage, why: str) -> None:
        """It is followed no longer."""
        self.forget(item)
        self.dropped += 1
        logger.debug("progress of %s dropped: %s", item.request_id, why)

    def forget(self, item: ProgressMessage) -> None:
        """Unless the request began anew in the meantime."""
        if self.shown.get(item.name) is item:
            del self.shown[item.name]
            self.leave(item)

    def leave(self, item: ProgressMessage) -> None:
        """What stands below its thread is taken back in a moment."""
        if item.status_on or item.session_on:
            self.leaving.append(item)
