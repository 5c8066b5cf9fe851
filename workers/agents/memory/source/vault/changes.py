"""Changes of a vault as values: what a file was, what it becomes. Nothing is written here."""

from __future__ import annotations

from pydantic import Field

from workers.contracts import Message

MOST_CHANGES = 20_000


class Change(Message):
    """One file that changes.

    ``path``: where it stands afterwards. ``moved_from``: where it stood, when it moves. ``before``: the SHA-256 of what
    has to stand there now; None: nothing may stand at ``path``. ``after``: what it holds afterwards; None: what it
    held, when it moves; else it is deleted.
    """

    path: str
    before: str | None = None
    after: bytes | None = None
    moved_from: str = ""

    @property
    def source(self) -> str:
        """Where the file stands now."""
        return self.moved_from or self.path

    @property
    def deletes(self) -> bool:
        """Whether the file is gone afterwards."""
        return self.after is None and not self.moved_from


class ChangeSet(Message):
    """Changes that are made together or not at all. ``title`` says in one sentence what they do."""

    title: str
    changes: tuple[Change, ...] = Field(max_length=MOST_CHANGES)
