"""What a person asked to remember: kept, found again by what it says, and forgotten."""

from __future__ import annotations

from workers.errors import MemoryConflict, MemoryNotFound
from workers.language.tokens import stems_in
from workers.store.database import Database
from workers.store.memories import Memory, add_memory, count_memories, forget_memory, list_memories

LONGEST_TEXT, MOST_MEMORIES = 2_000, 1_000
SHARED = 0.5
"""A memory is meant when it holds at least so much of the words that name it."""


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


def memories_like(database: Database, user_id: str, text: str) -> tuple[Memory, ...]:
    """A person's memories that hold words of a text, those with most of them first. Raises: StoreUnavailable."""
    wanted = stems_in(text)
    if not wanted:
        return ()
    found = [(len(wanted & stems_in(one.text)) / len(wanted), one) for one in list_memories(database, user_id)]
    alike = sorted((pair for pair in found if pair[0] >= SHARED), key=lambda pair: -pair[0])
    return tuple(one for _, one in alike)


def find_memory(database: Database, user_id: str, named: str) -> Memory:
    """The one memory that is meant by its number, or by its words.

    Raises:
        MemoryNotFound: there is none; MemoryConflict: there are several, and the sentence names them.
        StoreUnavailable: the database cannot be reached.
    """
    if named.strip().lstrip("#").isdecimal():
        number = int(named.strip().lstrip("#")[:10])
        alike = tuple(one for one in list_memories(database, user_id, MOST_MEMORIES) if one.id == number)
    else:
        alike = memories_like(database, user_id, named)
        alike = tuple(one for one in alike if one.text == " ".join(named.split())) or alike
    if not alike:
        raise MemoryNotFound(f"nothing like “{named.strip()[:80]}” is remembered of you")
    if len(alike) > 1:
        told = "; ".join(f"{one.id}: {one.text[:80]}" for one in alike[:5])
        raise MemoryConflict(f"this may be any of {len(alike)} memories, say its number: {told}")
    return alike[0]


def forget(database: Database, user_id: str, memory_id: int) -> None:
    """Forget a memory; its text is gone. Raises: MemoryNotFound; StoreUnavailable."""
    if not forget_memory(database, user_id, memory_id):
        raise MemoryNotFound(f"you have no memory {memory_id}")
