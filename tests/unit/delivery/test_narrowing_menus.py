"""Menus below an answer: what Slack takes of them, and the question that a chosen option makes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slack_limits
from tests.support.deal_answers import REGIONS, STATUS, option, precedents
from tests.support.finished_requests import texts
from tests.support.rendered_messages import assert_sound
from workers.contracts import Menu, Option, RequestLog
from workers.delivery.answer_blocks import render_answer
from workers.delivery.narrowing_menus import MENUS_WEIGHT, menu_blocks, narrow_question


def menus_of(log: RequestLog) -> list[dict[str, Any]]:
    """The menus of an answer as they are posted, with everything around them checked."""
    posts = render_answer(log)
    assert_sound(*posts)
    return [e for b in posts[-1].blocks if b.get("block_id", "").startswith("narrow:") for e in b["elements"]]


def test_menus_stand_below_the_answer_with_their_names() -> None:
    region, status = menus_of(precedents())
    assert (region["action_id"], status["action_id"]) == ("answer:narrow:0", "answer:narrow:1")
    assert region["placeholder"]["text"] == "Region"
    assert [o["text"]["text"] for o in region["options"]] == ["any region", "DACH", "Nordics", "Benelux"]
    assert [o["value"] for o in region["options"]] == ["0", "1", "2", "3"]
    assert "initial_option" not in region


def test_what_the_question_says_already_is_chosen() -> None:
    region, status = menus_of(precedents(text="deals [region: Nordics]"))
    assert region["initial_option"]["text"]["text"] == "Nordics"
    assert "initial_option" not in status


def test_nothing_that_slack_refuses_comes_of_many_options_and_long_labels() -> None:
    many = tuple(option(f"[region: {'x' * 200}{n}]", f"{n} " + "Länder 😀 " * 30) for n in range(200))
    found = menus_of(
        precedents(menus=tuple(Menu(name="Region " * 40, kind="[region:", options=many) for _ in range(30)))
    )
    assert found
    assert all(1 <= len(menu["options"]) <= slack_limits.OPTIONS for menu in found)
    short = tuple(option(f"[r: {n}]", str(n)) for n in range(200))
    (menu,) = menus_of(precedents(menus=(Menu(name="R", kind="[r:", options=short),), text="x [r: 180]"))
    assert len(menu["options"]) > 60
    assert "initial_option" not in menu, "it is not among those that have room"


def test_there_is_no_menu_without_options_or_where_nothing_was_answered() -> None:
    empty = Menu(name="Region", kind="[region:", options=(Option(value="x", label=" "),))
    assert menus_of(precedents(menus=(empty,))) == []
    assert menus_of(precedents(kind="refusal")) == []
    assert menus_of(precedents().model_copy(update={"request_id": "no id"})) == []


MENUS = st.builds(
    Menu,
    name=texts(80),
    kind=texts(20),
    options=st.lists(st.builds(Option, value=texts(60), label=texts(120)), max_size=6).map(tuple),
)


@given(st.lists(MENUS, max_size=12).map(tuple), texts(100))
def test_no_menu_breaks_a_limit_and_no_text_breaks_the_question(menus: tuple[Menu, ...], text: str) -> None:
    log = precedents(menus=menus, text=text)
    for block in menu_blocks(log):
        assert len(str(block)) < 4 * MENUS_WEIGHT
    assert_sound(*render_answer(log))
    for menu in menus:
        for one in menu.options:
            narrow_question(text, menu, one.value)


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("find deals", "[region: DACH]", "find deals [region: DACH]"),
        ("find deals [region: Nordics]", "[region: DACH]", "find deals [region: DACH]"),
        ("find [Region: Nordics] deals", "[region: DACH]", "find [region: DACH] deals"),
        ("deals [region: A] [status: current] [region: B]", "[region: C]", "deals [region: C] [status: current]"),
        ("deals [region: A]?", "", "deals ?"),
        ("deals [region: A]", "", "deals"),
        ("[region: A]", "", ""),
        ("deals [regional] [region", "[region: A]", "deals [regional] [region [region: A]"),
    ],
)
def test_a_value_takes_the_place_of_what_was_said_of_its_kind(text: str, value: str, wanted: str) -> None:
    assert narrow_question(text, REGIONS, value) == wanted


def test_menus_do_not_disturb_each_other() -> None:
    text = narrow_question(narrow_question("deals", REGIONS, "[region: DACH]"), STATUS, "[status: current]")
    assert text == "deals [region: DACH] [status: current]"
    assert narrow_question(text, STATUS, "") == "deals [region: DACH]"
    assert narrow_question("deals [x: y]", Menu(name="Any", kind="", options=()), "now") == "deals [x: y] now"
