"""Followed channels, their messages, and what people corrected."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "followed_channels",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("why", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("since_ts", sa.String(32), nullable=False),
        sa.Column("before_ts", sa.String(32), nullable=False),
        sa.Column("read_count", sa.Integer(), nullable=False),
        sa.Column("read_done", sa.Boolean(), nullable=False),
        sa.Column("dirty", sa.Integer(), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("dirty_at", sa.Double()),
        sa.Column("due_at", sa.Double()),
        sa.Column("wait_until", sa.Double(), nullable=False),
        sa.Column("published_at", sa.Double(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Double()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("spoke_at", sa.Double()),
        sa.Column("incident_id", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.Double()),
        sa.PrimaryKeyConstraint("team", "channel", name="pk_followed_channels"),
    )
    op.create_table(
        "channel_messages",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("ts", sa.String(32), nullable=False),
        sa.Column("thread_ts", sa.String(32), nullable=False),
        sa.Column("user", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("bot", sa.Boolean(), nullable=False),
        sa.Column("said", sa.Boolean(), nullable=False),
        sa.Column("edited", sa.Boolean(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Double(), nullable=False),
        sa.Column("replies_after", sa.String(32)),
        sa.PrimaryKeyConstraint("team", "channel", "ts", name="pk_channel_messages"),
    )
    op.create_table(
        "channel_reactions",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("ts", sa.String(32), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("user", sa.String(32), nullable=False),
        sa.Column("added", sa.Boolean(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", "ts", "name", "user", name="pk_channel_reactions"),
    )
    op.create_table(
        "slack_names",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("user", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("known_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("team", "user", name="pk_slack_names"),
    )
    op.create_table(
        "channel_looks",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("user", sa.String(32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", "user", name="pk_channel_looks"),
    )
    op.create_table(
        "incident_corrections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("incident_id", sa.Integer(), nullable=False),
        sa.Column("entry", sa.String(100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True)),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.Column("by", sa.String(32), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_incident_corrections"),
    )
    op.create_index("ix_followed_channels_due_at", "followed_channels", ["due_at"])
    op.create_index("ix_channel_messages_version", "channel_messages", ["version"])
    op.create_index("ix_channel_reactions_at", "channel_reactions", ["at"])
    op.create_index("ix_incident_corrections_incident_id", "incident_corrections", ["incident_id"])
