"""The tables. Times are stored in UTC and come back aware."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

HEAD = "0001"
"""The migration these tables stand for."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: aware going in, UTC and aware coming out, also where the database knows no time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy passes it
        """To UTC. Raises: ValueError: the moment is naive."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored moment needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy passes it
        """To an aware moment."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

requests = Table(
    "requests",
    metadata,
    Column("request_id", String(64), primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("state", String(16), nullable=False),
    Column("question_type", String(32), nullable=False),
    Column("grounded", Boolean, nullable=False),
    Column("question", Text, nullable=False),
    Column("log", JSON, nullable=False),
    Index(None, "created_at"),
)

deploys = Table(
    "deploys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("service", String(200), nullable=False),
    Column("version", String(200), nullable=False),
    Column("commit", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("environment", String(64), nullable=False),
    Column("source", String(64), nullable=False),
    UniqueConstraint("service", "version", "at"),
    Index(None, "at"),
)
