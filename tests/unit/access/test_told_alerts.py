"""What hooks and pages tell is filtered like all else: alerts by what their labels name, flags, pages, the web."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.support.two_repositories import two_repositories
from workers.contracts import AlertEvent
from workers.settings.load import Settings
from workers.sources.connections.known_deploys import alerts_seen
from workers.sources.flags.flag_sources import FlagSources
from workers.store.database import open_database
from workers.toolkit.tool import Resources
from workers.tools.web import build_web_search

AT = datetime(2026, 11, 21, 11, tzinfo=UTC)


def alert(**labels: str) -> AlertEvent:
    return AlertEvent(fingerprint=str(labels), name="Slow", state="firing", starts_at=AT, labels=labels)


def given(folder: Path, *sources: str) -> Settings:
    """The settings as one who may see only some sources has them."""
    return replace(two_repositories(folder), shown=frozenset(sources))


def test_alerts_that_name_a_hidden_repository_are_not_there(tmp_path: Path) -> None:
    alerts = (alert(service="shop"), alert(service="ColdVault"), alert(job="coldvault", service="shop"))
    assert alerts_seen(given(tmp_path, "repository:shop", "alerts:told"), alerts) == alerts[:1]
    assert alerts_seen(two_repositories(tmp_path, None), alerts) == alerts


def test_flags_that_hooks_told_of_are_read_only_where_they_are_given(tmp_path: Path) -> None:
    settings = given(tmp_path, "flags:unleash")
    database = open_database(f"sqlite:///{settings.home / 'oracle.db'}")
    assert FlagSources(settings, database).database is None
    assert FlagSources(given(tmp_path, "flags:told"), database).database is database
    database.close()


def test_the_web_is_asked_only_where_it_is_given(tmp_path: Path) -> None:
    def searches(*sources: str) -> object:
        options = {"provider": "searxng", "url": "http://127.0.0.1:9"}
        resources = Resources(given(tmp_path, *sources), lambda start, end: ())
        return getattr(build_web_search(options, resources).run, "__self__").server  # noqa: B009

    assert searches("pages:saved") is None
    assert searches("web:internet") is not None
