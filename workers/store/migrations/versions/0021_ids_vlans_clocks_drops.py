"""The VLANs of what sensors saw, why packets were dropped, and how far a sensor's clock is ahead."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add columns."""
    for table in ("ids_alerts", "ids_connections"):
        op.add_column(table, sa.Column("vlans", sa.String(100), nullable=False, server_default=""))
    op.add_column("ids_connections", sa.Column("reason", sa.String(64), nullable=False, server_default=""))
    op.add_column("ids_sensors", sa.Column("ahead_s", sa.Double(), nullable=False, server_default="0"))
