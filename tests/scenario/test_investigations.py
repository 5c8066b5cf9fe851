"""Investigations as a strong model makes them, played by hand on the demo: true claims stand, false ones are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli.demo import build
from tests.scenario.conftest import NOON
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.played_investigation import Played, open_played, play, read_played
from workers.bootstrap import Oracle

FOLDER = Path(__file__).parents[1] / "data" / "investigations"
DEMO = {path.stem: played for path in sorted(FOLDER.glob("*.yaml")) if (played := read_played(path)).source == "demo"}


@pytest.fixture(scope="module")
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as running:
        yield running


@pytest.fixture(scope="module")
def played_oracle(server: MessagesServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """An engine on the demo as of one moment, so that its numbers are those of the files."""
    home = tmp_path_factory.mktemp("played")
    build(home, NOON, 0)
    (home / "config" / "agents.yaml").write_text("research: {tool_timeout_ms: 60000, tools_total_ms: 120000}\n")
    oracle = open_played(server, home, NOON)
    yield oracle
    oracle.close()


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
