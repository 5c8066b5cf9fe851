"""A person's threads and memories: read and sought freely, written only by proposal.

Whoever speaks for the person (a command in Slack or the terminal, a token) calls `source` itself. A model does
not: what it reads could tell it what to write, so each of its changes waits for the person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar

from pydantic import Field

from workers.agents.memory.source.evidence import (
    around,
    entry_evidence,
    memory_evidence,
    seek_evidence,
    thread_evidence,
)
from workers.agents.memory.source.memories import (
    LONGEST_TEXT,
    MOST_NEAR,
    find_memory,
    forget,
    is_meant,
    memories_meant,
    remember,
)
from workers.agents.memory.source.threads.seek import Hit
from workers.contracts import Proposal, ToolOutput
from workers.conversations.entries import LONGEST_CONTENT, EntryType, NewEntry, push, read_thread
from workers.errors import MemoryConflict, MemoryNotFound, StoreUnavailable, ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.store.database import Database
from workers.store.memories import list_memories
from workers.store.threads import Entry, Thread, find_thread, list_threads
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

T = TypeVar("T")
LONGEST_PREVIEW, LONGEST_LINE, MOST_LISTED = 2_000, 200, 100
THREAD_ID = r"^[a-z0-9-]{1,64}$"
THREAD_WORDS = "id of the thread: small letters, digits and hyphens"


class PushArgs(ToolArgs):
    """What to keep, and where."""

    thread_id: str = Field(pattern=THREAD_ID, description=THREAD_WORDS)
    content: str = Field(max_length=LONGEST_CONTENT, description="what to keep, as it shall be read later")
    type: EntryType = Field("thought", description="what it is")


class ReadArgs(ToolArgs):
    """Which thread."""

    thread_id: str = Field(pattern=THREAD_ID, description=THREAD_WORDS)
    limit: int = Field(10, ge=1, le=50, description="how many of its last entries")


class SeekArgs(ToolArgs):
    """What to look for."""

    query: str = Field(max_length=256, description="a question or words: what did we decide about retries last week")
    limit: int = Field(5, ge=1, le=20, description="how many entries")
    thread_id: str = Field("", max_length=64, description="only in this thread")


class ListArgs(ToolArgs):
    """Which threads."""

    status: Literal["active", "archived", "all"] = Field("active", description="only such")


class RememberArgs(ToolArgs):
    """What to remember."""

    text: str = Field(max_length=LONGEST_TEXT, description="the fact or wish, in the person's own words")


class ForgetArgs(ToolArgs):
    """What to forget."""

    memory: str = Field(max_length=LONGEST_TEXT, description="its number, or words of it")


class MemoriesArgs(ToolArgs):
    """All of them."""


class OwnStore:
    """What the tools do, for the person that they run for."""

    def __init__(self, database: Database | None) -> None:
        self.database = database

    def need(self, context: ToolContext) -> Database:
        """The database. Raises: ToolUnavailable: there is none, or it is not known who asks."""
        if self.database is None:
            raise ToolUnavailable("no database is connected, so that no threads or memories are kept")
        if not context.user:
            raise ToolUnavailable("it is not known who asks, and threads and memories are a person's own")
        return self.database

    def ask(self, context: ToolContext, do: Callable[[Database, str], T]) -> T:
        """Do something with the person's own part of the database.

        Raises:
            ToolArgumentError: the person has no such thing.
            ToolUnavailable: the database cannot be reached, or as `need`.
        """
        database = self.need(context)
        try:
            return do(database, context.user)
        except (MemoryNotFound, MemoryConflict) as error:
            raise ToolArgumentError(str(error)) from error
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error

    # --- threads ------------------------------------------------------------------------------------------------

    def propose_push(self, args: PushArgs, context: ToolContext) -> ToolOutput:
        """What would be kept."""
        if not args.content.strip():
            raise ToolArgumentError("content is empty; say what to keep")
        self.need(context)
        return proposal(
            "thread_push", args.model_dump(), f"Keep a {args.type} in your thread {args.thread_id}", args.content
        )

    def push(self, args: PushArgs, context: ToolContext) -> ToolOutput:
        """Keep an entry; the same one again on a day is kept once. Returns: ``data = {"entry_id", "thread_id"}``."""
        said = "\0".join((args.thread_id, args.type, args.content, f"{context.now:%Y-%m-%d}"))
        entry_id = f"e-{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:16]}"
        wanted = NewEntry(content=args.content, entry_id=entry_id, author="user", type=args.type)
        entry, _ = self.ask(context, lambda d, user: push(d, user, args.thread_id, wanted, now=context.now))
        data = {"entry_id": entry.entry_id, "thread_id": entry.thread_id}
        return ToolOutput(summary=f"kept in {args.thread_id}", data=data, evidence=(entry_evidence(entry),))

    def read(self, args: ReadArgs, context: ToolContext) -> ToolOutput:
        """The last entries of a thread. Returns: ``data = {"thread_id", "name", "status", "entries"}``."""

        def find(database: Database, user: str) -> tuple[Thread, tuple[Entry, ...]]:
            held = (space for space in context.spaces if find_thread(database, space, args.thread_id))
            otherwise = context.space if context.kept_apart else user
            return read_thread(database, next(held, otherwise), args.thread_id, args.limit)

        try:
            thread, entries = self.ask(context, find)
        except ToolArgumentError as error:
            if context.kept_apart:
                return ToolOutput(status="empty", reason=str(error))
            known = self.ask(context, lambda d, user: list_threads(d, user, most=MOST_LISTED))
            names = nearest_names([args.thread_id], [one.thread_id for one in known])
            return ToolOutput(status="empty", reason=str(error), nearest=names)
        data = {"thread_id": thread.thread_id, "name": thread.name, "status": thread.status, "entries": thread.entries}
        if not entries:
            return ToolOutput(status="empty", reason=f"the thread {thread.thread_id} has no entries", data=data)
        summary = f"{len(entries)} of {thread.entries} entries of {thread.name}"
        return ToolOutput(summary=summary, data=data, evidence=tuple(map(entry_evidence, entries)))

    def seek(self, args: SeekArgs, context: ToolContext) -> ToolOutput:
        """The entries that answer best. Returns: ``data = {"hits": [{"entry_id", "thread_id", "score"}]}``."""
        if not args.query.strip():
            raise ToolArgumentError("query is empty; give a question or words")

        def find(database: Database, user: str) -> tuple[Hit, ...]:
            del user
            found = seek_evidence(
                database,
                context.spaces,
                args.query,
                args.limit,
                now=context.now,
                timezone=context.timezone,
                thread_id=args.thread_id,
            )
            return tuple(sorted(found, key=lambda hit: -hit.score)[: args.limit])

        hits = self.ask(context, find)
        if not hits:
            where = f"your thread {args.thread_id}" if args.thread_id else "your threads"
            return ToolOutput(status="empty", reason=f"nothing in {where} speaks of this", data={"hits": []})
        found = [{"entry_id": h.entry.entry_id, "thread_id": h.entry.thread_id, "score": h.score} for h in hits]
        evidence = tuple(entry_evidence(hit.entry, around(hit)) for hit in hits)
        return ToolOutput(summary=f"{len(hits)} entries", data={"hits": found}, evidence=evidence)

    def threads(self, args: ListArgs, context: ToolContext) -> ToolOutput:
        """The person's threads. Returns: ``data = {"threads": [{"thread_id", "name", "status", "entries"}]}``."""
        need_alone(context)
        status = "" if args.status == "all" else args.status
        found = self.ask(context, lambda d, user: list_threads(d, user, status, most=MOST_LISTED))
        shown = [{"thread_id": t.thread_id, "name": t.name, "status": t.status, "entries": t.entries} for t in found]
        if not found:
            return ToolOutput(status="empty", reason=f"you have no {status} threads".replace("  ", " "))
        evidence = tuple(map(thread_evidence, found))
        return ToolOutput(summary=f"{len(found)} threads", data={"threads": shown}, evidence=evidence)

    # --- memories -----------------------------------------------------------------------------------------------

    def propose_remember(self, args: RememberArgs, context: ToolContext) -> ToolOutput:
        """What would be remembered."""
        if not args.text.strip():
            raise ToolArgumentError("text is empty; say what to remember")
        self.need(context)
        return proposal("remember", args.model_dump(), "Remember this for you", args.text)

    def remember(self, args: RememberArgs, context: ToolContext) -> ToolOutput:
        """Remember something. Returns: ``data = {"id"}``."""
        memory = self.ask(context, lambda database, user: remember(database, user, args.text))
        said, data = f"remembered “{on_one_line(memory.text)}”", {"id": memory.id}
        return ToolOutput(summary=said, data=data, evidence=(memory_evidence(memory),))

    def propose_forget(self, args: ForgetArgs, context: ToolContext) -> ToolOutput:
        """What would be forgotten."""
        if not args.memory.strip():
            raise ToolArgumentError("memory is empty; give its number or words of it")
        need_alone(context)
        found = self.ask(context, lambda database, user: memories_meant(database, user, args.memory))
        if not found:
            return ToolOutput(status="empty", reason=f"nothing like “{on_one_line(args.memory)}” is remembered of you")
        if len(found) > 1 or not is_meant(found[0], args.memory):
            return ToolOutput(summary="which one is meant?", evidence=tuple(map(memory_evidence, found[:MOST_NEAR])))
        return proposal("forget", {"memory": str(found[0].id)}, "Forget this about you", found[0].text)

    def forget(self, args: ForgetArgs, context: ToolContext) -> ToolOutput:
        """Forget a memory. Returns: ``data = {"id"}``."""
        need_alone(context)
        found = self.ask(context, lambda database, user: find_memory(database, user, args.memory))
        self.ask(context, lambda database, user: forget(database, user, found.id))
        return ToolOutput(summary=f"forgotten “{on_one_line(found.text)}”", data={"id": found.id})

    def memories(self, args: MemoriesArgs, context: ToolContext) -> ToolOutput:
        """What is remembered of the person. Returns: ``data = {"memories": [{"id", "text"}]}``."""
        del args
        need_alone(context)
        found = self.ask(context, list_memories)
        if not found:
            return ToolOutput(status="empty", reason="nothing is remembered of you", data={"memories": []})
        data = {"memories": [{"id": memory.id, "text": memory.text} for memory in found]}
        return ToolOutput(summary=f"{len(found)} memories", data=data, evidence=tuple(map(memory_evidence, found)))


# --- what they return -------------------------------------------------------------------------------------------


def need_alone(context: ToolContext) -> None:
    """Raises: ToolUnavailable: others would read what its asker keeps alone."""
    if context.kept_apart:
        raise ToolUnavailable("threads and memories are a person's own, and others read this; ask in a direct message")


def on_one_line(text: str) -> str:
    """What is remembered, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def proposal(tool: str, args: dict[str, Any], title: str, preview: str) -> ToolOutput:
    """A change that waits for the person."""
    shown = preview if len(preview) <= LONGEST_PREVIEW else f"{preview[:LONGEST_PREVIEW]}…"
    return ToolOutput(summary=title, proposals=(Proposal(tool=tool, args=args, title=title, preview=shown),))


# --- the tools --------------------------------------------------------------------------------------------------


def own_tool(
    name: str, purpose: str, description: str, args: type[ToolArgs], options: dict[str, Any], resources: Resources
) -> Tool:
    """One of the tools; one that is proposed first writes. Raises: pydantic.ValidationError: an option is given."""
    NoOptions.model_validate(options)
    own = OwnStore(resources.database)
    verb = METHODS.get(name, name)
    propose = getattr(own, f"propose_{verb}", None)
    return Tool(
        name=name,
        purpose=purpose,
        description=description,
        access="write" if propose else "read",
        args=args,
        run=getattr(own, verb),
        propose=propose,
        personal=True,
    )


METHODS = {
    "thread_push": "push",
    "thread_read": "read",
    "thread_seek": "seek",
    "thread_list": "threads",
    "list_memories": "memories",
}
"""What does the work of a tool, where it is called otherwise."""
PUSH = (
    "Propose to keep an entry in one of the person's own threads: a thought, a decision, research or an insight. "
    "Only when the person asked to keep it."
)
SEEK = (
    "Find what was said or decided earlier in the person's own threads, by words and by meaning; a name or a time in "
    "the query counts too."
)
READ = "Read the last entries of one of the person's own threads, or of the channel's, oldest first."
LIST = "List the person's own threads, the last changed first."
REMEMBER = "Propose to remember a fact or a wish of the person. Only when the person asked for it."
FORGET = "Propose to forget what is remembered of the person. Only when the person asked for it."
MEMORIES = "List what the person asked to remember, newest first."
build_thread_push = partial(own_tool, "thread_push", "keep a note", PUSH, PushArgs)
build_thread_read = partial(own_tool, "thread_read", "read a thread", READ, ReadArgs)
build_thread_seek = partial(own_tool, "thread_seek", "look through what was said before", SEEK, SeekArgs)
build_thread_list = partial(own_tool, "thread_list", "list the threads", LIST, ListArgs)
build_remember = partial(own_tool, "remember", "remember something", REMEMBER, RememberArgs)
build_forget = partial(own_tool, "forget", "forget something", FORGET, ForgetArgs)
build_list_memories = partial(own_tool, "list_memories", "list what is remembered", MEMORIES, MemoriesArgs)
