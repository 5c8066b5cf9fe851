"""Deploys that several sources tell of, and the alerts that Alertmanager told of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """One deploy to two environments at the same moment is two; the table of alerts."""
    moment = sa.DateTime(timezone=True)
    with op.batch_alter_table("deploys") as table:
        table.add_column(sa.Column("repeats", sa.Boolean(), nullable=False, server_default=sa.false()))
        table.drop_constraint("uq_deploys_service_version_at", type_="unique")
        table.create_unique_constraint(
            "uq_deploys_service_environment_version_at", ["service", "environment", "version", "at"]
        )
    op.create_table(
        "alerts",
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("starts_at", moment, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("ends_at", moment, nullable=True),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("runbook_url", sa.Text(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", "starts_at", name="pk_alerts"),
    )
    op.create_index("ix_alerts_starts_at", "alerts", ["starts_at"])
