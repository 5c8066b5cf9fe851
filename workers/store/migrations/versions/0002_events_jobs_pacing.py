"""What was accepted, how far each request is, and the pace of each channel."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("event_id", sa.String(128), nullable=False),
        sa.Column("channel", sa.String(32)),
        sa.Column("ts", sa.String(32)),
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("accepted_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.UniqueConstraint("team", "event_id", name="uq_events_team_event_id"),
        sa.UniqueConstraint("channel", "ts", name="uq_events_channel_ts"),
    )
    op.create_table(
        "jobs",
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("team", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("thread_ts", sa.String(32), nullable=False),
        sa.Column("asker", sa.String(32), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("reply", sa.JSON()),
        sa.Column("log", sa.Text()),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("open", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Double()),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("published_at", sa.Double(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("delays", sa.Integer(), nullable=False),
        sa.Column("lost_leases", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("sent", sa.JSON(), nullable=False),
        sa.Column("progress_ts", sa.String(32), nullable=False),
        sa.Column("accepted_at", sa.Double(), nullable=False),
        sa.Column("waiting_since", sa.Double(), nullable=False),
        sa.Column("finished_at", sa.Double()),
        sa.PrimaryKeyConstraint("request_id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_open_due_at", "jobs", ["open", "due_at"])
    op.create_index("ix_jobs_channel_thread_ts", "jobs", ["channel", "thread_ts"])
    op.create_table(
        "pacing",
        sa.Column("channel", sa.String(64), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("channel", name="pk_pacing"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("pacing")
    op.drop_table("jobs")
    op.drop_table("events")
