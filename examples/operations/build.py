"""The operations data of an invented team that runs models."""

from __future__ import annotations

from datetime import datetime

from workers.agents.operations.source.database import open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours

REQUESTS = 20_000


def build_operations(address: str, now: datetime, seed: int) -> None:
    """Fill a database; what was there is replaced."""
    database = open_writing(address)
    try:
        fill(database, now, seed, REQUESTS)
        refresh_hours(database)
    finally:
        database.close()
