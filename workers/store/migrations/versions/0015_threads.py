"""Threads and what is remembered of them, contexts, memories, and tokens of the HTTP API."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from workers.store.tables import UtcDateTime

revision = "0015"
down_revision = "0014"

FULL_TEXT_SQLITE = (
    "create virtual table thread_entries_fts using fts5("
    "content, content='thread_entries', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2')",
    "create trigger thread_entries_added after insert on thread_entries begin"
    " insert into thread_entries_fts(rowid, content) values (new.id, new.content); end",
    "create trigger thread_entries_removed after delete on thread_entries begin"
    " insert into thread_entries_fts(thread_entries_fts, rowid, content) values ('delete', old.id, old.content); end",
    "create trigger thread_entries_changed after update of content on thread_entries begin"
    " insert into thread_entries_fts(thread_entries_fts, rowid, content) values ('delete', old.id, old.content);"
    " insert into thread_entries_fts(rowid, content) values (new.id, new.content); end",
)
FULL_TEXT_POSTGRESQL = (
    "create index ix_thread_entries_text on thread_entries using gin (to_tsvector('english', content))",
)


def upgrade() -> None:
    """Create the tables, and the full-text index in the way of each database."""
    create_threads()
    create_memory()
    sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in FULL_TEXT_SQLITE if sqlite else FULL_TEXT_POSTGRESQL:
        op.execute(statement)


def create_threads() -> None:
    """Threads, their entries, and how far clients have synced."""
    op.create_table(
        "thread_sequences",
        sa.Column("user_id", sa.String(200), primary_key=True),
        required("last_sequence", sa.BigInteger()),
    )
    op.create_table(
        "threads",
        sa.Column("user_id", sa.String(200), primary_key=True),
        sa.Column("thread_id", sa.String(64), primary_key=True),
        required("project_id", sa.String(128)),
        required("name", sa.String(200)),
        required("status", sa.String(16)),
        required("created_at", UtcDateTime()),
        required("updated_at", UtcDateTime()),
        required("edited_at", UtcDateTime()),
        required("sequence_id", sa.BigInteger()),
    )
    op.create_index("ix_threads_user_id_sequence_id", "threads", ["user_id", "sequence_id"])
    op.create_table(
        "thread_entries",
        sa.Column("id", sa.Integer(), primary_key=True),
        required("user_id", sa.String(200)),
        required("entry_id", sa.String(64)),
        required("thread_id", sa.String(64)),
        required("sequence_id", sa.BigInteger()),
        required("content", sa.Text()),
        required("author", sa.String(16)),
        required("type", sa.String(16)),
        required("timestamp", UtcDateTime()),
        required("edited_at", UtcDateTime()),
        required("deleted", sa.Boolean()),
        required("speaker", sa.String(200)),
        required("url", sa.Text()),
        required("words", sa.Integer()),
        sa.UniqueConstraint("user_id", "entry_id", name="uq_thread_entries_user_id_entry_id"),
    )
    for columns in (["user_id", "sequence_id"], ["user_id", "thread_id", "timestamp"]):
        op.create_index(f"ix_thread_entries_{'_'.join(columns)}", "thread_entries", columns)
    op.create_table(
        "thread_sync_status",
        sa.Column("user_id", sa.String(200), primary_key=True),
        sa.Column("client_id", sa.String(64), primary_key=True),
        required("last_synced_sequence", sa.BigInteger()),
        required("last_sync_at", UtcDateTime()),
        required("sync_error", sa.Text()),
    )


def create_memory() -> None:
    """Contexts, memories and tokens."""
    op.create_table(
        "oracle_contexts",
        sa.Column("id", sa.String(36), primary_key=True),
        required("user_id", sa.String(200)),
        required("project_id", sa.String(128)),
        required("session_start", UtcDateTime()),
        required("last_activity", UtcDateTime()),
        required("last_model", sa.String(200)),
        sa.Column("token_budget", sa.Integer(), nullable=False, server_default="16000"),
        required("tokens_used", sa.Integer()),
        required("compressed_summary", sa.Text()),
        *(required(f"{name}", sa.JSON()) for name in ("recent_exchanges", "key_decisions")),
        *(required(f"mentioned_{what}", sa.JSON()) for what in ("symbols", "files")),
        required("status", sa.String(16)),
        required("compression_count", sa.Integer()),
        sa.UniqueConstraint("user_id", "project_id", name="uq_oracle_contexts_user_id_project_id"),
    )
    op.create_table(
        "memories",
        sa.Column("id", sa.Integer(), primary_key=True),
        required("user_id", sa.String(200)),
        required("text", sa.Text()),
        required("url", sa.Text()),
        required("created_at", UtcDateTime()),
        sa.Column("forgotten_at", UtcDateTime()),
    )
    op.create_index("ix_memories_user_id_created_at", "memories", ["user_id", "created_at"])
    op.create_table(
        "api_tokens",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        required("id", sa.String(16)),
        required("user_id", sa.String(200)),
        required("name", sa.String(100)),
        required("created_at", UtcDateTime()),
        sa.Column("last_used_at", UtcDateTime()),
        sa.Column("revoked_at", UtcDateTime()),
        sa.UniqueConstraint("id", name="uq_api_tokens_id"),
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])


def required(name: str, kind: Any) -> sa.Column[Any]:
    """A column that is never empty."""
    return sa.Column(name, kind, nullable=False)
