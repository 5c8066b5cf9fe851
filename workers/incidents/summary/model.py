"""A channel's messages, and the summary of what they say. Frozen; unknown fields are refused.

A ``ts`` is Slack's: seconds since the epoch with six decimals, as text; it names a message within its channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from workers.contracts import Evidence, Message, Moment

State = Literal["none", "investigating", "identified", "mitigated", "monitoring", "resolved", "false_alarm"]
"""How an incident stands: ``none``: the channel holds none; ``mitigated``: people feel it no more, its cause stands."""

Kind = Literal[
    "detected",
    "alert",
    "acknowledged",
    "declared",
    "deploy",
    "rollback",
    "change",
    "finding",
    "decision",
    "mitigated",
    "resolved",
    "correction",
    "other",
]
"""What an entry of the timeline tells of."""

Why = Literal["", "name", "topic", "declared"]
"""What says of a channel that it holds an incident besides its messages: its name, its topic or purpose, people."""

OVER = frozenset({"resolved", "false_alarm"})
"""The states of an incident that is over."""
NO_DRAFT = frozenset({"none", "false_alarm"})
"""States at whose end no postmortem is drafted."""

SECTIONS = ("impact", "known", "tried", "hypotheses", "ruled_out", "decisions", "action_items", "open_questions")
"""The parts of a summary below its status, in the order they are read."""


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One message of a channel as a person reads it: mentions by name, links spelled out, secrets taken out.

    ``thread_ts``: the message it replies to, empty at the top level. ``user``: who wrote it, an app's id too; ``name``:
    as people are shown; ``zone``: the IANA name of their zone, empty when it is not known. ``said``: whether it says
    something; joins and changed topics do not. ``edited_at``: when it got the words it has, None for its first ones;
    aware, UTC. ``reactions``: emoji name -> users, in the order they were added; those
    that came while the past was being read stand last. ``files``: their titles. Without pydantic's checks and their
    memory: thousands are held at a time, and `slack_messages` has read each.
    """

    ts: str
    thread_ts: str = ""
    user: str = ""
    name: str = ""
    zone: str = ""
    text: str = ""
    bot: bool = False
    said: bool = True
    edited_at: datetime | None = None
    reactions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    at: datetime = field(init=False, repr=False, compare=False)
    """When it was written: aware, UTC."""

    @property
    def worded_at(self) -> datetime:
        """When it got the words it has."""
        return self.edited_at or self.at

    def __post_init__(self) -> None:
        """Read when it was written. Raises: ValueError: ``ts`` is none."""
        object.__setattr__(self, "at", moment_of(self.ts))


class Line(Message):
    """One line of a summary.

    ``ts``: the messages it rests on, the first of them the one it is mostly taken from; ``evidence``: ids of what tools
    returned and of what other programs told, in `Summary.evidence`. It rests on at least one of either.
    """

    text: str
    ts: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class ActionItem(Line):
    """Something to do. ``owner``: a name as people are shown, empty while nobody took it."""

    owner: str = ""
    done: bool = False


class Lead(Line):
    """Who leads. ``name``: as people are shown."""

    name: str


class Entry(Line):
    """One moment of the timeline.

    ``id``: names it within its incident whatever becomes known later: the message and sentence it is taken from
    (``1763632330.000100:0``), what a program told of, or the correction that added it; empty in what was kept before
    entries had one. ``at``: when it happened, which may be before anybody wrote of it. ``said_at``: when people added
    or changed it in the timeline itself, so that it rests on their word; None: nobody did.
    """

    id: str = ""
    at: Moment
    kind: Kind
    said_at: Moment | None = None


class Standing(Line):
    """How it stands. ``ts`` is empty only while nobody has said anything of it."""

    state: State


class Summary(Message):
    """An incident as its channel tells it, as of a moment.

    ``lead``: None while nobody said who leads, or whom they mean is not clear.
    ``severity``: ``SEV2``, empty when nobody gave one. ``since``: when it began, as far as is known; ``until``: when it
    was over. ``as_of``: the newest message that was read.
    """

    title: str
    severity: str = ""
    status: Standing
    lead: Lead | None = None
    since: Moment | None = None
    until: Moment | None = None
    impact: tuple[Line, ...] = ()
    known: tuple[Line, ...] = ()
    tried: tuple[Line, ...] = ()
    hypotheses: tuple[Line, ...] = ()
    ruled_out: tuple[Line, ...] = ()
    decisions: tuple[Line, ...] = ()
    action_items: tuple[ActionItem, ...] = ()
    open_questions: tuple[Line, ...] = ()
    next_update: Line | None = None
    timeline: tuple[Entry, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    as_of: str = ""


class Correction(Message):
    """What a person changed in the timeline; it wins over what was read, and stays.

    ``entry``: the id of the entry it changes, empty for a new one. ``was``: what that entry said then, or how that
    began; empty for a new one, and in what was kept before corrections had it. ``text``: empty when it stays as it is.
    ``removed``: the entry is gone.
    """

    entry: str = ""
    was: str = ""
    at: Moment | None = None
    kind: Kind = "other"
    text: str = ""
    removed: bool = False
    by: str = ""
    said_at: Moment


def moment_of(ts: str) -> datetime:
    """When a message was written. Raises: ValueError: that is no ts."""
    seconds, _, micros = ts.partition(".")
    return datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=int((micros or "0").ljust(6, "0")[:6]))


def order_of(ts: str) -> tuple[int, int]:
    """What messages sort by; a ts that is none comes first."""
    seconds, _, micros = ts.partition(".")
    return (int(seconds), int(micros or 0)) if seconds.isdecimal() and (micros or "0").isdecimal() else (0, 0)
