"""The log of every request, and the deploys that are known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create both tables."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "requests",
        sa.Column("request_id", sa.String(64), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("question_type", sa.String(32), nullable=False),
        sa.Column("grounded", sa.Boolean(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("log", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name="pk_requests"),
    )
    op.create_index("ix_requests_created_at", "requests", ["created_at"])
    op.create_table(
        "deploys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("service", sa.String(200), nullable=False),
        sa.Column("version", sa.String(200), nullable=False),
        sa.Column("commit", sa.String(64), nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deploys"),
        sa.UniqueConstraint("service", "version", "at", name="uq_deploys_service_version_at"),
    )
    op.create_index("ix_deploys_at", "deploys", ["at"])


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("deploys")
    op.drop_table("requests")
