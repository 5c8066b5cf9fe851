"""What Assist may see, names and places, since when, what a routine touches, what an action changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.agents.home.source.actions import ACTIONS, plan_change, same, value_of
from workers.agents.home.source.exposure import is_exposed
from workers.agents.home.source.model import Home, Moment, State
from workers.agents.home.source.registries import Registries
from workers.agents.home.source.rest_client import read_state
from workers.agents.home.source.routines import NOT_KNOWN, guarded_in
from workers.agents.home.source.since import current_span, last_span, say_length
from workers.agents.home.source.snapshot import read_home
from workers.agents.home.source.state_words import is_so, say_state
from workers.contracts import EntityInfo
from workers.errors import ToolArgumentError

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def state(entity: str, value: str, changed: datetime = NOW, **attributes: Any) -> State:
    return State(entity, value, attributes, changed)


def raw(entity: str, **attributes: Any) -> dict[str, Any]:
    return {"entity_id": entity, "state": "on", "attributes": attributes, "last_changed": NOW.isoformat()}


@each_row(
    "entity, device_class, registered, listed, by_default, exposed",
    [
        ("light.a", "", None, {}, True, True),
        ("light.a", "", None, {}, False, False),
        ("lock.a", "", {"options": {}}, {"lock.a": {}}, True, False),
        ("lock.a", "", {"options": {}}, {"lock.a": {"conversation": True}}, True, True),
        ("light.a", "", {"options": {}}, {"light.a": {"conversation": False}}, True, False),
        ("light.a", "", {"options": {"conversation": {"should_expose": False}}}, {"light.a": {}}, True, False),
        ("light.a", "", {"entity_category": "diagnostic"}, {}, True, False),
        ("light.a", "", {"hidden_by": "user"}, {}, True, False),
        ("script.a", "", {"options": {}}, {}, True, False),
        ("sensor.a", "temperature", {"options": {}}, {}, True, True),
        ("sensor.a", "power", {"options": {}}, {}, True, False),
        ("binary_sensor.a", "window", {"options": {}}, {}, True, True),
    ],
)
def test_what_assist_may_see(
    entity: str, device_class: str, registered: Any, listed: Any, by_default: bool, exposed: bool
) -> None:
    assert is_exposed(entity, device_class, registered, listed, by_default=by_default) is exposed


def test_a_thing_is_where_it_is_or_where_its_device_is_and_has_its_aliases() -> None:
    lists = Registries(
        states=[raw("light.a", friendly_name="Lamp"), raw("light.b"), raw("light.off")],
        entities=[
            {"entity_id": "light.a", "device_id": "d", "area_id": None},
            {"entity_id": "light.b", "device_id": "d", "area_id": "office", "original_name": "B"},
            {"entity_id": "light.off", "disabled_by": "user"},
        ],
        named={"light.a": {"aliases": ["lantern", None, ""]}},
        devices=[{"id": "d", "area_id": "lab"}],
        areas=[{"area_id": "lab", "name": "Lab", "floor_id": "f"}, {"area_id": "office", "name": "Office"}],
        floors=[{"floor_id": "f", "name": "Upstairs", "aliases": ["first floor"]}],
    )
    home = read_home(lists)
    lamp, other = home.entities["light.a"], home.entities["light.b"]
    assert (lamp.name, lamp.aliases, lamp.area, lamp.floor) == ("Lamp", ("lantern",), "Lab", "Upstairs")
    assert (other.name, other.area, other.floor) == ("B", "Office", "")
    assert "light.off" not in home.entities


def routine_home(**changes: Any) -> Home:
    values: dict[str, Any] = {
        "states": [raw("scene.x", entity_id=["light.a"])],
        "entities": [{"entity_id": "lock.front", "area_id": "hall"}, {"entity_id": "light.a", "area_id": "lab"}],
    }
    return read_home(Registries(**values | changes))


def test_a_routine_is_guarded_by_what_it_touches_calls_or_hides() -> None:
    related: dict[str, Any] = {
        "scene.x": {},
        "script.plain": {"entity": ["light.a"]},
        "script.hall": {"area": ["hall"]},
    }
    related |= {"script.calls": {}, "script.nested": {}, "script.template": {}, "script.unread": {}}
    scripts = {
        "script.plain": {"sequence": [{"service": "light.turn_off"}]},
        "script.hall": {"sequence": [{"service": "homeassistant.turn_off"}]},
        "script.calls": {"sequence": [{"choose": [{"sequence": [{"action": "lock.unlock"}]}]}]},
        "script.nested": {"sequence": [{"service": "script.turn_on"}]},
        "script.template": {"sequence": [{"service": "{{ what }}"}]},
        "script.unread": None,
    }
    home = routine_home(related=related, scripts=scripts)
    assert [guarded_in(home, r) for r in ("scene.x", "script.plain")] == [(), ()]
    assert guarded_in(home, "script.hall") == ("lock.front",)
    assert guarded_in(home, "script.calls") == ("lock.unlock",)
    assert guarded_in(home, "script.nested") == ("script.turn_on",)
    assert guarded_in(home, "script.template") != ()
    assert guarded_in(home, "script.unread") == guarded_in(home, "script.never_asked") == (NOT_KNOWN,)


@each_row(
    "step, guarded",
    [
        ({"service": "mqtt.publish", "data": {"topic": "gate/open"}}, ("mqtt.publish",)),
        ({"event": "open_gate"}, ("event.fire",)),
        ({"scene": "scene.away"}, ("scene.away",)),
        ({"device_id": "d", "domain": "lock", "type": "unlock"}, ("lock.unlock",)),
        ({"device_id": "d", "type": "unlock"}, ("script.?",)),
        ({"action": "homeassistant.restart"}, ("homeassistant.restart",)),
        ({"action": "homeassistant.turn_off"}, ()),
        ({"repeat": {"count": 2, "sequence": [{"service": "light.toggle"}]}}, ()),
        ({"delay": "00:01"}, ()),
    ],
)
def test_only_plain_services_run_unasked(step: dict[str, Any], guarded: tuple[str, ...]) -> None:
    home = routine_home(related={"script.s": {}}, scripts={"script.s": {"sequence": [step]}})
    assert guarded_in(home, "script.s") == guarded


def moments(*rows: tuple[int, str]) -> tuple[Moment, ...]:
    return tuple(Moment(value, NOW - timedelta(hours=hours)) for hours, value in rows)


def test_since_when_goes_back_to_the_last_change() -> None:
    span = current_span(state("cover.g", "open"), moments((48, "closed"), (5, "open"), (4, "closed"), (2, "open")))
    assert (span.start, span.exact) == (NOW - timedelta(hours=2), True)


def test_a_restart_interrupts_nothing() -> None:
    restarted = state("cover.g", "open", NOW - timedelta(hours=1))
    span = current_span(restarted, moments((48, "closed"), (5, "open"), (2, "unavailable"), (1, "open")))
    assert span.start == NOW - timedelta(hours=5)


def test_what_was_so_before_the_history_is_at_least_so_long() -> None:
    span = current_span(state("cover.g", "open", NOW - timedelta(hours=1)), moments((48, "open")))
    assert (span.start, span.exact) == (NOW - timedelta(hours=48), False)
    older = current_span(state("cover.g", "open", NOW - timedelta(hours=90)), moments((48, "open")))
    assert (older.start, older.exact) == (NOW - timedelta(hours=90), True)


def test_when_it_was_last_otherwise() -> None:
    past = moments((48, "unlocked"), (30, "locked"), (20, "unlocked"), (14, "locked"))
    last = last_span(past, frozenset({"unlocked"}))
    assert last is not None
    assert (last.start, last.end, last.exact) == (NOW - timedelta(hours=20), NOW - timedelta(hours=14), True)
    assert last_span(past, frozenset({"jammed"})) is None


@given(st.floats(0, 10_000_000))
def test_a_length_is_said_in_one_or_two_parts(seconds: float) -> None:
    assert 1 <= len(say_length(seconds).split()) <= 5


def test_lengths() -> None:
    assert [say_length(s) for s in (45, 7_800, 7_200, 100_800)] == ["45 s", "2 h 10 min", "2 h", "1 day 4 h"]


@each_row(
    "held, device_class, wanted, so",
    [
        (state("light.a", "on"), "", "on", True),
        (state("light.a", "unavailable"), "", "on", None),
        (state("media_player.a", "playing"), "", "on", True),
        (state("media_player.a", "standby"), "", "on", False),
        (state("climate.a", "heat"), "", "off", False),
        (state("cover.a", "closing"), "", "open", True),
        (state("binary_sensor.a", "on"), "window", "open", True),
        (state("binary_sensor.a", "on"), "window", "closed", False),
        (state("binary_sensor.a", "off"), "motion", "on", False),
        (state("lock.a", "locked"), "", "unlocked", False),
    ],
)
def test_whether_something_is_as_asked(held: State, device_class: str, wanted: str, so: bool | None) -> None:
    assert is_so(held, device_class, wanted) is so


def test_states_in_words() -> None:
    assert say_state(state("sensor.t", "22.4", unit_of_measurement="°C"), "temperature") == "22.4 °C"
    assert say_state(state("binary_sensor.w", "on"), "window") == "open"
    assert say_state(state("light.a", "on", brightness=128), "") == "on, 50 %"


LAMP, HEAT = EntityInfo(id="light.a", name="Lamp"), EntityInfo(id="climate.a", name="Heat")


def test_a_change_holds_what_is_there_and_what_should_be() -> None:
    change = plan_change("set_brightness", "30", LAMP, state("light.a", "on", brightness=255))
    assert change is not None
    assert (change.service, change.data, change.before, change.after) == (
        "light.turn_on",
        {"brightness_pct": 30},
        "255",
        "76",
    )
    assert plan_change("turn_off", "", LAMP, state("light.a", "off")) is None
    assert plan_change("set_temperature", "21", HEAT, state("climate.a", "heat", temperature=21.0)) is None


@each_row(
    "action, value, entity, held",
    [
        ("fly", "", LAMP, state("light.a", "on")),
        ("lock", "", LAMP, state("light.a", "on")),
        ("turn_off", "", LAMP, state("light.a", "unavailable")),
        ("set_brightness", "130", LAMP, state("light.a", "on")),
        ("set_brightness", "half", LAMP, state("light.a", "on")),
        ("set_brightness", "nan", LAMP, state("light.a", "on")),
        ("set_temperature", "40", HEAT, state("climate.a", "heat", min_temp=7, max_temp=35)),
        ("set_color", "", LAMP, state("light.a", "on")),
    ],
)
def test_a_change_that_cannot_be_is_refused(action: str, value: str, entity: EntityInfo, held: State) -> None:
    with pytest.raises(ToolArgumentError):
        plan_change(action, value, entity, held)


@given(st.sampled_from(sorted(ACTIONS)), st.integers(1, 100), st.sampled_from(["on", "off", "open", "locked", "heat"]))
def test_a_planned_change_is_none_once_it_is_done(action: str, value: int, now: str) -> None:
    domain = min(ACTIONS[action].services)
    entity = EntityInfo(id=f"{domain}.x", name="X")
    change = plan_change(action, "red" if action == "set_color" else str(value), entity, state(entity.id, now))
    if change is None or not change.after:
        return
    attributes = {change.attribute: float(change.after)} if change.attribute else {}
    done = state(entity.id, ACTIONS[action].state or now, **attributes)
    assert same(value_of(done, change.attribute), change.after, change.tolerance)
    assert plan_change(action, str(value), entity, done) is None


KEYS = st.sampled_from(
    "entity_id attributes state area_id device_id floor_id id name aliases options friendly_name device_class".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ROWS = st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=4)


@given(states=ROWS, entities=ROWS, devices=ROWS, areas=ROWS, floors=ROWS, body=JSON)
def test_lists_of_any_shape_are_read(
    states: Any, entities: Any, devices: Any, areas: Any, floors: Any, body: Any
) -> None:
    related: dict[str, Any] = {"scene.x": {"entity": ["light.a"]}, "script.y": {}}
    lists = Registries(
        states=states, entities=entities, devices=devices, areas=areas, floors=floors, related=related,
        scripts={"script.y": body},
    )  # fmt: skip
    home = read_home(lists)
    assert all(isinstance(e.name, str) for e in home.entities.values())


@given(JSON)
def test_a_state_of_any_shape_is_read_or_none(row: Any) -> None:
    assert read_state(row) is None or isinstance(read_state(row), State)
