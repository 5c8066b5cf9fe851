"""The tools of a home against the small home: what is read, what is proposed, what is done and what is not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from examples.home_assistant import serve_home
from workers.agents.home.source.home import HomeAssistant
from workers.agents.home.tools.home_assistant import build_home_assistant_history, build_home_assistant_states
from workers.agents.home.tools.home_assistant_changes import build_home_assistant_change, build_home_assistant_routine
from workers.contracts import Landscape, ToolOutput
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool

BUILD = {
    "states": build_home_assistant_states,
    "history": build_home_assistant_history,
    "change": build_home_assistant_change,
    "routine": build_home_assistant_routine,
}


@dataclass
class Connected:
    """The tools over one home."""

    tools: dict[str, Tool]
    file: Path

    def call(self, tool: str, **args: Any) -> ToolOutput:
        """A call as the engine makes it: a change is proposed."""
        found = self.tools[tool]
        if found.prepare:
            found.prepare()
        run = found.propose or found.run
        return run(found.args.model_validate(args), context())

    def confirm(self, tool: str, args: dict[str, Any]) -> ToolOutput:
        found = self.tools[tool]
        return found.run(found.args.model_validate(args), context())

    def names(self) -> Landscape:
        read = self.tools["states"].landscape
        assert read is not None
        return read(context())

    def edit(self, entity: str, **changes: Any) -> None:
        held = json.loads(self.file.read_text())
        held["states"][entity].update(changes)
        self.file.write_text(json.dumps(held))

    def held(self) -> dict[str, Any]:
        return dict(json.loads(self.file.read_text())["states"])


def context() -> ToolContext:
    return ToolContext("r1", "home", datetime.now(UTC))


def tools_at(home: Path, **changes: Any) -> dict[str, Tool]:
    given = {
        "change_domains": ["light", "switch", "climate", "cover"],
        "routines": {
            "Good night": {"entity": "scene.good_night", "phrases": ["lights out"]},
            "leaving": {"entity": "scene.leaving"},
            "welcome": {"entity": "script.welcome_guests"},
        },
        **changes,
    }
    overrides = {f"oracle.home_assistant.{key}": value for key, value in given.items()}
    resources = Resources(load_settings(overrides, home=home), lambda start, end: ())
    return {name: build({}, resources) for name, build in BUILD.items()}


@pytest.fixture
def small(home: Path, tmp_path: Path) -> Iterator[Connected]:
    file = tmp_path / "small.json"
    with serve_home(file, token="t") as url:
        yield Connected(tools_at(home, url=url, token="t"), file)


def test_states_are_counted_and_each_is_cited_with_its_page(small: Connected) -> None:
    output = small.call("states", floor="upstairs", domain="light", state="on")
    count, *states = output.evidence
    assert (count.facts["looked_at"].value, count.facts["matching"].value) == (5, 3)
    assert {e.locator for e in states} == {"light.lab_ceiling", "light.desk_lamp", "light.lab_floor_lamp"}
    assert all(e.url and e.locator in e.url and "state" in e.facts for e in states)


def test_what_is_hidden_from_assist_is_not_there(small: Connected) -> None:
    seen = {row["entity"] for row in small.call("states").data["states"]}
    assert {"lock.front_door", "light.desk_lamp"} <= seen
    assert not seen & {"lock.server_rack", "script.welcome_guests"}
    with pytest.raises(ToolArgumentError):
        small.call("states", entities="lock.server_rack")
    assert "lock.server_rack" not in {e.id for e in small.names().entities}


def test_a_name_that_is_not_there_gives_the_nearest_and_one_of_two_things_both(small: Connected) -> None:
    with pytest.raises(ToolArgumentError) as missing:
        small.call("states", entities="desk lmap")
    assert "Desk lamp" in missing.value.nearest
    with pytest.raises(ToolArgumentError) as double:
        small.call("change", entities="Floor lamp", action="turn_off")
    assert set(double.value.nearest) == {"light.lab_floor_lamp", "light.office_floor_lamp"}


def test_states_that_are_not_known_are_said(small: Connected) -> None:
    output = small.call("states", entities="sensor.freezer_temperature, sensor.lab_temperature", state="22.4")
    assert output.data["unknown"] == ["Freezer temperature"]


def test_since_when_and_when_it_was_last_otherwise(small: Connected) -> None:
    (door,) = small.call("history", entities="cover.garage_door").evidence
    assert door.facts["state"].value == "open"
    assert str(door.facts["lasting"].value) == "2 h 10 min"
    (lock,) = small.call("history", entities="Front door", state="unlocked").evidence
    assert lock.facts["holds"].value is False
    assert lock.facts["last_until"].value == lock.facts["since"].value


def test_a_change_is_proposed_and_then_done_and_read_back(small: Connected) -> None:
    output = small.call("change", entities="desk lamp, light.office_ceiling", action="set_brightness", value="30")
    (proposal,) = output.proposals
    assert [c["entity"] for c in proposal.args["changes"]] == ["light.desk_lamp", "light.office_ceiling"]
    assert small.held()["light.desk_lamp"]["attributes"]["brightness"] == 204
    done = small.confirm("change", proposal.args)
    assert done.status == "ok"
    assert [small.held()[e]["attributes"]["brightness"] for e in ("light.desk_lamp", "light.office_ceiling")] == [
        76,
        76,
    ]
    assert {str(e.facts["state"].value) for e in done.evidence} == {"on, 30 %"}


def test_what_is_so_already_is_not_proposed(small: Connected) -> None:
    output = small.call("change", entities="garage door", action="open")
    assert output.proposals == ()
    assert output.evidence[0].facts["state"].value == "open"
    both = small.call("change", entities="garage door, desk lamp", action="turn_off")
    assert [c["entity"] for c in both.proposals[0].args["changes"]] == ["light.desk_lamp"]
    assert "Garage door" in both.reason


def test_one_thing_that_changed_meanwhile_stops_all(small: Connected) -> None:
    (proposal,) = small.call("change", entities="desk lamp, coffee machine", action="turn_off").proposals
    small.edit("switch.coffee_machine", state="off")
    before = small.held()
    with pytest.raises(ToolDenied, match="nothing was changed"):
        small.confirm("change", proposal.args)
    assert small.held() == before


def test_a_kind_that_may_not_be_changed_is_refused_also_when_it_was_proposed_before(
    small: Connected, home: Path
) -> None:
    with pytest.raises(ToolDenied):
        small.call("change", entities="front door", action="unlock")
    (proposal,) = small.call("change", entities="garage door", action="close").proposals
    url = str(small.call("states", entities="cover.garage_door").evidence[1].url).partition("/history")[0]
    stricter = Connected(tools_at(home, url=url, token="t", change_domains=["light"]), small.file)
    with pytest.raises(ToolDenied):
        stricter.confirm("change", proposal.args)
    assert small.held()["cover.garage_door"]["state"] == "open"


def test_a_scene_opens_no_door_that_may_not_be_opened(small: Connected, home: Path) -> None:
    url = str(small.call("states", entities="cover.garage_door").evidence[1].url).partition("/history")[0]
    scenes = Connected(tools_at(home, url=url, token="t", change_domains=["light", "scene"]), small.file)
    with pytest.raises(ToolDenied, match=r"lock\.front_door"):
        scenes.call("change", entities="scene.leaving", action="turn_on")
    assert scenes.call("change", entities="scene.good_night", action="turn_on").proposals


def test_a_caller_cannot_hand_in_changes_of_its_own(small: Connected) -> None:
    change = {"entity": "light.desk_lamp", "service": "lock.unlock", "data": {}, "attribute": "", "before": "on"}
    output = small.call("change", entities="coffee machine", action="turn_off", changes=[change])
    assert [c["service"] for c in output.proposals[0].args["changes"]] == ["switch.turn_off"]


def test_only_routines_without_guarded_things_may_run_at_once(small: Connected) -> None:
    labels = small.names().labels
    assert set(labels["home_routine"]) == {"Good night", "lights out"}
    assert set(labels["home_guarded_routine"]) == {"leaving", "welcome"}
    ran = small.confirm("routine", {"name": "lights out"})
    assert ran.status == "ok"
    assert small.held()["light.desk_lamp"]["state"] == "off"
    with pytest.raises(ToolDenied, match="nothing was run"):
        small.confirm("routine", {"name": "leaving"})
    assert small.held()["cover.garage_door"]["state"] == "open"
    (proposal,) = small.call("routine", name="leaving").proposals
    assert set(proposal.args["guarded"]) == {"cover.garage_door", "lock.front_door"}
    assert small.confirm("routine", proposal.args).status == "ok"
    assert small.held()["cover.garage_door"]["state"] == "closed"


def test_a_home_that_is_away_or_refuses_is_said(home: Path, tmp_path: Path) -> None:
    away = Connected(tools_at(home, url="http://127.0.0.1:9", token="t"), tmp_path / "none")
    with pytest.raises(ToolUnavailable):
        away.call("states")
    with serve_home(tmp_path / "small.json", token="t") as url:
        stranger = Connected(tools_at(home, url=url, token="wrong"), tmp_path / "small.json")
        with pytest.raises(ToolDenied, match="token"):
            stranger.call("states")


def test_names_stay_known_while_the_home_is_away(home: Path, tmp_path: Path) -> None:
    with serve_home(tmp_path / "small.json", token="t") as url:
        small = Connected(tools_at(home, url=url, token="t", keep_s=0), tmp_path / "small.json")
        small.call("states")
    prepare = small.tools["states"].prepare
    assert prepare is not None
    prepare()
    assert small.names().entities
    with pytest.raises(ToolUnavailable):
        small.call("states")


def test_a_state_that_cannot_be_read_back_is_told_as_not_known(
    small: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = small.call("change", entities="light.desk_lamp", action="turn_off").proposals[0]
    read, calls = HomeAssistant.states, list[int]()

    def once(home: HomeAssistant) -> Any:
        calls.append(1)
        if len(calls) > 2:
            raise ToolUnavailable("gone")
        return read(home)

    monkeypatch.setattr(HomeAssistant, "states", once)
    done = small.confirm("change", proposed.args)
    assert done.status == "timeout", "it is done, so it did not fail"
    assert json.loads(small.file.read_text())["states"]["light.desk_lamp"]["state"] == "off"


def test_numbers_and_times_choose_which_things_are_told(small: Connected) -> None:
    lights = "light.desk_lamp, light.lab_floor_lamp, light.lab_ceiling, light.office_ceiling"
    dim = small.call("states", entities=lights, state="on", below=60)
    assert [row["entity"] for row in dim.data["states"]] == ["light.lab_floor_lamp"]
    small.edit("light.desk_lamp", last_changed=datetime.now(UTC).isoformat())
    new = small.call("states", entities=lights, state="on", shorter_s=60)
    assert [row["entity"] for row in new.data["states"]] == ["light.desk_lamp"]
    first = small.call("states", entities=lights, order="lowest").data["states"][0]
    assert first["entity"] == "light.lab_floor_lamp"


def test_a_change_waits_for_what_has_to_hold(small: Connected) -> None:
    order = {"entities": "light.desk_lamp", "action": "turn_off", "if_entities": "binary_sensor.kitchen_window"}
    small.edit("binary_sensor.kitchen_window", state="off")
    refused = small.call("change", **order, if_state="open")
    assert not refused.proposals
    assert refused.evidence[0].facts["holds"].value is False
    assert small.call("change", **order, if_state="open", if_none=True).proposals
    small.edit("binary_sensor.kitchen_window", state="on")
    assert small.call("change", **order, if_state="open").proposals


def test_some_degrees_more_are_added_to_what_is_wanted(small: Connected) -> None:
    found = small.call("change", entities="climate.lab", action="set_temperature", value="by +1.5").proposals[0]
    assert found.args["changes"][0]["data"] == {"temperature": 23.5}


def test_a_scene_shows_what_it_touches(home: Path, tmp_path: Path) -> None:
    with serve_home(tmp_path / "small.json", token="t") as url:
        tools = tools_at(home, url=url, token="t", change_domains=["light", "media_player", "scene"])
        proposal = (
            Connected(tools, tmp_path / "small.json")
            .call("change", entities="scene.good_night", action="turn_on")
            .proposals[0]
        )
    assert "Kitchen radio" in proposal.preview
    assert "Desk lamp" in proposal.preview


def test_a_slow_home_is_late_and_nobody_waits_for_its_names_twice(home: Path, tmp_path: Path) -> None:
    with serve_home(tmp_path / "small.json", token="t") as url:
        small = Connected(tools_at(home, url=url, token="t", keep_s=0, timeout_ms=300), tmp_path / "small.json")
        small.call("states")
        held = json.loads(small.file.read_text())
        small.file.write_text(json.dumps({**held, "faults": {"delay_ms": 5_000}}))
        assert small.call("states").status == "timeout"
        assert small.call("change", entities="light.desk_lamp", action="turn_off").status == "timeout"
        assert small.names().entities


def test_names_are_renewed_while_the_old_ones_are_used(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_home(tmp_path / "small.json", token="t") as url:
        small = Connected(tools_at(home, url=url, token="t", keep_s=0), tmp_path / "small.json")
        small.call("states")
        held, go_on = threading.Event(), threading.Event()

        def slow(*_: Any) -> Any:
            held.set()
            go_on.wait(20)
            raise ToolUnavailable("gone")

        monkeypatch.setattr("workers.agents.home.source.home.read_registries", slow)
        prepare = small.tools["states"].prepare
        assert prepare is not None
        prepare()
        assert held.wait(20), "it is read again behind the question"
        assert small.names().entities
        go_on.set()
