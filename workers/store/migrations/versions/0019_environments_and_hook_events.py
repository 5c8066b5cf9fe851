"""The environment of an alert; how many events each hook took, and why it did not take the last one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from workers.store.tables import UtcDateTime

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add a column and a table."""
    op.add_column("alerts", sa.Column("environment", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "hook_events",
        sa.Column("hook", sa.String(64), primary_key=True),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("ignored", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("last_at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reason_at", UtcDateTime()),
    )
