"""Watches a vault's folder, so that what a person writes is read as they write it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import structlog

from workers.agents.memory.source.vault.note_paths import is_hidden
from workers.agents.memory.source.vault.vault import Vault
from workers.errors import ToolError, ToolUnavailable

if TYPE_CHECKING:
    from watchfiles import Change

LOG = structlog.get_logger(__name__)
DEBOUNCE_MS, STEP_MS, WAIT_MS = 400, 60, 500


class VaultWatch:
    """A thread that reads a vault's files again when they change. `start` and `stop`; also a context manager.

    A folder that does not exist yet is waited for. ``changed`` is called when it is first read and after each round
    of changes, which ``seen`` counts. ``failed``: it ended because it could not watch.
    """

    def __init__(self, vault: Vault, changed: Callable[[], object] | None = None) -> None:
        self.vault, self.changed = vault, changed
        self.ended = Event()
        self.ready = Event()
        self.seen = 0
        self.failed = False
        self.thread = Thread(target=self.run, name="vault-watch", daemon=True)

    def start(self) -> VaultWatch:
        """Begin."""
        self.thread.start()
        return self

    def stop(self) -> None:
        """End; returns when it has."""
        self.ended.set()
        self.thread.join(10)

    def __enter__(self) -> VaultWatch:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def works(self) -> bool:
        """Whether changes are seen."""
        return self.thread.is_alive() and self.ready.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it has ended, or this is another process than the one that began it."""
        return not self.thread.is_alive()

    def run(self) -> None:
        """Until it is stopped, or the system gives no more watches."""
        while not self.ended.is_set() and not self.vault.root.is_dir():
            self.ended.wait(WAIT_MS / 1000)
        if self.ended.is_set():
            return
        try:
            self.follow()
        except (
            OSError,
            RuntimeError,
            ToolUnavailable,
        ) as error:  # no more watches of the system, or the folder is gone
            self.failed = True
            LOG.warning("vault_not_watched", why=str(error))

    def follow(self) -> None:
        """Read what changes. Raises: OSError, RuntimeError: it cannot be watched."""
        from watchfiles import watch  # noqa: PLC0415 - needed where something is watched, not to start

        first = True
        for changes in watch(
            self.vault.root,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=WAIT_MS,
            stop_event=self.ended,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            if first:  # what changed before the watch began
                self.vault.refresh()
                first = False
                self.ready.set()
                self.tell()
            if paths := self.paths(changes):
                self.vault.refresh(paths)
                self.tell()
                self.seen += 1

    def tell(self) -> None:
        """Have done what follows a change."""
        if self.changed is not None:
            try:
                self.changed()
            except ToolError as error:
                LOG.warning("vault_change_not_followed", why=str(error))

    def paths(self, changes: set[tuple[Change, str]]) -> set[str]:
        """The paths that changed, below the vault's folder."""
        found = set()
        for _, name in changes:
            place = Path(name)
            if place.is_relative_to(self.vault.root) and place != self.vault.root:
                found.add(place.relative_to(self.vault.root).as_posix())
        return {path for path in found if not is_hidden(path)}
