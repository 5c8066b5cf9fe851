"""A task that is given to the librarian: who is asked, as whom, and what comes back of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question
from workers.engine.stage_context import context_of
from workers.settings.load import load_settings

TOOL = "delegate_librarian"


@pytest.fixture
def oracle(home: Path, tmp_path: Path) -> Iterator[Oracle]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "plans.md").write_text("# Plans\n\nWhat is to come.\n")
    built = build_engine(load_settings({"oracle.vault.path": str(vault)}, home=home))
    yield built
    built.close()


def question_of(oracle: Oracle) -> Question:
    now = oracle.engine.clock.now()
    return Question(
        request_id="r7", text="put my notes in order", received_at=now, source="slack", team="T1", asker="U1"
    )


def test_the_librarian_answers_a_request_of_its_own_and_its_changes_come_back(oracle: Oracle) -> None:
    seen: list[str] = []
    engine = replace(oracle.engine, progress=lambda event, detail: seen.append(event))
    limits = replace(engine.agents["research"].limits, tools=(TOOL,), tool_timeout_ms=60_000, tools_total_ms=60_000)
    session = engine.toolbox.open(context_of(engine, question_of(oracle), "research"), limits)
    call, output = session.call("one", TOOL, {"task": "move plans.md to later/plans.md"})
    assert (call.status, output.data["success"]) == ("ok", True), output.reason
    assert output.data["files_modified"] == ["later/plans.md"]
    assert [p.tool for p in output.proposals] == ["apply_changes"]
    own = oracle.store.load(output.data["request_id"])
    assert (own.question.trace, own.question.agent, own.question.user) == ("r7", "librarian", "T1/U1")
    assert seen == []


def test_without_anyone_to_ask_it_says_so(oracle: Oracle) -> None:
    engine = oracle.engine
    context = replace(context_of(engine, question_of(oracle), "research"), ask=None)
    limits = replace(engine.agents["research"].limits, tools=(TOOL,))
    _, output = engine.toolbox.open(context, limits).call("one", TOOL, {"task": "move plans.md to later/plans.md"})
    assert output.status == "error"
    assert "delegate" in output.reason
