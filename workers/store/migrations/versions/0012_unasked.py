"""What is said unasked in a channel, whether an incident is followed there or not."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table; what is paused stays so, and what was said unasked counts."""
    op.create_table(
        "unasked",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("spoke_at", sa.Double()),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", name=op.f("pk_unasked")),
    )
    op.execute(
        sa.text(
            "insert into unasked (team, channel, paused, spoke_at, request_id)"
            " select team, channel, state = 'paused', spoke_at, '' from followed_channels"
            " where state = 'paused' or spoke_at is not null"
        )
    )
    op.execute(sa.text("update followed_channels set state = 'following' where state = 'paused'"))
    op.drop_column("followed_channels", "spoke_at")
