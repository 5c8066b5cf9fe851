"""Resources over MCP: ``note://PATH`` is a note of the vault, ``thread://ID`` a thread of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

from mcp_types import ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from workers.bootstrap import Oracle
from workers.errors import ToolArgumentError
from workers.memory.vault.open_vault import OpenVault
from workers.store.threads import Entry, find_thread, last_entries, list_threads

NOTE, THREAD = "note://", "thread://"
PAGE, MOST_THREADS, MOST_ENTRIES, MOST_CHARS = 200, 200, 200, 400_000
MARKDOWN = "text/markdown"
TEMPLATES = (
    ResourceTemplate(
        name="note",
        title="A note",
        uri_template="note://{+path}",
        description="A note of the vault by its path: note://projects/search.md",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        name="thread",
        title="A thread",
        uri_template="thread://{id}",
        description="A thread of yours with its last entries: thread://search-latency",
        mime_type=MARKDOWN,
    ),
)


def list_resources(
    oracle: Oracle, vault: OpenVault, user: str, cursor: str | None
) -> tuple[list[Resource], str | None]:
    """A page of the caller's threads, the last changed first, then of all notes by their paths.

    Raises:
        ToolArgumentError: there is no such page.
        ToolUnavailable, StoreUnavailable: the vault or the database cannot be read.

    Returns: the page, and the cursor of the next one.
    """
    if cursor is not None and not (cursor.isdecimal() and len(cursor) < 8):
        raise ToolArgumentError(f"cursor: there is no page {cursor[:40]!r}")
    skip = int(cursor or 0)
    threads = [
        Resource(
            name=thread.name or thread.thread_id,
            uri=f"{THREAD}{thread.thread_id}",
            description=f"{thread.entries:,} entries, {thread.status}",
            mime_type=MARKDOWN,
        )
        for thread in list_threads(oracle.store.database, user, most=MOST_THREADS)
    ]
    notes = vault.current().index.notes
    paths = sorted(notes)
    first = max(skip - len(threads), 0)
    page = threads[skip : skip + PAGE]
    page += [
        Resource(name=path, uri=f"{NOTE}{quote(path)}", mime_type=MARKDOWN)
        for path in paths[first : first + PAGE - len(page)]
    ]
    after = skip + PAGE
    return page, str(after) if after < len(threads) + len(paths) else None


def read_resource(oracle: Oracle, vault: OpenVault, user: str, uri: str) -> ReadResourceResult:
    """A note or a thread, without secrets.

    Raises:
        ToolArgumentError: there is no such note or thread.
        ToolUnavailable, StoreUnavailable: the vault or the database cannot be read.
    """
    if uri.startswith(NOTE):
        text = vault.current().read(unquote(uri.removeprefix(NOTE))).decode("utf-8", "replace")
    elif uri.startswith(THREAD):
        text = thread_text(oracle, user, unquote(uri.removeprefix(THREAD)))
    else:
        raise ToolArgumentError(f"there is no resource {uri[:200]!r}; there are {NOTE}PATH and {THREAD}ID")
    clean = oracle.toolbox.redactor.text(text[:MOST_CHARS])
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=clean, mime_type=MARKDOWN)])


def thread_text(oracle: Oracle, user: str, thread_id: str) -> str:
    """A thread as Markdown. Raises: ToolArgumentError: the caller has none with that id."""
    thread = find_thread(oracle.store.database, user, thread_id)
    if thread is None:
        raise ToolArgumentError(f"you have no thread {thread_id[:80]!r}")
    entries = last_entries(oracle.store.database, user, thread_id, MOST_ENTRIES)
    left_out = thread.entries - len(entries)
    head = f"# {thread.name or thread.thread_id}\n\n" + (
        f"{left_out:,} earlier entries left out.\n\n" if left_out else ""
    )
    return head + entry_lines(entries)


def entry_lines(entries: Sequence[Entry]) -> str:
    """Entries with who said them and when."""
    return "\n\n".join(
        f"## {entry.speaker or entry.author}, {entry.type}, {entry.timestamp:%Y-%m-%d %H:%M} UTC\n\n{entry.content}"
        for entry in entries
    )
