"""Tables of today's version, made by the migrations."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text

from tests.support.migrated_tables import differences
from workers.errors import StoreUnavailable
from workers.store.channel_leases import CHANNELS
from workers.store.database import open_database
from workers.store.migrate import SCRIPTS, migrate
from workers.store.request_jobs import REQUESTS
from workers.store.tables import HEAD, followed_channels, jobs, unasked


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_migrations_make_exactly_the_tables(address: str) -> None:
    database = open_database(address)
    migrate(database)
    with database.begin() as connection:
        assert differences(connection) == []
    database.close()


def test_second_time_there_is_nothing_to_do(address: str) -> None:
    database = open_database(address)
    assert migrate(database) is True
    assert migrate(database) is False
    database.close()


def test_alembic_is_not_loaded_when_there_is_nothing_to_do(prepared: str) -> None:
    program = (
        "import sys\n"
        "from workers.store.database import open_database\n"
        "from workers.store.migrate import migrate\n"
        f"print(migrate(open_database({prepared!r})), 'alembic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_tables_of_a_newer_version_are_left_alone(prepared: str) -> None:
    database = open_database(prepared)
    with database.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match=f"of version 9999, this Oracle knows {HEAD}: use a newer Oracle"):
        migrate(database)
    database.close()


def test_migration_that_fails_leaves_nothing_behind(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(address)
    with database.begin() as connection:
        connection.execute(text("create table deploys (x int)"))
    with pytest.raises(StoreUnavailable, match="already exists"):
        migrate(database)
    with database.begin() as connection:
        assert inspect(connection).get_table_names() == ["deploys"]
    database.close()


def test_a_pause_and_the_turn_in_a_channel_outlast_the_new_table(address: str) -> None:
    database = open_database(address)
    with database.begin(exclusive=True) as connection:
        upgrade_to(connection, "0011")
        for channel, state, spoke_at in (("C1", "paused", 5.0), ("C2", "following", None), ("C3", "left", 7.0)):
            row = dict.fromkeys(("name", "why", "since_ts", "before_ts", "summary"), "")
            row |= dict.fromkeys(("read_count", "dirty", "seen", "wait_until", "published_at", "fence", "failures"), 0)
            row |= {"incident_id": 0, "read_done": True, "pinned": True, "team": "T1"}
            row |= {"channel": channel, "state": state, "spoke_at": spoke_at}
            insert_row(connection, "followed_channels", row)
    migrate(database)
    with database.begin() as connection:
        query = select(unasked.c.channel, unasked.c.paused, unasked.c.spoke_at).order_by(unasked.c.channel)
        assert connection.execute(query).all() == [("C1", True, 5.0), ("C3", False, 7.0)]
        states = select(followed_channels.c.state).order_by(followed_channels.c.channel)
        assert connection.execute(states).scalars().all() == ["following", "following", "left"]
    database.close()


def test_what_was_leased_before_leases_were_alike_goes_on(address: str) -> None:
    database = open_database(address)
    later = time.time() + 3_600
    with database.begin(exclusive=True) as connection:
        upgrade_to(connection, "0013")
        for name, due_at in (("r1", later), ("r2", 1.0)):
            job = dict.fromkeys(("team", "channel", "thread_ts", "asker", "error", "progress_ts"), "")
            job |= dict.fromkeys(("turn", "failures", "delays", "published_at", "accepted_at", "waiting_since"), 0)
            job |= {"request_id": name, "question": "{}", "stage": "plan", "open": True, "sent": "{}"}
            job |= {"fence": 3, "lost_leases": 4, "due_at": due_at}
            insert_row(connection, "jobs", job)
        channel = dict.fromkeys(("name", "why", "since_ts", "before_ts", "summary"), "")
        channel |= dict.fromkeys(("read_count", "dirty", "seen", "wait_until", "published_at", "failures"), 0)
        channel |= {"incident_id": 0, "read_done": True, "pinned": True, "team": "T1", "channel": "C1"}
        channel |= {"state": "following", "fence": 2, "due_at": 1.0, "lease_until": 2.0}
        insert_row(connection, "followed_channels", channel)
    migrate(database)
    assert REQUESTS.sweep(database) == (("r2",),), "the other one waits still"
    assert CHANNELS.sweep(database) == (("T1", "C1"),), "its worker died before"
    with database.begin() as connection:
        assert set(connection.execute(select(jobs.c.fence, jobs.c.lost_leases)).all()) == {(3, 4)}
        known = select(followed_channels.c.fence, followed_channels.c.lost_leases)
        assert connection.execute(known).one() == (2, 1)
    database.close()


def insert_row(connection: Connection, table: str, row: dict[str, object]) -> None:
    """A row as a version of some time ago wrote it."""
    names, values = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
    connection.execute(text(f"insert into {table} ({names}) values ({values})"), row)


def upgrade_to(connection: Connection, revision: str) -> None:
    """The tables as a version of some time ago left them."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@pytest.mark.parametrize("round_", range(5))
def test_processes_that_start_together_migrate_once(address: str, round_: int) -> None:
    databases = [open_database(address) for _ in range(4)]
    barrier = threading.Barrier(4)
    results: list[bool | StoreUnavailable] = []

    def start(i: int) -> None:
        barrier.wait()
        try:
            results.append(migrate(databases[i]))
        except StoreUnavailable as error:
            results.append(error)

    threads = [threading.Thread(target=start, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for database in databases:
        database.close()
    assert sorted(map(str, results)) == ["False", "False", "False", "True"]


def test_migrations_are_packaged() -> None:
    folders = [SCRIPTS, SCRIPTS / "versions"]
    assert all((folder / "__init__.py").is_file() for folder in folders)
    assert Path(SCRIPTS / "env.py").is_file()
