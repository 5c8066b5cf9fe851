"""A chat in memory: implements `workers.ports.Chat`, and fails when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workers.errors import ChatRefused
from workers.ports import Picture, Place, Post


@dataclass
class Posted:
    """One message."""

    place: Place
    post: Post
    key: str
    ts: str


@dataclass
class FakeChat:
    """Messages in order. ``before`` and ``after`` are looked at around each post: an error in them is raised once."""

    messages: list[Posted] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    updates: list[tuple[str, Post]] = field(default_factory=list)
    looks: int = 0
    before: list[BaseException] = field(default_factory=list)
    after: list[BaseException] = field(default_factory=list)
    on_progress: Callable[[], None] = lambda: None

    def post(self, place: Place, post: Post, key: str, *, lossy: bool = False) -> str:
        if not key.endswith(":progress"):
            raise_next(self.before)
        else:
            self.on_progress()
        ts = f"500.{len(self.messages)}"
        self.messages.append(Posted(place, post, key, ts))
        if not key.endswith(":progress"):
            raise_next(self.after)
        return ts

    def find(self, place: Place, key: str) -> str | None:
        self.looks += 1
        return next((m.ts for m in self.messages if m.key == key and m.place == place), None)

    def update(self, place: Place, ts: str, post: Post, key: str = "") -> None:
        self.updates.append((ts, post))

    def upload(self, picture: Picture) -> str:
        self.pictures.append(picture)
        return f"F{len(self.pictures)}"

    def direct(self, user: str) -> str:
        if not user:
            raise ChatRefused("nobody", "user_not_found")
        return "D1"

    def timezone(self, user: str) -> str:
        return "Europe/Berlin" if user == "U1" else ""

    def keys(self) -> list[str]:
        """The marks of all messages but progress."""
        return [m.key for m in self.messages if not m.key.endswith(":progress")]


def raise_next(errors: list[BaseException]) -> None:
    if errors:
        raise errors.pop(0)
