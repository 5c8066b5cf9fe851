"""What the language model used, by day and person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "spending",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("asker", sa.String(64), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("day", "team", "asker", name="pk_spending"),
    )
