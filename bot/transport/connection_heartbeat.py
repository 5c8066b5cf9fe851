"""Notes that this process hears Slack, so that what nobody heard while it was away is read afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable

from bot.middleware.losses import Losses
from workers.errors import StoreUnavailable
from workers.store.connection_heartbeat import note_connection
from workers.store.database import Database

NOTED_S = 20.0
TRIED_S = 1.0
"""How soon it is noted after a connection is open again."""

log = logging.getLogger(__name__)


def note_connected(database: Database, connected: Callable[[], bool], losses: Losses) -> float:
    """Note it if it is so. Never raises.

    Args:
        database: where it stands; of all processes that take events in, one that hears is enough.
        connected: whether events can come in at this moment; returns at once.
        losses: since when events of Slack could not be kept.

    Returns: after how many seconds to note it again.
    """
    if not connected():
        return TRIED_S
    try:
        since_s = losses.since_s
        missed = note_connection(database, since_s)
        losses.made_good(since_s)
    except StoreUnavailable as error:
        log.debug("that Slack is heard cannot be noted: %s", error)
        return TRIED_S
    if missed:
        log.warning("Slack was not heard for a while: %s followed channels are read again", missed)
    return NOTED_S
