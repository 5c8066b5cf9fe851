"""Says below a thread that its question waits, and how many are before it. Lossy: nothing depends on it."""

from __future__ import annotations

import logging

from workers.errors import ChatError, StoreUnavailable
from workers.ports import Chats, Place
from workers.requests.ledger import Ledger

AGAIN_S = 30.0
"""Slack forgets a status after two minutes, and the queue moves."""
MOST = 100

log = logging.getLogger(__name__)


def tell_queue_positions(ledger: Ledger, chats: Chats) -> float:
    """Tell those for whom no worker is free, or whose channel is full. Never raises.

    Returns: after how many seconds to tell them again.
    """
    try:
        for question, ahead in ledger.queue(MOST):
            if question.source != "http":
                tell_queued(chats, question.team, question.channel, question.thread_ts, ahead)
    except StoreUnavailable as error:
        log.debug("the queue is not known: %s", error)
    return AGAIN_S


def tell_queued(chats: Chats, team: str, channel: str, thread_ts: str, ahead: int) -> None:
    """So many are before a question. Never raises."""
    if not thread_ts:
        return
    try:
        before = f"{ahead} before you" if ahead else "you are next"
        chats(team).set_status(Place(channel, thread_ts, team), f"is busy: queued, {before}")
    except (ChatError, StoreUnavailable) as error:
        log.debug("the queue is not shown in %s: %s", channel, error)
