"""Groups of alerts, the same on SQLite and on PostgreSQL: one thread each, whatever comes twice or late."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from workers.contracts import AlertEvent, AlertNotification
from workers.errors import LeaseLost
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.alert_group_leases import (
    GROUPS,
    release_group,
    write_group,
)
from workers.store.alert_groups import AlertGroup, alerts_of, group_of, record_notification, to_group
from workers.store.alerts import UNKNOWN_AFTER
from workers.store.database import Database, open_database
from workers.store.tables import alert_groups, alerts

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
PLACE = "T1/C1"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def alert(name: str = "a", start: float = 0, end: float | None = None) -> AlertEvent:
    return AlertEvent(
        fingerprint=name,
        name="SearchLatencyHigh",
        state="firing" if end is None else "resolved",
        starts_at=NOON + timedelta(minutes=start),
        ends_at=None if end is None else NOON + timedelta(minutes=end),
        labels={"shard": name},
    )


def told(*events: AlertEvent, key: str = "k", truncated: int = 0) -> AlertNotification:
    return AlertNotification(key=key, url="http://am:9093", alerts=events, truncated=truncated)


def tell(database: Database, *events: AlertEvent, minute: float = 0, place: str = PLACE) -> int | None:
    """Returns: the group whose message is due."""
    return record_notification(database, told(*events), place, NOON + timedelta(minutes=minute))[1]


def groups(database: Database) -> list[AlertGroup]:
    with database.begin() as connection:
        rows = connection.execute(select(alert_groups).order_by(alert_groups.c.id)).mappings()
        return [to_group(row) for row in rows]


def states(group: AlertGroup) -> dict[str, str]:
    return {m["fingerprint"]: m["state"] for m in group.members}


# --- what is told -------------------------------------------------------------------------------------------------


def test_news_without_a_start_is_about_the_alert_that_is_open(database: Database) -> None:
    def hear(*events: AlertEvent, minute: float) -> int:
        at = NOON + timedelta(minutes=minute)
        return record_notification(database, told(*events), PLACE, at, begins=False)[0]

    assert hear(alert(start=0, end=0), minute=0) == 0, "it ends, and nobody told that it began"
    assert [hear(alert(start=n), minute=n) for n in (1, 2, 3)] == [1, 0, 0]
    assert hear(alert(start=4, end=4), minute=4) == 1
    assert hear(alert(start=5, end=5), minute=5) == 0, "it is over"
    assert hear(alert(start=6), minute=6) == 1
    assert hear(alert(start=4, end=4), minute=7) == 0, "news that comes late"
    with database.begin() as connection:
        rows = connection.execute(select(alerts).order_by(alerts.c.starts_at)).all()
    assert [(row.starts_at - NOON, row.state) for row in rows] == [
        (timedelta(minutes=1), "resolved"),
        (timedelta(minutes=6), "firing"),
    ]
    assert [group.state for group in groups(database)] == ["firing"]


def test_a_group_from_its_first_alert_to_its_last(database: Database) -> None:
    group_id = tell(database, alert())
    assert group_id is not None
    assert tell(database, alert(), minute=1) is None, "a repeated notification is no news"
    assert tell(database, alert(), alert("b", 2), minute=3) == group_id
    assert tell(database, alert(end=5), alert("b", 2), minute=5) == group_id
    (group,) = groups(database)
    assert (group.team, group.channel, group.url) == ("T1", "C1", "http://am:9093")
    assert (group.state, states(group)) == ("firing", {"a": "resolved", "b": "firing"})
    assert [a.fingerprint for a in alerts_of(database, group)] == ["b", "a"]
    assert tell(database, alert(end=5), alert("b", 2, 9), minute=9) == group_id
    (group,) = groups(database)
    assert (group.state, group.began_at, group.ended_at) == ("resolved", NOON, NOON + timedelta(minutes=9))
    assert group.version == 4


def test_news_that_comes_late_opens_nothing_again(database: Database) -> None:
    first = tell(database, alert(end=None))
    assert tell(database, alert(end=5), minute=5) == first
    before = groups(database)
    assert tell(database, alert(), minute=6) is None
    (after,) = groups(database)
    assert (after.state, after.version) == ("resolved", before[0].version)


def test_soon_again_is_the_same_thread_and_later_a_new_one(database: Database) -> None:
    first = tell(database, alert(end=None))
    tell(database, alert(end=10), minute=10)
    assert tell(database, alert(start=69), minute=69) == first
    (group,) = groups(database)
    assert (group.state, group.again_at, group.began_at) == ("firing", NOON + timedelta(minutes=69), NOON)
    tell(database, alert(start=69, end=80), minute=80)
    second = tell(database, alert(start=141), minute=141)
    old, new = groups(database)
    assert (old.id, old.state, old.ended_at) == (first, "resolved", NOON + timedelta(minutes=80))
    assert (new.id, new.state, new.again_at, new.ts) == (second, "firing", None, "")
    assert tell(database, alert(start=69), minute=142) is None, "nor does the past come back"


def test_late_news_of_an_alert_that_fires_anew_ends_nothing(database: Database) -> None:
    tell(database, alert(start=5))
    tell(database, alert(end=3), alert("b", end=3), minute=6)
    assert tell(database, alert(end=3), alert("b", end=3), minute=7) is None
    (group,) = groups(database)
    assert (group.state, states(group)) == ("firing", {"a": "firing", "b": "resolved"})


def test_nothing_begins_without_a_channel_or_an_alert_that_fires(database: Database) -> None:
    assert tell(database, alert(), place="") is None
    assert record_notification(database, AlertNotification(alerts=(alert("x"),)), PLACE) == (1, None)
    assert tell(database, alert("y", end=4)) is None
    assert record_notification(database, AlertNotification(), PLACE) == (0, None)
    assert groups(database) == []
    assert tell(database, alert()) is not None, "with a channel, the next repetition begins it"


def test_what_is_silenced_does_not_keep_a_group_open(database: Database) -> None:
    tell(database, alert(), alert("silenced"))
    tell(database, alert(end=5), minute=5)
    (group,) = groups(database)
    assert (group.state, states(group)) == ("resolved", {"a": "resolved"})


def test_what_was_left_out_of_a_notification_is_not_taken_for_silenced(database: Database) -> None:
    tell(database, alert(), alert("cut"))
    record_notification(database, told(alert(end=5), truncated=1), PLACE, NOON)
    (group,) = groups(database)
    assert (group.state, states(group)) == ("firing", {"a": "resolved", "cut": "firing"})


def test_a_group_that_was_unheard_of_and_is_told_of_again_is_shown_again(database: Database) -> None:
    group_id = tell(database, alert())
    day = UNKNOWN_AFTER.total_seconds() / 60
    assert tell(database, alert(), minute=day - 1) is None
    assert tell(database, alert(), minute=2 * day) == group_id


def test_two_notifications_at_once_begin_one_thread(database: Database) -> None:
    threads = [threading.Thread(target=tell, args=(database, alert(name))) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (group,) = groups(database)
    assert set(states(group)) == set("abcd")


FIRES = st.builds(alert, st.sampled_from("abc"), st.sampled_from([0, 5]))
ENDS = st.builds(alert, st.sampled_from("abc"), st.sampled_from([0, 5]), st.sampled_from([20]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(FIRES | ENDS, min_size=1, max_size=3), min_size=1, max_size=5))
def test_what_is_told_again_changes_nothing(database: Database, story: list[list[AlertEvent]]) -> None:
    with database.begin(exclusive=True) as connection:
        connection.execute(delete(alert_groups))
        connection.execute(delete(alerts))
    for step in story:
        tell(database, *step)
        before = groups(database)
        assert tell(database, *step) is None
        assert groups(database) == before
        assert all((g.state == "firing") == ("firing" in states(g).values()) for g in before)
        assert all((g.ended_at is None) == (g.state == "firing") for g in before)


# --- one worker at a time -----------------------------------------------------------------------------------------


def test_one_worker_shows_a_group(database: Database) -> None:
    group_id = tell(database, alert())
    assert group_id is not None
    held = GROUPS.claim(database, (group_id,), 20)
    assert held is not None
    assert GROUPS.claim(database, (group_id,), 20) is None
    GROUPS.renew(database, held, 20)
    held = write_group(database, held, ts="1.2", shown=held.version)
    tell(database, alert("b"), minute=1)
    release_group(database, held)
    again = GROUPS.claim(database, (group_id,), 20)
    assert again is not None, "what was told meanwhile is due"
    assert (again.ts, again.shown, again.version) == ("1.2", 1, 2)
    release_group(database, again)
    assert GROUPS.claim(database, (group_id,), 20) is None
    with pytest.raises(LeaseLost):
        write_group(database, held, ts="9.9")


def test_a_dead_workers_group_is_found(database: Database) -> None:
    group_id = tell(database, alert())
    assert group_id is not None
    assert GROUPS.claim(database, (group_id,), 20) is not None
    with database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(lease_until=0.0, published_at=0.0))
    assert GROUPS.sweep(database) == ((group_id,),)
    assert GROUPS.sweep(database) == (), "it was told a moment ago"
    held = GROUPS.claim(database, (group_id,), 20)
    assert held is not None
    GROUPS.fail(database, held, "boom")
    tell(database, alert("b"), minute=1)
    assert GROUPS.claim(database, (group_id,), 20) is None, "not before its time"
    known = group_of(database, group_id)
    assert known is not None
    assert known.failures == 1


def test_it_is_looked_at_later_when_asked_for(database: Database) -> None:
    group_id = tell(database, alert())
    assert group_id is not None
    held = GROUPS.claim(database, (group_id,), 20)
    assert held is not None
    release_group(database, held, again_at=datetime.now(UTC) + timedelta(hours=1))
    assert GROUPS.claim(database, (group_id,), 20) is None
    with database.begin(exclusive=True) as connection:
        connection.execute(update(alert_groups).values(due_at=alert_groups.c.due_at - 3_700))
    assert GROUPS.claim(database, (group_id,), 20) is not None


def test_groups_are_forgotten(database: Database) -> None:
    tell(database, alert())
    ledger = Ledger(database, WorkerSection())
    days = (datetime.now(UTC) - NOON).total_seconds() / 86_400
    ledger.forget(max(days + 1, 1))
    assert len(groups(database)) == 1
    record_notification(database, told(alert("old"), key="old"), PLACE, datetime(2020, 1, 1, tzinfo=UTC))
    ledger.forget(max(days + 1, 1))
    assert [g.key for g in groups(database)] == ["k"]
    ledger.end_team("T1")
    assert groups(database) == []
