"""Investigations as a strong model makes them, played by hand on the demo: true claims stand, false ones are named."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli import demo
from tests.scenario.conftest import NOON, copy_demo, give_time
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.played_investigation import Played, open_played, play, read_played
from tests.support.run_once import build_once
from workers.bootstrap import Oracle

FOLDER = Path(__file__).parents[1] / "data" / "investigations"
DEMO = {path.stem: played for path in sorted(FOLDER.glob("*.yaml")) if (played := read_played(path)).source == "demo"}


@pytest.fixture(scope="module")
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as running:
        yield running


@pytest.fixture(scope="module")
def played_oracle(
    server: MessagesServer, run_folder: Path, team_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Oracle]:
    """An engine on the demo as of one moment, so that its numbers are those of the files."""
    built = build_once(run_folder / "built-at-noon", lambda home: build_at_noon(home, team_home))
    oracle = open_played(server, copy_demo(built, tmp_path_factory.mktemp("played")), NOON)
    yield oracle
    oracle.close()


def build_at_noon(home: Path, team_home: Path) -> None:
    """The demo without its deals, which no file asks about; its operations data are there already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "find_contributions", lambda _: ())
        patch.setattr(demo, "build_operations", lambda *_: shutil.copy(team_home / "context.db", home / "demo"))
        demo.build(home, NOON, 0)
    give_time(home)


@pytest.mark.parametrize("name", DEMO)
def test_true_claims_stand_and_planted_ones_are_named(server: MessagesServer, played_oracle: Oracle, name: str) -> None:
    played: Played = DEMO[name]
    outcome = play(server, played_oracle, played)
    wrong = {
        claim: sort
        for claim, sort in outcome.sorts.items()
        if (sort != "named" if claim in played.planted else sort not in {"supported", "hypothesis"})
    }
    assert outcome.sorts
    assert not wrong, [f"{v.id}: {v.reason}" for v in outcome.log.struck]
    assert not server.refused
