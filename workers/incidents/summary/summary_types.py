"""The summary of an incident's channel. Frozen; unknown fields are refused."""

from __future__ import annotations

from typing import Literal

from workers.contracts import Evidence, Kind, Message, Moment

State = Literal["none", "investigating", "identified", "mitigated", "monitoring", "resolved", "false_alarm"]
"""How an incident stands: ``none``: the channel holds none; ``mitigated``: people feel it no more, its cause stands."""

OVER = frozenset({"resolved", "false_alarm"})
"""The states of an incident that is over."""
NO_DRAFT = frozenset({"none", "false_alarm"})
"""States at whose end no postmortem is drafted."""

SECTIONS = ("impact", "known", "tried", "hypotheses", "ruled_out", "decisions", "action_items", "open_questions")
"""The parts of a summary below its status, in the order they are read."""


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


class IncidentStatus(Line):
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
    status: IncidentStatus
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
