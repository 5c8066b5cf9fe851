"""``python -m bench sync``: many entries, sent out of order and twice by two clients, and what each has in the end.

The clients have the same entries in versions of their own, some deleted, and send them in an order of their own. Each
is then asked once more for what it lacks. All have to hold the same: both clients, and a person whose one client sent
everything once and in order.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from workers.agents.memory.source.threads.sync import MOST_SENT, EntryChange, SyncRequest, sync
from workers.store.database import Database, open_database
from workers.store.migrate import migrate
from workers.store.threads import Entry, changes_since, version_of

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
WORDS = "retry latency deploy cache index rollback owner budget queue gateway".split()


class Client:
    """A client that keeps what it has and what it hears: of two versions the greater."""

    def __init__(self, database: Database, user: str, name: str) -> None:
        self.database, self.user, self.name = database, user, name
        self.sequence, self.entries = 0, dict[str, Entry]()

    def keep(self, entries: Sequence[Entry]) -> None:
        """The greatest version of each."""
        for entry in entries:
            known = self.entries.get(entry.entry_id)
            if known is None or version_of(entry) > version_of(known):
                self.entries[entry.entry_id] = replace(entry, sequence_id=0)

    def sync(self, sent: Sequence[EntryChange] = ()) -> None:
        """Send some, and hear until there is nothing more."""
        more = True
        while more:
            request = SyncRequest(client_id=self.name, last_synced_sequence=self.sequence, entries=tuple(sent))
            done = sync(self.database, self.user, request, now=NOON)
            self.keep(done.changes.entries)
            self.sequence, more, sent = done.changes.sequence, done.changes.more, ()


def main(args: list[str]) -> None:
    """Sync, compare, and print a line."""
    parser = argparse.ArgumentParser(prog="python -m bench sync")
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--database", default="", help="postgresql://…; SQLite when left out")
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory(prefix="oracle-sync-") as folder:
        database = open_database(given.database or f"sqlite:///{folder}/oracle.db")
        migrate(database)
        measure(database, given.entries)
        database.close()


def measure(database: Database, number: int) -> None:
    """Two clients that send out of order and twice, and one that sends in order and once."""
    versions = [make_versions(number, seed) for seed in (1, 2)]
    pair = [Client(database, f"pair-{number}", name) for name in ("laptop", "phone")]
    began, calls = time.perf_counter(), 0
    for client, own in zip(pair, versions, strict=True):
        client.keep([as_entry(change) for change in own])
    orders = [shuffled([*own, *own], seed) for seed, own in enumerate(versions, 3)]
    for start in range(0, len(orders[0]), MOST_SENT):
        for client, order in zip(pair, orders, strict=True):
            client.sync(order[start : start + MOST_SENT])
            calls += 1
    for client in pair:
        client.sync()
    seconds = time.perf_counter() - began
    single = Client(database, f"single-{number}", "desk")
    for start in range(0, number * 2, MOST_SENT):
        single.sync([*versions[0], *versions[1]][start : start + MOST_SENT])
    kept = [stored(database, client.user) for client in (pair[0], single)]
    again = changes_since(database, pair[0].user, 0, 10**6).sequence
    pair[0].sync(orders[0][:MOST_SENT])
    print("| entries | sent | calls | s | clients equal | equal to sent once in order | sent again changes nothing |")
    print("|---|---|---|---|---|---|---|")
    cells = [f"{number:,}", f"{4 * number:,}", str(calls), f"{seconds:.1f}"]
    cells.append(str(pair[0].entries == pair[1].entries == kept[0]))
    cells.append(str(kept[0] == kept[1]))
    cells.append(str(changes_since(database, pair[0].user, 0, 10**6).sequence == again))
    print(f"| {' | '.join(cells)} |")


def make_versions(number: int, seed: int) -> list[EntryChange]:
    """Entries as one client has them: some edited, some deleted, some moved."""
    draw, found = random.Random(seed), []
    for i in range(number):
        at = NOON + timedelta(minutes=i)
        edited = at + timedelta(seconds=draw.choice([0, 0, 30, 60]))
        gone, same = draw.random() < 0.05, edited == at
        words = "" if gone else f"{i} {WORDS[i % 10] if same else ' '.join(draw.sample(WORDS, 3))}"
        thread = f"t{i % 97 if same else draw.randrange(97)}"
        found.append(
            EntryChange(entry_id=f"e{i}", thread_id=thread, content=words, timestamp=at, edited_at=edited, deleted=gone)
        )
    return found


def as_entry(change: EntryChange) -> Entry:
    """What a client has."""
    return Entry(**change.model_dump())


def shuffled(entries: list[EntryChange], seed: int) -> list[EntryChange]:
    """In another order."""
    return random.Random(seed).sample(entries, len(entries))


def stored(database: Database, user: str) -> dict[str, Entry]:
    """All entries of a person."""
    kept = changes_since(database, user, 0, 10**6).entries
    return {entry.entry_id: replace(entry, sequence_id=0) for entry in kept}
