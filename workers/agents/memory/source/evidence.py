"""What is remembered, as evidence that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from workers.agents.memory.source.threads.seek import Hit, seek
from workers.contracts import Evidence, Fact, rfc3339
from workers.store.database import Database
from workers.store.memories import Memory
from workers.store.threads import Entry, Thread

APP_AUTHOR = "oracle"
"""The author of what the app itself said."""
WIDER = 3
"""So many times more entries are looked through as are wanted: some are the app's own, and others rank them anew."""
LONGEST_EXCERPT, LONGEST_NEIGHBOUR = 2_000, 400


def around(hit: Hit) -> str:
    """An entry between its neighbours, each line with who said it."""
    shown = [(hit.before, LONGEST_NEIGHBOUR), (hit.entry, LONGEST_EXCERPT), (hit.after, LONGEST_NEIGHBOUR)]
    return "\n".join(f"{said_by(one)}: {one.content[:most]}" for one, most in shown if one is not None)


def seek_evidence(
    database: Database,
    spaces: Iterable[str],
    query: str,
    most: int,
    *,
    now: datetime,
    timezone: str,
    thread_id: str = "",
) -> list[Hit]:
    """What people said that answers a question best, of one space that may be read after the other.

    What the app answered is kept with the question that it was asked; it is no evidence for another one.
    Arguments as of `workers.agents.memory.source.threads.seek.seek`. Raises: StoreUnavailable.
    """
    return [
        replace(hit, before=unless_own(hit.before), after=unless_own(hit.after))
        for space in spaces
        for hit in seek(database, space, query, most * WIDER, now=now, timezone=timezone, thread_id=thread_id)
        if unless_own(hit.entry)
    ]


def unless_own(entry: Entry | None) -> Entry | None:
    """The entry, or None where the app itself said it."""
    return None if entry is None or entry.author == APP_AUTHOR else entry


def said_by(entry: Entry) -> str:
    """The name of who said it."""
    return entry.speaker or entry.author


def entry_evidence(entry: Entry, excerpt: str = "") -> Evidence:
    """An entry: a message where it has an address in Slack, else a note."""
    entity = f"{entry.thread_id}#{entry.entry_id}"
    facts = {
        "author": Fact(value=said_by(entry), entity=entity),
        "at": Fact(value=rfc3339(entry.timestamp), unit="time", entity=entity),
        "thread": Fact(value=entry.thread_id, entity=entity),
        "text": Fact(value=entry.content[:LONGEST_EXCERPT], entity=entity),
        "type": Fact(value=entry.type, entity=entity),
    }
    return Evidence(
        kind="message" if entry.url else "note",
        title=f"{said_by(entry)} in {entry.thread_id}",
        locator=f"thread:{entity}",
        url=entry.url or None,
        excerpt=excerpt or entry.content[:LONGEST_EXCERPT],
        facts=facts,
        observed_at=entry.timestamp,
    )


def memory_evidence(memory: Memory) -> Evidence:
    """Something that is remembered."""
    entity = f"memory {memory.id}"
    facts = {
        "text": Fact(value=memory.text, entity=entity),
        "at": Fact(value=rfc3339(memory.created_at), unit="time", entity=entity),
        "id": Fact(value=memory.id, unit="count", entity=entity),
    }
    url = memory.url or None
    return Evidence(kind="note", title=entity, locator=f"memory:{memory.id}", url=url, excerpt=memory.text, facts=facts)


def thread_evidence(thread: Thread) -> Evidence:
    """A thread, without its entries."""
    name = thread.thread_id
    facts = {
        "thread": Fact(value=name),
        "status": Fact(value=thread.status, entity=name),
        "entries": Fact(value=thread.entries, unit="count", entity=name),
        "at": Fact(value=rfc3339(thread.updated_at), unit="time", entity=name),
    }
    return Evidence(
        kind="note", title=thread.name, locator=f"thread:{name}", facts=facts, observed_at=thread.updated_at
    )
