"""What was spent today, by person and by all, counted by every process together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.support.request_logs import NOON, unchanged
from workers.contracts import Question, Usage
from workers.errors import StoreUnavailable
from workers.settings.schema import Budget
from workers.store.request_logs import SqlStore, open_store
from workers.store.spending import SpendingStore, day_now
from workers.store.tables import spending

BUDGET = Budget(user_day_tokens=100, user_day_usd=1.0, day_tokens=1_000, day_usd=5.0)
ALL_USED, OWN_USED = "today's budget for everybody is used up", "your budget for today is used up"


def by(asker: str = "U1", team: str = "T1") -> Question:
    return Question(request_id="r", text="?", asker=asker, team=team, received_at=NOON)


@pytest.fixture
def spending_limit(store: SqlStore) -> SpendingStore:
    return SpendingStore(store.database, BUDGET)


def rows(store: SqlStore) -> dict[tuple[str, str], tuple[int, float]]:
    with store.database.begin() as connection:
        return {(r.team, r.asker): (r.tokens, r.cost_usd) for r in connection.execute(select(spending))}


def test_a_new_day_is_full(spending_limit: SpendingStore) -> None:
    assert spending_limit.empty(by()) == ""


def test_tokens_of_every_sort_and_their_cost_add_up(spending_limit: SpendingStore, store: SqlStore) -> None:
    usage = Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3, cache_write_tokens=4, cost_usd=0.25)
    spending_limit.spend(by(), usage)
    spending_limit.spend(by(), usage)
    assert rows(store) == {("T1", "U1"): (20, 0.5)}


def test_nothing_leaves_no_row(spending_limit: SpendingStore, store: SqlStore) -> None:
    spending_limit.spend(by(), Usage())
    assert rows(store) == {}


@pytest.mark.parametrize(
    ("usage", "left"),
    [
        (Usage(input_tokens=99), ""),
        (Usage(input_tokens=100), OWN_USED),
        (Usage(cost_usd=0.99), ""),
        (Usage(cost_usd=1.0), OWN_USED),
    ],
)
def test_a_person_s_day_ends_at_its_limit(spending_limit: SpendingStore, usage: Usage, left: str) -> None:
    spending_limit.spend(by(), usage)
    assert spending_limit.empty(by()) == left
    assert spending_limit.empty(by("U2")) == ""


def test_the_same_id_in_another_workspace_is_another_person(spending_limit: SpendingStore) -> None:
    spending_limit.spend(by(), Usage(input_tokens=100))
    assert spending_limit.empty(by(team="T2")) == ""


@pytest.mark.parametrize("usage", [Usage(input_tokens=500), Usage(cost_usd=2.5)])
def test_everybody_s_day_ends_for_those_too_who_spent_nothing(spending_limit: SpendingStore, usage: Usage) -> None:
    spending_limit.spend(by("U1"), usage)
    assert spending_limit.empty(by("U3")) == ""
    spending_limit.spend(by("U2", "T2"), usage)
    assert spending_limit.empty(by("U3")) == ALL_USED


@pytest.mark.parametrize("name", ["user_day_tokens", "user_day_usd", "day_tokens", "day_usd"])
def test_a_budget_of_nothing_is_empty_from_the_start(store: SqlStore, name: str) -> None:
    spending_limit = SpendingStore(store.database, BUDGET.model_copy(update={name: 0}))
    assert spending_limit.empty(by()) == (OWN_USED if name.startswith("user") else ALL_USED)


def test_yesterday_does_not_count(spending_limit: SpendingStore, store: SqlStore) -> None:
    yesterday = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    with store.database.begin() as connection:
        row = {"day": yesterday, "team": "T1", "asker": "U1", "tokens": 10**9, "cost_usd": 10.0**6}
        connection.execute(spending.insert().values(**row))
    assert spending_limit.empty(by()) == ""
    spending_limit.spend(by(), Usage(input_tokens=5))
    with store.database.begin() as connection:
        found = connection.execute(select(spending.c.day, spending.c.tokens).order_by(spending.c.day)).all()
    assert [tuple(r) for r in found] == [(yesterday, 10**9), (day_now(), 5)]


def test_days_are_those_of_utc() -> None:
    before, day, after = (f"{datetime.now(UTC):%Y-%m-%d}", day_now(), f"{datetime.now(UTC):%Y-%m-%d}")
    assert day in {before, after}


def test_processes_at_once_lose_nothing(prepared: str) -> None:
    stores = [open_store(prepared, unchanged) for _ in range(4)]

    def spend(number: int) -> None:
        spending_limit = SpendingStore(stores[number % 4].database, BUDGET)
        for turn in range(10):
            spending_limit.spend(by(f"U{turn % 2}"), Usage(input_tokens=1, cost_usd=0.5))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(spend, range(8)))
    assert rows(stores[0]) == {("T1", "U0"): (40, 20.0), ("T1", "U1"): (40, 20.0)}
    for store in stores:
        store.database.close()


def test_a_database_that_is_gone_is_said_so(spending_limit: SpendingStore, store: SqlStore) -> None:
    with store.database.begin() as connection:
        spending.drop(connection)
    with pytest.raises(StoreUnavailable):
        spending_limit.empty(by())
    with pytest.raises(StoreUnavailable):
        spending_limit.spend(by(), Usage(input_tokens=1))
