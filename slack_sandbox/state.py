"""The team in memory: users, channels, messages, files, views. Messages are dicts in Slack's own shape."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SLACKBOT = "USLACKBOT"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"


def new_id(prefix: str, length: int = 10) -> str:
    """Returns: an identifier in Slack's form, such as `F0A1B2C3D4E`."""
    return prefix + "".join(secrets.choice(_LETTERS) for _ in range(length))


@dataclass
class User:
    """A member of the team; `tz` is an IANA name, `is_admin` that of the workspace's administrators."""

    id: str
    name: str
    real_name: str
    is_bot: bool = False
    is_admin: bool = False
    tz: str = "Etc/UTC"
    email: str = ""


@dataclass
class Ephemeral:
    """A message that only `user` sees; it is in no history."""

    user: str
    message: Json


@dataclass
class Channel:
    """A channel (`C…`) or a direct message channel (`D…`, with `user` its other side)."""

    id: str
    name: str
    members: list[str]
    created: int
    creator: str
    user: str = ""
    topic: str = ""
    purpose: str = ""
    is_archived: bool = False
    is_private: bool = False
    messages: dict[str, Json] = field(default_factory=dict)
    top: list[str] = field(default_factory=list)
    threads: dict[str, list[str]] = field(default_factory=dict)
    ephemerals: dict[str, Ephemeral] = field(default_factory=dict)
    pins: dict[str, Json] = field(default_factory=dict)
    bookmarks: dict[str, Json] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)

    @property
    def is_im(self) -> bool:
        """Whether it is a direct message channel."""
        return bool(self.user)

    @property
    def kind(self) -> str:
        """Slack's `channel_type`: `im`, `group` for a private channel, or `channel`."""
        return "im" if self.is_im else "group" if self.is_private else "channel"


@dataclass
class File:
    """An upload; `data` is None until its bytes came, and it can be used once `completed`."""

    id: str
    name: str
    title: str
    length: int
    user: str
    created: int
    ticket: str
    alt_text: str = ""
    data: bytes | None = None
    completed: bool = False
    shares: dict[str, list[Json]] = field(default_factory=dict)


@dataclass
class Stream:
    """A streaming message that is still open: its text and all of its blocks so far, in the order they came in.

    `given` counts the blocks that came as such; `writing` says that more text belongs to the last block.
    """

    mode: str
    expires_at: float
    text: str = ""
    plan_title: str = "Plan"
    blocks: list[Json] = field(default_factory=list)
    given: int = 0
    writing: bool = False


@dataclass
class Session:
    """An agent's work in a thread; `stopped_by` pressed Stop since the app last set the status.

    With a title alone (`assistant.threads.setTitle`), `status` is "".
    """

    status: str
    title: str = ""
    initiator: str = ""
    stopped_by: str = ""


@dataclass
class State:
    """Everything that a team holds. ``user_groups``: the ids of their users, by the id of the group."""

    team_id: str
    team_name: str
    team_domain: str
    me: str
    bot_user: str
    bot_id: str
    app_id: str
    users: dict[str, User] = field(default_factory=dict)
    user_groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    views: dict[str, Json] = field(default_factory=dict)
    view_stack: dict[str, list[str]] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    streams: dict[tuple[str, str], Stream] = field(default_factory=dict)
    stopped: set[tuple[str, str]] = field(default_factory=set)
    statuses: dict[tuple[str, str], Json] = field(default_factory=dict)
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    prompts: dict[tuple[str, str], Json] = field(default_factory=dict)
    inputs: dict[str, Json] = field(default_factory=dict)
    stream_life_s: float = 300.0
    status_life_s: float = 120.0
    _last_micros: int = 0
    _stands_at: int | None = None

    def stand_at(self, ts: str) -> None:
        """Sets the clock of the team's messages to a moment and stops it there: the next one gets this very ts."""
        seconds, micros = ts.split(".")
        moment = int(seconds) * 1_000_000 + int(micros)
        if moment != self._stands_at:
            self._stands_at, self._last_micros = moment, moment - 1

    def go_on(self) -> None:
        """Lets the clock of the team's messages run again, with the time of day."""
        self._stands_at = None

    def next_ts(self) -> str:
        """Returns: a message timestamp from the clock, unique and increasing over the team."""
        now = time.time_ns() // 1000 if self._stands_at is None else self._stands_at
        self._last_micros = max(self._last_micros + 1, now)
        seconds, micros = divmod(self._last_micros, 1_000_000)
        return f"{seconds}.{micros:06d}"

    def channel_named(self, name: str) -> Channel | None:
        """Returns: the channel with this id or name (with or without `#`), or None."""
        if name in self.channels:
            return self.channels[name]
        bare = name.removeprefix("#")
        return next((channel for channel in self.channels.values() if not channel.is_im and channel.name == bare), None)

    def user_named(self, name: str) -> User | None:
        """Returns: the user with this id or handle (with or without `@`), or None."""
        if name in self.users:
            return self.users[name]
        bare = name.removeprefix("@")
        return next((user for user in self.users.values() if user.name == bare), None)

    def im_with(self, user_id: str) -> Channel:
        """Returns: the bot's direct message channel with a user, made when there is none yet."""
        for channel in self.channels.values():
            if channel.user == user_id:
                return channel
        channel = Channel(
            id=new_id("D"),
            name="",
            members=[user_id, self.bot_user],
            created=int(time.time()),
            creator=self.bot_user,
            user=user_id,
        )
        self.channels[channel.id] = channel
        return channel
