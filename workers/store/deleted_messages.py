"""A message that its author deleted in Slack is deleted here too: what it asked, what was kept of it, its answer's log.

What others quoted of it, and what an answer elsewhere said, stays until its time is over.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, and_, delete, select, update

from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.request_jobs import REQUESTS
from workers.store.tables import events, jobs, requests, thread_entries, thread_sequences
from workers.store.threads import lock_sequence, message_entry_id

WORDS = ("text", "context", "unread", "remembered")
"""Of a question, what people wrote."""


def forget_message(database: Database, team: str, channel: str, ts: str) -> bool:
    """Forget a message. Returns: whether anything was known of it. Raises: StoreUnavailable.

    Whoever works on what it asked loses the lease, and nobody goes on.
    """
    here = and_(events.c.channel == channel, events.c.ts == ts)
    entry = message_entry_id(channel, ts)
    direct = channel.startswith("D")  # its threads are a person's
    of = thread_entries.c.user_id
    spoken = of.startswith(f"{team}/", autoescape=True) if direct else of == f"{team}/{channel}"
    kept = select(thread_entries.c.entry_id).where(spoken, thread_entries.c.entry_id == entry).limit(1)
    with database.begin() as connection:  # most messages were never for the app: they take no lock
        if not connection.execute(select(events.c.id).where(here)).first() and not connection.execute(kept).first():
            return False
    with database.begin(exclusive=True) as connection:
        entries = [entry]
        for request_id in connection.execute(select(events.c.request_id).where(here)).scalars().all():
            entries += forget_request(connection, request_id, team, ts)
        holding = select(of).where(spoken, thread_entries.c.entry_id.in_(entries)).distinct()
        for user_id in connection.execute(holding).scalars().all():
            forget_entries(connection, user_id, entries)
    return True


def forget_request(connection: Connection, request_id: str, team: str, ts: str) -> list[str]:
    """End what a message asked and blank it, or the reply that it was. Returns: the ids of its answers' entries."""
    mine = and_(jobs.c.request_id == request_id, jobs.c.team == team)
    columns = (jobs.c.question, jobs.c.reply, jobs.c.sent, jobs.c.open)
    row = connection.execute(select(*columns).where(mine).with_for_update()).first()
    if row is None:
        return []
    if ts not in {row.question.get("ts"), row.question.get("edits")}:
        if row.reply and row.reply.get("ts") == ts:
            left = {**row.reply, "text": ""} if row.open else None
            connection.execute(update(jobs).where(mine).values(reply=left))
        return []
    blank: dict[str, Any] = {"text": "", **{name: [] for name in WORDS[1:]}}
    gone = {"question": {**row.question, **blank}, "reply": None, "log": None, "headline": "", "raw": False}
    ended = {**REQUESTS.released(0, "deleted"), "stage": "done", "open": False, "finished_at": now_s()}
    connection.execute(update(jobs).where(mine).values(**gone, **ended))
    connection.execute(delete(requests).where(requests.c.request_id == request_id))
    return [message_entry_id(row.question.get("channel", ""), sent) for sent in row.sent.values() if sent]


def forget_entries(connection: Connection, user_id: str, entries: list[str]) -> None:
    """Leave of entries only that they were: whoever syncs the threads is told so."""
    found = and_(thread_entries.c.user_id == user_id, thread_entries.c.entry_id.in_(entries), ~thread_entries.c.deleted)
    number = lock_sequence(connection, user_id)
    for row in connection.execute(select(thread_entries.c.id).where(found)).scalars().all():
        number += 1
        gone = {
            "content": "",
            "speaker": "",
            "url": "",
            "words": 0,
            "deleted": True,
            "sequence_id": number,
            "edited_at": datetime.now(UTC),
        }
        connection.execute(update(thread_entries).where(thread_entries.c.id == row).values(gone))
    connection.execute(
        update(thread_sequences).where(thread_sequences.c.user_id == user_id).values(last_sequence=number)
    )
