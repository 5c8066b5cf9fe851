"""Finds what was said: entries of a person's threads by full text and meaning together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakKeyDictionary

from sqlalchemy import Connection

from workers.agents.memory.source.threads.entry_search import load_entries, matches, positions
from workers.agents.memory.source.threads.question import read_question
from workers.agents.memory.source.threads.ranking import WEIGHTS, Layout, Signals, Weights, read_signals, weigh
from workers.store.database import Database
from workers.store.threads import Entry, last_sequence

MOST_LAYOUTS = 16
"""So many layouts of people's threads a process keeps, for who seeks again before anything changes."""
lock = threading.Lock()
layouts: WeakKeyDictionary[Database, OrderedDict[tuple[str, str], tuple[int, Layout]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Hit:
    """An entry that was found; ``before`` and ``after``: what was said around it, when that exists."""

    entry: Entry
    score: float
    before: Entry | None = None
    after: Entry | None = None


def seek(
    database: Database,
    user_id: str,
    query: str,
    limit: int,
    *,
    now: datetime,
    timezone: str = "UTC",
    thread_id: str = "",
    weights: Weights = WEIGHTS,
) -> tuple[Hit, ...]:
    """The entries that answer a question best, best first.

    Args:
        database: with tables of today's version.
        user_id: whose threads are sought; nobody else's are looked at.
        query: a question or words.
        limit: at most so many.
        now: aware; what "last week" is counted from.
        timezone: of the person.
        thread_id: only this thread; all when empty.
        weights: what each signal counts.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    layout, signals = look_up(database, user_id, query, now=now, timezone=timezone, thread_id=thread_id)
    best = weigh(layout, signals, weights)[:limit]
    shown = sorted({i for one in best for i in neighbours(layout, one.index)})
    with database.begin() as connection:
        loaded = load_entries(connection, [layout.positions[i].id for i in shown])
    hits = []
    for one in best:
        entry = loaded.get(layout.positions[one.index].id)
        if entry is None or entry.deleted:  # since it was found
            continue
        around = {i: loaded.get(layout.positions[i].id) for i in neighbours(layout, one.index)}
        hits.append(Hit(entry, round(one.score, 3), around.get(one.index - 1), around.get(one.index + 1)))
    return tuple(hits)


def look_up(
    database: Database, user_id: str, query: str, *, now: datetime, timezone: str = "UTC", thread_id: str = ""
) -> tuple[Layout, Signals]:
    """All that the ranking of a question needs. Raises: StoreUnavailable."""
    with database.begin() as connection:
        layout = layout_of(database, connection, user_id, thread_id)
        wanted = read_question(query, layout.said_by.keys(), now, timezone)
        groups = [*((word,) for word in wanted.words), *wanted.near] if layout.entries else []
        found = matches(connection, user_id, groups, thread_id)
    number = len(wanted.words)
    return layout, read_signals(layout, wanted, found[:number], found[number:])


def layout_of(database: Database, connection: Connection, user_id: str, thread_id: str) -> Layout:
    """The layout of a person's entries as they are now; the one from before when nothing has changed since."""
    sequence = last_sequence(connection, user_id)
    key = user_id, thread_id
    with lock:
        known = layouts.setdefault(database, OrderedDict())
        if key in known and known[key][0] == sequence:
            known.move_to_end(key)
            return known[key][1]
    layout = Layout(positions(connection, user_id, thread_id))
    with lock:
        known[key] = sequence, layout
        known.move_to_end(key)
        while len(known) > MOST_LAYOUTS:
            known.popitem(last=False)
    return layout


def neighbours(layout: Layout, index: int) -> tuple[int, ...]:
    """An entry's place, with those of the ones right before and after it in its thread."""
    places = (i for i in (index - 1, index, index + 1) if 0 <= i < layout.entries)
    return tuple(i for i in places if layout.thread[i] == layout.thread[index])
