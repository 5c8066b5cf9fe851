"""What people of a channel want of what they did not ask for."""

from __future__ import annotations

from workers.store.channels import channel_settings
from workers.store.database import Database
from workers.store.following import followed


def wants_nothing(database: Database, team: str, channel: str) -> bool:
    """Whether the people of a channel want nothing there, or nothing for now. Raises: StoreUnavailable."""
    if channel_settings(database, team, channel).mode == "off":
        return True
    known = followed(database, team, channel)
    return known is not None and known.state == "paused"
