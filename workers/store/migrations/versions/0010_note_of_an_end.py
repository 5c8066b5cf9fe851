"""What whoever ended an incident said of that."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the column."""
    op.add_column("incident_channels", sa.Column("note", sa.Text(), nullable=False, server_default=""))
