"""A chat in memory: implements `workers.ports.Chat`, and fails when it is told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workers.contracts import Page
from workers.delivery.block_limits import check_post
from workers.errors import ChatRefused
from workers.ports import (
    Belonging,
    ChannelInfo,
    Chunk,
    Document,
    Picture,
    Place,
    Post,
    Recipient,
    SessionStatus,
    ThreadMessage,
)
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import read_page


@dataclass
class Posted:
    """One message."""

    place: Place
    post: Post
    key: str
    ts: str


@dataclass
class Streamed:
    """One streamed message; ``key`` is known once it has ended."""

    place: Place
    recipient: Recipient
    ts: str
    chunks: list[Chunk]
    running: bool = True
    key: str = ""

    def tasks(self) -> dict[str, Chunk]:
        """What a reader sees of each task, by its id; text grows, the rest is replaced."""
        out: dict[str, Chunk] = {}
        for chunk in self.chunks:
            if chunk["type"] == "task_update":
                before = out.get(chunk["id"], {})
                grown = {"output": before.get("output", "") + chunk.get("output", "")}
                sources = [*before.get("sources", ()), *chunk.get("sources", ())]
                out[chunk["id"]] = {**chunk, **grown, "sources": sources}
        return out

    @property
    def title(self) -> str:
        """The title of the plan."""
        return str([c["title"] for c in self.chunks if c["type"] == "plan_update"][-1])


@dataclass
class FakeChat:
    """Messages in order. ``before`` and ``after`` are looked at around each post: an error in them is raised once.

    ``errors``: by the name of a method, what its next calls raise, one a call; None lets a call pass.
    """

    messages: list[Posted] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    documents: list[tuple[Place, Document, str]] = field(default_factory=list)
    updates: list[tuple[str, Post]] = field(default_factory=list)
    streams: list[Streamed] = field(default_factory=list)
    statuses: list[tuple[Place, str]] = field(default_factory=list)
    sessions: list[tuple[Place, SessionStatus, str, str]] = field(default_factory=list)
    belongings: dict[str, Belonging] = field(default_factory=dict)
    whispers: list[tuple[Place, str, Post]] = field(default_factory=list)
    said: list[ThreadMessage] = field(default_factory=list)
    info: ChannelInfo = field(default_factory=lambda: ChannelInfo("inc-checkout", is_member=True))
    history: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 200
    pins: list[str] = field(default_factory=list)
    looks: int = 0
    before: list[BaseException] = field(default_factory=list)
    after: list[BaseException] = field(default_factory=list)
    errors: dict[str, list[BaseException | None]] = field(default_factory=dict)
    on_progress: Callable[[], None] = lambda: None

    def post(self, place: Place, post: Post, key: str, *, lossy: bool = False) -> str:
        self.fail("post")
        assert check_post(post) == [], "Slack would refuse it"
        if not key.endswith(":progress"):
            raise_next(self.before)
        else:
            self.on_progress()
        ts = f"500.{len(self.messages)}"
        self.messages.append(Posted(place, post, key, ts))
        if not key.endswith(":progress"):
            raise_next(self.after)
        return ts

    def whisper(self, place: Place, user: str, post: Post) -> None:
        self.fail("whisper")
        self.whispers.append((place, user, post))

    def find(self, place: Place, key: str) -> str | None:
        self.fail("find")
        self.looks += 1
        named = [(m.ts, m.place) for m in self.messages if m.key == key]
        named += [(s.ts, s.place) for s in self.streams if any(name.startswith(f"{key}/") for name in s.tasks())]
        return next((ts for ts, where in named if where == place), None)

    def update(self, place: Place, ts: str, post: Post, key: str = "") -> None:
        self.fail("update")
        if any(s.ts == ts and s.running for s in self.streams):
            raise ChatRefused("chat.update: streaming_state_conflict", "streaming_state_conflict")
        assert check_post(post) == [], "Slack would refuse it"
        self.updates.append((ts, post))

    def upload(self, picture: Picture) -> str:
        self.fail("upload")
        self.pictures.append(picture)
        return f"F{len(self.pictures)}"

    def share(self, place: Place, document: Document, comment: str) -> None:
        self.fail("share")
        raise_next(self.before)
        self.documents.append((place, document, comment))
        raise_next(self.after)

    def holds(self, place: Place, name: str) -> bool:
        self.fail("holds")
        return any(where == place and document.name == name for where, document, _ in self.documents)

    def permalink(self, place: Place, ts: str) -> str:
        self.fail("permalink")
        return f"https://team.slack.com/archives/{place.channel}/p{ts.replace('.', '')}"

    def team(self) -> str:
        self.fail("team")
        return "T1"

    def direct(self, user: str) -> str:
        self.fail("direct")
        if not user:
            raise ChatRefused("nobody", "user_not_found")
        return "D1"

    def timezone(self, user: str) -> str:
        return "Europe/Berlin" if user == "U1" else ""

    def belonging(self, user: str) -> Belonging:
        self.fail("belonging")
        return self.belongings.get(user, Belonging())

    def has_outsiders(self, channel: str) -> bool:
        self.fail("has_outsiders")
        return self.info.is_shared

    def about(self, channel: str) -> ChannelInfo:
        self.fail("about")
        return self.info

    def join(self, channel: str) -> None:
        self.fail("join")
        self.info = replace(self.info, is_member=True)

    def pin(self, place: Place, ts: str, *, pinned: bool = True) -> None:
        self.fail("pin")
        self.pins = [*self.pins, ts] if pinned else [one for one in self.pins if one != ts]

    def page(self, place: Place, *, after_ts: str = "", before_ts: str = "", most: int) -> Page:
        self.fail("page")
        here = [m for m in self.history if m.get("thread_ts", m["ts"]) == (place.thread_ts or m["ts"])]
        here = [m for m in here if m["ts"] != place.thread_ts and after_ts < m["ts"] < (before_ts or "9")]
        found = sorted(here, key=lambda m: str(m["ts"]), reverse=not place.thread_ts)
        return read_page([Fields(one) for one in found[: self.page_size]], more=len(found) > self.page_size)

    def identity(self) -> tuple[str, str]:
        return "B0", "U0"

    def conversations(self) -> tuple[tuple[str, bool], ...]:
        return ()

    def raw_page(self, place: Place, *, after_ts: str, cursor: str = "", most: int) -> tuple[tuple[Any, ...], str]:
        return (), ""

    def called(self, user: str) -> tuple[str, str]:
        self.fail("called")
        return f"name of {user}", "Europe/Berlin"

    def thread(self, place: Place, before_ts: str, most: int) -> tuple[ThreadMessage, ...]:
        self.fail("thread")
        return tuple(s for s in self.said if s.ts < before_ts)[-most:]

    def start_stream(self, place: Place, recipient: Recipient, chunks: Sequence[Chunk]) -> str:
        self.fail("start_stream")
        self.on_progress()
        ts = f"600.{len(self.streams)}"
        self.streams.append(Streamed(place, recipient, ts, list(chunks)))
        return ts

    def append_stream(self, place: Place, ts: str, chunks: Sequence[Chunk]) -> None:
        self.fail("append_stream")
        self.running(ts).chunks.extend(chunks)

    def stop_stream(self, place: Place, ts: str, chunks: Sequence[Chunk], key: str) -> None:
        self.fail("stop_stream")
        stream = self.running(ts)
        stream.chunks.extend(chunks)
        stream.running, stream.key = False, key

    def set_status(self, place: Place, status: str) -> None:
        self.fail("set_status")
        self.statuses.append((place, status))

    def set_session(self, place: Place, status: SessionStatus, title: str = "", initiator: str = "") -> None:
        self.fail("set_session")
        self.sessions.append((place, status, title, initiator))

    def running(self, ts: str) -> Streamed:
        """A stream that still runs."""
        found = next((s for s in self.streams if s.ts == ts and s.running), None)
        if found is None:
            raise ChatRefused("chat.appendStream: message_not_in_streaming_state", "message_not_in_streaming_state")
        return found

    def fail(self, method: str) -> None:
        raise_next(self.errors.get(method, []))

    def keys(self) -> list[str]:
        """The marks of all messages but progress."""
        return [m.key for m in self.messages if not m.key.endswith(":progress")]


def raise_next(errors: list[BaseException] | list[BaseException | None]) -> None:
    error = errors.pop(0) if errors else None
    if error is not None:
        raise error
