"""What happens to requests that were asked over HTTP."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the table; who asks over HTTP may have a longer name than people of Slack have."""
    with op.batch_alter_table("jobs") as jobs:
        jobs.alter_column("asker", type_=sa.String(200), existing_type=sa.String(32), existing_nullable=False)
    op.create_table(
        "request_events",
        sa.Column("request_id", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
    )
