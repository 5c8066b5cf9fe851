"""Reads the record of one request for people of the workspace, and for a button of the channel, it was asked in."""

from __future__ import annotations

from bot.parse import Press
from workers.contracts import RequestLog
from workers.errors import RequestNotFound
from workers.store.request_logs import SqlStore


def load_for(store: SqlStore, request_id: str, team: str) -> RequestLog | None:
    """The log of a request; None when there is none, or another workspace's. Raises: StoreUnavailable."""
    try:
        log = store.load(request_id)
    except RequestNotFound:
        return None
    return log if log.question.team == team else None


def load_pressed(store: SqlStore, request_id: str, press: Press) -> RequestLog | None:
    """The log that a button of a message names; None when it is of another channel. Raises: StoreUnavailable.

    An answer that could not be posted where it was asked went to its asker, whose button it is there.
    """
    log = load_for(store, request_id, press.team)
    if log is None or log.question.channel == press.channel:
        return log
    return log if press.channel.startswith("D") and log.question.asker == press.user else None
