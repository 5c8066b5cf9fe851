"""That Slack is heard is noted while it is, and as soon as it is again."""

from __future__ import annotations

from pathlib import Path

from bot.middleware.losses import Losses
from bot.transport.connection_heartbeat import NOTED_S, TRIED_S, note_connected
from workers.store.database import open_database
from workers.store.migrate import migrate


def test_it_is_noted_when_slack_is_there_and_the_database_answers(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'oracle.db'}")
    connected = [False]

    def noted() -> float:
        return note_connected(database, lambda: connected[0], Losses())

    assert noted() == TRIED_S
    connected[0] = True
    assert noted() == TRIED_S, "there are no tables"
    migrate(database)
    assert noted() == NOTED_S
    database.close()
