"""Whether the app hears Slack: what was said in followed channels while it did not is read once it does again."""

from __future__ import annotations

from sqlalchemy import and_, or_, select, update

from workers.store.absences import note_absence
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.followed_channels import LISTENING
from workers.store.request_logs import insert
from workers.store.tables import followed_channels as channels
from workers.store.tables import hearing

DEAF_S = 90.0
"""After so long events may be lost: Slack sends each again at once, after one minute and after five."""
LATELY_S = 7 * 86_400.0


def note_connection(database: Database, lost_since_s: float | None = None) -> int:
    """The app hears Slack at this moment.

    When it did not for `DEAF_S`, every followed channel in which something happened `LATELY_S` is read once more, over
    what is known of it, and so is what people said to the app meanwhile.

    Args:
        database: with tables of today's version.
        lost_since_s: since when events were refused because nothing could be kept, in seconds since the epoch; None:
            none was since this was noted last.

    Returns: how many channels are.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    lately = now_s() - LATELY_S
    active = or_(channels.c.dirty_at > lately, channels.c.shown_at > lately)
    unread = {"before_ts": "", "read_count": 0, "read_done": False}
    free = {"due_at": now_s(), "published_at": 0.0, "fence": channels.c.fence + 1, "lease_until": None}
    with database.begin(exclusive=True) as connection:
        clock_s = float(connection.execute(select(now_s())).scalar() or 0.0)
        deaf_s = connection.execute(select(now_s() - hearing.c.at)).scalar()
        first = insert(connection, hearing).values(id=1, at=now_s())
        connection.execute(first.on_conflict_do_update(index_elements=["id"], set_={"at": now_s()}))
        gaps = [] if lost_since_s is None else [clock_s - lost_since_s]
        gaps += [deaf_s] if deaf_s is not None and deaf_s >= DEAF_S else []
        if not gaps:
            return 0
        note_absence(connection, clock_s - max(gaps))
        missed = and_(channels.c.state.in_(LISTENING), active)
        return connection.execute(update(channels).where(missed).values(**unread, **free)).rowcount
