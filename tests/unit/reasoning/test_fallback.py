"""A model drives, the rules go on when it cannot: something always comes, and why is said above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.agent_rules import rules as rules_of
from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import DRAFT, INTENT, LANDSCAPE, QUESTION, STANDING, brief, thinking
from workers.contracts import Claim, ModelCall, Role, ToolOutput
from workers.errors import ConfigError, LeaseLost, ModelFailed
from workers.ports import Finding
from workers.reasoning.fallback import SURE, WITHOUT, FallbackReasoner, reason_of
from workers.reasoning.rules import UNCLAIMED, RulesReasoner
from workers.settings.load import load_settings

UNSURE = QUESTION.model_copy(update={"text": "hm, and that?"})
AGENTS = {"research": "Reads.", "travel": "Books."}
ASKED: dict[str, tuple[Any, ...]] = {
    "choose_agent": (UNSURE, AGENTS),
    "compress": (["one", "two"], 2_000),
    "investigate": (brief(), None),
    "restyle": ([Claim(template="a"), Claim(template="b")],),
}
"""What the model is asked first."""
RULED: dict[str, tuple[Any, ...]] = {
    "read_intent": (QUESTION, LANDSCAPE, NOW),
    "make_plan": (QUESTION, INTENT, LANDSCAPE),
    "replan": (brief(),),
    "refine_query": (STANDING.steps[0], ToolOutput(status="empty", nearest=("/api/zones",)), INTENT),
}
"""What the rules say in any case: for a model it is advice."""


def call(role: Role, status: str = "ok", reason: str = "") -> ModelCall:
    return ModelCall.model_validate({"role": role, "model": "m", "status": status, "reason": reason})


class FakeModel:
    """Answers everything with the same thing, or raises it; counts how often it was asked."""

    def __init__(self, answer: Any, *calls: ModelCall, style: bool = True) -> None:
        self.answer, self.calls, self.asked = answer, calls, list[str]()
        self.thinking = thinking()
        roles = {
            "investigator": SimpleNamespace(model="m-investigator"),
            "style": SimpleNamespace(model="m-style", enabled=style),
        }
        self.models = SimpleNamespace(roles=roles)

    def __getattr__(self, name: str) -> Any:
        def asked(*args: Any) -> Any:
            self.asked.append(name)
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return asked

    def skip(self, role: Role, why: str) -> None:
        self.calls = (*self.calls, call(role, "resting", why))


@pytest.fixture
def rules(home: Path) -> RulesReasoner:
    return rules_of(load_settings(home=home), "research")


def both(
    rules: RulesReasoner, answer: Any, *calls: ModelCall, style: bool = True
) -> tuple[FallbackReasoner, FakeModel]:
    model = FakeModel(answer, *calls, style=style)
    return FallbackReasoner(model, rules), model  # type: ignore[arg-type]


FAILED = ModelFailed("overloaded", lasting=True)
BROKEN = ConfigError("prompts/question.md: 'now' is undefined")


@pytest.mark.parametrize("what", ASKED)
def test_the_model_is_asked_first(rules: RulesReasoner, what: str) -> None:
    reasoner, model = both(rules, "what the model says")
    assert getattr(reasoner, what)(*ASKED[what]) == "what the model says"
    assert model.asked == [what]


@pytest.mark.parametrize("what", RULED)
def test_what_rules_read_and_plan_is_never_asked(rules: RulesReasoner, what: str) -> None:
    reasoner, model = both(rules, FAILED)
    assert getattr(reasoner, what)(*RULED[what]) == getattr(rules, what)(*RULED[what])
    assert model.asked == []


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("error", [FAILED, ModelFailed("the model refused"), BROKEN])
def test_the_rules_answer_when_it_cannot(rules: RulesReasoner, what: str, error: Exception) -> None:
    reasoner, _ = both(rules, error)
    expected = {
        "choose_agent": rules.choose_agent(UNSURE, AGENTS),
        "compress": ("one", "two"),
        "investigate": None,
        "restyle": ("a", "b"),
    }
    assert getattr(reasoner, what)(*ASKED[what]) == expected[what]
    assert reasoner.name == "rules"


@pytest.mark.parametrize("what", ASKED)
def test_a_lost_lease_is_no_failure_of_the_model(rules: RulesReasoner, what: str) -> None:
    reasoner, _ = both(rules, LeaseLost("taken"))
    with pytest.raises(LeaseLost):
        getattr(reasoner, what)(*ASKED[what])


@pytest.mark.parametrize("error", [FAILED, BROKEN])
def test_after_what_lasts_nobody_asks_again_in_this_stage(rules: RulesReasoner, error: Exception) -> None:
    reasoner, model = both(rules, error)
    for what, args in ASKED.items():
        getattr(reasoner, what)(*args)
    assert model.asked == ["choose_agent"]
    assert [c.role for c in reasoner.calls if c.status == "resting"][-3:] == ["compression", "investigator", "style"]


def test_after_what_passes_the_next_question_is_asked(rules: RulesReasoner) -> None:
    reasoner, model = both(rules, ModelFailed("the model refused"))
    for what, args in ASKED.items():
        getattr(reasoner, what)(*args)
    assert model.asked == list(ASKED)


def test_a_router_that_fails_does_not_keep_a_model_from_investigating(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, FAILED)
    reasoner.choose_agent(UNSURE, AGENTS)
    assert reasoner.drives


@pytest.mark.parametrize(("confidence", "asked"), [(SURE, []), (SURE - 0.01, ["choose_agent"])])
def test_an_agent_that_the_rules_are_sure_of_is_taken_unasked(
    rules: RulesReasoner, monkeypatch: pytest.MonkeyPatch, confidence: float, asked: list[str]
) -> None:
    monkeypatch.setattr(RulesReasoner, "choose_agent", lambda self, question, agents: ("travel", confidence))
    reasoner, model = both(rules, ("research", 0.9))
    assert reasoner.choose_agent(QUESTION, AGENTS) == (("research", 0.9) if asked else ("travel", confidence))
    assert model.asked == asked


def test_where_the_rules_take_the_default_agent_unclaimed_the_model_is_asked() -> None:
    assert UNCLAIMED < SURE


# --- writing --------------------------------------------------------------------------------------------------


def test_what_the_model_found_has_its_name(rules: RulesReasoner) -> None:
    finding = Finding(DRAFT, "debug_incident")
    reasoner, _ = both(rules, finding)
    assert reasoner.name == "rules"
    assert reasoner.investigate(brief(), None) is finding  # type: ignore[arg-type]
    assert reasoner.name == "m-investigator"


def test_what_the_rules_wrote_says_why(rules: RulesReasoner) -> None:
    reasoner, model = both(rules, FAILED, call("investigator"), call("investigator", "busy", "overloaded"))
    draft = reasoner.write_answer(brief())
    assert (reasoner.name, model.asked) == ("rules", [])
    assert draft.headline == rules.write_answer(brief()).headline
    assert draft.banner == (
        "Written without the language model (overloaded); the evidence below is complete, the wording is plain."
    )


NOTE = "I read /api/serach as /api/search."


def test_what_the_rules_say_of_names_stands_behind_it(rules: RulesReasoner, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = DRAFT.model_copy(update={"banner": NOTE})
    monkeypatch.setattr(RulesReasoner, "write_answer", lambda self, brief: noted)
    banner = both(rules, FAILED, call("investigator", "busy", "overloaded"))[0].write_answer(brief()).banner
    assert banner is not None
    assert banner.startswith("Written without the language model (overloaded);")
    assert banner.endswith(f" {NOTE}")


@pytest.mark.parametrize(("style", "said"), [(True, ("A", "B")), (False, ("a", "b"))])
def test_wording_is_asked_for_where_it_is_wanted(rules: RulesReasoner, style: bool, said: tuple[str, ...]) -> None:
    reasoner, model = both(rules, ("A", "B"), style=style)
    assert reasoner.restyle([Claim(template="a"), Claim(template="b")]) == said
    assert model.asked == (["restyle"] if style else [])


# --- the line above -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ([], "it came to no answer"),
        ([call("investigator")], "it came to no answer"),
        ([call("investigator", "timeout", "it did not answer in time")], "it did not answer in time"),
        ([call("investigator", "refused", "the model refused")], "the model refused"),
        ([call("investigator", "budget", "your budget for today is used up")], "your budget for today is used up"),
        ([call("investigator", "resting", "it failed a moment ago: x")], "it failed a moment ago: x"),
        ([call("investigator", "invalid", "it did not fit")], "its answer could not be used"),
        ([call("investigator", "busy", "overloaded"), call("investigator")], "it came to no answer"),
        ([call("investigator", "cut", "its answer broke off"), call("verifier")], "its answer broke off"),
        ([call("investigator"), call("verifier", "busy", "overloaded")], "it came to no answer"),
        ([call("router", "error", "its key was refused")], "it came to no answer"),
    ],
)
def test_the_line_says_how_the_last_call_ended(calls: Sequence[ModelCall], why: str) -> None:
    assert WITHOUT.format(why=reason_of(calls)) == (
        f"Written without the language model ({why}); the evidence below is complete, the wording is plain."
    )


def test_a_prompt_that_broke_while_running_is_said_without_its_text(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, BROKEN)
    reasoner.investigate(brief(), None)  # type: ignore[arg-type]
    banner = reasoner.write_answer(brief()).banner
    assert banner is not None
    assert "(one of its prompts cannot be filled)" in banner
