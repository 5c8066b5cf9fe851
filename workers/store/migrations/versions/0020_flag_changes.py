"""Changes of feature flags and settings that were told of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from workers.store.tables import UtcDateTime

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add a table."""
    op.create_table(
        "flag_changes",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("flag", sa.String(200), nullable=False),
        sa.Column("service", sa.String(200), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("change", sa.String(300), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("who", sa.String(200), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.UniqueConstraint("flag", "environment", "at", "change"),
    )
    op.create_index("ix_flag_changes_at", "flag_changes", ["at"])
