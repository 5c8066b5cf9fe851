"""``oracle confirm``: a change is made once, by whoever asked for it here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.cli.confirm import carry_out
from tests.support.engine_fakes import FakeToolbox
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Proposal, Question, Scalar, ToolOutput
from workers.errors import ConfigError
from workers.settings.load import load_settings

MADE: list[Mapping[str, Scalar]] = []
ID = "0123456789ab"


def move(args: Mapping[str, Scalar]) -> ToolOutput:
    MADE.append(args)
    return ToolOutput(summary="moved")


@pytest.fixture
def oracle(prepared_home: Path) -> Iterator[Oracle]:
    MADE.clear()
    built = build_engine(load_settings(home=prepared_home), toolbox=FakeToolbox(LANDSCAPE, vault_move=move))
    yield built
    built.close()


def propose(oracle: Oracle, count: int = 1, **asker: Any) -> None:
    changes = tuple(Proposal(tool="vault_move", args={"n": n}, title=f"Move {n}") for n in range(count))
    question = Question(request_id=ID, text="move", received_at=datetime.now(UTC), **asker)
    oracle.store.save(make_log(ID, question=question, proposals=changes))


def test_it_is_made_once(oracle: Oracle) -> None:
    propose(oracle)
    log = carry_out(oracle, ID, 0)
    assert log.answer
    assert log.answer.headline.text == "Done: moved"
    with pytest.raises(ConfigError, match="confirmed before") as refused:
        carry_out(oracle, ID, 0)
    assert MADE == [{"n": 0}]
    shown = str(refused.value).rpartition("oracle show ")[2]
    assert oracle.store.load(shown).answer == log.answer


def test_the_first_characters_of_an_id_stay_those_of_the_request(oracle: Oracle) -> None:
    propose(oracle, 12)
    for place in (10, 1):
        carry_out(oracle, ID[:8], place)
    with pytest.raises(ConfigError, match="confirmed before"):
        carry_out(oracle, ID, 1)
    assert MADE == [{"n": 10}, {"n": 1}]


def test_one_that_died_before_it_was_recorded_is_not_made_again(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    propose(oracle)

    def dies(_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(oracle.store, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            carry_out(oracle, ID, 0)
    with pytest.raises(ConfigError, match="confirmed before"):
        carry_out(oracle, ID, 0)
    assert MADE == [{"n": 0}]


def test_what_is_not_there_or_another_s_is_one_sentence(oracle: Oracle) -> None:
    with pytest.raises(ConfigError, match="no request"):
        carry_out(oracle, "fedcba987654", 0)
    propose(oracle)
    with pytest.raises(ConfigError, match="no change number 2"):
        carry_out(oracle, ID, 1)
    propose(oracle, source="slack", team="T1", asker="U1")
    with pytest.raises(ConfigError, match="not asked here"):
        carry_out(oracle, ID, 0)
    propose(oracle)
    carry_out(oracle, ID, 0)
    assert MADE == [{"n": 0}], "what was refused before is still there to be confirmed"
