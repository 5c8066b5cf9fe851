"""What a person asked to remember: kept, found again by what it says, and forgotten."""

from __future__ import annotations

from workers.errors import MemoryConflict, MemoryNotFound
from workers.language.stop_words import content_words
from workers.language.tokens import stems_in
from workers.store.database import Database
from workers.store.memories import Memory, add_memory, count_memories, forget_memory, list_memories

LONGEST_TEXT, MOST_MEMORIES, MOST_NEAR = 2_000, 1_000, 5


def remember(database: Database, user_id: str, text: str, url: str = "") -> Memory:
    """Remember something for a person; the same text again changes nothing.

    Raises:
        MemoryConflict: it says nothing, is too long, or there is no room.
        StoreUnavailable: the database cannot be reached.
    """
    said = " ".join(text.split())
    if not said:
        raise MemoryConflict("there is nothing to remember: say what")
    if len(said) > LONGEST_TEXT:
        raise MemoryConflict(f"a memory has at most {LONGEST_TEXT:,} characters, this one has {len(said):,}")
    if count_memories(database, user_id) >= MOST_MEMORIES:
        raise MemoryConflict(f"you have {MOST_MEMORIES:,} memories, and no more are kept: forget one first")
    return add_memory(database, user_id, said, url)


def memories_meant(database: Database, user_id: str, named: str) -> tuple[Memory, ...]:
    """The memories that a number or words may mean; one when it is that one beyond doubt.

    It is when it alone holds every telling word. Where none does, all that hold some of them may be meant, those with
    most first. Raises: StoreUnavailable.
    """
    known = list_memories(database, user_id, MOST_MEMORIES)
    if named.strip().lstrip("#").isdecimal():
        return tuple(one for one in known if one.id == int(named.strip().lstrip("#")[:10]))
    if same := tuple(one for one in known if one.text == " ".join(named.split())):
        return same
    wanted = frozenset(content_words(named)) or stems_in(named)
    held = [(len(wanted & stems_in(one.text)), one) for one in known]
    whole = tuple(one for count, one in held if count == len(wanted))
    return whole or tuple(one for count, one in sorted(held, key=lambda pair: -pair[0]) if count)


def is_meant(memory: Memory, named: str) -> bool:
    """Whether a memory is named by its number or holds every telling word."""
    wanted = frozenset(content_words(named)) or stems_in(named)
    return named.strip().lstrip("#") == str(memory.id) or wanted <= stems_in(memory.text)


def find_memory(database: Database, user_id: str, named: str) -> Memory:
    """The one memory that is meant by its number, or by its words.

    Raises:
        MemoryNotFound: there is none; MemoryConflict: it may be another one, and the sentence names those near.
        StoreUnavailable: the database cannot be reached.
    """
    found = memories_meant(database, user_id, named)
    if not found:
        raise MemoryNotFound(f"nothing like “{named.strip()[:80]}” is remembered of you")
    if len(found) > 1 or not is_meant(found[0], named):
        told = "; ".join(f"{one.id}: {one.text[:80]}" for one in found[:MOST_NEAR])
        raise MemoryConflict(f"which one is meant? Say its number: {told}")
    return found[0]


def forget(database: Database, user_id: str, memory_id: int) -> None:
    """Forget a memory; its text is gone. Raises: MemoryNotFound; StoreUnavailable."""
    if not forget_memory(database, user_id, memory_id):
        raise MemoryNotFound(f"you have no memory {memory_id}")
