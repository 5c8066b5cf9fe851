"""Logs of intrusion detection: how far they are read, alerts, connections, what was seen first when."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Create the tables."""
    create_logs()
    create_sightings()
    op.create_table(
        "ids_first_seen",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("value", sa.String(255), primary_key=True),
        sa.Column("host", sa.LargeBinary(16), primary_key=True),
        required("label", sa.Text()),
        required("first_at", sa.Double()),
        required("last_at", sa.Double()),
        required("events", sa.BigInteger()),
    )
    create_indexes("ids_first_seen", ["host", "first_at"], ["last_at"])


def create_logs() -> None:
    """Logs and sensors."""
    op.create_table(
        "ids_logs",
        sa.Column("key", sa.String(64), primary_key=True),
        required("path", sa.Text()),
        required("size", sa.BigInteger()),
        required("modified", sa.Double()),
        *(required(name, sa.BigInteger()) for name in ("offset", "lines", "broken")),
        required("whole", sa.Boolean()),
        required("read_at", sa.Double()),
        required("error", sa.Text()),
    )
    op.create_table(
        "ids_sensors",
        sa.Column("name", sa.String(200), primary_key=True),
        required("first_at", sa.Double()),
        required("last_at", sa.Double()),
        required("events", sa.BigInteger()),
    )


def create_sightings() -> None:
    """Alerts and connections."""
    op.create_table(
        "ids_alerts",
        *sighting_columns(),
        *(required(name, sa.BigInteger()) for name in ("gid", "sid", "rev")),
        required("signature", sa.Text()),
        required("category", sa.Text()),
        required("severity", sa.Integer()),
        required("action", sa.String(16)),
        required("mitre", sa.Text()),
        required("log", sa.String(64)),
        required("line", sa.BigInteger()),
    )
    create_indexes("ids_alerts", ["at"], ["src", "at"], ["dest", "at"], ["sid", "at"])
    op.create_table(
        "ids_connections",
        *sighting_columns(),
        required("kind", sa.String(16)),
        required("fingerprint", sa.String(64)),
        required("bytes_out", sa.BigInteger()),
        required("bytes_in", sa.BigInteger()),
    )
    create_indexes("ids_connections", ["at"], ["src", "dest", "at"], ["dest", "at"])


def sighting_columns() -> tuple[sa.Column[Any], ...]:
    """Who was seen with whom."""
    return (
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        required("at", sa.Double()),
        required("sensor", sa.String(200)),
        required("flow_id", sa.BigInteger()),
        required("src", sa.LargeBinary(16)),
        required("src_port", sa.Integer()),
        required("dest", sa.LargeBinary(16)),
        required("dest_port", sa.Integer()),
        required("proto", sa.String(16)),
        required("app_proto", sa.String(32)),
        required("name", sa.String(255)),
    )


def create_indexes(table: str, *indexes: list[str]) -> None:
    """Indexes by their columns."""
    for columns in indexes:
        op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)


def required(name: str, kind: Any) -> sa.Column[Any]:
    """A column that is never empty."""
    return sa.Column(name, kind, nullable=False)
