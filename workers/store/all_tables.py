"""The tables of the core with those that slices bring: what the migrations make."""

from __future__ import annotations

from sqlalchemy import MetaData

from workers.settings.contributions import own_contributions
from workers.store.tables import metadata


def load_all_tables() -> MetaData:
    """`workers.store.tables.metadata` with the tables of slices in it; their modules are imported."""
    for one in own_contributions().get("tables", ()):
        one.load()
    return metadata
