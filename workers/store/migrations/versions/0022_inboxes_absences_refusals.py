"""What people wrote is kept first and cleaned later; what was missed and refused is known; whether writing works."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from workers.store.tables import UtcDateTime, lease_columns

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add a column and tables."""
    op.add_column("jobs", sa.Column("raw", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "channel_inbox",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("change", sa.JSON(), nullable=False),
    )
    op.create_index("ix_channel_inbox_team_channel", "channel_inbox", ["team", "channel"])
    op.create_table(
        "channel_inboxes",
        sa.Column("team", sa.String(32), primary_key=True),
        sa.Column("channel", sa.String(32), primary_key=True),
        *lease_columns(),
    )
    op.create_index("ix_channel_inboxes_due_at", "channel_inboxes", ["due_at"])
    op.create_table(
        "absences",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.Column("read", sa.JSON(), nullable=False),
        *lease_columns(),
    )
    op.create_index("ix_absences_due_at", "absences", ["due_at"])
    op.create_table(
        "refusals",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("door", sa.String(64), primary_key=True),
        sa.Column("reason", sa.String(32), primary_key=True),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "write_probes",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("filler", sa.Text(), nullable=False),
    )
