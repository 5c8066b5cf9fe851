"""Entries of threads to put together in tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from workers.store.threads import Entry

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def said(entry_id: str, content: str, thread_id: str = "plan", minutes: float = 0, **more: Any) -> Entry:
    """An entry so many minutes after noon."""
    at = NOON + minutes * MINUTE
    values = {"author": "user", "type": "thought", "timestamp": at, "edited_at": at, **more}
    return Entry(entry_id=entry_id, thread_id=thread_id, content=content, **values)
