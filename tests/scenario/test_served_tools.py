"""A model that investigates with tools of an MCP server: what they return is cited, checked and read page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import yaml

from tests.scenario.conftest import NOON
from tests.support.mcp_toolbox import ALL_READS, BEHAVED, behaved_over_http, misbehaved
from tests.support.model_server.server import MessagesServer, run_messages_server
from tests.support.played_investigation import Played, open_played, play
from workers.bootstrap import Oracle
from workers.contracts import Question
from workers.engine.confirmation import name_proposal
from workers.settings.load import load_settings
from workers.sources.mcp.connection import close_all

PATIENT = {"connect_s": 120}
"""Two processes start at once on a machine full of tests."""


@pytest.fixture(scope="module")
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as running:
        yield running


@pytest.fixture(scope="module", params=["command", "url"])
def connected(
    request: pytest.FixtureRequest, server: MessagesServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Oracle]:
    """An engine whose research agent has the tools of the server that behaves, and of one that injects orders."""
    home = tmp_path_factory.mktemp("connected")
    with ExitStack() as stack:
        way: dict[str, Any] = {"command": list(BEHAVED)}
        if request.param == "url":
            way = {"url": stack.enter_context(behaved_over_http())}
        store = {"module": "mcp", "tools": list(ALL_READS), "writes": ["move_part"], "options": {**way, **PATIENT}}
        notes = {"module": "mcp", "tools": ["look"], "options": {"command": list(misbehaved("injects")), **PATIENT}}
        (home / "config").mkdir()
        (home / "config" / "tools.yaml").write_text(yaml.safe_dump({"store": store, "notes": notes}))
        tools = [*load_settings(home=home).tree.agents["research"].tools, "store", "notes"]
        limits = {"tools": tools, "tool_timeout_ms": 60_000, "tools_total_ms": 120_000}
        (home / "config" / "agents.yaml").write_text(yaml.safe_dump({"research": limits}))
        oracle = open_played(server, home, NOON)
        stack.callback(close_all)
        stack.callback(oracle.close)
        assert all(ok for name, _, ok in oracle.toolbox.refresh() if name.startswith(("store", "notes")))
        yield oracle


def claim(text: str, *evidence: str) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence)}


def test_results_are_cited_and_checked(server: MessagesServer, connected: Oracle) -> None:
    played = Played(
        question="How many of part P-100 are in the stockroom, and which orders wait for it?",
        turns=(
            (
                {"tool": "store_stock_of", "args": {"part": "P-100"}},
                {"tool": "store_orders", "args": {"states": ["open", "late"]}},
                {"tool": "store_handbook", "args": {"lines": 3}},
                {"tool": "notes_look", "args": {"text": "P-100"}},
            ),
        ),
        answer={
            "question_type": "other",
            "headline": claim("There are 417 of P-100 on hand, on shelf C-09.", "E1"),
            "metrics": [
                claim("P-100 costs 12.75 € each.", "E1"),
                claim("Order O-7001 is late and has 4 lines.", "E2"),
                claim("There are 290 of P-100 on hand.", "E1"),
                claim("Order O-7009 is late.", "E2"),
            ],
            "docs": [claim("The handbook is at https://stockroom.example/handbook.", "E4")],
        },
        planted=frozenset({"metrics.2", "metrics.3"}),
    )
    outcome = play(server, connected, played)
    wrong = {
        name: sort
        for name, sort in outcome.sorts.items()
        if (sort != "named" if name in played.planted else sort != "supported")
    }
    assert not wrong, [f"{v.id}: {v.reason}" for v in outcome.log.struck]
    assert {call.name for call in outcome.log.tool_calls} == {
        "store_stock_of",
        "store_orders",
        "store_handbook",
        "notes_look",
    }
    told = str(next(request.body["tools"] for request in outcome.requests if request.body.get("tools")))
    assert "in its own words: How many of a part are on hand" in told
    assert "gnore all previous" not in told


def test_the_rest_of_a_long_result_is_read_by_page(server: MessagesServer, connected: Oracle) -> None:
    played = Played(
        question="What does the handbook say in line 2500?",
        agent="research",
        turns=(
            ({"tool": "store_handbook", "args": {"lines": 2_600}},),
            ({"tool": "read_more", "args": {"result": "R1", "offset": 12_000}},),
            ({"tool": "read_more", "args": {"result": "R1", "offset": 90_000}},),
        ),
        answer={"question_type": "other", "headline": claim("In line 2500, rack 70 holds 7500 boxes.", "E5")},
    )
    outcome = play(server, connected, played)
    assert outcome.sorts == {"headline": "supported"}, [v.reason for v in outcome.log.struck]
    assert "Line 2500: rack 70 holds 7500 boxes." in str(outcome.requests[-1].body["messages"])


def test_a_change_waits_for_a_person(server: MessagesServer, connected: Oracle) -> None:
    played = Played(
        question="On which shelf should part P-100 lie?",
        turns=(({"tool": "store_move_part", "args": {"part": "P-100", "shelf": "C-01"}},),),
        answer={"question_type": "other", "headline": claim("I propose to move it.")},
    )
    log = play(server, connected, played).log
    (proposal,) = log.proposals
    assert proposal.tool == "store_move_part"
    assert '"shelf": "C-01"' in proposal.preview
    confirmed = Question(
        request_id="confirmed",
        text=proposal.title,
        confirms=name_proposal(log.request_id, 0),
        received_at=connected.engine.clock.now(),
    )
    done = connected.engine.ask(confirmed)
    assert done.answer is not None
    assert done.answer.headline.text.startswith("Done")
    assert any("moved P-100 to C-01, 1 moves so far" in item.excerpt for item in done.evidence)
