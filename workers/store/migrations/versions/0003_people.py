"""What people say of answers, how channels are served, declared incidents, and the state of the sources."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the four tables, what lists show of a request, and the indexes that limits are counted by."""
    op.add_column("jobs", sa.Column("stopped_by", sa.String(32), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("asks_back", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("jobs", sa.Column("headline", sa.Text(), nullable=False, server_default=""))
    op.execute("update jobs set asks_back = (stage = 'waiting')")
    op.create_index("ix_jobs_channel_accepted_at", "jobs", ["channel", "accepted_at"])
    op.create_index("ix_jobs_asker_accepted_at", "jobs", ["asker", "accepted_at"])
    op.create_table(
        "feedback",
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("user", sa.String(32), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("request_id", "user", name="pk_feedback"),
    )
    op.create_table(
        "channel_settings",
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("agent", sa.String(64), nullable=False),
        sa.Column("verbosity", sa.String(16), nullable=False),
        sa.Column("changed_by", sa.String(32), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("team", "channel", name="pk_channel_settings"),
    )
    op.create_table(
        "incident_channels",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("ts", sa.String(32), nullable=False),
        sa.Column("opened_by", sa.String(32), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("resolved_by", sa.String(32), nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_incident_channels"),
    )
    op.create_index("ix_incident_channels_team_status", "incident_channels", ["team", "status"])
    op.create_index("ix_incident_channels_channel_status", "incident_channels", ["channel", "status"])
    op.create_table(
        "sources",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fresh_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("name", name="pk_sources"),
    )
