"""Fixtures for every kind of test."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.real_servers import run_postgresql, run_prometheus

settings.register_profile("untimed", deadline=None)  # a loaded machine is slow, not wrong
settings.load_profile("untimed")

OURS = (
    "ALERTS_CHANNEL",
    "ORACLE_",
    "ANTHROPIC_",
    "CONTEXT_",
    "DATABASE_URL",
    "GITHUB_",
    "HOOKS_",
    "PROMETHEUS_URL",
    "PUBLIC_URL",
    "REDIS_URL",
    "SLACK_",
)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the developer's shell reaches a test, and no test writes to the developer's ORACLE_HOME."""
    for name in list(os.environ):
        if name.startswith(OURS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path / "home"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty ORACLE_HOME, already in the environment."""
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a real Prometheus: ``prometheus(openmetrics, rules=None)`` returns its address."""
    numbers = itertools.count()
    with ExitStack() as stack:

        def start(openmetrics: Path | None = None, rules: Path | None = None) -> str:
            folder = tmp_path / f"prometheus-{next(numbers)}"
            return stack.enter_context(run_prometheus(folder, openmetrics, rules))

        yield start


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """A real PostgreSQL cluster for the whole run."""
    with run_postgresql() as address:
        yield address


@pytest.fixture
def postgresql(postgresql_server: str) -> Iterator[str]:
    """The address of a new, empty database."""
    import psycopg

    name = f"test_{os.urandom(4).hex()}"
    with psycopg.connect(f"{postgresql_server}/postgres", autocommit=True) as connection:
        connection.execute(f"create database {name}")
    yield f"{postgresql_server}/{name}"
    with psycopg.connect(f"{postgresql_server}/postgres", autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")
