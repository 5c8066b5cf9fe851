"""One progress message from its beginning to its end: a stream while it may be one, then a message that is updated.

Slack ends a stream after about five minutes, when a person presses Stop, or by itself; whatever comes after goes on in
the same message by chat.update, which Slack refuses as long as the stream runs.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from workers.contracts import Plan
from workers.delivery.plan_progress import StepState, Todo, changes, render_plan, stream_of, told_of
from workers.delivery.thread_status import ThreadStatus
from workers.errors import ChatBusy, ChatRefused
from workers.ports import Chat, Chunk, Place, Recipient

logger = logging.getLogger(__name__)
SLOW_S = 5.0
"""How long a step runs before that is shown, and how often it is."""
STREAMING = "streaming_state_conflict"
"""Slack's word for an update of a message whose stream still runs."""


@dataclass
class ProgressMessage:
    """The progress of one request, guarded by the board's condition.

    ``todo``: a model's own list, when it keeps one. ``name``: what the board calls it. ``stream``: what its stream was
    told of each part; None when it is none.
    ``fresh``: it says more than its message does. ``unclear``: nobody knows whether the message stands.
    ``due_at``, ``rolls_at``, ``beats_at``: when it may be sent again, when its stream has to end, when its status is
    due; ``sent_at``, ``beaten_at``: when those were done last. ``began``: when each step began. ``status_on``,
    ``session_on``: to be taken back at the end.
    """

    request_id: str
    place: Place
    question_text: str
    plan: Plan | None
    todo: Todo = ()
    states: dict[str, StepState] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)
    ts: str = ""
    recipient: Recipient | None = None
    name: str = ""
    stream: dict[str, Chunk] | None = None
    due_at: float = 0.0
    sent_at: float = 0.0
    rolls_at: float = math.inf
    beats_at: float = math.inf
    beaten_at: float = math.inf
    fresh: bool = True
    sending: bool = False
    unclear: bool = False
    tries: int = 0
    done: bool = False
    status_on: bool = False
    session_on: bool = False

    @property
    def key(self) -> str:
        """Marks its message."""
        return f"{self.request_id}:progress"

    def states_at(self, now: float) -> dict[str, StepState]:
        """The states of its steps, those that run long with how long they have run."""
        return {
            name: state._replace(seconds=int((now - self.began.get(name, now)) // SLOW_S * SLOW_S))
            if state.status == "running"
            else state
            for name, state in self.states.items()
        }

    @property
    def ticks_at(self) -> float:
        """When the seconds of a step that runs long are due anew; never when none runs."""
        running = [t for name, t in self.began.items() if self.states[name].status == "running"]
        return min((t + SLOW_S * (max(self.sent_at - t, 0.0) // SLOW_S + 1) for t in running), default=math.inf)


def show(
    chat: Chat, signals: ThreadStatus, item: ProgressMessage, states: Mapping[str, StepState], done: bool, roll: bool
) -> str | None:
    """Begin a message, or bring it up to date: a call or a few.

    Args:
        chat: of its workspace.
        signals: knows whether streams rest there.
        item: whose message; what its stream was told is kept in it.
        states: by the id of their step.
        done: whether the answer comes.
        roll: its stream has lived long enough.

    Returns: the ts of the message; None when it was looked for and never arrived.

    Raises:
        OracleError: it is not shown, or nobody knows.
    """
    ts = item.ts
    if not ts and item.unclear:
        ts = chat.find(item.place, item.key) or ""
        if not ts:
            return None
    if ts:
        go_on(chat, item, ts, states, done, roll)
        return ts
    return begin(chat, signals, item, states, done)


def begin(chat: Chat, signals: ThreadStatus, item: ProgressMessage, states: Mapping[str, StepState], done: bool) -> str:
    """Start a stream, or post where there can be none. Returns: its ts. Raises: ChatError."""
    team = item.place.team
    if item.recipient and item.place.thread_ts and not signals.rests(team, "stream"):
        chunks = stream_of(item.key, item.plan, states, done, item.todo)
        try:
            ts = chat.start_stream(item.place, item.recipient, chunks)
        except ChatRefused as error:
            logger.debug("no stream for %s: %s", item.request_id, error)
            signals.failed(team, "stream", error)
        except ChatBusy as error:
            signals.failed(team, "stream", error)
            raise
        else:
            item.stream = told_of(chunks, {})
            return ts
    return chat.post(
        item.place, render_plan(item.question_text, item.plan, states, done, item.todo), item.key, lossy=True
    )


def go_on(chat: Chat, item: ProgressMessage, ts: str, states: Mapping[str, StepState], done: bool, roll: bool) -> None:
    """Show in its message how far it is. ``roll``: its stream has lived long enough. Raises: ChatError."""
    if item.stream is not None and grow(chat, item, ts, states, done, roll):
        return
    now = render_plan(item.question_text, item.plan, states, done, item.todo)
    try:
        chat.update(item.place, ts, now, item.key)
    except ChatRefused as error:
        if error.code != STREAMING:
            raise
        end_stream(chat, item, ts)
        chat.update(item.place, ts, now, item.key)


def grow(chat: Chat, item: ProgressMessage, ts: str, states: Mapping[str, StepState], done: bool, roll: bool) -> bool:
    """Tell its stream what has changed. Returns: whether it shows all now. Raises: ChatBusy, ChatUnavailable."""
    now = stream_of(item.key, item.plan, states, done, item.todo)
    told, item.stream = item.stream or {}, None  # should it be unclear what it was told, an update is next
    news = changes(now, told)
    try:
        if done or roll:
            chat.stop_stream(item.place, ts, news, item.key)
            return done
        if news:
            chat.append_stream(item.place, ts, news)
    except ChatRefused:
        return False  # it has ended
    except ChatBusy:
        item.stream = told
        raise
    item.stream = told_of(now, told)
    return True


def end_stream(chat: Chat, item: ProgressMessage, ts: str) -> None:
    """Stop a stream that someone else began, or that has ended by now. Raises: ChatBusy, ChatUnavailable."""
    try:
        chat.stop_stream(item.place, ts, (), item.key)
    except ChatRefused:
        return
