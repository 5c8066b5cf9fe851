"""Reasoning on deals by a model: what the records do not bear out is left out, and the rules stand behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.deal_books import small_book
from workers.agents.deals import AgentOrchestratorError, ReasoningOutput, run_agent
from workers.agents.deals.model_reasoner import reasoner_by_model
from workers.agents.deals.source.store import save_book
from workers.errors import ModelFailed
from workers.reasoning.model.prompts import PromptBook

QUERY = "a German card payments platform with add-ons"


class Played:
    """Calls that give one reply, and keep what they were asked."""

    def __init__(self, reply: dict[str, Any] | None) -> None:
        self.given, self.asked = reply, ""

    def object(self, role: str, prompt: Any, model: Any, read: Callable[[Any], ReasoningOutput]) -> ReasoningOutput:
        assert role == "summary"
        self.asked = "\n".join(prompt.user)
        if self.given is None:
            raise ModelFailed("it is down")
        return read(model.model_validate(self.given))


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any] | None], ReasoningOutput]:
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path))
    save_book(small_book(), tmp_path / "deals")

    def asked(reply: dict[str, Any] | None, version: str = "latest") -> ReasoningOutput:
        played = Played(reply)
        reason = reasoner_by_model(lambda _: played, PromptBook())  # type: ignore[arg-type, return-value]
        output = run_agent(QUERY, reason_fn=reason, prompt_version=version).reasoning_output
        assert output is not None
        return output

    return asked


def reply(**changed: Any) -> dict[str, Any]:
    """A reply that the records bear out. E1 is the summary, E2 Alder Pay."""
    statement = {"text": "Alder Pay made 2 add-ons and exited in 2021.", "evidence": ["E2"]}
    return {
        "precedents": [{"deal": "E2", **statement}],
        "playbook_levers": [],
        "risk_themes": [],
        "narrative_summary": statement,
    } | changed


def test_what_the_records_bear_out_stands_with_its_place(ask: Callable[..., ReasoningOutput]) -> None:
    lever = {"text": "Alder Pay was a platform in Payments.", "evidence": ["E2"]}
    output = ask(reply(playbook_levers=[lever]))
    assert [(p.deal_id, p.evidence) for p in output.precedents] == [("d1", ("deals:d1",))]
    assert output.playbook_levers == ["Alder Pay was a platform in Payments. [deals:d1]"]
    assert output.narrative_summary.startswith("Alder Pay made 2 add-ons")


@pytest.mark.parametrize(
    "statement",
    [
        {"text": "Alder Pay made 17 add-ons.", "evidence": ["E2"]},
        {"text": "Alder Pay exited in 2019.", "evidence": ["E2"]},
        {"text": "Alder Pay made 2 add-ons.", "evidence": []},
        {"text": "Alder Pay made 2 add-ons.", "evidence": ["E99"]},
    ],
)
def test_what_the_records_do_not_bear_out_is_left_out(
    ask: Callable[..., ReasoningOutput], statement: dict[str, Any]
) -> None:
    output = ask(reply(precedents=[{"deal": "E2", **statement}], risk_themes=[statement], narrative_summary=statement))
    assert output == ReasoningOutput()


def test_a_deal_that_was_not_ranked_is_no_precedent(ask: Callable[..., ReasoningOutput]) -> None:
    stranger = {"deal": "E77", "text": "Alder Pay made 2 add-ons.", "evidence": ["E2"]}
    assert ask(reply(precedents=[stranger])).precedents == []


def test_the_rules_reason_where_the_model_fails(ask: Callable[..., ReasoningOutput]) -> None:
    assert "2 add-ons" in ask(None).precedents[0].similarity_reason


def test_an_unknown_version_of_the_instructions_is_an_error(ask: Callable[..., ReasoningOutput]) -> None:
    with pytest.raises(AgentOrchestratorError, match="prompt version"):
        ask(reply(), "99.9")
    assert ask(reply(), "1.0").precedents
