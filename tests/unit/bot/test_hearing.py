"""That Slack is heard is noted while it is, and as soon as it is again."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from bot.hearing import Hearing
from tests.unit.bot.parts import wait_for
from workers.store.database import open_database
from workers.store.migrate import migrate
from workers.store.tables import hearing


def test_it_is_noted_when_slack_is_there_and_the_database_answers(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'oracle.db'}")
    connected = [False]
    noted = Hearing(database, lambda: connected[0])
    assert not noted.note()
    connected[0] = True
    assert not noted.note(), "there are no tables"
    migrate(database)
    assert noted.note()
    database.close()


def test_it_goes_on_until_closed(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'oracle.db'}")
    migrate(database)
    asked: list[int] = []

    def connected() -> bool:
        asked.append(1)
        return len(asked) > 1

    noted = Hearing(database, connected)
    noted.start()

    def stands() -> bool:
        with database.begin() as connection:
            return connection.execute(select(hearing.c.at)).first() is not None

    wait_for(stands)
    noted.close()
    assert len(asked) == 2
    database.close()
