"""What a channel said, as if a worker had taken it out of the channel's inbox."""

from __future__ import annotations

from collections.abc import Callable

from workers.contracts import Change
from workers.store.channel_messages import clean_change, keep
from workers.store.database import Database
from workers.store.followed_channels import mark_dirty


def record_change(
    database: Database,
    team: str,
    channel: str,
    change: Change,
    clean: Callable[[str], str],
    *,
    settle_s: float,
    every_s: float,
) -> bool:
    """Keep what an event changed, and note that the summary is due. Returns: whether a worker should be called now.

    Raises: StoreUnavailable.
    """
    change = clean_change(change, clean)
    with database.begin(exclusive=True) as connection:
        keep(connection, team, channel, change)
        return mark_dirty(connection, team, channel, settle_s, every_s)
