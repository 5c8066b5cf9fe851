"""Answers that are given again to the same question."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from workers.store.tables import UtcDateTime

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "kept_answers",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
    )
