"""What the message of an incident's channel says by now, as it is kept."""

from __future__ import annotations

from workers.contracts import Message, Moment
from workers.incidents.summary.summary_types import Summary


class Snapshot(Message):
    """``reading``: how many earlier messages were read, None when all were; ``drafted``: its postmortem was;
    ``draft``: what was written of that and is not shared yet; ``at``: since when it says this. ``basis`` and
    ``worded_at``: what the rules saw when it was worded, and when that was. ``read`` and ``heard``: how many earlier
    messages and how much news it was summed up from.
    """

    summary: Summary
    reading: int | None = None
    resolved: bool = False
    paused: bool = False
    drafted: bool = False
    draft: str = ""
    at: Moment
    basis: str = ""
    worded_at: Moment | None = None
    read: int = 0
    heard: int = 0


def read_snapshot(text: str) -> Snapshot | None:
    """As it is kept in the store; None for none."""
    return Snapshot.model_validate_json(text) if text else None


def shown_content(last: Snapshot) -> dict[str, object]:
    """What people see of it, but for the time."""
    unseen = {"summary", "at", "drafted", "draft", "basis", "worded_at", "read", "heard"}
    shown = last.model_dump(mode="json", exclude=unseen)
    return shown | {"summary": last.summary.model_dump(mode="json", exclude={"as_of"})}
