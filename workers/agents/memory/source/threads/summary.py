"""Sums up a thread: by a language model where one is connected, else by its own sentences."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from workers.conversations.entries import need_thread
from workers.conversations.extract import extract
from workers.errors import ModelFailed
from workers.ports import Compressor
from workers.store.database import Database
from workers.store.threads import Entry, last_entries

MOST_ENTRIES, LONGEST_ENTRY, SUMMARY_TOKENS, SUMMARY_WORDS = 500, 2_000, 400, 250
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class ThreadSummary:
    """A summary of the newest ``entries``, made ``by`` a model or of sentences; ``decisions`` are word for word."""

    thread_id: str
    summary: str
    decisions: tuple[str, ...]
    by: str
    entries: int


def summarize_thread(
    database: Database, user_id: str, thread_id: str, compressor: Compressor | None = None
) -> ThreadSummary:
    """What a thread established.

    Raises:
        MemoryNotFound: there is no such thread.
        StoreUnavailable: the database cannot be reached.
    """
    need_thread(database, user_id, thread_id)
    entries = last_entries(database, user_id, thread_id, MOST_ENTRIES)
    decisions = tuple(entry.content for entry in entries if entry.type == "decision")
    texts = [spoken(entry) for entry in entries]
    if compressor is not None and texts:
        try:
            return ThreadSummary(thread_id, compressor(texts, SUMMARY_WORDS), decisions, "model", len(entries))
        except ModelFailed as error:
            LOG.warning("a thread is summed up by its own sentences: %s", error)
    return ThreadSummary(thread_id, extract(texts, SUMMARY_TOKENS), decisions, "sentences", len(entries))


def spoken(entry: Entry) -> str:
    """An entry with who said it."""
    return f"{entry.speaker}: {entry.content[:LONGEST_ENTRY]}" if entry.speaker else entry.content[:LONGEST_ENTRY]
