"""Which agent answers: named, chosen or the default; what is not answered is refused before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LIMITS, MODULE
from workers.contracts import Question
from workers.engine.route import SURE, Agent, agent_of, choose_route

AGENTS = {
    "research": Agent("research", "research", "Reads code, documents and metrics.", LIMITS, MODULE),
    "travel": Agent("travel", "travel", "Looks up flights.", replace(LIMITS, tools=("flights",)), MODULE),
}


def question(text: str = "Why is /api/search slow?", agent: str | None = None) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW, agent=agent)


class Choice:
    """Chooses the same every time, and counts."""

    def __init__(self, name: str = "travel", confidence: float = 0.9) -> None:
        self.answer, self.asked = (name, confidence), list[dict[str, str]]()

    def __call__(self, asked: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        self.asked.append(dict(agents))
        return self.answer


def route(choice: Choice, asked: Question | None = None, agents: Mapping[str, Agent] = AGENTS) -> Any:
    return choose_route(asked or question(), agents, "research", choice)


def test_a_sure_choice_decides() -> None:
    choice = Choice()
    chosen = route(choice)
    assert (chosen.task, chosen.confidence, chosen.tools_allowed, chosen.notes) == (
        "travel",
        0.9,
        ("flights",),
        "chosen",
    )
    assert choice.asked == [{n: a.description for n, a in AGENTS.items()}]
    assert agent_of(question(), chosen, AGENTS, "research").name == "travel"


@pytest.mark.parametrize(("confidence", "task"), [(0.0, "research"), (SURE - 0.01, "research"), (SURE, "travel")])
def test_a_choice_that_is_not_sure_gives_way(confidence: float, task: str) -> None:
    chosen = route(Choice("travel", confidence))
    assert (chosen.task, chosen.confidence) == (task, confidence)
    assert agent_of(question(), chosen, AGENTS, "research").name == task


@pytest.mark.parametrize("name", ["admin", "", "Travel", "travel ", "<!channel>"])
def test_an_agent_that_does_not_exist_is_not_chosen_and_not_named(name: str) -> None:
    chosen = route(Choice(name, 1.0))
    assert (chosen.task, chosen.notes) == ("research", "not sure, so research")


def test_one_agent_needs_no_choice() -> None:
    choice = Choice()
    chosen = route(choice, agents={"research": AGENTS["research"]})
    assert (chosen.task, chosen.notes) == ("research", "the default agent")
    assert not choice.asked


def test_who_names_an_agent_gets_it() -> None:
    choice = Choice("research")
    asked = question(agent="travel")
    chosen = route(choice, asked)
    assert (chosen.task, chosen.confidence) == ("travel", 1.0)
    assert agent_of(asked, chosen, AGENTS, "research").name == "travel"
    assert not choice.asked


@pytest.mark.parametrize(
    "asked",
    [
        question("show me the api keys"),
        question("please restart the search service"),
        question("show me the api keys", agent="travel"),
        question("Why is it slow?", agent="nobody"),
    ],
)
def test_what_is_refused_is_refused_before_any_model_is_asked(asked: Question) -> None:
    choice = Choice()
    chosen = route(choice, asked)
    assert chosen.task == "none"
    assert chosen.tools_allowed == ()
    assert not choice.asked


@pytest.mark.parametrize(("text", "priority"), [("Is the shop down? urgent", "urgent"), ("Why is it slow?", "normal")])
def test_urgency_is_read_from_the_question(text: str, priority: str) -> None:
    assert route(Choice(), question(text)).priority == priority


def test_without_a_route_the_default_answers() -> None:
    assert agent_of(question(), None, AGENTS, "research").name == "research"


LACKING = {**AGENTS, "travel": replace(AGENTS["travel"], lacks="Connect the flights first.")}


def test_an_agent_that_lacks_its_data_is_never_chosen() -> None:
    choice = Choice("travel")
    chosen = route(choice, agents=LACKING)
    assert chosen.task == "research"
    assert not choice.asked, "there is only one to choose from"


def test_who_names_an_agent_that_lacks_its_data_is_told_what_to_connect() -> None:
    chosen = route(Choice(), question(agent="travel"), LACKING)
    assert (chosen.task, chosen.notes) == ("none", "Connect the flights first.")
    assert agent_of(question(agent="nobody"), None, AGENTS, "research").name == "research"


# --- orders to change something ---------------------------------------------------------------------------------

ORDER = "Delete the old runbook"
WRITERS = {**AGENTS, "librarian": Agent("librarian", "vault", "Keeps notes.", LIMITS, MODULE, writes=True)}


def test_an_order_goes_to_a_sure_agent_that_proposes_changes() -> None:
    choice = Choice("librarian", SURE)
    assert (route(choice, question(ORDER), WRITERS).task, route(choice, question(ORDER)).task) == ("vault", "none")
    assert choice.asked == [{"librarian": "Keeps notes."}], "the others are not even asked"


@pytest.mark.parametrize("choice", [Choice("librarian", SURE - 0.01), Choice("research", 1.0), Choice("", 1.0)])
def test_an_order_that_nobody_is_sure_of_is_refused(choice: Choice) -> None:
    refused = route(choice, question(ORDER), WRITERS)
    assert (refused.task, refused.sensitivity) == ("none", "high")


def test_an_order_to_an_agent_by_its_name() -> None:
    choice = Choice("librarian", 1.0)
    assert route(choice, question(ORDER, "librarian"), WRITERS).task == "vault"
    assert route(choice, question(ORDER, "travel"), WRITERS).task == "none"
    assert choice.asked == []


def test_an_agent_that_lacks_its_data_takes_no_order() -> None:
    dry = {**WRITERS, "librarian": replace(WRITERS["librarian"], lacks="Connect a vault.")}
    assert route(Choice("librarian", 1.0), question(ORDER), dry).task == "none"
    assert route(Choice(), question(ORDER, "librarian"), dry).notes == "Connect a vault."
