"""Fixtures for every kind of test."""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.file_seconds import note_file_seconds
from tests.support.read_once import read_certificates_once
from tests.support.real_servers import run_postgresql, run_prometheus
from tests.support.run_once import build_once
from tests.support.tables import empty_tables, sqlite_tables
from workers.store.database import open_database
from workers.store.migrate import migrate

UNTIMED = settings(  # a loaded machine is slow, not wrong
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("ordinary", UNTIMED, max_examples=25, derandomize=True)
settings.register_profile("thorough", UNTIMED, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))

os.environ.setdefault(
    "RUN_STARTED_AT", datetime.now(UTC).replace(microsecond=0).isoformat()
)  # all processes inherit it
HOMES = itertools.count()
FILE_SECONDS = Counter[str]()
OURS = (
    "ALERTS_CHANNEL",
    "ORACLE_",
    "ANTHROPIC_",
    "CONTEXT_",
    "DATABASE_URL",
    "GITHUB_",
    "TRACES_",
    "HOOKS_",
    "KUBERNETES_",
    "LAUNCHDARKLY_",
    "MCP_",
    "NETBOX_",
    "PROMETHEUS_URL",
    "PUBLIC_URL",
    "REDIS_URL",
    "SLACK_",
    "SURICATA_",
    "UNLEASH_",
)


for setting in [name for name in os.environ if name.startswith(OURS)]:
    del os.environ[setting]  # no setting of the developer's shell reaches a test
os.environ["ORACLE_ENCODER"] = "off"  # it takes a second a dozen sections; its own tests turn it on

read_certificates_once()
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process that a test starts would compile the program anew
sys.dont_write_bytecode = False


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up how long each file takes."""
    FILE_SECONDS[report.nodeid.partition("::")[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keeps it for `tests.quick` when all tests were run."""
    named = session.config.args_source is pytest.Config.ArgsSource.ARGS or session.config.option.keyword
    if "PYTEST_XDIST_WORKER" not in os.environ and FILE_SECONDS and not named:
        note_file_seconds(FILE_SECONDS)


@pytest.fixture(autouse=True)
def plain_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes to the developer's ORACLE_HOME or leaves a setting behind; nothing is made on disk for it."""
    before = dict(os.environ)
    os.environ["ORACLE_HOME"] = str(tmp_path_factory.getbasetemp() / f"home-{next(HOMES)}")
    yield
    if os.environ != before:
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of this run, the same in all its processes: for what is built once and only read."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def built_demo(run_folder: Path) -> Path:
    """ORACLE_HOME of the default demo, which nobody writes to: `copy_demo` makes homes that may be written to."""
    from tests.scenario.conftest import build_unhurried

    return build_once(run_folder / "built-demo", lambda home: build_unhurried(home, 0))


@pytest.fixture(scope="session")
def demo_home(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ORACLE_HOME on the default demo, shared by tests that only ask."""
    from tests.scenario.conftest import copy_demo

    return copy_demo(built_demo, tmp_path_factory.mktemp("demo"))


@pytest.fixture
def home() -> Path:
    """An empty ORACLE_HOME, already in the environment."""
    folder = Path(os.environ["ORACLE_HOME"])
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def prepared_home(home: Path) -> Path:
    """An ORACLE_HOME whose database has its tables, all empty."""
    sqlite_tables(home / "oracle.db")
    return home


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


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql_server: str) -> str:
    """The address of a database with today's tables, which tests use one after the other."""
    import psycopg

    with psycopg.connect(f"{postgresql_server}/postgres", autocommit=True) as connection:
        connection.execute("create database migrated")
    with closing(open_database(f"{postgresql_server}/migrated")) as database:
        migrate(database)
    return f"{postgresql_server}/migrated"


@pytest.fixture
def postgresql_store(migrated_postgresql: str) -> str:
    """The address of a PostgreSQL database with today's tables, all empty."""
    with closing(open_database(migrated_postgresql)) as database:
        empty_tables(database)
    return migrated_postgresql


@pytest.fixture
def sqlite_store(tmp_path: Path) -> str:
    """The address of an SQLite database with today's tables, all empty."""
    return sqlite_tables(tmp_path / "oracle.db")
