"""The agent home: kinds of questions, questions back, orders at once, plans, and what is said of nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from examples.home_assistant.small_home import entity_infos
from tests.support.agent_rules import playbook
from tests.support.each_row import each_row
from workers.agents import home
from workers.contracts import Intent, Landscape, Plan, Question, ToolCall, Window
from workers.ports import Brief
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
NAMES = Landscape(
    entities=entity_infos(),
    labels={"home_routine": ("good night", "lights out"), "home_guarded_routine": ("leaving",)},
)
PLAYBOOK = playbook(load_settings(), "home")


def ask(text: str) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW)


def intent_of(text: str) -> Intent:
    return home.read_intent(ask(text), NAMES, NOW, PLAYBOOK)


def plan_of(text: str) -> Plan:
    return home.make_plan(ask(text), intent_of(text), NAMES, PLAYBOOK)


@each_row("text", ["good night", "Good night!", "lights out, please".replace(", please", ""), "hey good night"])
def test_an_approved_routine_is_an_order_by_its_name(text: str) -> None:
    order = home.read_order(ask(text), NAMES)
    assert order is not None
    assert order.tool == "home_assistant_routine"
    assert order.args["name"] in {"good night", "lights out"}


@each_row(
    "text",
    ["leaving", "good night everybody", "is good night set?", "turn on good night", "turn off the desk lamp", ""],
)
def test_anything_else_is_no_order_at_once(text: str) -> None:
    assert home.read_order(ask(text), NAMES) is None


def test_a_guarded_routine_is_proposed() -> None:
    plan = plan_of("leaving")
    assert intent_of("leaving").question_type == "routine"
    assert [(s.tool, s.args) for s in plan.steps] == [("home_assistant_routine", {"name": "leaving"})]


@pytest.mark.parametrize(
    ("text", "kind", "tool", "args"),
    [
        (
            "is the garage door open?",
            "state",
            "home_assistant_states",
            {"entities": "cover.garage_door", "state": "open"},
        ),
        (
            "since when is the garage door open?",
            "since",
            "home_assistant_history",
            {"entities": "cover.garage_door", "state": "open"},
        ),
        (
            "dim the desk lamp to 30 %",
            "change",
            "home_assistant_change",
            {"entities": "light.desk_lamp", "action": "set_brightness", "value": "30"},
        ),
    ],
)
def test_plans(text: str, kind: str, tool: str, args: dict[str, str]) -> None:
    assert intent_of(text).question_type == kind
    assert [(s.tool, s.args) for s in plan_of(text).steps] == [(tool, args)]


def test_two_things_of_one_name_are_asked_back_with_where_they_are() -> None:
    ambiguity = intent_of("turn off the floor lamp").ambiguity
    assert ambiguity is not None
    assert {o.value for o in ambiguity.options} == {"light.lab_floor_lamp", "light.office_floor_lamp"}
    assert len({o.label for o in ambiguity.options}) == 2
    chosen = plan_of("turn off the floor lamp (light.office_floor_lamp)?")
    assert chosen.steps[0].args == {"entities": "light.office_floor_lamp", "action": "turn_off"}


@each_row("text", ["turn off the desk lamn post", "dim the desk lamp", "turn it off later", "what about lunch"])
def test_what_is_not_understood_calls_nothing_and_says_so(text: str) -> None:
    plan, intent = plan_of(text), intent_of(text)
    assert plan.steps == ()
    window = Window(start=NOW, end=NOW, why="now")
    brief = Brief(ask(text), intent.model_copy(update={"window": window}), plan, NAMES, (), ())
    draft = home.write_answer(brief, PLAYBOOK)
    assert draft.headline.text or draft.headline.template
    assert "Proposed" not in draft.headline.template


def test_the_nearest_names_stand_beside_a_name_that_is_not_there() -> None:
    text = "turn off the dest lamn"
    brief = Brief(ask(text), intent_of(text), plan_of(text), NAMES, (), ())
    assert "Desk lamp" in " ".join(gap.text for gap in home.write_answer(brief, PLAYBOOK).missing)


def test_a_word_spelled_almost_like_one_name_is_that_name() -> None:
    assert plan_of("turn off the desk lmap").steps[0].args["entities"] == "light.desk_lamp"


@each_row(
    "text, least",
    [("leaving", 1.0), ("Good night!", 1.0), ("is the garage door open?", 0.9), ("anything unlocked?", 0.9)],
)
def test_names_of_the_home_make_a_request_its_own(text: str, least: float) -> None:
    assert home.claim(ask(text), NAMES) >= least


@each_row(
    "text", ["is checkout slow in the lab environment?", "who deployed the kitchen service?", "hello", "office hours"]
)
def test_what_only_happens_to_name_a_room_is_not_its_own(text: str) -> None:
    assert home.claim(ask(text), NAMES) < 0.5


@each_row("status", ["timeout", "error", "denied", "empty"])
def test_a_call_that_failed_is_never_told_as_a_proposal(status: str) -> None:
    text = "turn off the desk lamp"
    plan = plan_of(text)
    call = ToolCall(
        name="home_assistant_change", args={}, start_ms=0, end_ms=1, status=status, summary="why", step="change"
    )
    draft = home.write_answer(Brief(ask(text), intent_of(text), plan, NAMES, (), (call,)), PLAYBOOK)
    assert "Proposed" not in draft.headline.template
    assert any("why" in gap.text for gap in draft.missing)
