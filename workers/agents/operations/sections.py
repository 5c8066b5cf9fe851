"""What ``config/oracle.yaml`` says of operations data."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from workers.settings.load import Settings
from workers.settings.schema import DATABASE_ADDRESS, Section
from workers.settings.source_kinds import SourceKind


class ContextSource(Section):
    """The database of operations data: models, deployments, users, requests, incidents, scores.

    An empty ``url`` is ``context.db`` under ORACLE_HOME, once ``oracle load`` has made it. ``sql_url`` is the same
    database for `safe_sql_query`, as a role that may do nothing but read; empty = ``url``.
    """

    url: str = Field("", pattern=DATABASE_ADDRESS)
    sql_url: str = Field("", pattern=DATABASE_ADDRESS)


SECTIONS = {"context": ContextSource}
SOURCES = {"operations": SourceKind(lambda _: ("context",))}
DATA = "operations:context"


def data_file(settings: Settings) -> Path:
    """Where `oracle load` puts the data when no database is configured for them."""
    return settings.home / "context.db"


def data_address(settings: Settings) -> str:
    """SQLAlchemy address of the data; empty when there are none, or none to be seen."""
    if not settings.shows(DATA):
        return ""
    if configured := settings.section(ContextSource).url:
        return configured
    return loading_address(settings) if data_file(settings).is_file() else ""


def loading_address(settings: Settings) -> str:
    """Where `oracle load` writes to: the configured database, else the file under ORACLE_HOME."""
    return settings.section(ContextSource).url or f"sqlite:///{data_file(settings)}"


def sql_address(settings: Settings) -> str:
    """Where `safe_sql_query` reads; empty when there are no data, or none to be seen."""
    if not settings.shows(DATA):
        return ""
    return settings.section(ContextSource).sql_url or data_address(settings)
