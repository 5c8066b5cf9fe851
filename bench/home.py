"""``python -m bench home --venv DIR``: Oracle on a real Home Assistant, and the small home's API beside the real one.

DIR is a virtual environment with Home Assistant (``pip install homeassistant==2024.3.3 "josepy<2"``, Python 3.11). It
is started with its demo integration in a folder that is thrown away, on a free port of this machine. Then:

- shapes: every answer of `examples.home_assistant` that Oracle reads, its keys and types held against the real ones;
- questions and orders on the demo's things, asked of the engine with no model, orders confirmed as a person does, and
  the state read from Home Assistant itself before and after.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import yaml

from bench.home_shapes import compare_shapes
from bot.cli.confirm import carry_out
from examples.home_assistant import serve_home
from workers.agents.home.source.state_words import MODES
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate

CONFIGURATION = """
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
websocket_api:
demo:
history:
recorder:
search:
scene:
  - name: Evening
    entities: {{light.bed_light: "on", light.ceiling_lights: "off"}}
  - name: Away
    entities: {{light.bed_light: "off", lock.front_door: locked}}
"""
OWNER = """
import asyncio, sys
from datetime import timedelta
from homeassistant.auth import auth_manager_from_config
from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry, device_registry, entity_registry

async def main():
    hass = HomeAssistant(sys.argv[1])
    for registry in (device_registry, entity_registry, area_registry):
        await registry.async_load(hass)
    hass.auth = await auth_manager_from_config(hass, [{"type": "homeassistant"}], [])
    await hass.auth.auth_providers[0].async_initialize()
    user = await hass.auth.async_create_user("bench", group_ids=[GROUP_ID_ADMIN])
    token = await hass.auth.async_create_refresh_token(
        user, client_name="bench", token_type="long_lived_access_token", access_token_expiration=timedelta(days=1)
    )
    print(hass.auth.async_create_access_token(token))
    await hass.auth._store._store.async_save(hass.auth._store._data_to_save())
    await hass.async_stop(force=True)

asyncio.run(main())
"""
"""Makes an owner and a token in a folder of configuration, run by Home Assistant's own Python."""
STARTS_S = 120.0
DOMAINS = "light switch fan climate media_player humidifier cover lock scene".split()
READS = (  # question -> the entities that must be cited
    ("is the garage door open?", {"cover.garage_door"}),
    ("what is the outside temperature?", {"sensor.outside_temperature"}),
    ("which lights are on?", {"light.*"}),
    ("is the front door locked?", {"lock.front_door"}),
    ("are any doors unlocked?", {"lock.*"}),
    ("how is the hvac?", {"climate.hvac"}),
    ("since when is the bed light on?", {"light.bed_light"}),
    ("is the living room fan on?", {"fan.living_room_fan"}),
    ("is anything still on?", {"*"}),
    ("what is the carbon dioxide?", {"sensor.carbon_dioxide"}),
)
WRITES = (  # order, entity, attribute (empty: the state), value afterwards
    ("turn off the kitchen lights", "light.kitchen_lights", "", "off"),
    ("turn on the bed light", "light.bed_light", "", "on"),
    ("dim the bed light to 30 %", "light.bed_light", "brightness", 76),
    ("set the bed light to red", "light.bed_light", "rgb_color", [255, 0, 0]),
    ("set the hvac to 22.5 degrees", "climate.hvac", "temperature", 22.5),
    ("open the garage door", "cover.garage_door", "", "open"),
    ("close the hall window", "cover.hall_window", "", "closed"),
    ("unlock the front door", "lock.front_door", "", "unlocked"),
    ("lock the kitchen door", "lock.kitchen_door", "", "locked"),
    ("turn on the ceiling fan", "fan.ceiling_fan", "", "on"),
    ("turn off everything but the ac", "switch.decorative_lights", "", "off"),
    ("activate the evening scene", "light.bed_light", "", "on"),
)
REFUSED = (  # orders of which nothing may be proposed
    "turn off the moon light",
    "unlock everything later",
    "set the hvac to 900 degrees",
    "turn on the garage door sensor",
    "open the poorly installed door",
)


def main(args: Sequence[str]) -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench home")
    parser.add_argument("--venv", type=Path, required=True, help="a virtual environment with Home Assistant in it")
    venv = parser.parse_args(args).venv
    with tempfile.TemporaryDirectory() as folder, run_home_assistant(venv, Path(folder) / "ha") as (url, token, _):
        print(httpx.get(f"{url}/api/config", headers=bearer(token)).json()["version"], "at", url, flush=True)
        with serve_home(Path(folder) / "small.json", token=token) as small:
            print(compare_shapes(small, url, token), flush=True)
        with opened(Path(folder) / "oracle", url, token) as oracle:
            print(measure(oracle, url, token), flush=True)


def bearer(token: str) -> dict[str, str]:
    """The header that signs in."""
    return {"authorization": f"Bearer {token}"}


@contextmanager
def run_home_assistant(venv: Path, folder: Path) -> Iterator[tuple[str, str, int]]:
    """Start Home Assistant with its demo things. Yields: its address, a token, its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder.mkdir(parents=True)
    (folder / "configuration.yaml").write_text(CONFIGURATION.format(port=port))
    python = venv / "bin" / "python"
    made = subprocess.run([python, "-c", OWNER, folder], capture_output=True, text=True, check=True)
    token, url = made.stdout.split()[-1], f"http://127.0.0.1:{port}"
    with (folder / "output.log").open("w") as log:
        process = subprocess.Popen([venv / "bin" / "hass", "-c", folder], stdout=log, stderr=log)
        try:
            wait_until_running(url, token, process)
            yield url, token, process.pid
        finally:
            process.terminate()
            process.wait(30)


def wait_until_running(url: str, token: str, process: subprocess.Popen[bytes]) -> None:
    """Raises: RuntimeError: it does not run within `STARTS_S`."""
    end = time.monotonic() + STARTS_S
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{url}/api/config", headers=bearer(token)).json()["state"] == "RUNNING":
                return
        except (httpx.HTTPError, ValueError, KeyError):
            pass
        time.sleep(0.5)
    raise RuntimeError("Home Assistant did not start")


@contextmanager
def opened(home: Path, url: str, token: str) -> Iterator[Oracle]:
    """Oracle on that home, with no model and no other source."""
    config = home / "config"
    config.mkdir(parents=True)
    connected: dict[str, Any] = {"url": url, "token": token, "change_domains": DOMAINS}
    connected["routines"] = {"evening": {"entity": "scene.evening"}, "away": {"entity": "scene.away"}}
    (config / "oracle.yaml").write_text(yaml.safe_dump({"home_assistant": connected, "default_agent": "home"}))
    settings = load_settings({"models.reasoner": "rules"}, home=home)
    database = open_database(settings.database_url)
    migrate(database)
    database.close()
    oracle = build_engine(settings)
    try:
        yield oracle
    finally:
        oracle.close()


def ask(oracle: Oracle, text: str) -> RequestLog:
    """One question at the command line."""
    number = f"{abs(hash((text, time.monotonic()))):x}"[:12]
    return oracle.engine.ask(Question(request_id=number, text=text, agent="home", received_at=datetime.now(UTC)))


def state_of(url: str, token: str, entity: str) -> dict[str, Any]:
    """A state from Home Assistant itself."""
    return dict(httpx.get(f"{url}/api/states/{entity}", headers=bearer(token)).json())


def measure(oracle: Oracle, url: str, token: str) -> str:
    """Reads, writes and refusals, one line each that went wrong, and the counts."""
    lines: list[str] = []
    took: list[float] = []
    tools: list[float] = []

    def timed(log: RequestLog) -> RequestLog:
        took.append(log.timings_ms.get("total", 0.0))
        tools.extend(call.end_ms - call.start_ms for call in log.tool_calls)
        return log

    good = 0
    for text, wanted in READS:
        log = timed(ask(oracle, text))
        cited = {e.locator for e in log.evidence if "state" in e.facts}
        fits = all(any(c == w or (w.endswith("*") and c.startswith(w[:-1])) for c in cited) for w in wanted)
        right = fits and log.grounded and all(shown_right(url, token, log, c) for c in cited)
        good += right
        answer = log.answer.headline.text if log.answer else ""
        lines.append(f"{'ok   ' if right else 'WRONG'} {text:42} {answer[:110]}")
    lines.append(f"reads: {good} of {len(READS)} right\n")
    good = 0
    for text, entity, attribute, after in WRITES:
        before = state_of(url, token, entity)
        log = timed(ask(oracle, text))
        untouched = state_of(url, token, entity)["state"] == before["state"]
        done = timed(carry_out(oracle, log.request_id, 0)) if log.proposals else log
        now = state_of(url, token, entity)
        found = now["attributes"].get(attribute) if attribute else now["state"]
        if attribute == "" and found != after:
            found = settles(url, token, entity, after)
        right = untouched and bool(log.proposals) and found == after
        good += right
        said = done.answer.headline.text if done.answer else ""
        lines.append(f"{'ok   ' if right else 'WRONG'} {text:42} {said[:110]}")
    lines.append(f"orders confirmed: {good} of {len(WRITES)} done, and nothing before that\n")
    idle = [text for text in REFUSED if not timed(ask(oracle, text)).proposals]
    lines.append(f"orders refused or not understood: {len(idle)} of {len(REFUSED)}")
    lines.append(meanwhile(oracle, url, token))
    lines.append(routines(oracle, url, token))
    took.sort()
    lines.append(
        f"ms a request: p50 {statistics.median(took):.0f}, most {took[-1]:.0f}; "
        f"ms a tool call: p50 {statistics.median(tools):.0f}, most {max(tools):.0f}"
    )
    return "\n".join(lines)


def shown_right(url: str, token: str, log: RequestLog, entity: str) -> bool:
    """Whether the state that was cited is that of Home Assistant, or its words for it."""
    raw = str(state_of(url, token, entity)["state"])
    item = next(e for e in log.evidence if e.locator == entity)
    shown = str(item.facts["state"].value)
    return shown.startswith((raw.replace("_", " "), MODES.get(raw, raw)))


def settles(url: str, token: str, entity: str, wanted: Any) -> Any:
    """The state when it is as wanted, or after twelve seconds: the demo's covers take some."""
    end = time.monotonic() + 12
    while time.monotonic() < end and state_of(url, token, entity)["state"] != wanted:
        time.sleep(0.2)
    return state_of(url, token, entity)["state"]


def meanwhile(oracle: Oracle, url: str, token: str) -> str:
    """An order that is confirmed after somebody changed the thing."""
    call = f"{url}/api/services/light"
    httpx.post(f"{call}/turn_off", headers=bearer(token), json={"entity_id": "light.ceiling_lights"})
    log = ask(oracle, "turn on the ceiling lights")
    httpx.post(f"{call}/turn_on", headers=bearer(token), json={"entity_id": "light.ceiling_lights", "brightness": 33})
    done = carry_out(oracle, log.request_id, 0)
    kept = state_of(url, token, "light.ceiling_lights")["attributes"].get("brightness") == 33
    said = done.answer.headline.text if done.answer else ""
    return f"changed meanwhile: {'left as it was' if kept else 'WRONG, changed'}: {said[:110]}"


def routines(oracle: Oracle, url: str, token: str) -> str:
    """One routine that may run at once, and one with a lock."""
    at_once = ask(oracle, "evening")
    on = state_of(url, token, "light.bed_light")["state"] == "on"
    waits = ask(oracle, "away")
    ran = bool(at_once.tool_calls) and not at_once.proposals and on
    guarded = "proposed" if waits.proposals else "WRONG"
    return f"routine by its name: {'ran' if ran else 'WRONG'}; with a lock in it: {guarded}"
