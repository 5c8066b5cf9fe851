"""Which deploys are known of services that nobody records, that metrics show, and that only have tags."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.git_repositories import make_repository, run_git
from tests.support.tables import sqlite_tables
from workers.contracts import Deploy
from workers.settings.load import load_settings
from workers.sources.connections.known_deploys import KnownDeploys
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.version_deploys import VersionDeploys
from workers.store.database import Database, open_database
from workers.store.deploys import record_deploys

NOW = datetime(2026, 11, 21, 11, tzinfo=UTC)
DAY = timedelta(days=1)
SHOWN = timedelta(hours=3)
"""So long ago metrics begin to tell another version of `till`, and of `cart`."""


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedBackend:
    folder = tmp_path_factory.mktemp("versions")
    end = int(NOW.timestamp())
    lines = [
        f'app_build_info{{service="{service}",version="{version}"}} 1 {at}'
        for service in ("cart", "till")
        for version, since, until in (("v1", 10 * 3600, 3 * 3600), ("v2", 3 * 3600, 0))
        for at in range(end - since, end - until, 60)
    ]
    (folder / "samples.om").write_text("\n".join(["# TYPE app_build_info gauge", *lines, "# EOF", ""]))
    load_openmetrics(folder / "samples.om", folder / "store")
    return EmbeddedBackend(folder / "store")


@pytest.fixture
def known(home: Path, database: Database, backend: EmbeddedBackend, tmp_path: Path) -> KnownDeploys:
    folders = [make_repository(tmp_path / name, {"README.md": name}, NOW - 9 * DAY) for name in ("cart", "depot")]
    for folder in folders:
        run_git(folder, "tag", "v9")
    settings = load_settings({"oracle.repositories": [{"path": str(folder)} for folder in folders]}, home=home)
    return KnownDeploys(settings, database, VersionDeploys(lambda: backend, settings.core.environment))


def told(found: tuple[Deploy, ...]) -> set[tuple[str, str, str]]:
    return {(d.service, d.version, d.source) for d in found}


def test_metrics_tell_of_what_nobody_records_and_tags_of_what_metrics_do_not_show(known: KnownDeploys) -> None:
    found = known.own(NOW - 20 * DAY, NOW)
    assert told(found) == {("cart", "v2", "metrics"), ("till", "v2", "metrics"), ("depot", "v9", "git tag")}
    assert [d.at for d in found] == sorted(d.at for d in found)
    assert told(known.own(NOW - DAY, NOW)) == {("cart", "v2", "metrics"), ("till", "v2", "metrics")}


def test_of_a_service_whose_deploys_are_recorded_only_these_count(known: KnownDeploys, database: Database) -> None:
    one = Deploy(service="depot", version="v3", commit="c" * 40, at=NOW - DAY, source="hook", environment="production")
    other = one.model_copy(update={"service": "till", "version": "v2.0"})
    record_deploys(database, [one, other])
    expected = {("depot", "v3", "hook"), ("till", "v2.0", "hook"), ("cart", "v2", "metrics")}
    assert told(known.own(NOW - 20 * DAY, NOW)) == expected


def test_a_deploy_elsewhere_says_nothing_of_the_own_environment(known: KnownDeploys, database: Database) -> None:
    away = Deploy(service="till", version="v5", commit="d" * 40, at=NOW - DAY, source="hook", environment="staging")
    record_deploys(database, [away])
    own, anywhere = known.own(NOW - 2 * DAY, NOW), known.anywhere(NOW - 2 * DAY, NOW)
    assert ("till", "v2", "metrics") in told(own)
    assert told(anywhere) == told(own) | {("till", "v5", "hook")}
