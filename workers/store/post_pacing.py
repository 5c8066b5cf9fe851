"""The pace of messages in each channel, kept by all processes together (GCRA, by the database's own clock)."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import ColumnElement, case, or_, select

from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.request_logs import insert
from workers.store.tables import pacing

CLOCK_SLACK_S = 60.0
"""A due time that is further ahead than any reservation by this much comes from a clock that was set back since."""


def reserve_post_slot(
    database: Database, channel: str, *, burst: int = 5, per_s: float = 1.0, at_most_s: float
) -> float:
    """Reserve the next message of a channel: ``burst`` of them at once, then ``per_s`` a second.

    Args:
        database: shared by all who post.
        channel: its id.
        burst: messages that may go out together after a pause, at least 1.
        per_s: messages a second in the long run.
        at_most_s: nothing is reserved when the wait would be longer.

    Returns: seconds to wait before posting; more than ``at_most_s`` when nothing was reserved.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    step_s = 1.0 / per_s
    ahead_s = (burst - 1) * step_s
    due = next_due(longest_s=at_most_s + burst * step_s + CLOCK_SLACK_S)
    with database.begin(exclusive=True) as connection:
        first = insert(connection, pacing).values(channel=channel, at=now_s() + step_s)
        reservation = first.on_conflict_do_update(
            index_elements=["channel"],
            set_={"at": due + step_s},
            where=due - now_s() <= ahead_s + at_most_s,
        ).returning(pacing.c.at - now_s())
        until_next = connection.execute(reservation).scalar()
        if until_next is not None:
            return max(float(until_next) - step_s - ahead_s, 0.0)
        query = select(due - now_s()).where(pacing.c.channel == channel)
        wait_s = float(connection.execute(query).scalar_one()) - ahead_s
    return max(wait_s, math.nextafter(at_most_s, math.inf))


def next_due(longest_s: float) -> ColumnElement[Any]:
    """When the next message of a row is due: what stands there, unless it is past or cannot be."""
    return case((or_(pacing.c.at < now_s(), pacing.c.at > now_s() + longest_s), now_s()), else_=pacing.c.at)
