"""What people said of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import func, select

from workers.store.database import Database
from workers.store.request_logs import insert, storable
from workers.store.tables import feedback

Verdict = Literal["good", "bad"]
LONGEST_TEXT = 4_000


@dataclass(frozen=True)
class Tally:
    """How many verdicts of each kind, and the reasons given for bad ones, the most frequent first."""

    good: int = 0
    bad: int = 0
    reasons: tuple[tuple[str, int], ...] = ()


def save_feedback(
    database: Database,
    request_id: str,
    team: str,
    user: str,
    verdict: Verdict,
    reason: str = "",
    text: str = "",
    *,
    at: datetime | None = None,
) -> None:
    """Keep what a person says of an answer; the newest of each person counts.

    Args:
        database: with tables of today's version.
        request_id: of the answer.
        team: the workspace.
        user: who says it.
        verdict: ``good`` or ``bad``.
        reason: one word of a list, such as ``incomplete``; empty for none.
        text: in the person's own words; cut at `LONGEST_TEXT` characters.
        at: aware; now when not given.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    row = {
        "request_id": request_id,
        "user": user,
        "team": team,
        "verdict": verdict,
        "reason": storable(reason)[:32],
        "text": storable(text)[:LONGEST_TEXT],
        "at": at or datetime.now(UTC),
    }
    with database.begin(exclusive=True) as connection:
        statement = insert(connection, feedback).values(row)
        newer = {name: statement.excluded[name] for name in row if name not in {"request_id", "user"}}
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["request_id", "user"], set_=newer, where=feedback.c.at <= statement.excluded.at
            )
        )


def tally(database: Database, days: float, *, team: str = "", now: datetime | None = None) -> Tally:
    """What was said in the last days. Raises: StoreUnavailable.

    Args:
        database: with tables of today's version.
        days: how far back.
        team: of one workspace; of all when empty.
        now: aware; the end of the days.
    """
    recent = feedback.c.at > (now or datetime.now(UTC)) - timedelta(days=days)
    query = select(feedback.c.verdict, feedback.c.reason, func.count()).where(recent)
    if team:
        query = query.where(feedback.c.team == team)
    with database.begin() as connection:
        rows = connection.execute(query.group_by(feedback.c.verdict, feedback.c.reason)).all()
    return add_up((verdict, reason, number) for verdict, reason, number in rows)


def feedback_of(database: Database, request_ids: Iterable[str]) -> Tally:
    """What was said of these answers. Raises: StoreUnavailable."""
    query = (
        select(feedback.c.verdict, feedback.c.reason, func.count())
        .where(feedback.c.request_id.in_(list(request_ids)))
        .group_by(feedback.c.verdict, feedback.c.reason)
    )
    with database.begin() as connection:
        rows = connection.execute(query).all()
    return add_up((verdict, reason, number) for verdict, reason, number in rows)


def add_up(rows: Iterable[tuple[str, str, int]]) -> Tally:
    """A tally of verdict, reason and number."""
    verdicts, reasons = Counter[str](), Counter[str]()
    for verdict, reason, number in rows:
        verdicts[verdict] += number
        if verdict == "bad" and reason:
            reasons[reason] += number
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return Tally(good=verdicts["good"], bad=verdicts["bad"], reasons=tuple(ordered))
