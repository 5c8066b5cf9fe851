"""Threads, their sync and seeking, contexts, memories and tokens, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.thread_entries import MINUTE, NOON, said
from workers.agents.memory.source.memories import find_memory, forget, remember
from workers.agents.memory.source.threads.seek import seek
from workers.agents.memory.source.threads.sync import EntryChange, SyncRequest, ThreadChange, sync
from workers.agents.memory.source.threads.sync_status import synced
from workers.conversations.conversation import keep_exchange
from workers.conversations.entries import NewEntry, NewThread, begin_thread, push, read_thread
from workers.errors import MemoryConflict, MemoryNotFound
from workers.store.api_tokens import create_token, list_tokens, revoke_token, user_of
from workers.store.contexts import Exchange, load_context
from workers.store.database import Database, open_database
from workers.store.memories import list_memories
from workers.store.retention import forget_team
from workers.store.threads import Entry, Thread, changes_since, list_threads, merge

USER, OTHER = "T1/U1", "T1/U2"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def everything(database: Database, user: str) -> tuple[list[object], list[object]]:
    """All that is kept of a person, but for the numbers that the order of arrival gives."""
    changes = changes_since(database, user, 0, 100_000)
    threads = sorted((replace(t, sequence_id=0) for t in changes.threads), key=lambda t: t.thread_id)
    entries = sorted((replace(e, sequence_id=0) for e in changes.entries), key=lambda e: e.entry_id)
    return list(threads), list(entries)


# --- what comes together ----------------------------------------------------------------------------------------


def test_whatever_the_order_the_same_is_kept(database: Database) -> None:
    draw = random.Random(1)
    entries: list[Entry] = []
    for number in range(600):
        edit = MINUTE * draw.randrange(5)
        entry = said(f"e{number % 200}", f"word {draw.randrange(4)}", f"t{draw.randrange(7)}", draw.randrange(9))
        entries.append(replace(entry, edited_at=entry.timestamp + edit, deleted=draw.random() < 0.2))
    names = [
        Thread(f"t{draw.randrange(7)}", f"name {n}", NOON + n % 5 * MINUTE, NOON, NOON + n % 3 * MINUTE, "", status)
        for n, status in enumerate(draw.choices(["active", "archived", "blocked"], k=60))
    ]
    for user, seed in ((USER, 2), (OTHER, 3)):
        told = [*entries, *entries] if user == OTHER else entries
        heard = random.Random(seed).sample(told, len(told))
        for start in range(0, len(heard), 70):
            merge(database, user, random.Random(start + seed).sample(names, 20), heard[start : start + 70])
        merge(database, user, names, [])
    assert everything(database, USER) == everything(database, OTHER)


def test_what_is_known_already_changes_nothing(database: Database) -> None:
    first = merge(database, USER, [], [said("a", "one"), said("b", "two")])
    again = merge(database, USER, [], [said("b", "two"), said("a", "one")])
    assert again.sequence == first.sequence
    assert not again.changed


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(st.permutations(range(4)))
def test_of_two_versions_the_same_one_stays(database: Database, order: list[int]) -> None:
    versions = [
        said("v", "early"),
        said("v", "late", edited_at=NOON + MINUTE),
        said("v", "moved", "elsewhere", edited_at=NOON + MINUTE),
        said("v", "", edited_at=NOON + MINUTE, deleted=True),
    ]
    user = f"order {order}"
    for place in order:
        merge(database, user, [], [versions[place]])
    (entry,) = everything(database, user)[1]
    assert isinstance(entry, Entry)
    assert entry.deleted, "of equal times the deletion stays"


def test_writers_at_the_same_time_lose_nothing(database: Database) -> None:
    def write(number: int) -> None:
        for place in range(10):
            merge(database, USER, [], [said(f"w{number}-{place}", "x", f"t{number % 2}")])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    changes = changes_since(database, USER, 0, 1_000)
    numbers = [e.sequence_id for e in changes.entries] + [t.sequence_id for t in changes.threads]
    assert len(changes.entries) == 40
    assert len(set(numbers)) == len(numbers)


# --- sync -------------------------------------------------------------------------------------------------------


class Client:
    """A client that keeps what it hears."""

    def __init__(self, database: Database, name: str) -> None:
        self.database, self.name = database, name
        self.sequence = 0
        self.known: dict[str, Entry] = {}

    def sync(self, *entries: EntryChange, threads: tuple[ThreadChange, ...] = ()) -> None:
        """Until there is nothing more."""
        more, sent = True, entries
        while more:
            request = SyncRequest(
                client_id=self.name, last_synced_sequence=self.sequence, entries=sent, threads=threads
            )
            done = sync(self.database, USER, request, now=NOON)
            self.known.update((e.entry_id, e) for e in done.changes.entries)
            self.sequence, more, sent = done.changes.sequence, done.changes.more, ()


def change(entry_id: str, content: str, minutes: float = 0, **more: object) -> EntryChange:
    at = NOON + minutes * MINUTE
    values = {"thread_id": "plan", "timestamp": at, **more}
    return EntryChange.model_validate({"entry_id": entry_id, "content": content, **values})


def test_each_client_hears_what_it_lacks(database: Database) -> None:
    laptop, phone = Client(database, "laptop"), Client(database, "phone")
    laptop.sync(change("a", "one"), change("b", "two"))
    assert not laptop.known, "its own entries are not sent back"
    phone.sync(change("c", "three"))
    assert set(phone.known) == {"a", "b"}
    laptop.sync()
    assert set(laptop.known) == {"c"}
    phone.sync(change("a", "one, better", edited_at=NOON + MINUTE), change("b", "older", edited_at=NOON - MINUTE))
    assert phone.known["b"].content == "two", "the later version beats it, and comes back"
    laptop.sync()
    assert laptop.known["a"].content == "one, better"
    assert set(synced(database, USER)) == {"laptop", "phone"}


def test_pages_lose_nothing(database: Database) -> None:
    for start in range(0, 2_500, 500):
        merge(database, USER, [], [said(f"e{n}", "x", f"t{n % 3}", n) for n in range(start, start + 500)])
    reader = Client(database, "reader")
    reader.sync()
    assert len(reader.known) == 2_500


def test_status_and_deletion_reach_the_others(database: Database) -> None:
    laptop, phone = Client(database, "laptop"), Client(database, "phone")
    laptop.sync(change("a", "one"))
    archived = ThreadChange(thread_id="plan", name="The plan", status="archived", created_at=NOON)
    laptop.sync(change("a", "", edited_at=NOON + MINUTE, deleted=True), threads=(archived,))
    phone.sync()
    assert phone.known["a"].deleted
    assert phone.known["a"].content == ""
    (thread,) = list_threads(database, USER)
    assert (thread.name, thread.status, thread.entries) == ("The plan", "archived", 0)


def test_a_client_of_another_past_is_told_to_begin_again(database: Database) -> None:
    with pytest.raises(MemoryConflict, match="sync again from 0"):
        sync(database, USER, SyncRequest(client_id="laptop", last_synced_sequence=9), now=NOON)
    assert "from 0" in synced(database, USER)["laptop"][2]


# --- pushing, reading, seeking -----------------------------------------------------------------------------------


def test_pushed_is_read_and_listed(database: Database) -> None:
    begin_thread(database, USER, NewThread(thread_id="plan", name="Q3", project_id="shop"), now=NOON)
    for number in range(12):
        push(database, USER, "plan", NewEntry(content=f"step {number}"), now=NOON + number * MINUTE)
    thread, entries = read_thread(database, USER, "plan", 10)
    assert (thread.name, thread.entries, thread.updated_at) == ("Q3", 12, NOON + 11 * MINUTE)
    assert [entry.content for entry in entries] == [f"step {number}" for number in range(2, 12)]
    assert [t.thread_id for t in list_threads(database, USER, "active", "shop")] == ["plan"]
    assert not list_threads(database, OTHER)
    with pytest.raises(MemoryNotFound, match="you have no thread plan"):
        read_thread(database, OTHER, "plan", 10)
    with pytest.raises(MemoryConflict, match="there is a thread plan already"):
        begin_thread(database, USER, NewThread(thread_id="plan"), now=NOON)


def test_the_same_entry_is_kept_once(database: Database) -> None:
    wanted = NewEntry(content="a\x00b ✓ 𝄞", entry_id="one", url="https://x.example/p1")
    first, is_new = push(database, USER, "plan", wanted, now=NOON)
    again, is_new_again = push(database, USER, "plan", wanted, now=NOON + MINUTE)
    assert (is_new, is_new_again, again) == (True, False, first)
    with pytest.raises(MemoryConflict, match="there is another entry one already"):
        push(database, USER, "plan", NewEntry(content="else", entry_id="one"), now=NOON)


def test_what_was_said_is_found_by_words_meaning_speaker_and_time(database: Database) -> None:
    day = 24 * 60
    talk = [
        said("a1", "What do we do about the checkout timeouts?", "checkout", 0, speaker="Maya"),
        said("a2", "Decision: three retries with jitter, no more", "checkout", 1, speaker="Tom", type="decision"),
        said("b1", "The garden needs water", "home", 5, speaker="Tom"),
        said("c1", "Release on Friday as planned", "release", 10, speaker="Maya"),
        said("d1", "Release moved to Monday", "release", 20 * day, speaker="Tom"),
    ]
    merge(database, USER, [], talk)
    merge(database, OTHER, [], [said("z", "retries with jitter are the decision on checkout", "own")])

    def first(query: str, **more: str) -> str:
        hits = seek(database, USER, query, 5, now=NOON + timedelta(days=21), **more)  # type: ignore[arg-type]
        return hits[0].entry.entry_id if hits else ""

    assert first("how many retries did we decide on?") == "a2"
    assert first("checkout timeouts") == "a1"
    assert first("what did Maya say about the release") == "c1"
    assert first("what about the release yesterday") == "d1"
    assert first("gardens") == "b1", "by its stem"
    assert first("release", thread_id="home") == ""
    assert first("zebra") == ""
    (hit, *_) = seek(database, USER, "jitter", 5, now=NOON)
    assert hit.before is not None
    assert (hit.before.entry_id, hit.after) == ("a1", None)


def test_what_is_done_again_is_found_by_its_one_word(database: Database) -> None:
    talk = [
        said("r1", "Three retries, with jitter.", "calls", 0, type="decision"),
        said("r2", "The kettle boils many times a day.", "tea", 1),
        said("r3", "After a crash the pump restarts by itself.", "pump", 2),
    ]
    merge(database, USER, [], talk)
    for query, wanted in (("how many times do we try again", "r1"), ("who has the pump start again?", "r3")):
        (hit, *_) = seek(database, USER, query, 5, now=NOON)
        assert hit.entry.entry_id == wanted


def test_what_was_deleted_or_changed_is_not_found_as_it_was(database: Database) -> None:
    merge(database, USER, [], [said("a", "the password is swordfish"), said("b", "deploys run at noon")])
    assert seek(database, USER, "swordfish", 5, now=NOON)
    merge(database, USER, [], [said("a", "", edited_at=NOON + MINUTE, deleted=True)])
    merge(database, USER, [], [said("b", "deploys run at night", edited_at=NOON + MINUTE)])
    assert not seek(database, USER, "swordfish", 5, now=NOON)
    assert not seek(database, USER, "noon", 5, now=NOON)
    assert seek(database, USER, "night", 5, now=NOON)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=60)
    | st.sampled_from(['"', "a AND b OR", "NEAR(", "*", "a:b", "-x", "'; drop", "\x00", "last week"])
)
def test_any_query_is_answered(database: Database, query: str) -> None:
    merge(database, USER, [], [said("a", "a b near last week drop")])
    seek(database, USER, query.encode("utf-8", "replace").decode(), 5, now=NOON)


# --- contexts, memories, tokens ----------------------------------------------------------------------------------


def test_a_conversation_is_kept_within_its_budget_and_found_in_its_thread(database: Database) -> None:
    for number in range(60):
        exchange = Exchange(
            f"what of part {number}?", f"Part {number} runs on host-{number:03}. " + "It is fine. " * 150
        )
        decided = [f"Decision: part {number} stays."] if number % 20 == 0 else []
        moment = NOON + number * MINUTE
        context = keep_exchange(database, USER, "Shop (EU)", exchange, decisions=decided, now=moment)
        assert context.tokens_used <= context.token_budget
    assert context.compression_count >= 1
    assert load_context(database, USER, "Shop (EU)") == context
    assert context.key_decisions == tuple(f"Decision: part {number} stays." for number in (0, 20, 40))
    assert load_context(database, OTHER, "Shop (EU)") is None
    (hit, *_) = seek(database, USER, "on which host does part 3 run", 3, now=NOON)
    found = (hit.before, hit.entry, hit.after)
    assert any("host-003" in entry.content for entry in found if entry), "the answer, or the question right before it"


def test_what_is_remembered_can_be_forgotten(database: Database) -> None:
    first = remember(database, USER, "no deploys  on Fridays", "https://x.example/p2")
    assert remember(database, USER, "no deploys on Fridays") == first
    second = remember(database, USER, "I am on call this week")
    remember(database, OTHER, "no deploys on Mondays")
    assert [m.text for m in list_memories(database, USER)] == ["I am on call this week", "no deploys on Fridays"]
    assert find_memory(database, USER, "deploy on Fridays") == first
    assert find_memory(database, USER, str(second.id)) == second
    with pytest.raises(MemoryNotFound):
        find_memory(database, USER, "Mondays")
    forget(database, USER, first.id)
    with pytest.raises(MemoryNotFound):
        forget(database, USER, first.id)
    with pytest.raises(MemoryNotFound):
        forget(database, OTHER, second.id)
    with pytest.raises(MemoryConflict, match="nothing to remember"):
        remember(database, USER, "  ")


def test_tokens_open_until_they_are_revoked(database: Database) -> None:
    token, token_id = create_token(database, USER, "laptop", at=NOON)
    assert user_of(database, token, at=NOON) == USER
    assert user_of(database, token[:-1], at=NOON) == ""
    (listed,) = list_tokens(database, USER)
    assert (listed.id, listed.name, listed.last_used_at) == (token_id, "laptop", NOON)
    assert revoke_token(database, token_id)
    assert not revoke_token(database, token_id)
    assert user_of(database, token, at=NOON) == ""


def test_what_people_keep_goes_with_their_workspace(database: Database) -> None:
    for user in (USER, "T1_/U1", "T2/U1"):
        merge(database, user, [], [said("a", "the plan")])
        remember(database, user, "likes tea")
        create_token(database, user)
    with database.begin() as connection:
        forget_team(connection, "T1")
    assert not everything(database, USER)[1]
    assert not list_memories(database, USER)
    assert not seek(database, USER, "plan", 5, now=NOON)
    assert len(list_tokens(database)) == 2
    assert all(list_memories(database, user) for user in ("T1_/U1", "T2/U1"))
