"""Changes of flags that were told of, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from workers.contracts import FlagChange
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import Database, open_database
from workers.store.flag_changes import has_flag_changes, list_flag_changes, record_flag_changes

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def change(minutes: float = 0, **more: str) -> FlagChange:
    values: dict[str, object] = {"flag": "new-cart", "change": "turned on", "before": "off", "after": "on", **more}
    return FlagChange.model_validate({**values, "at": NOON + timedelta(minutes=minutes)})


def test_a_span_is_listed_oldest_first_whatever_the_environment(database: Database) -> None:
    assert not has_flag_changes(database)
    new = [change(3), change(1, environment="staging"), change(2, flag="other", who="ana@example.com", url="https://x")]
    assert record_flag_changes(database, new) == 3
    assert list_flag_changes(database, NOON, NOON + timedelta(minutes=2)) == (new[1], new[2])
    assert list_flag_changes(database, *EVER) == (new[1], new[2], new[0])
    assert has_flag_changes(database)


def test_what_is_told_again_is_kept_once_as_it_was(database: Database) -> None:
    assert record_flag_changes(database, [change(), change(who="ben")]) == 1
    assert record_flag_changes(database, [change(after="50 %"), change(environment="staging")]) == 1
    assert [(c.after, c.environment, c.who) for c in list_flag_changes(database, *EVER)] == [
        ("on", "production", ""),
        ("on", "staging", ""),
    ]


def test_text_that_a_database_refuses_is_kept(database: Database) -> None:
    assert record_flag_changes(database, [change(flag="a\x00b", before="\x00", who='it\'s "quoted" 𝄞')]) == 1
    (kept,) = list_flag_changes(database, *EVER)
    assert "\x00" not in kept.flag + kept.before


def test_changes_are_forgotten_when_they_are_old(database: Database) -> None:
    now = datetime.now(UTC)
    old = change().model_copy(update={"at": now - timedelta(days=91)})
    record_flag_changes(database, [old, old.model_copy(update={"at": now - timedelta(days=89)})])
    Ledger(database, WorkerSection()).forget(90)
    assert len(list_flag_changes(database, *EVER)) == 1
