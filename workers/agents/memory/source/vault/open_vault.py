"""A deployment's vault with all that belongs to it: its search, its log of changes, its watch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import finalize

from workers.agents.memory.sections import vault_folder
from workers.agents.memory.source.vault.change_log import ChangeLog
from workers.agents.memory.source.vault.note_search import NoteHit, NoteSearch
from workers.agents.memory.source.vault.staging import Staging
from workers.agents.memory.source.vault.vault import NotesView, Vault
from workers.agents.memory.source.vault.vault_watch import VaultWatch
from workers.contracts import rfc3339
from workers.errors import ToolUnavailable
from workers.settings.load import Settings

MOST_REQUESTS = 64
Calls = tuple[Mapping[str, Any], ...]
"""Calls of tools that propose changes: ``{title, tool, args}`` each."""
KEPT = "vault_changes"
"""The folder under ORACLE_HOME of the log of changes and the index of notes, one folder a vault."""


class OpenVault:
    """What the tools and the command line share. ``log`` holds the changes."""

    def __init__(self, root: Path, kept: Path) -> None:
        self.vault = Vault(root)
        self.log = ChangeLog(kept / "log")
        self.searched = NoteSearch(kept / "notes.db")
        self.watched: VaultWatch | None = None
        self.proposed: OrderedDict[str, tuple[Staging, Calls]] = OrderedDict()

    def current(self) -> Vault:
        """The vault as it is now: what a watch saw, else what the disk says. Raises: ToolUnavailable."""
        if self.watched is None or not self.watched.works:
            self.vault.refresh()
        return self.vault

    def prepare(self) -> None:
        """Read what changed, and follow the folder from then on, once it is there. Raises: ToolUnavailable."""
        self.current()
        if self.vault.root.is_dir():
            self.watch()

    def ping(self) -> str:
        """How many notes there are. Raises: ToolUnavailable."""
        vault = self.current()
        if not vault.root.is_dir():
            return f"{vault.root} does not exist yet"
        newest = max((stamp.mtime_ns for stamp in vault.stamps.values()), default=0) // 1_000_000_000
        written = f", the newest of {rfc3339(datetime.fromtimestamp(newest, UTC))}" if newest else ""
        return f"{len(vault.index.notes):,} notes in {vault.root}{written}"

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Bring the index of notes up to date. Yields: a line on the vault, and whether that went well."""
        try:
            vault = self.current()
            if vault.root.is_dir():
                self.searched.follow(vault.index, vault.read)
                yield f"notes: {len(vault.index.notes):,} in the vault {vault.root.name}", True
        except ToolUnavailable as error:
            yield str(error), False

    def watch(self) -> None:
        """Follow the folder, in a thread that ends with the process or with what holds this."""
        if self.watched is None or (self.watched.stopped and not self.watched.failed):
            vault, searched = self.vault, self.searched
            self.watched = VaultWatch(vault, lambda: searched.follow(vault.index, vault.read)).start()
            finalize(self, self.watched.ended.set)

    def close(self) -> None:
        """Stop following it."""
        if self.watched is not None:
            self.watched.stop()
            self.watched = None

    def view(self, session: str) -> NotesView:
        """The vault as a request sees it: with the changes that it has proposed so far. Raises: ToolUnavailable."""
        known = self.proposed.get(session)
        return known[0] if known else self.current().snapshot()

    def stage(self) -> Staging:
        """An overlay on the vault as it is now. Raises: ToolUnavailable."""
        self.vault.refresh()
        return Staging(self.vault)

    def staged(self, session: str) -> tuple[Staging, Calls]:
        """An overlay with all that a request has proposed so far, and the calls that did. Raises: ToolUnavailable."""
        known = self.proposed.get(session)
        return (known[0].copy(), known[1]) if known else (self.stage(), ())

    def keep(self, session: str, staging: Staging, calls: Calls) -> None:
        """Have later calls of a request see what it has proposed."""
        self.proposed[session] = staging, calls
        self.proposed.move_to_end(session)
        while len(self.proposed) > MOST_REQUESTS:
            self.proposed.popitem(last=False)

    def search(self, query: str, k: int = 10) -> list[NoteHit]:
        """Find sections of notes, see `NoteSearch.search`."""
        vault = self.current().snapshot()
        return self.searched.search(query, vault.index, vault.read, k)


def open_vault(settings: Settings) -> OpenVault:
    """The vault of a configuration; it is read when it is first used."""
    root = vault_folder(settings)
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in root.as_posix()).strip("-")[-80:]
    return OpenVault(root, settings.home.resolve() / KEPT / (name or "vault"))
