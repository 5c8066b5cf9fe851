"""Deploys and alerts that were told of, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, text

from workers.contracts import AlertEvent, Deploy
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store import alerts as alerts_store
from workers.store.alerts import list_alerts, put_alerts
from workers.store.database import Database, open_database
from workers.store.deploys import SAME_WITHIN, forget_deploys, list_deploys, record_deploys
from workers.store.migrate import SCRIPTS, migrate
from workers.store.tables import alerts, deploys

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
EVER = (NOON - 9_999 * DAY, NOON + 9_999 * DAY)
A, B = "a" * 40, "b" * 40


def record_alerts(database: Database, told: Iterable[AlertEvent], at: datetime | None = None) -> int:
    with database.begin(exclusive=True) as connection:
        return put_alerts(connection, told, at or datetime.now(UTC))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'oracle.db'}" if request.param == "sqlite" else request.getfixturevalue("postgresql")
    opened = open_database(url)
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def deploy(version: str = "v1", minutes: float = 0, **changes: Any) -> Deploy:
    return Deploy(**{"service": "shop", "version": version, "at": NOON + minutes * MINUTE, **changes})


def alert(state: str = "firing", minutes: float = 0, ends: float | None = None, **changes: Any) -> AlertEvent:
    values = {"fingerprint": "f00", "name": "TooSlow", "labels": {"service": "shop"}, "summary": "p95 is 2 s"}
    times = {"starts_at": NOON + minutes * MINUTE, "ends_at": None if ends is None else NOON + ends * MINUTE}
    return AlertEvent.model_validate({**values, **times, "state": state, **changes})


def rows(database: Database) -> list[Any]:
    """Everything that stands in both tables, but when an alert was last told of."""
    told = select(*(c for c in alerts.c if c.name != "last_told")).order_by(alerts.c.fingerprint, alerts.c.starts_at)
    with database.begin() as connection:
        return [connection.execute(query).all() for query in (select(deploys).order_by(deploys.c.id), told)]


def versions(database: Database, environment: str | None = None) -> list[str]:
    return [d.version for d in list_deploys(database, *EVER, environment)]


# --- deploys --------------------------------------------------------------------------------------------------


def test_a_deploy_comes_back_as_it_was_told(database: Database) -> None:
    told = deploy("v1.4", commit=A, source="github", environment="staging")
    assert record_deploys(database, [told]) == 1
    assert list_deploys(database, NOON, NOON) == (told,)
    assert list_deploys(database, NOON, NOON, "staging") == (told,)
    assert list_deploys(database, NOON, NOON, "production") == ()
    assert list_deploys(database, NOON + MINUTE, NOON + DAY) == ()


def test_one_environment_for_all(database: Database) -> None:
    record_deploys(database, [deploy()], "demo")
    assert [d.environment for d in list_deploys(database, *EVER)] == ["demo"]
    assert forget_deploys(database, "production") == 0
    assert forget_deploys(database, "demo") == 1


def test_two_environments_are_two_deploys(database: Database) -> None:
    assert record_deploys(database, [deploy(environment="staging"), deploy()]) == 2
    assert {d.environment for d in list_deploys(database, *EVER)} == {"staging", "production"}


@pytest.mark.parametrize("minutes", [0, 0.2, -0.2, 10, -10])
def test_the_first_telling_of_a_deploy_stays(database: Database, minutes: float) -> None:
    first = deploy("v1", commit=A, source="webhook")
    assert record_deploys(database, [first]) == 1
    assert record_deploys(database, [deploy("v1", minutes, source="github")]) == 0
    assert record_deploys(database, [deploy("v1", minutes, commit=A[:12], source="argocd")]) == 0
    assert list_deploys(database, *EVER) == (first,)


def test_a_commit_tells_it_too(database: Database) -> None:
    record_deploys(database, [deploy("v1.4", commit=A)])
    assert record_deploys(database, [deploy(A[:7], 1, commit=A)]) == 0
    assert record_deploys(database, [deploy("v1.4", 2, commit=B)]) == 1, "the version moved to another commit"
    assert versions(database) == ["v1.4", "v1.4"]


def test_a_commit_that_the_first_did_not_know_is_filled_in(database: Database) -> None:
    record_deploys(database, [deploy("v1", source="webhook")])
    record_deploys(database, [deploy("v1", 1, commit=A, source="github")])
    assert list_deploys(database, *EVER) == (deploy("v1", commit=A, source="webhook"),)


def test_later_it_is_another_deploy(database: Database) -> None:
    record_deploys(database, [deploy("v1")])
    assert record_deploys(database, [deploy("v1", 10.1)]) == 1


def test_a_version_that_comes_back_was_deployed_again(database: Database) -> None:
    new = [deploy("v2", 0), deploy("v1", 3), deploy("v2", 6)]
    assert record_deploys(database, new) == 3
    assert versions(database) == ["v2", "v1", "v2"]
    assert record_deploys(database, [deploy("v1", 3.5), deploy("v2", 6.5), deploy("v2", -1)]) == 0


def test_other_services_lie_not_between(database: Database) -> None:
    record_deploys(database, [deploy("v1"), deploy("v9", 1, service="cart"), deploy("v8", 1, environment="staging")])
    assert record_deploys(database, [deploy("v1", 2)]) == 0


def test_sources_that_tell_at_the_same_moment(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        new = list(pool.map(lambda i: record_deploys(database, [deploy("v1", i / 60, source=f"s{i}")]), range(8)))
    assert sorted(new) == [0] * 7 + [1]
    assert len(list_deploys(database, *EVER)) == 1


TELLINGS = st.lists(
    st.builds(
        deploy,
        version=st.sampled_from(["v1", "v2", "v3"]),
        minutes=st.integers(0, 30),
        commit=st.sampled_from(["", A, B, A[:8]]),
        service=st.sampled_from(["shop", "cart"]),
        environment=st.sampled_from(["production", "staging"]),
        source=st.sampled_from(["webhook", "github"]),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=TELLINGS)
def test_deploys_told_again_change_nothing(database: Database, told: list[Deploy]) -> None:
    with database.begin() as connection:
        connection.execute(deploys.delete())
    for one in told:
        record_deploys(database, [one])
    before, shown = rows(database), list_deploys(database, *EVER)
    assert record_deploys(database, told) == 0
    for one in reversed(told):
        assert record_deploys(database, [one]) == 0
    assert rows(database) == before
    assert list_deploys(database, *EVER) == shown
    for one in told:
        near = [d for d in shown if d.service == one.service and abs(d.at - one.at) <= SAME_WITHIN]
        assert any(d.environment == one.environment for d in near), "no deploy is lost"


# --- alerts ---------------------------------------------------------------------------------------------------


def test_an_alert_fires_and_is_resolved(database: Database) -> None:
    assert record_alerts(database, [alert(runbook_url="https://wiki.example/slow")]) == 1
    assert list_alerts(database, *EVER) == (alert(runbook_url="https://wiki.example/slow"),)
    assert record_alerts(database, [alert("resolved", ends=7, summary="over")]) == 1
    (found,) = list_alerts(database, *EVER)
    assert (found.state, found.ends_at, found.summary) == ("resolved", NOON + 7 * MINUTE, "p95 is 2 s")


def test_late_and_repeated_news_change_nothing(database: Database) -> None:
    record_alerts(database, [alert(), alert("resolved", ends=7)])
    before = rows(database)
    assert record_alerts(database, [alert(), alert(summary="p95 is 3 s"), alert("resolved", ends=7)]) == 0
    assert record_alerts(database, [alert("resolved", ends=9)]) == 0
    assert rows(database) == before


def test_the_end_may_be_told_alone(database: Database) -> None:
    assert record_alerts(database, [alert("resolved", ends=7)]) == 1
    assert record_alerts(database, [alert()]) == 0
    assert [a.state for a in list_alerts(database, *EVER)] == ["resolved"]


@pytest.mark.parametrize(
    ("hours", "state", "known"),
    [(24, None, True), (25, None, False), (24, "firing", True), (25, "firing", False), (25, "resolved", True)],
)
def test_an_alert_that_nobody_tells_of_any_more_is_unknown(
    database: Database, hours: int, state: Any, known: bool
) -> None:
    ended = {"resolved": alert("resolved", ends=7)}
    record_alerts(database, [ended.get(state, alert())], at=NOON)
    later = NOON + hours * 60 * MINUTE
    assert bool(list_alerts(database, NOON, later, state, now=later)) is known
    record_alerts(database, [ended.get(state, alert(summary="again"))], at=NOON + 2 * 60 * MINUTE)
    record_alerts(database, [ended.get(state, alert(summary="late"))], at=NOON)
    assert list_alerts(database, NOON, later, state, now=later)


def test_what_was_known_then_stays_known_of_then(database: Database) -> None:
    record_alerts(database, [alert()], at=NOON)
    later = NOON + 9 * DAY
    assert list_alerts(database, NOON, NOON + 60 * MINUTE, now=later) == (alert(),)
    assert list_alerts(database, NOON, NOON + 60 * MINUTE, "firing", now=later) == ()
    assert list_alerts(database, NOON, NOON + DAY / 2, now=later) == (alert(),)
    assert list_alerts(database, NOON, NOON + 2 * DAY, now=later) == ()


def test_another_start_is_another_alert(database: Database) -> None:
    assert record_alerts(database, [alert("resolved", ends=5), alert(minutes=9), alert(fingerprint="f01")]) == 3
    states = [(a.starts_at, a.fingerprint, a.state) for a in list_alerts(database, *EVER)]
    late = NOON + 9 * MINUTE
    assert states == [(NOON, "f00", "resolved"), (NOON, "f01", "firing"), (late, "f00", "firing")]


@pytest.mark.parametrize(
    ("start", "end", "state", "found"),
    [
        (0, 60, None, ["over", "still"]),
        (-60, -1, None, []),
        (-60, 0, None, ["over"]),
        (10, 60, None, ["over", "still"]),
        (11, 60, None, ["still"]),
        (500, 600, None, ["still"]),
        (0, 60, "firing", ["still"]),
        (0, 60, "resolved", ["over"]),
    ],
)
def test_alerts_of_a_span(database: Database, start: int, end: int, state: Any, found: list[str]) -> None:
    over, still = alert("resolved", 0, 10, name="over"), alert(minutes=5, name="still")
    record_alerts(database, [still, over])
    span = (NOON + start * MINUTE, NOON + end * MINUTE)
    assert [a.name for a in list_alerts(database, *span, state)] == found


def test_the_newest_alerts_are_listed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    record_alerts(database, [alert(minutes=i, name=str(i)) for i in range(5)])
    monkeypatch.setattr(alerts_store, "MOST", 2)
    assert [a.name for a in list_alerts(database, *EVER)] == ["3", "4"]


def test_text_that_postgresql_refuses_is_stored(database: Database) -> None:
    record_alerts(database, [alert(name="a\x00b", summary="\x00", labels={"\x00": "\x00"})])
    assert [a.name for a in list_alerts(database, *EVER)] == ["a\ufffdb"]
    record_deploys(database, [deploy("v\x001")])
    assert versions(database) == ["v\ufffd1"]


NEWS = st.lists(
    st.builds(
        lambda state, minutes, ends, fingerprint: alert(
            state, minutes, minutes + ends if state == "resolved" else None, fingerprint=fingerprint
        ),
        st.sampled_from(["firing", "resolved"]),
        st.integers(0, 2),
        st.integers(0, 3),
        st.sampled_from(["f00", "f01"]),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=NEWS)
def test_alerts_told_again_change_nothing(database: Database, told: list[AlertEvent]) -> None:
    with database.begin() as connection:
        connection.execute(alerts.delete())
    record_alerts(database, told)
    before = rows(database)
    assert record_alerts(database, told) == 0
    assert record_alerts(database, reversed(told)) == 0
    assert rows(database) == before
    ended = {(a.fingerprint, a.starts_at) for a in told if a.state == "resolved"}
    kept = list_alerts(database, *EVER)
    assert {(a.fingerprint, a.starts_at) for a in kept if a.state == "resolved"} == ended
    assert all((a.ends_at is None) == (a.state == "firing") for a in kept)


# --- how long they are kept, and where they come from ---------------------------------------------------------


def test_what_is_old_is_forgotten(database: Database) -> None:
    now = datetime.now(UTC)
    ages = {f"v{days}": now - days * DAY for days in (1, 89, 91)}
    record_deploys(database, [Deploy(service="shop", version=v, at=at) for v, at in ages.items()])
    long_ago, fires = now - 95 * DAY, alert(fingerprint="fires still", starts_at=now - 95 * DAY)
    record_alerts(database, [alert(fingerprint="old", starts_at=long_ago), fires], at=long_ago)
    over = alert("resolved", fingerprint="ended long ago", starts_at=long_ago, ends_at=now - 91 * DAY)
    record_alerts(database, [over], at=now - 91 * DAY)
    late = alert("resolved", fingerprint="ended lately", starts_at=long_ago, ends_at=now - 89 * DAY)
    record_alerts(database, [late], at=now - 89 * DAY)
    record_alerts(database, [fires, alert(fingerprint="new", starts_at=now - DAY)], at=now)
    Ledger(database, WorkerSection()).forget(90)
    assert versions(database) == ["v89", "v1"]
    with database.begin() as connection:
        kept = set(connection.execute(select(alerts.c.fingerprint)).scalars())
    assert kept == {"ended lately", "fires still", "new"}


def test_deploys_of_the_version_before_are_kept(empty: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    columns = 'service, version, "commit", at, environment, source'
    values = "'shop', 'v1', '', '2026-11-21 12:00:00+00', 'production', 'git tag'"
    with empty.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        connection.execute(text(f"insert into deploys ({columns}) values ({values})"))
    assert migrate(empty) is True
    assert versions(empty) == ["v1"]
    assert record_deploys(empty, [deploy("v1", environment="staging"), deploy("v1", 1, source="webhook")]) == 1


def test_alerts_of_the_version_before_fire_on(empty: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    columns = "fingerprint, starts_at, name, state, labels, summary, runbook_url, source"
    values = "'f00', '2026-11-21 12:00:00+00', 'TooSlow', 'firing', '{}', 'p95 is 2 s', '', 'alertmanager'"
    with empty.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0006")
        connection.execute(text(f"insert into alerts ({columns}) values ({values})"))
    assert migrate(empty) is True
    assert list_alerts(empty, *EVER, "firing") == (alert(labels={}),)
