"""A change that is confirmed over MCP is made once, however often the call is sent and wherever else it is decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from bot.cli.confirm import carry_out
from tests.support.engine_fakes import FakeToolbox
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Proposal, Question, RequestLog, Scalar, ToolOutput
from workers.entrypoints.mcp.ask_tool import carried_out
from workers.errors import ConfigError
from workers.settings.load import load_settings

MADE: list[Mapping[str, Scalar]] = []
CHANGES = tuple(Proposal(tool="vault_move", args={"n": n}, title=f"Move {n}") for n in range(12))


def move(args: Mapping[str, Scalar]) -> ToolOutput:
    MADE.append(args)
    return ToolOutput(summary=f"moved {args['n']}")


@pytest.fixture
def oracle(prepared_home: Path) -> Iterator[Oracle]:
    MADE.clear()
    built = build_engine(load_settings(home=prepared_home), toolbox=FakeToolbox(LANDSCAPE, vault_move=move))
    yield built
    built.close()


@pytest.fixture
def log(oracle: Oracle) -> RequestLog:
    asked = Question(request_id="0123456789ab", text="move", received_at=datetime.now(UTC))
    made = make_log("0123456789ab", question=asked, proposals=CHANGES)
    oracle.store.save(made)
    return made


def confirm(oracle: Oracle, log: RequestLog, place: int) -> str:
    async def ask(question: Question) -> RequestLog:
        return await anyio.to_thread.run_sync(oracle.engine.ask, question)

    return anyio.run(carried_out, oracle, log, place, ask)


def test_the_same_again_tells_what_came_of_it(oracle: Oracle, log: RequestLog) -> None:
    assert confirm(oracle, log, 10) == confirm(oracle, log, 10) == "Done: moved 10"
    assert confirm(oracle, log, 1) == "Done: moved 1", "another one, though its name begins the same"
    assert MADE == [{"n": 10}, {"n": 1}]


def test_a_call_that_was_cut_off_makes_nothing_a_second_time(oracle: Oracle, log: RequestLog) -> None:
    async def cut(_: Question) -> RequestLog:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        anyio.run(carried_out, oracle, log, 0, cut)
    assert "look whether it was done" in confirm(oracle, log, 0)
    assert MADE == []


def test_what_was_confirmed_there_is_not_confirmed_on_the_command_line(oracle: Oracle, log: RequestLog) -> None:
    confirm(oracle, log, 0)
    with pytest.raises(ConfigError, match="confirmed before"):
        carry_out(oracle, log.request_id, 0)
    carry_out(oracle, log.request_id, 1)
    assert confirm(oracle, log, 1) == "Done: moved 1"
    assert MADE == [{"n": 0}, {"n": 1}]
