"""Changes of a vault as values: what a file was, what it becomes. Nothing is written here."""

from __future__ import annotations

import base64
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer

from workers.contracts import Message

MOST_CHANGES = 20_000


def to_json(raw: bytes | None) -> str | dict[str, str] | None:
    """Bytes in JSON: their text, or ``{"base64": …}`` when they are none."""
    if raw is None:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode("ascii")}


def from_json(value: Any) -> Any:
    """What `to_json` wrote, as bytes."""
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, dict) and set(value) == {"base64"}:
        return base64.b64decode(value["base64"], validate=True)
    return value


Body = Annotated[bytes, BeforeValidator(from_json), PlainSerializer(to_json, when_used="json")]


class Change(Message):
    """One file that changes.

    ``path``: where it stands afterwards. ``moved_from``: where it stood, when it moves. ``before``: the SHA-256 of what
    has to stand there now; None: nothing may stand at ``path``. ``after``: what it holds afterwards; None: what it
    held, when it moves; else it is deleted.
    """

    path: str
    before: str | None = None
    after: Body | None = None
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
