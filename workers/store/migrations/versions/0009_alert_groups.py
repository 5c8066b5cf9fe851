"""Groups of alerts, each with its thread; where an alert comes from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the table and the column."""
    op.add_column("alerts", sa.Column("generator_url", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "alert_groups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("ts", sa.String(32), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("members", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("again_at", sa.DateTime(timezone=True)),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown", sa.Integer(), nullable=False),
        sa.Column("looked", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.Double()),
        sa.Column("wait_until", sa.Double(), nullable=False),
        sa.Column("published_at", sa.Double(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Double()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_groups"),
    )
    op.create_index("ix_alert_groups_key", "alert_groups", ["key"])
    op.create_index("ix_alert_groups_due_at", "alert_groups", ["due_at"])
