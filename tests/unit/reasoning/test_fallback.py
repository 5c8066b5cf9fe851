"""Model first, rules when it cannot: something always comes, and what was missing stands above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.agent_rules import rules as rules_of
from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import DRAFT, INTENT, LANDSCAPE, QUESTION, STANDING, brief, thinking
from workers.contracts import Claim, Gap, ModelCall, Role, Step, ToolOutput
from workers.errors import ConfigError, LeaseLost, ModelFailed
from workers.ports import Turn
from workers.reasoning.fallback import FallbackReasoner, say_missing
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import load_settings

STAGES: dict[str, tuple[Any, ...]] = {
    "choose_agent": (QUESTION, {"research": "Reads.", "travel": "Books."}),
    "compress": (["one", "two"], 2_000),
    "read_intent": (QUESTION, LANDSCAPE, NOW),
    "make_plan": (QUESTION, INTENT, LANDSCAPE),
    "refine_query": (STANDING.steps[0], ToolOutput(status="empty", nearest=("/api/zones",)), INTENT),
    "choose_steps": (brief(), ()),
}


def call(role: Role, status: str = "ok", reason: str = "", prompt: str = "") -> ModelCall:
    return ModelCall.model_validate({"role": role, "model": "m", "status": status, "reason": reason, "prompt": prompt})


class FakeClaude:
    """Answers every stage with the same thing, or raises it; counts how often it was asked."""

    def __init__(self, answer: Any, *calls: ModelCall, style: bool = True) -> None:
        self.answer, self.calls, self.asked = answer, calls, list[str]()
        self.landscape, self.thinking = LANDSCAPE, thinking()
        roles = {
            "synthesis": SimpleNamespace(model="m-synthesis"),
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
) -> tuple[FallbackReasoner, FakeClaude]:
    claude = FakeClaude(answer, *calls, style=style)
    return FallbackReasoner(claude, rules), claude  # type: ignore[arg-type]


FAILED = ModelFailed("overloaded", lasting=True)


@pytest.mark.parametrize("stage", STAGES)
def test_the_model_is_asked_first(rules: RulesReasoner, stage: str) -> None:
    reasoner, claude = both(rules, "what the model says")
    assert getattr(reasoner, stage)(*STAGES[stage]) == "what the model says"
    assert claude.asked == [stage]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("error", [FAILED, ModelFailed("refused"), ConfigError("prompts/planner.md: broken")])
def test_the_rules_answer_when_it_cannot(rules: RulesReasoner, stage: str, error: Exception) -> None:
    reasoner, _ = both(rules, error)
    said = getattr(reasoner, stage)(*STAGES[stage])
    expected = {
        "choose_agent": ("research", 0.7),
        "compress": ("one", "two"),
        "choose_steps": rules.make_plan(QUESTION, INTENT, LANDSCAPE).steps,
    }
    assert said == expected.get(stage, getattr(rules, stage)(*STAGES[stage]))


@pytest.mark.parametrize("stage", STAGES)
def test_a_lost_lease_is_no_failure_of_the_model(rules: RulesReasoner, stage: str) -> None:
    reasoner, _ = both(rules, LeaseLost("taken"))
    with pytest.raises(LeaseLost):
        getattr(reasoner, stage)(*STAGES[stage])


def test_after_what_lasts_nobody_asks_again_in_this_stage(rules: RulesReasoner) -> None:
    reasoner, claude = both(rules, FAILED)
    for stage, args in STAGES.items():
        getattr(reasoner, stage)(*args)
    assert len(claude.asked) == 1


def test_after_what_passes_the_next_question_is_asked(rules: RulesReasoner) -> None:
    reasoner, claude = both(rules, ModelFailed("the model refused"))
    for stage, args in STAGES.items():
        getattr(reasoner, stage)(*args)
    assert claude.asked == list(STAGES)


# --- the loop -------------------------------------------------------------------------------------------------


def turns(*steps: Step) -> Sequence[Turn]:
    return (Turn(steps, tuple(ToolOutput() for _ in steps)),)


def test_the_rules_go_on_with_nothing_once_something_was_called(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, FAILED)
    called = Step(id="call_1", tool="repo_search", args={"query": "cache"}, purpose="p")
    assert reasoner.choose_steps(brief(), turns(called)) == ()


@pytest.mark.parametrize(
    "useless",
    [
        Step(id="call_1", tool="shell", args={"query": "id"}, purpose="p"),
        Step(id="call_1", tool="repo_search", args={}, purpose="p"),
    ],
)
def test_calls_that_looked_for_nothing_do_not_keep_the_rules_from_looking(rules: RulesReasoner, useless: Step) -> None:
    reasoner, _ = both(rules, FAILED)
    assert reasoner.choose_steps(brief(), turns(useless)) == rules.make_plan(QUESTION, INTENT, LANDSCAPE).steps


# --- writing --------------------------------------------------------------------------------------------------


def test_what_the_model_wrote_has_its_name_and_no_banner(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, DRAFT, call("intent"), call("planner"))
    assert reasoner.name == "rules"
    assert reasoner.write_answer(brief()) == DRAFT
    assert reasoner.name == "m-synthesis"


def test_what_the_model_says_of_a_banner_is_not_shown(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, DRAFT.model_copy(update={"banner": "Trust me."}))
    assert reasoner.write_answer(brief()).banner is None


NOTE = "I read /api/serach as /api/search."


def test_what_the_rules_say_of_names_stands_above_every_answer(
    rules: RulesReasoner, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = DRAFT.model_copy(update={"banner": NOTE})
    monkeypatch.setattr(RulesReasoner, "write_answer", lambda self, brief: noted)
    assert both(rules, DRAFT)[0].write_answer(brief()).banner == NOTE
    partly = both(rules, DRAFT, call("planner", "busy", "overloaded"))[0].write_answer(brief()).banner
    assert partly == f"{NOTE} Planned without the language model (overloaded)."
    plainly = both(rules, FAILED, call("synthesis", "busy", "overloaded"))[0].write_answer(brief()).banner
    assert plainly == (
        f"{NOTE} Written without the language model (overloaded); the evidence below is complete, the wording is plain."
    )


def test_what_the_rules_wrote_says_why(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, FAILED, call("intent"), call("synthesis", "busy", "overloaded"))
    draft = reasoner.write_answer(brief())
    assert reasoner.name == "rules"
    assert draft.headline == rules.write_answer(brief()).headline
    assert draft.banner == (
        "Written without the language model (overloaded); the evidence below is complete, the wording is plain."
    )


@pytest.mark.parametrize("answer", [DRAFT, FAILED])
def test_what_the_plan_could_not_show_is_missing_once(rules: RulesReasoner, answer: Any) -> None:
    reasoner, _ = both(rules, answer)
    known = reasoner.write_answer(brief()).missing
    doubts = ("no traces are connected", *(gap.text for gap in known))
    missing = reasoner.write_answer(brief(plan=STANDING.model_copy(update={"uncertainties": doubts}))).missing
    assert missing == (*known, Gap(text="no traces are connected"))


def test_what_could_not_be_verified_is_written_plainly(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, DRAFT, call("synthesis"))
    reasoner.write_answer(brief())
    draft = reasoner.write_plainly(brief(), "what it wrote could not be verified")
    assert reasoner.name == "rules"
    assert draft.banner is not None
    assert draft.banner.startswith("Written without the language model (what it wrote could not be verified);")


def test_nobody_restyles_the_rules(rules: RulesReasoner) -> None:
    claims = [Claim(template="a"), Claim(template="b")]
    reasoner, claude = both(rules, ("A", "B"))
    assert reasoner.restyle(claims) == ("a", "b")
    reasoner.write_plainly(brief(), "")
    assert reasoner.restyle(claims) == ("a", "b")
    assert claude.asked == []


@pytest.mark.parametrize(("style", "said"), [(True, ("A", "B")), (False, ("a", "b"))])
def test_what_the_model_wrote_is_restyled_if_that_is_wanted(
    rules: RulesReasoner, style: bool, said: tuple[str, ...]
) -> None:
    reasoner, claude = both(rules, DRAFT, style=style)
    reasoner.write_answer(brief())
    claude.answer = ("A", "B")
    assert reasoner.restyle([Claim(template="a"), Claim(template="b")]) == said


def test_a_style_that_fails_leaves_the_words_as_they_are(rules: RulesReasoner) -> None:
    reasoner, claude = both(rules, DRAFT)
    reasoner.write_answer(brief())
    claude.answer = ModelFailed("the model refused")
    assert reasoner.restyle([Claim(template="a")]) == ("a",)
    assert reasoner.name == "m-synthesis"


# --- the line above -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calls", "writing", "banner"),
    [
        ([], "", None),
        ([call("intent"), call("planner"), call("synthesis")], "", None),
        (
            [call("intent", "timeout", "it did not answer in time")],
            "",
            "Read without the language model (it did not answer in time).",
        ),
        (
            [call("planner", "budget", "your budget for today is used up")],
            "",
            "Planned without the language model (your budget for today is used up).",
        ),
        (
            [call("executor", "refused", "the model refused")],
            "",
            "Searched without the language model (the model refused).",
        ),
        (
            [call("intent", "busy", "overloaded"), call("planner", "resting", "it failed a moment ago: overloaded")],
            "",
            "Read and planned without the language model (it failed a moment ago: overloaded).",
        ),
        (
            [call("intent", "error", "its key was refused"), call("planner", "error", "its key was refused")],
            "its key was refused",
            "Read, planned and written without the language model (its key was refused); the evidence below is "
            "complete, the wording is plain.",
        ),
        ([call("intent", "cut", "its answer broke off"), call("intent")], "", None),
        ([call("intent", "invalid", "the subject '/api/evil' …"), call("intent")], "", None),
        (
            [call("intent", "invalid", "the subject 'https://evil.example.com' …")] * 2,
            "",
            "Read without the language model (its answer could not be used).",
        ),
        ([call("synthesis", "invalid", "x"), call("synthesis")], "", None),
        ([call("router", "busy", "overloaded"), call("compression", "busy", "overloaded")], "", None),
        ([call("planner", prompt="planner@2.0"), call("planner", "refused", "no", "refine@1.0")], "", None),
        (
            [call("planner", "busy", "overloaded", "planner@2.0"), call("planner", prompt="refine@1.0")],
            "",
            "Planned without the language model (overloaded).",
        ),
    ],
)
def test_the_line_says_what_the_rules_did_and_why(calls: Sequence[ModelCall], writing: str, banner: str | None) -> None:
    assert say_missing(calls, writing) == banner


def test_a_prompt_that_broke_while_running_is_said_without_its_text(rules: RulesReasoner) -> None:
    reasoner, claude = both(rules, ConfigError("prompts/oracle/synthesis.md: 'evidence' is undefined"))
    banner = reasoner.write_answer(brief()).banner
    assert banner is not None
    assert "(one of its prompts cannot be filled)" in banner
    reasoner.restyle([Claim(template="a")])
    assert claude.asked == ["write_answer"]


def test_stages_that_are_not_asked_any_more_are_named_too(rules: RulesReasoner) -> None:
    reasoner, _ = both(rules, FAILED, call("intent", "busy", "overloaded"))
    reasoner.read_intent(QUESTION, LANDSCAPE, NOW)
    reasoner.make_plan(QUESTION, INTENT, LANDSCAPE)
    reasoner.refine_query(STANDING.steps[0], ToolOutput(status="empty"), INTENT)
    assert [(c.role, c.status, c.reason) for c in reasoner.calls] == [
        ("intent", "busy", "overloaded"),
        ("planner", "resting", "overloaded"),
    ]
    assert say_missing(reasoner.calls) == "Read and planned without the language model (overloaded)."
