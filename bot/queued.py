"""Says below a thread that its question waits, and how many are before it. Lossy: nothing depends on it."""

from __future__ import annotations

import logging
import threading

from workers.errors import ChatError, StoreUnavailable
from workers.inbox import Inbox
from workers.ports import Chats, Place

AGAIN_S = 30.0
"""Slack forgets a status after two minutes, and the queue moves."""
MOST = 100

log = logging.getLogger(__name__)


class QueueSign:
    """What people see while every worker is busy.

    Args:
        inbox: the ledger.
        chats: the doors to where people are.
    """

    def __init__(self, inbox: Inbox, chats: Chats) -> None:
        self.inbox, self.chats = inbox, chats
        self.stopping = threading.Event()

    def start(self) -> None:
        """Say it again while it is so, until closed."""
        threading.Thread(target=self.run, name="queue-sign", daemon=True).start()

    def close(self) -> None:
        """Say no more."""
        self.stopping.set()

    def run(self) -> None:
        """Until closed."""
        while not self.stopping.wait(AGAIN_S):
            try:
                self.tell_all()
            except StoreUnavailable as error:
                log.debug("the queue is not known: %s", error)

    def tell_all(self) -> None:
        """Those for whom no worker is free, or whose channel is full. Raises: StoreUnavailable."""
        for question, ahead in self.inbox.queue(MOST):
            self.tell(question.team, question.channel, question.thread_ts, ahead)

    def tell(self, team: str, channel: str, thread_ts: str, ahead: int) -> None:
        """So many are before a question. Never raises."""
        if not thread_ts:
            return
        try:
            before = f"{ahead} before you" if ahead else "you are next"
            self.chats(team).set_status(Place(channel, thread_ts, team), f"is busy: queued, {before}")
        except (ChatError, StoreUnavailable) as error:
            log.debug("the queue is not shown in %s: %s", channel, error)
