"""What stands below a thread while a request is worked on: the status line, and the session with its Stop button.

Both are lossy. What a workspace refuses is not tried again there for an hour; under load neither is sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from workers.errors import ChatBusy, ChatRefused, OracleError
from workers.ports import Chat, Chats, Place, SessionStatus

REFUSED_S, PAUSE_S, LOAD_S = 3_600.0, 10.0, 30.0
HERE = frozenset(
    {
        "cannot_reply_to_message",
        "channel_not_found",
        "channel_type_not_supported",
        "invalid_arguments",
        "invalid_thread_ts",
        "is_archived",
        "message_not_found",
        "missing_recipient_team_id",
        "missing_recipient_user_id",
        "not_in_channel",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_thread_only_channel",
        "thread_not_found",
        "user_not_found",
        "user_not_in_channel",
    }
)
"""Refused for this place or this person only; all other codes hold for the workspace."""

What = Literal["stream", "status", "session", "load"]


class ThreadStatus:
    """Status and session of threads, and what each workspace does not take at the moment. Never raises.

    Args:
        chats: the chat of a workspace.
        monotonic: seconds that only ever go forward.
    """

    def __init__(self, chats: Chats, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.chats, self.monotonic = chats, monotonic
        self.resting: dict[tuple[str, What], float] = {}

    def status(self, place: Place, text: str) -> bool:
        """Set or clear the status line. Returns: whether Slack took it."""
        return self.attempt(place, "status", lambda chat: chat.set_status(place, text))

    def session(self, place: Place, status: SessionStatus, title: str = "", initiator: str = "") -> bool:
        """Say where the session stands. Returns: whether Slack took it."""
        return self.attempt(place, "session", lambda chat: chat.set_session(place, status, title, initiator))

    def attempt(self, place: Place, what: What, act: Callable[[Chat], None]) -> bool:
        """One call, unless it rests."""
        if not place.thread_ts or self.rests(place.team, what):
            return False
        try:
            act(self.chats(place.team))
        except OracleError as error:
            self.failed(place.team, what, error)
            return False
        return True

    def failed(self, team: str, what: What, error: OracleError) -> None:
        """Let it rest for as long as another try is no use."""
        if isinstance(error, ChatBusy):
            self.rest(team, what, error.retry_after_s)
            self.rest(team, "load", max(error.retry_after_s, LOAD_S))
        elif not isinstance(error, ChatRefused):
            self.rest(team, what, PAUSE_S)
        elif error.code not in HERE:
            self.rest(team, what, REFUSED_S)

    def rest(self, team: str, what: What, seconds: float) -> None:
        """Not before so many seconds."""
        self.resting[team, what] = max(self.resting.get((team, what), 0.0), self.monotonic() + seconds)

    def rests(self, team: str, what: What) -> bool:
        """Whether it is not tried in a workspace at the moment."""
        return self.monotonic() < self.resting.get((team, what), 0.0)
