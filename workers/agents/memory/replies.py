"""What the HTTP API answers of threads and memories."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel, ConfigDict

from workers.agents.memory.source.threads.seek import Hit
from workers.store.memories import Memory
from workers.store.threads import Entry, Thread


class Reply(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ThreadReply(Reply):
    """A thread; ``entries``: how many it has."""

    thread_id: str
    project_id: str
    name: str
    status: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    edited_at: AwareDatetime
    sequence_id: int
    entries: int

    @classmethod
    def of(cls, thread: Thread) -> ThreadReply:
        """As it is shown."""
        return cls(**{name: getattr(thread, name) for name in cls.model_fields})


class EntryReply(Reply):
    """An entry."""

    entry_id: str
    thread_id: str
    sequence_id: int
    content: str
    author: str
    type: str
    timestamp: AwareDatetime
    edited_at: AwareDatetime
    deleted: bool
    speaker: str
    url: str

    @classmethod
    def of(cls, entry: Entry) -> EntryReply:
        """As it is shown."""
        return cls(**{name: getattr(entry, name) for name in cls.model_fields})


class ThreadsReply(Reply):
    """Threads."""

    threads: tuple[ThreadReply, ...]


class ThreadWithEntries(Reply):
    """A thread with its last entries, oldest first."""

    thread: ThreadReply
    entries: tuple[EntryReply, ...]


class SyncReply(Reply):
    """What a client lacks; ``last_synced_sequence`` is what it sends next time, at once when there is ``more``.

    ``accepted``: so many of its entries are new here; ``beaten``: those of its own that a later version beats.
    """

    last_synced_sequence: int
    more: bool
    accepted: int
    beaten: tuple[str, ...]
    threads: tuple[ThreadReply, ...]
    entries: tuple[EntryReply, ...]


class HitReply(Reply):
    """An entry that was found, with what was said right before and after it."""

    score: float
    entry: EntryReply
    before: EntryReply | None
    after: EntryReply | None

    @classmethod
    def of(cls, hit: Hit) -> HitReply:
        """As it is shown."""
        before, after = (EntryReply.of(one) if one else None for one in (hit.before, hit.after))
        return cls(score=hit.score, entry=EntryReply.of(hit.entry), before=before, after=after)


class SeekReply(Reply):
    """What was found, best first."""

    hits: tuple[HitReply, ...]


class SummaryReply(Reply):
    """What a thread established. ``by``: ``model`` or ``sentences``; ``entries``: of so many, the newest."""

    thread_id: str
    summary: str
    decisions: tuple[str, ...]
    by: str
    entries: int


class MemoryReply(Reply):
    """Something that is remembered."""

    id: int
    text: str
    created_at: AwareDatetime
    url: str

    @classmethod
    def of(cls, memory: Memory) -> MemoryReply:
        """As it is shown."""
        return cls(id=memory.id, text=memory.text, created_at=memory.created_at, url=memory.url)


class MemoriesReply(Reply):
    """What is remembered, newest first."""

    memories: tuple[MemoryReply, ...]
