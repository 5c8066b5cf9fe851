"""The policy of routing: what is refused, who answers, and what is said when nobody is sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LIMITS, MODULE
from workers.contracts import Landscape, Question, Route
from workers.engine.policy import SURE, UNSAFE_FROM, UNSURE, Policy, choose_route
from workers.engine.route import Agent, agent_of
from workers.language.request_routes import OUT_OF_SCOPE, UNSAFE

AGENTS = {
    "research": Agent("research", "research", "Reads code, documents and metrics.", LIMITS, MODULE),
    "travel": Agent("travel", "travel", "Looks up flights.", replace(LIMITS, tools=("flights",)), MODULE),
    "knowledge": Agent("knowledge", "knowledge", "Reads what is written.", LIMITS, MODULE, sensitivity="medium"),
}
LACKING = {**AGENTS, "travel": replace(AGENTS["travel"], lacks="Connect the flights first.")}


def question(text: str = "Why is /api/search slow?", agent: str | None = None) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW, agent=agent)


class Choice:
    """Chooses the same every time, and counts."""

    def __init__(self, name: str = "travel", confidence: float = 0.9) -> None:
        self.answer, self.asked = (name, confidence), list[dict[str, str]]()

    def __call__(self, asked: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        self.asked.append(dict(agents))
        return self.answer


def route(
    choice: Choice, asked: Question | None = None, agents: Mapping[str, Agent] = AGENTS, **likely: float
) -> Route:
    return choose_route(asked or question(), Policy(agents, "research", "knowledge", lambda _: likely), choice)


def test_a_sure_choice_decides() -> None:
    choice = Choice()
    chosen = route(choice)
    assert chosen == Route(task="travel", confidence=0.9, tools_allowed=("flights",), notes="chosen")
    assert choice.asked == [{name: agent.description for name, agent in AGENTS.items()}]
    assert agent_of(question(), chosen, AGENTS, "research").name == "travel"


def test_what_names_nothing_is_the_default_agents_who_asks_back() -> None:
    assert route(Choice("travel", 0.3), question("and the other one?")).task == "research"
    earlier = question("and the other one?").model_copy(update={"context": ("which flights are late",)})
    assert route(Choice("travel", 0.3), earlier).task == "knowledge"


@pytest.mark.parametrize(("confidence", "task"), [(0.0, "knowledge"), (SURE - 0.01, "knowledge"), (SURE, "travel")])
def test_when_nobody_is_sure_the_fallback_answers_and_asks_what_was_meant(confidence: float, task: str) -> None:
    chosen = route(Choice("travel", confidence))
    assert (chosen.task, chosen.confidence, chosen.caveat) == (task, confidence, UNSURE if task == "knowledge" else "")


def test_what_is_likelier_the_default_agents_than_anybodys_is_its_own() -> None:
    chosen = route(Choice("research", SURE / 2))
    assert (chosen.task, chosen.caveat) == ("research", "")


@each_row("name", ["admin", "", "Travel", "travel ", "<!channel>"])
def test_an_agent_that_does_not_exist_is_not_chosen_and_not_named(name: str) -> None:
    chosen = route(Choice(name, 1.0))
    assert (chosen.task, chosen.caveat) == ("knowledge", UNSURE)


def test_without_a_fallback_the_default_agent_answers() -> None:
    agents = {"research": AGENTS["research"]}
    assert route(Choice("", 0.0), agents=agents).task == "research"


def test_who_names_an_agent_gets_it() -> None:
    choice = Choice("research")
    chosen = route(choice, question(agent="travel"))
    assert (chosen.task, chosen.confidence, choice.asked) == ("travel", 1.0, [])


def test_a_text_that_people_gave_a_meaning_comes_before_everything_that_was_learned() -> None:
    owns = replace(MODULE, owns_phrase=lambda asked, names: asked.text == "hello sunshine")
    agents = {**AGENTS, "travel": replace(AGENTS["travel"], module=owns)}
    assert route(Choice("research"), question("hello sunshine"), agents, **{UNSAFE: 0.95}).task == "travel"
    assert route(Choice("research"), question("hello moonshine"), agents, **{UNSAFE: 0.95}).task == "none"
    lacks = {**agents, "travel": replace(agents["travel"], lacks="Connect the flights first.")}
    assert route(Choice("research"), question("hello sunshine"), lacks, **{UNSAFE: 0.95}).task == "none"


def test_an_agent_that_cannot_say_whether_a_text_is_its_own_leaves_it_to_the_others() -> None:
    def fail(asked: Question, names: Landscape) -> bool:
        raise RuntimeError("no timetable")

    agents = {**AGENTS, "travel": replace(AGENTS["travel"], module=replace(MODULE, owns_phrase=fail))}
    assert route(Choice("research"), question("hello sunshine"), agents).task == "research"


def test_the_names_of_all_sources_are_read_only_for_agents_that_own_texts() -> None:
    def read() -> Landscape:
        raise AssertionError("nobody asked for them")

    policy = Policy(AGENTS, "research", "knowledge", lambda _: {}, everywhere=read)
    assert choose_route(question(), policy, Choice()).task == "travel"


def test_what_is_likely_unsafe_is_refused_whoever_is_named_or_sure() -> None:
    choice = Choice("travel", 1.0)
    for asked in (question(), question(agent="travel")):
        refused = route(choice, asked, **{UNSAFE: UNSAFE_FROM})
        assert (refused.task, refused.sensitivity, refused.tools_allowed) == ("none", "high", ())
        assert "research, travel, knowledge" in refused.notes, "what would be possible is said"
    near = route(choice, **{UNSAFE: UNSAFE_FROM, "travel": 0.2, "research": 0.1})
    assert near.notes.endswith("Looks up flights."), "the nearest of it, where one is nearer"
    assert choice.asked == [], "no model is asked"
    assert route(choice, **{UNSAFE: UNSAFE_FROM - 0.01}).task == "travel"


@each_row("likely, claim, task", [(0.89, 0.9, "travel"), (0.9, 1.0, "none"), (0.4, 0.89, "none")])
def test_words_of_a_name_make_nothing_unsafe_unless_it_is_beyond_doubt(likely: float, claim: float, task: str) -> None:
    claims = replace(MODULE, claim=lambda asked, names: claim)
    agents = {**AGENTS, "travel": replace(AGENTS["travel"], module=claims)}
    asked = question("cancel the password flight")
    assert route(Choice("travel", 1.0), asked, agents, **{UNSAFE: likely}).task == task
    named = route(Choice("travel", 1.0), asked.model_copy(update={"agent": "travel"}), agents, **{UNSAFE: likely})
    assert named.task == "none", "an agent that is named claims nothing"
    lacks = {**agents, "travel": replace(agents["travel"], lacks="Connect the flights first.")}
    assert route(Choice("travel", 1.0), asked, lacks, **{UNSAFE: likely}).task == "none"


@each_row("likely, sure, task", [(0.6, 0.3, "none"), (0.6, 0.7, "travel"), (0.3, 0.1, "knowledge"), (0.5, 0.1, "none")])
def test_what_no_agent_does_is_refused_unless_one_is_surer(likely: float, sure: float, task: str) -> None:
    chosen = route(Choice("travel", sure), question("Water the plants."), **{OUT_OF_SCOPE: likely})
    assert (chosen.task, chosen.sensitivity) == (task, "medium" if task == "knowledge" else "low")
    assert ("What you can ask me" in chosen.notes) == (task == "none")


@each_row(
    "text",
    ["Who wrote Middlemarch?", "wie weit ist es bis zum Mond", "¿Cuántos ríos hay en Chile?"],
)
def test_what_asks_for_general_knowledge_is_out_of_reach_without_a_model(text: str) -> None:
    asked = question(text)
    without = route(Choice("travel", 0.1), asked, **{OUT_OF_SCOPE: 0.95})
    assert (without.task, without.sensitivity) == ("none", "low")
    assert "without a language model" in without.notes
    policy = Policy(AGENTS, "research", "knowledge", lambda _: {OUT_OF_SCOPE: 0.95}, drives=True)
    assert choose_route(asked, policy, Choice()).task == "knowledge"
    assert choose_route(question("Sell the car."), policy, Choice()).task == "none"


@pytest.mark.parametrize(
    ("research", "knowledge", "task", "told"),
    [(0.06, 0.01, "research", False), (0.01, 0.06, "knowledge", True), (0.0, 0.0, "research", True)],
)
def test_in_place_of_an_agent_that_lacks_its_data_the_next_likely_answers(
    research: float, knowledge: float, task: str, told: bool
) -> None:
    chosen = route(Choice("travel", 0.9), agents=LACKING, research=research, knowledge=knowledge)
    assert (chosen.task, bool(chosen.caveat)) == (task, told)


def test_who_names_an_agent_that_cannot_answer_is_told_why() -> None:
    assert route(Choice(), question(agent="travel"), LACKING).notes == "Connect the flights first."
    refused = route(Choice(), question(agent="nobody"))
    assert (refused.task, refused.tools_allowed) == ("none", ())
    assert "nobody" in refused.notes


@pytest.mark.parametrize(
    ("text", "priority"),
    [("Is the shop down? urgent", "urgent"), ("turn the volume down", "normal"), ("Why is it slow?", "normal")],
)
def test_urgency_is_read_from_the_question(text: str, priority: str) -> None:
    assert route(Choice(), question(text)).priority == priority


def test_without_a_route_the_default_answers() -> None:
    assert agent_of(question(), None, AGENTS, "research").name == "research"
    assert agent_of(question(agent="nobody"), None, AGENTS, "research").name == "research"


@given(
    st.text(max_size=200), st.floats(0, 1), st.floats(0, 1), st.sampled_from(["research", "travel", "knowledge", "x"])
)
def test_every_text_has_one_agent_or_a_reason(text: str, unsafe: float, sure: float, name: str) -> None:
    chosen = route(Choice(name, sure), question(text), LACKING, **{UNSAFE: unsafe, OUT_OF_SCOPE: 1 - unsafe})
    assert chosen.notes
    assert chosen.task in {"none", "research", "knowledge"}
