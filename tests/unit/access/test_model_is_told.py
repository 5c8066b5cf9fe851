"""A language model is told no more than its asker and audience may see: no names, no tools, no results of the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.model_server.replies import call_tools
from tests.support.model_server.server import MessagesServer, anything, run_messages_server
from tests.support.two_repositories import BELONGINGS, MEMBER, OPEN, PAYER, two_repositories
from workers.bootstrap import build_engine
from workers.contracts import Question
from workers.ports import Standing
from workers.settings.load import load_settings

ROLES = ("router", "investigator", "verifier", "style", "compression", "summary")
MARKS = ("coldvault", "settle_zebrafish", "4711")


def told(server: MessagesServer, folder: Path, asker: str, channel: str) -> str:
    """All that a model hears of one question, which it looks into by two tools."""
    home = two_repositories(folder).home
    given = {
        "models.endpoint.base_url": server.url,
        "models.endpoint.api_key": "test-key",
        **{f"models.roles.{role}.model": f"m-{role}" for role in ROLES},
        "agents.research.tool_timeout_ms": 20_000,
        "agents.research.tools_total_ms": 60_000,
    }
    look = call_tools([("repo_search", {"query": "settle zebrafish batch"}), ("doc_search", {"query": "zebrafish"})])
    server.on(anything, look, look, look)
    oracle = build_engine(load_settings(given, home=home))
    try:
        standing = Standing(BELONGINGS[asker], outside=False)
        question = Question(
            request_id="m1",
            text="How is a zebrafish batch settled?",
            asker=asker,
            team="T1",
            channel=channel,
            source="slack",
            agent="research",
            received_at=datetime.now(UTC),
        )
        replace(oracle.engine, standing=lambda _: standing).ask(question)
    finally:
        oracle.close()
    return "\n".join(str(request.body) for request in server.requests)


@pytest.mark.parametrize(
    ("asker", "channel", "may"), [(PAYER, "D1", True), (MEMBER, "D1", False), (PAYER, OPEN, False)]
)
def test_a_model_hears_what_may_be_seen(tmp_path: Path, asker: str, channel: str, may: bool) -> None:
    with run_messages_server() as server:
        heard = told(server, tmp_path, asker, channel)
    assert "zebrafish" in heard
    assert any(mark in heard for mark in MARKS) is may
