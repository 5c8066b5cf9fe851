"""Finds what was said: entries of a person's threads by full text and meaning together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from workers.memory.threads.question import Wanted, read_question
from workers.memory.threads.ranking import WEIGHTS, Weights, rank_entries
from workers.store.database import Database
from workers.store.thread_search import Position, load_entries, matches, positions
from workers.store.threads import Entry


@dataclass(frozen=True)
class Hit:
    """An entry that was found; ``before`` and ``after``: what was said around it, when that exists."""

    entry: Entry
    score: float
    before: Entry | None = None
    after: Entry | None = None


@dataclass(frozen=True)
class Search:
    """What the ranking of one question works on."""

    positions: tuple[Position, ...]
    wanted: Wanted
    held: tuple[set[int], ...]
    near: tuple[set[int], ...]


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
    search = look_up(database, user_id, query, now=now, timezone=timezone, thread_id=thread_id)
    best = rank_entries(search.positions, search.wanted, search.held, search.near, weights)[:limit]
    shown = {i for one in best for i in neighbours(search.positions, one.index)}
    with database.begin() as connection:
        loaded = load_entries(connection, [search.positions[i].id for i in sorted(shown)])

    def entry_at(index: int, of: int) -> Entry | None:
        return loaded.get(search.positions[index].id) if index in neighbours(search.positions, of) else None

    hits = []
    for one in best:
        entry = loaded.get(search.positions[one.index].id)
        if entry is not None:  # it may have been deleted since
            i = one.index
            hits.append(Hit(entry, round(one.score, 3), entry_at(i - 1, i), entry_at(i + 1, i)))
    return tuple(hits)


def look_up(
    database: Database, user_id: str, query: str, *, now: datetime, timezone: str = "UTC", thread_id: str = ""
) -> Search:
    """All that the ranking of a question needs. Raises: StoreUnavailable."""
    with database.begin() as connection:
        there = positions(connection, user_id, thread_id)
        speakers = {position.speaker.lower() for position in there} - {""}
        wanted = read_question(query, speakers, now, timezone)
        found = matches(connection, user_id, [*((word,) for word in wanted.words), *wanted.near], thread_id)
    number = len(wanted.words)
    return Search(there, wanted, tuple(found[:number]), tuple(found[number:]))


def neighbours(there: tuple[Position, ...], index: int) -> tuple[int, ...]:
    """An entry's place, with those of the ones right before and after it in its thread."""
    thread = there[index].thread_id
    return tuple(i for i in (index - 1, index, index + 1) if 0 <= i < len(there) and there[i].thread_id == thread)
