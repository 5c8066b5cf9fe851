"""Sentences over the small home: what is asked, of which things, and what is never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.home_assistant.small_home import entity_infos
from tests.support.each_row import each_row
from workers.agents.home.language.reading import read_request
from workers.agents.home.language.request import Found, HomeRequest
from workers.agents.home.language.targets import find_targets
from workers.agents.home.language.vocabulary import ACTION_DOMAINS
from workers.contracts import EntityInfo

HOME = entity_infos()
LAB_LIGHTS = {"light.lab_ceiling", "light.desk_lamp", "light.lab_floor_lamp"}
OFFICE_LIGHTS = {"light.office_ceiling", "light.office_floor_lamp"}


def read(text: str, languages: tuple[str, ...] = ("en",)) -> tuple[HomeRequest, Found]:
    request = read_request(text, HOME, languages)
    return request, find_targets(request, HOME)


def proposes(request: HomeRequest, found: Found) -> bool:
    """Whether an agent would propose a change."""
    return request.kind == "change" and bool(found.ids) and not (request.lacks or found.unknown or found.ambiguous)


@each_row(
    "text, action, value, ids",
    [
        ("turn off the desk lamp", "turn_off", "", {"light.desk_lamp"}),
        ("Could you please switch the workbench lamp off?", "turn_off", "", {"light.desk_lamp"}),
        ("desk lamp and soldering iron off", "turn_off", "", {"light.desk_lamp", "switch.soldering_iron"}),
        ("turn off the lights in the lab", "turn_off", "", LAB_LIGHTS),
        ("turn off the lights in the lab and the office", "turn_off", "", LAB_LIGHTS | OFFICE_LIGHTS),
        ("switch off the floor lamp in the office", "turn_off", "", {"light.office_floor_lamp"}),
        ("dim the desk lamp to 30 %", "set_brightness", "30", {"light.desk_lamp"}),
        ("set the lab to 21 degrees", "set_temperature", "21", {"climate.lab"}),
        ("set the thermostat in the office to 19.5", "set_temperature", "19.5", {"climate.office"}),
        ("turn the kitchen radio down to 20%", "set_volume", "20", {"media_player.kitchen_radio"}),
        ("make the desk lamp red", "set_color", "red", {"light.desk_lamp"}),
        ("turn up the volume to 40 on the kitchen radio", "set_volume", "40", {"media_player.kitchen_radio"}),
        ("switch every light in the lab off", "turn_off", "", LAB_LIGHTS),
        ("light up the lab", "turn_on", "", LAB_LIGHTS),
        ("close the garage", "close", "", {"cover.garage_door"}),
        ("unlock the front door, my hands are full", "unlock", "", {"lock.front_door"}),
        ("turn the floor lamp on the first floor in the lab off", "turn_off", "", {"light.lab_floor_lamp"}),
        ("activate good night", "turn_on", "", {"scene.good_night"}),
    ],
)
def test_orders(text: str, action: str, value: str, ids: set[str]) -> None:
    request, found = read(text)
    assert proposes(request, found)
    assert (request.action, request.value, set(found.ids)) == (action, value, ids)


def test_what_is_excepted_stays() -> None:
    request, found = read("turn off everything downstairs but the fridge")
    assert proposes(request, found)
    assert "switch.fridge" not in found.ids
    assert {"switch.coffee_machine", "light.kitchen_ceiling", "media_player.kitchen_radio"} <= set(found.ids)
    assert not any(i.startswith(("climate.", "cover.", "lock.")) for i in found.ids)
    ground, meant = read("turn off everything on the ground floor but the fridge")
    assert (ground.action, meant.ids) == ("turn_off", found.ids)
    _, lit = read("switch off all lights except in the kitchen")
    assert set(lit.ids) == LAB_LIGHTS | OFFICE_LIGHTS | {"light.garage"}
    _, kept = read("turn off everything upstairs, leave the desk lamp on")
    assert "light.desk_lamp" not in kept.ids
    assert "light.lab_ceiling" in kept.ids


def test_an_exception_that_names_nothing_stops_the_order() -> None:
    request, found = read("turn off everything downstairs but the incubator")
    assert not proposes(request, found)
    assert "incubator" in found.unknown


@each_row(
    "text, kind, state, ids",
    [
        ("is the garage open?", "state", "open", {"cover.garage_door"}),
        ("is anything still on in the office?", "state", "on", OFFICE_LIGHTS | {"climate.office"}),
        ("what is the temperature in the lab?", "state", "", {"sensor.lab_temperature"}),
        ("is the kitchen window closed", "state", None, {"binary_sensor.kitchen_window"}),
        ("are all doors locked?", "state", "unlocked", {"lock.front_door"}),
        ("which doors are not locked?", "state", "unlocked", {"lock.front_door"}),
        ("anybody in the garage?", "state", "detected", {"binary_sensor.garage_motion"}),
        ("how warm is it on the first floor?", "state", "", {"sensor.lab_temperature"}),
        ("since when is the garage door open?", "since", "open", {"cover.garage_door"}),
        ("how long has the desk lamp been on?", "since", "on", {"light.desk_lamp"}),
        ("when was the front door last unlocked?", "since", "unlocked", {"lock.front_door"}),
    ],
)
def test_questions(text: str, kind: str, state: str | None, ids: set[str]) -> None:
    request, found = read(text)
    assert (request.kind, request.action, set(found.ids)) == (kind, "", ids)
    assert state is None or request.state == state


@each_row(
    "text",
    [
        "don't turn off the fridge",
        "never open the garage door",
        "turn the coffee machine on at 8:15",
        "turn on the lab fan for 5 minutes",
        "unlock the front door for twenty minutes",
        "open the garage door in half an hour",
        "turn off the desk lamp if nobody is there",
        "open the garage door, then close it again",
        "increase the lab thermostat",
        "whenever the garage door is open close it",
        "turn it off",
        "dim the desk lamp",
        "turn off the blue spotlight",
        "turn off the desk lamp in the garage",
        "turn off the desk lamp. Open the garage door.",
        "turn on the lab fan and turn off the fridge",
        "should I turn off the desk lamp?",
        "is the desk lamp on?",
        "who turned off the desk lamp?",
        "unlock the server rack",
        "hello there",
        "",
    ],
)
def test_what_is_no_plain_order_is_not_proposed(text: str) -> None:
    assert not proposes(*read(text))


def test_a_name_of_two_things_is_ambiguous_for_an_order_and_not_for_a_question() -> None:
    _, ordered = read("turn off the floor lamp")
    assert ordered.ambiguous == {"floor lamp": ("light.lab_floor_lamp", "light.office_floor_lamp")} or set(
        next(iter(ordered.ambiguous.values()))
    ) == {"light.lab_floor_lamp", "light.office_floor_lamp"}
    assert not ordered.ids
    request = read_request("turn off the floor lamp", HOME)
    assert find_targets(request, HOME, chosen="light.office_floor_lamp").ids == ("light.office_floor_lamp",)
    _, asked = read("is the floor lamp on?")
    assert set(asked.ids) == {"light.lab_floor_lamp", "light.office_floor_lamp"}


@each_row(
    "text, least, most, longer_s, shorter_s, order",
    [
        ("which lights are dimmer than 40 percent?", None, 40, 0, 0, ""),
        ("which lights in the lab are on but brighter than 60%", 60, None, 0, 0, ""),
        ("is the lab above 22.5 degrees?", 22.5, None, 0, 0, ""),
        ("which lights have been on for more than two hours?", None, None, 7_200, 0, ""),
        ("which doors were opened in the last 20 minutes?", None, None, 0, 1_200, ""),
        ("which room is the warmest?", None, None, 0, 0, "highest"),
        ("which light has been on the longest?", None, None, 0, 0, "longest"),
    ],
)
def test_conditions_are_read_and_nothing_of_them_is_left(
    text: str, least: float | None, most: float | None, longer_s: float, shorter_s: float, order: str
) -> None:
    request, found = read(text)
    got = request.conditions
    assert (got.least, got.most, got.longer_s, got.shorter_s, got.order) == (least, most, longer_s, shorter_s, order)
    assert found.ids
    assert not found.unknown


@each_row("text", ["which lights are on while it rains?", "which lights are on without reason?", "lights unless dark?"])
def test_a_condition_that_is_not_read_is_named(text: str) -> None:
    assert read(text)[1].unknown


@each_row(
    "text, value, ids",
    [
        ("make the lab two degrees cooler", "by -2", {"climate.lab"}),
        ("raise the office thermostat by 1.5 degrees", "by +1.5", {"climate.office"}),
        ("increase the lab thermostat by half a degree", "by +0.5", {"climate.lab"}),
        ("make the desk lamp brighter by 15%", "by +15", {"light.desk_lamp"}),
    ],
)
def test_changes_by_some_amount(text: str, value: str, ids: set[str]) -> None:
    request, found = read(text)
    assert proposes(request, found)
    assert (request.value, set(found.ids)) == (value, ids)


@each_row(
    "text, holds, ids",
    [
        ("if the kitchen window is open, turn off the kitchen radio", "open", {"media_player.kitchen_radio"}),
        ("close the garage door if it is open", "open", {"cover.garage_door"}),
        ("if nobody is in the garage turn off the garage light", "detected", {"light.garage"}),
    ],
)
def test_a_condition_said_once_has_to_hold_now(text: str, holds: str, ids: set[str]) -> None:
    request, found = read(text)
    assert proposes(request, found)
    assert request.holds is not None
    assert (request.holds.state, set(found.ids)) == (holds, ids)


def test_an_order_chooses_by_the_state_and_not_by_the_word_for_it() -> None:
    request, found = read("turn off the lights that have been on for more than 6 hours")
    assert (request.action, request.state, request.conditions.longer_s) == ("turn_off", "on", 21_600)
    assert found.ids


def test_one_lamp_of_several_is_asked_back_and_all_of_them_are_not() -> None:
    assert set(read("switch the lamp off")[1].ambiguous["lamp"]) >= {"light.desk_lamp", "light.lab_floor_lamp"}
    assert not read("switch the lamps off")[1].ambiguous


def test_what_was_said_before_is_what_those_are() -> None:
    said = ("which lights are on in the lab?", "2 of 3 are on: Desk lamp, Lab ceiling light")
    request = read_request("turn those off but not the desk lamp", HOME, thread=said)
    assert find_targets(request, HOME).ids == ("light.lab_ceiling",)
    moved = read_request("and in the office?", HOME, thread=said)
    assert (moved.state, set(find_targets(moved, HOME).ids)) == ("on", OFFICE_LIGHTS)


@each_row(
    "text, kind, action, state, ids",
    [
        ("Mach bitte die Lampen im Büro aus", "change", "turn_off", "", OFFICE_LIGHTS),
        ("Schalte das Licht im Büro ein, außer der Stehlampe", "change", "turn_on", "", {"light.office_ceiling"}),
        ("Ist das Küchenfenster zu?", "state", "", "closed", {"binary_sensor.kitchen_window"}),
        ("¿está abierta la puerta del garaje?", "state", "", "open", {"cover.garage_door"}),
        ("apaga las luces de la oficina", "change", "turn_off", "", OFFICE_LIGHTS),
    ],
)
def test_other_languages_word_by_word(text: str, kind: str, action: str, state: str, ids: set[str]) -> None:
    request, found = read(text, ("en", "de", "es"))
    assert (request.kind, request.action, request.state, set(found.ids)) == (kind, action, state, ids)


def test_other_languages_by_their_templates() -> None:
    request, found = read("Schalte die Desk lamp aus", ("en", "de"))
    assert (request.action, found.ids) == ("turn_off", ("light.desk_lamp",))
    assert not proposes(*read("Schalte die Desk lamp aus", ("en",)))


def test_a_home_without_things_is_read_too() -> None:
    request = read_request("turn off the desk lamp", ())
    assert not find_targets(request, ()).ids


WORDS = st.sampled_from(
    "turn off on the desk lamp floor fridge lab kitchen everything but and not is open close garage door 30 % to set"
    " locked upstairs all lights , . ? unlock front red dim don't if at 8:15".split()
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_any_words_give_things_of_the_home_and_known_actions(text: str) -> None:
    request, found = read(text)
    assert set(found.ids) <= {e.id for e in HOME}
    assert request.action in {"", *ACTION_DOMAINS}
    if proposes(request, found):
        assert "don't" not in text
        assert "8:15" not in text


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    request, found = read(text)
    assert set(found.ids) <= {e.id for e in HOME}
    assert request.kind in {"change", "state", "since", "unclear"}


NAMES = st.text("abcdefgh ", min_size=3, max_size=12).map(str.strip).filter(lambda n: len(n) > 2)


@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda n: " ".join(n.split())))
def test_a_thing_is_found_by_its_own_name(names: list[str]) -> None:
    things = tuple(EntityInfo(id=f"switch.s{i}", name=f"zz {n}") for i, n in enumerate(names))
    for thing in things:
        found = find_targets(read_request(f"turn on the {thing.name}", things), things)
        assert thing.id in {*found.ids, *(i for ids in found.ambiguous.values() for i in ids)}


@pytest.mark.parametrize("behind", ["Only once I am home.", "But not before 10 pm.", "Don't do it if Anna is in."])
def test_what_stands_behind_an_order_may_set_it_a_condition(behind: str) -> None:
    assert read_request(f"Turn off the desk lamp. {behind}", HOME).lacks
    assert not read_request("It was dark when I came in. Turn on the desk lamp. Thanks a lot!", HOME).lacks


def test_a_name_of_the_home_is_known_without_its_accents() -> None:
    place = EntityInfo(id="light.cafe", name="Ceiling", area="Salon")
    request = read_request("apaga la luz del salón", (place,), ("en", "es"))
    assert find_targets(request, (place,)).ids == ("light.cafe",)


def test_anyone_at_home_are_people_where_the_home_knows_people() -> None:
    home = (
        EntityInfo(id="person.ines", name="Ines"),
        EntityInfo(id="binary_sensor.m", name="M", device_class="motion"),
    )
    request = read_request("is anyone at home?", home)
    assert (request.state, find_targets(request, home).ids) == ("home", ("person.ines",))
