"""Requests, followed channels and groups of alerts are leased alike: each has what the others had."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the columns; a request that waits goes on waiting, as what waits is due later."""
    op.add_column("jobs", sa.Column("wait_until", sa.Double(), nullable=False, server_default="0"))
    for table in ("followed_channels", "alert_groups"):
        for name in ("delays", "lost_leases"):
            op.add_column(table, sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
        op.add_column(table, sa.Column("error", sa.Text(), nullable=False, server_default=""))
