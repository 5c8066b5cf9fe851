"""What clients of MCP may read: ``note://PATH`` is a note of the vault, ``thread://ID`` a thread of the caller."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.memory.source.vault.open_vault import open_vault
from workers.errors import ToolArgumentError
from workers.ports import ListedText
from workers.store.threads import Entry, find_thread, last_entries, list_threads
from workers.toolkit.serving import Serving

MOST_THREADS, MOST_ENTRIES = 200, 200


class Notes:
    """All notes by their paths. Implements `workers.ports.ServedTexts`."""

    scheme, template, source = "note://", "note://{+path}", "notes:vault"
    name, title = "note", "A note"
    description = "A note of the vault by its path: note://projects/search.md"

    def __init__(self, serving: Serving) -> None:
        self.vault = open_vault(serving.settings)

    def page(self, user: str, skip: int, most: int) -> tuple[Sequence[ListedText], int]:
        """Notes are everybody's."""
        del user
        paths = sorted(self.vault.current().index.notes)
        return [ListedText(path, path) for path in paths[skip : skip + most]], len(paths)

    def read(self, user: str, text_id: str) -> str:
        """A note as it stands."""
        del user
        return self.vault.current().read(text_id).decode("utf-8", "replace")

    def close(self) -> None:
        """Stop following the vault."""
        self.vault.close()


class Threads:
    """The caller's threads, the last changed first. Implements `workers.ports.ServedTexts`."""

    scheme, template, source = "thread://", "thread://{id}", "own"
    name, title = "thread", "A thread"
    description = "A thread of yours with its last entries: thread://search-latency"

    def __init__(self, serving: Serving) -> None:
        self.database = serving.database

    def page(self, user: str, skip: int, most: int) -> tuple[Sequence[ListedText], int]:
        """At most `MOST_THREADS` are listed."""
        threads = list_threads(self.database, user, most=MOST_THREADS)
        listed = [
            ListedText(one.thread_id, one.name or one.thread_id, f"{one.entries:,} entries, {one.status}")
            for one in threads[skip : skip + most]
        ]
        return listed, len(threads)

    def read(self, user: str, text_id: str) -> str:
        """A thread with its last entries."""
        thread = find_thread(self.database, user, text_id)
        if thread is None:
            raise ToolArgumentError(f"you have no thread {text_id[:80]!r}")
        entries = last_entries(self.database, user, text_id, MOST_ENTRIES)
        left_out = thread.entries - len(entries)
        head = f"# {thread.name or thread.thread_id}\n\n" + (
            f"{left_out:,} earlier entries left out.\n\n" if left_out else ""
        )
        return head + entry_lines(entries)

    def close(self) -> None:
        """Nothing is held."""


def entry_lines(entries: Sequence[Entry]) -> str:
    """Entries with who said them and when."""
    return "\n\n".join(
        f"## {entry.speaker or entry.author}, {entry.type}, {entry.timestamp:%Y-%m-%d %H:%M} UTC\n\n{entry.content}"
        for entry in entries
    )
