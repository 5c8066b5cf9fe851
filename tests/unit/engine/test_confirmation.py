"""What a person confirmed is made once, as it was proposed, for its asker alone; what came of it is said as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW, FakeToolbox
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE, engine
from workers.contracts import Landscape, Proposal, Question, RequestLog, Scalar, ToolOutput, name_proposal, split_name
from workers.engine.confirmation import change_of, interrupted, is_change
from workers.engine.run import Pipeline

TITLE = "Move {a}.md to notes/b.md"
PROPOSALS = tuple(Proposal(tool="vault_move", args={"n": n}, title=TITLE, preview="- a\n+ b") for n in range(2))


def build(home: Path, output: ToolOutput) -> tuple[Pipeline, FakeToolbox]:
    def move(args: Mapping[str, Scalar]) -> ToolOutput:
        return output

    box = FakeToolbox(LANDSCAPE, vault_move=move)
    return engine(home, box), box


def propose(built: Pipeline, **asker: Any) -> RequestLog:
    question = Question(request_id="before", text="move a", received_at=NOW, **asker)
    log = make_log("before", question=question, proposals=PROPOSALS)
    built.store.save(log)
    return log


def confirm(built: Pipeline, confirms: str = "before:1", **asker: Any) -> RequestLog:
    return built.ask(Question(request_id="r2", text=TITLE, confirms=confirms, received_at=NOW, **asker))


def headline(log: RequestLog) -> str:
    assert log.answer is not None
    return log.answer.headline.text


def test_the_one_that_was_confirmed_is_made_once_with_its_own_arguments(home: Path) -> None:
    built, box = build(home, ToolOutput(summary="moved, 3 links follow"))
    propose(built)
    log = confirm(built)
    assert [call.args for call in box.made] == [{"n": 1}]
    assert (headline(log), log.grounded, is_change(log)) == ("Done: moved, 3 links follow", True, True)
    assert log.proposals == ()
    assert built.store.load("r2") == log


@pytest.mark.parametrize(
    ("status", "begins"),
    [
        ("ok", "Done: "),
        ("empty", "Nothing was changed: "),
        ("denied", "Nothing was changed: "),
        ("error", "This failed: "),
        ("timeout", "Whether this was done is not known"),
    ],
)
def test_what_came_of_it_is_said_as_it_is(home: Path, status: Any, begins: str) -> None:
    built, _ = build(home, ToolOutput(status=status, summary="it is so", reason="it is so"))
    propose(built)
    log = confirm(built)
    assert headline(log).startswith(begins)
    assert ("it is so" if status != "timeout" else TITLE) in headline(log)
    assert log.struck == ()
    assert log.answer
    assert bool(log.answer.missing) == (status != "ok")


@pytest.mark.parametrize(
    "other",
    [
        {"source": "slack", "team": "T1", "asker": "U2"},
        {"source": "slack", "team": "T2", "asker": "U1"},
        {"source": "http", "asker": "U1"},
        {},
    ],
)
def test_nobody_but_its_asker_confirms_it(home: Path, other: dict[str, Any]) -> None:
    built, box = build(home, ToolOutput(summary="moved"))
    propose(built, source="slack", team="T1", asker="U1")
    log = confirm(built, **other)
    assert log.answer
    assert (log.answer.kind, box.made, log.proposals) == ("refusal", [], ())
    assert "Only the person who asked" in headline(log)


@pytest.mark.parametrize(
    "name", ["gone:0", "before:2", "before:", "before", "before:-1", "before:x", "before:" + "9" * 9]
)
def test_what_was_never_proposed_is_refused(home: Path, name: str) -> None:
    built, box = build(home, ToolOutput(summary="moved"))
    propose(built)
    log = confirm(built, name)
    assert log.answer
    assert (log.answer.kind, box.made) == ("refusal", [])


def test_whoever_confirms_names_the_same_change(home: Path) -> None:
    built, _ = build(home, ToolOutput(summary="moved"))
    propose(built)
    assert {change_of(confirm(built, name)) for name in ("before:1", "before:01")} == {"before:1"}


def test_what_was_interrupted_proposes_nothing_any_more(home: Path) -> None:
    built, _ = build(home, ToolOutput(summary="moved"))
    propose(built)
    log = built.plan_only(Question(request_id="r2", text=TITLE, confirms="before:0", received_at=NOW))
    assert (is_change(log), log.proposals) == (True, PROPOSALS[:1])
    cut = interrupted(log)
    assert cut.answer
    assert (cut.answer.kind, cut.proposals) == ("refusal", ())
    assert headline(cut).endswith(TITLE)


def test_names_of_changes_are_read_as_they_are_written() -> None:
    assert split_name(name_proposal("r1", 7)) == ("r1", 7)


@given(st.text(max_size=80))
def test_any_text_is_read_as_a_name(text: str) -> None:
    _, place = split_name(text)
    assert -1 <= place < 1_000


def test_an_order_is_made_at_once_but_not_where_nobody_asked_or_a_program_did(home: Path) -> None:
    built, box = build(home, ToolOutput(summary="moved"))

    def order(question: Question, landscape: Landscape) -> Proposal:
        return PROPOSALS[0]

    agents = {n: replace(a, module=replace(a.module, read_order=order)) for n, a in built.agents.items()}
    built = Pipeline(**{**vars(built), "agents": agents})
    question = Question(request_id="r1", text="Why is /api/search slow?", received_at=NOW)
    assert headline(built.ask(question)) == "Done: moved"
    assert len(box.made) == 1
    for mark in ("unasked", "relayed"):
        assert not is_change(built.plan_only(question.model_copy(update={mark: True})))


def test_a_plan_can_be_confirmed_for_a_while_only(home: Path) -> None:
    built, box = build(home, ToolOutput(summary="moved"))
    propose(built)
    late = NOW + built.confirm_within
    question = Question(request_id="after", text=TITLE, received_at=late, confirms="before:0")
    assert headline(built.ask(question)) == "Done: moved"
    late += timedelta(seconds=1)
    question = Question(request_id="later", text=TITLE, received_at=late, confirms="before:1")
    assert "nothing was changed" in headline(built.ask(question))
    assert len(box.made) == 1
