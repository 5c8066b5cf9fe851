"""Recorded deploys."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from tests.support.request_logs import NOON
from workers.contracts import Deploy
from workers.store.deploys import forget_deploys, last_range, list_deploys, record_deploys
from workers.store.request_logs import SqlStore

HOUR = timedelta(hours=1)


def deploy(version: str, hours: float, **changes: str) -> Deploy:
    values: dict[str, object] = {"service": "shop", "version": version, "commit": "c" * 40, "at": NOON + hours * HOUR}
    return Deploy.model_validate({**values, **changes})


def test_span_is_listed_oldest_first(store: SqlStore) -> None:
    new = [deploy("v3", 3), deploy("v1", 1), deploy("v2", 2), deploy("v0", -1)]
    assert record_deploys(store.database, new) == 4
    assert list_deploys(store.database, NOON + HOUR, NOON + 3 * HOUR) == (new[1], new[2], new[0])
    assert list_deploys(store.database, NOON, NOON + 0.5 * HOUR) == ()


def test_known_deploy_is_recorded_once(store: SqlStore) -> None:
    first = deploy("v1", 1)
    assert record_deploys(store.database, [first, first]) == 1
    assert record_deploys(store.database, [first.model_copy(update={"commit": "d" * 40})]) == 0
    assert list_deploys(store.database, NOON, NOON + 2 * HOUR) == (first,)


def test_a_commit_told_second_is_kept_also_at_the_same_moment(store: SqlStore) -> None:
    first = deploy("v1", 1, commit="")
    assert record_deploys(store.database, [first, deploy("v1", 1)]) == 1
    assert list_deploys(store.database, NOON, NOON + 2 * HOUR) == (deploy("v1", 1),)


def test_same_version_deployed_again_is_another_deploy(store: SqlStore) -> None:
    assert record_deploys(store.database, [deploy("v1", 1), deploy("v1", 5), deploy("v1", 1, service="cart")]) == 3


@pytest.mark.parametrize("hours", [-11, 0, 14])
def test_time_zones_do_not_matter(store: SqlStore, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    there = deploy("v1", 1).model_copy(update={"at": (NOON + HOUR).astimezone(zone)})
    record_deploys(store.database, [there])
    (found,) = list_deploys(store.database, (NOON + HOUR).astimezone(zone), NOON + HOUR)
    assert found.at == NOON + HOUR
    assert found.at.utcoffset() == timedelta(0)


def test_deploys_of_one_environment_are_forgotten(store: SqlStore) -> None:
    record_deploys(store.database, [deploy("v1", 1)])
    record_deploys(store.database, [deploy("v2", 2), deploy("v3", 3)], environment="demo")
    assert forget_deploys(store.database, "demo") == 2
    assert [d.version for d in list_deploys(store.database, NOON, NOON + 9 * HOUR)] == ["v1"]


def test_source_is_kept(store: SqlStore) -> None:
    record_deploys(store.database, [deploy("v1", 1, source="webhook")])
    assert list_deploys(store.database, NOON, NOON + 2 * HOUR)[0].source == "webhook"


MADE = (
    deploy("v1", 1),
    deploy("v2", 2, environment="staging"),
    deploy("v9", 3, service="cart"),
    deploy("v2", 4),
    deploy("v3", 5, environment="staging"),
    deploy("v3", 8),
)


@pytest.mark.parametrize(
    ("service", "environment", "hours", "found"),
    [
        ("shop", "production", 9, ("v2", "v3")),
        ("SHOP", "Production", 9, ("v2", "v3")),
        ("shop", "production", 8, ("v2", "v3")),
        ("shop", "production", 7.9, ("v1", "v2")),
        ("shop", "production", 1, (None, "v1")),
        ("shop", "staging", 9, ("v2", "v3")),
        ("shop", "", 7, ("v2", "v3")),
        ("", "", 9, ("v2", "v3")),
        ("", "production", 3.5, (None, "v9")),
        ("cart", "production", 9, (None, "v9")),
        ("shop", "production", 0, None),
        ("shop", "canary", 9, None),
        ("pay", "production", 9, None),
    ],
)
def test_the_last_deploy_and_the_one_that_it_replaced(
    service: str, environment: str, hours: float, found: tuple[str | None, str] | None
) -> None:
    for deploys in (MADE, tuple(reversed(MADE))):
        pair = last_range(deploys, service, environment, NOON + hours * HOUR)
        assert (pair and (pair[0] and pair[0].version, pair[1].version)) == found


@pytest.mark.parametrize("stored", ["prod", "Production – shop", "PRD", "production"])
def test_an_environment_stored_in_another_spelling_is_the_same_one(store: SqlStore, stored: str) -> None:
    record_deploys(store.database, [deploy("v1", 1, environment=stored), deploy("v1", 2, environment="staging")])
    assert record_deploys(store.database, [deploy("v1", 1.1)]) == 0, "the same one, told again"
    for found in (
        list_deploys(store.database, NOON, NOON + 9 * HOUR, "production"),
        list_deploys(store.database, NOON, NOON + 1.5 * HOUR, own="production"),
    ):
        assert [(d.version, d.environment) for d in found] == [("v1", "production")]
    assert len(list_deploys(store.database, NOON, NOON + 9 * HOUR, own="production")) == 2
