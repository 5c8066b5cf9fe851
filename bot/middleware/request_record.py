"""Reads the record of one request for people of the workspace, and for a button of the channel, it was asked in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.parse import Press
from bot.views.notice import GONE
from workers.access.doors import Doors
from workers.contracts import RequestLog
from workers.errors import RequestNotFound
from workers.store.channel_ids import is_asked_in
from workers.store.request_jobs import Asked
from workers.store.request_logs import SqlStore

THEIRS = "Only <@{asker}>, who asked for this change, can decide on it."


class NotYours(Exception):
    """A change that is not known here, or another person's to decide; with the sentence for whoever pressed."""


def load_decided(store: SqlStore, press: Press, request_id: str, number: int) -> RequestLog:
    """The log of the request whose change a press decides on. Raises: NotYours. StoreUnavailable."""
    log = load_pressed(store, request_id, press)
    if log is None or number >= len(log.proposals):
        raise NotYours(GONE)
    if log.question.asker != press.user:
        raise NotYours(THEIRS.format(asker=log.question.asker))
    return log


def load_for(store: SqlStore, request_id: str, team: str) -> RequestLog | None:
    """The log of a request; None when there is none, or another workspace's. Raises: StoreUnavailable."""
    try:
        log = store.load(request_id)
    except RequestNotFound:
        return None
    return log if log.question.team == team else None


def without_hidden(
    store: SqlStore, doors: Doors, asked: Asked, team: str, user: str, channel_of: Callable[[RequestLog], str]
) -> Asked:
    """A question without the headline of an answer that may not be shown to a person any more.

    ``channel_of``: the channel whose rights count, by the record of the question. Raises: StoreUnavailable, ChatError.
    """
    log = load_for(store, asked.request_id, team) if doors.closed and asked.headline else None
    gone = log is not None and not doors.may_read(log, team, user, channel_of(log))
    return replace(asked, headline="") if gone else asked


def load_pressed(store: SqlStore, request_id: str, press: Press) -> RequestLog | None:
    """The log that a button of a message names; None when it is of another channel. Raises: StoreUnavailable.

    An answer that could not be posted where it was asked went to its asker, whose button it is there.
    """
    log = load_for(store, request_id, press.team)
    if log is None or log.question.channel == press.channel:
        return log
    if press.channel.startswith("D"):
        return log if log.question.asker == press.user else None
    return log if is_asked_in(store.database, request_id, press.team, press.channel) else None
