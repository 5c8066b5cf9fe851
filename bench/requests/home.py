"""A home whose states, rooms, floors, scenes and scripts an author wrote, served as Home Assistant would: `__main__`.

``world``: ``floors``, ``areas``, ``entities``, ``scenes`` with the ``entities`` that they set, ``routines`` with their
``sequence``. Scripts are routines of the configuration by their names; scenes are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from bench.boards.judge import shown_lines
from examples.home_assistant import serve_home
from workers.bootstrap import build_engine
from workers.contracts import RequestLog
from workers.engine.run import Pipeline
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate

DOMAINS = "light switch fan climate media_player humidifier cover lock scene script vacuum".split()
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,]\d+)?")
NOTHING = re.compile(
    r"\b(?:nothing|none|no\b|not\b|cannot|can't|only|don't|didn't|unknown|at once|several|does not|unavailable)",
    re.IGNORECASE,
)
SAYS_NO = re.compile(r"^(?:no\b|none\b|nothing\b|0 of)|\b(?:is|are) not\b|n't\b", re.IGNORECASE)
LIMITS = frozenset({"condition_list", "count", "which", "time", "exclusion", "comparison"})
"""Kinds of requests whose list too long is a condition that was left out."""
NAMES: dict[str, str] = {}
SCRIPTS: dict[str, str] = {}
EXTRA = re.compile(r"^(?:No state is known of|Not understood|Nearest|Not counted)", re.IGNORECASE)


@contextmanager
def open_world(book: dict[str, Any], folder: Path, file: Path) -> Iterator[Pipeline]:
    """The author's home served on this machine, and an engine that has it and nothing else."""
    del file
    world = book["world"]
    things = [*world["entities"], *world["scenes"], *world["routines"]]
    NAMES.update({t["entity_id"]: t["friendly_name"] for t in things})
    SCRIPTS.update({r["friendly_name"].lower(): r["entity_id"] for r in world["routines"]})
    state_file = folder / "home.json"
    state_file.write_text(json.dumps(held(world, things)), encoding="utf-8")
    config = folder / "oracle" / "config"
    config.mkdir(parents=True)
    with serve_home(state_file) as url:
        scripts = {r["friendly_name"]: {"entity": r["entity_id"]} for r in world["routines"] if is_script(r)}
        connected: dict[str, Any] = {"url": url, "token": "small-home", "change_domains": DOMAINS, "routines": scripts}
        connected["languages"] = sorted({row["lang"] for row in book["requests"]} | {"en"})
        (config / "oracle.yaml").write_text(yaml.safe_dump({"home_assistant": connected}), encoding="utf-8")
        settings = load_settings({"models.reasoner": "rules"}, home=folder / "oracle")
        database = open_database(settings.database_url)
        migrate(database)
        database.close()
        oracle = build_engine(settings)
        try:
            yield oracle.engine
        finally:
            oracle.close()


def is_script(row: dict[str, Any]) -> bool:
    """Whether a routine is a script; automations are not run by their names."""
    return str(row["entity_id"]).startswith("script.")


def held(world: dict[str, Any], things: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The file of `examples.home_assistant.server`."""
    areas = {a["name"]: a["id"] for a in world["areas"]}
    floors = {f["name"]: f["id"] for f in world["floors"]}
    scenes = {s["entity_id"]: s["entities"] for s in world["scenes"]}
    states, history, entries = {}, [], []
    for thing in things:
        at = thing.get("last_changed") or thing["attributes"].get("last_triggered") or thing["state"]
        attributes = dict(thing["attributes"])
        if thing["entity_id"] in scenes:
            attributes["entity_id"] = list(scenes[thing["entity_id"]])
        row = {"state": thing["state"], "attributes": attributes, "last_changed": at, "last_updated": at}
        states[thing["entity_id"]] = row
        history.append({"entity_id": thing["entity_id"], "state": thing["state"], "last_changed": at})
        entries.append(
            {
                "entity_id": thing["entity_id"],
                "name": None,
                "original_name": thing["friendly_name"],
                "area_id": areas.get(thing.get("area") or ""),
                "device_id": None,
                "disabled_by": None,
                "hidden_by": None,
                "entity_category": None,
                "platform": "author",
                "unique_id": thing["entity_id"],
                "options": {},
            }
        )
    lists = {
        "config/entity_registry/list": entries,
        "config/device_registry/list": [],
        "config/area_registry/list": [
            {"area_id": a["id"], "name": a["name"], "floor_id": floors.get(a["floor"] or ""), "aliases": []}
            for a in world["areas"]
        ],
        "config/floor_registry/list": [
            {"floor_id": f["id"], "name": f["name"], "aliases": [], "level": f.get("level")} for f in world["floors"]
        ],
        "homeassistant/expose_entity/list": {"exposed_entities": {e: {"conversation": True} for e in states}},
        "homeassistant/expose_new_entities/get": {"expose_new": True},
    }
    scripts = [r for r in world["routines"] if is_script(r)]
    for script in scripts:
        scenes[script["entity_id"]] = {e: {} for step in script["sequence"] for e in step["entities"]}
    return {
        "states": states,
        "history": history,
        "faults": {},
        "lists": lists,
        "named": {e["entity_id"]: {**e, "aliases": [], "device_class": None} for e in entries},
        "scenes": scenes,
        "scripts": {s["entity_id"]: {"sequence": [{"action": c["service"]} for c in s["sequence"]]} for s in scripts},
    }


def judge(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """See `__main__`. Names, numbers, calls and the outcome are compared; the sense of a refusal is not read."""
    expected = request["expected"]
    outcome = outcome_of(log)
    calls = calls_of(log)
    may = {expected["outcome"], *expected.get("also_ok_outcomes", ())}
    if never := {c[1] for c in calls} & set(expected.get("entities_never", ())):
        return "wrong_write", f"proposes {sorted(never)}"
    if outcome == "proposal" and "proposal" not in may:
        return "wrong_write", f"proposes {calls}"
    if outcome != expected["outcome"]:
        return ("right", "") if outcome in may else ("wrong", f"{outcome} in place of {expected['outcome']}")
    if outcome == "proposal":
        verdict, why = judge_calls(expected, calls)
        told = " ".join([*shown_lines(log), *(p.preview for p in log.proposals)])
        untold = [w for w in expected.get("must_tell", ()) if not tells(told, w)]
        untold += [NAMES[e] for e in expected.get("effect", {}) if not tells(told, NAMES[e])]
        return ("partly", f"does not tell {untold}") if verdict == "right" and untold else (verdict, why)
    if outcome == "ask_back":
        options = {option.value for option in log.answer.options} if log.answer else set()
        lost = set(expected.get("candidates", ())) - options
        return ("partly", f"does not offer {sorted(lost)}") if lost else ("right", "")
    return judge_told(request, log)


def outcome_of(log: RequestLog) -> str:
    """What was done; an answer that rests on nothing and denies something is ``not_found`` or ``refuse``."""
    answer = log.answer
    if log.proposals:
        return "proposal"
    if answer is None or not answer.headline.text:
        return "nothing"
    if answer.kind == "clarify" or (answer.headline.text.endswith("?") and not answer.headline.evidence):
        return "ask_back"
    if log.route and log.route.task == "none":
        return "turned_away"
    if answer.headline.evidence:
        return "answer"
    text = answer.headline.text
    if re.search(r"called|there is no|has no|in the home", text, re.IGNORECASE):
        return "not_found"
    return "refuse" if NOTHING.search(text) else "answer"


def calls_of(log: RequestLog) -> list[tuple[str, str, dict[str, Any]]]:
    """Service, entity and data of everything that is proposed."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    for proposal in log.proposals:
        if proposal.tool == "home_assistant_routine":
            entity = SCRIPTS[proposal.args["name"].lower()]
            found.append((f"{entity.partition('.')[0]}.turn_on", entity, {}))
        found += [(c["service"], c["entity"], c["data"]) for c in proposal.args.get("changes", ())]
    return found


def judge_calls(expected: dict[str, Any], calls: Sequence[tuple[str, str, dict[str, Any]]]) -> tuple[str, str]:
    """Whether exactly what was asked is proposed; what is so already may be in it."""
    wanted = expected.get("calls") or [expected]
    services = expected.get("service_also_ok", [])
    optional = set(expected.get("entities_optional", ()))
    must = {e: c for c in wanted for e in c["entities"]}
    if more := {entity for _, entity, _ in calls} - must.keys() - optional:
        return "wrong_write", f"proposes {sorted(more)} too"
    kinds = [(c["service"], c.get("data", {})) for c in wanted]
    for service, entity, data in calls:
        own = [(must[entity]["service"], must[entity].get("data", {}))] if entity in must else kinds
        datas = [d for _, d in own] + expected.get("data_also_ok", []) + ([{}] if services else [])
        if service not in {s for s, _ in own} | set(services) or not any(same_data(data, d) for d in datas):
            return "wrong_write", f"{service} {entity} {data}"
    if lost := must.keys() - {entity for _, entity, _ in calls}:
        return "partly", f"leaves out {sorted(lost)}"
    return "right", ""


def same_data(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a call's data is the same, numbers by their value."""
    return found.keys() == wanted.keys() and all(
        str(found[k]) == str(wanted[k]) or near(found[k], wanted[k]) for k in found
    )


def near(found: object, wanted: object) -> bool:
    """Whether two numbers are the same."""
    try:
        return abs(float(str(found)) - float(str(wanted))) < 0.006
    except ValueError:
        return False


def judge_told(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """Whether names, numbers and yes or no are told, and nothing that is not asked for."""
    expected, lines = request["expected"], shown_lines(log)
    told = " ".join(lines)
    told = told if expected["outcome"] != "not_found" else f"{told} {request['text']}"
    members = " ".join(line for line in lines if not EXTRA.match(line))
    if wrong := [w for w in expected.get("must_not_tell", ()) if tells(members, w)]:
        limited = request["kind"] in LIMITS
        return ("dropped" if limited else "wrong"), f"tells {wrong}"
    if "names" in expected:
        allowed = {n for key in ("names", "may_tell", "should_tell") for n in expected.get(key, ())}
        every = {name for name in NAMES.values() if tells(members, name)} - allowed
        if odd := {n for n in every if not any(n in other for other in allowed)}:
            return ("dropped" if request["kind"] in LIMITS else "wrong"), f"tells {sorted(odd)} too"
    lost = [w for w in (*expected.get("must_tell", ()), *expected.get("names", ())) if not tells(told, w)]
    if "count" in expected and not any(near(n, expected["count"]) for n in NUMBER.findall(lines[0])[:1]):
        return "wrong", f"counts {lines[0]!r}"
    if verdict := expected.get("verdict"):
        denies = bool(SAYS_NO.search(lines[0]))
        if denies != (verdict == "no"):
            return "wrong", f"{verdict}, but says {lines[0]!r}"
        cited = {e.locator for e in log.evidence} | set(log.intent.subjects if log.intent else ())
        if expected.get("about") and not cited & set(expected["about"]):
            return "wrong", "is about something else"
    if lost:
        return ("partly" if len(lost) < len(expected.get("names", lost) or lost) else "wrong"), f"does not tell {lost}"
    return "right", ""


def tells(text: str, wanted: object) -> bool:
    """Whether a name or a number stands in a text."""
    if isinstance(wanted, int | float):
        return any(near(n.replace(",", "."), wanted) for n in NUMBER.findall(text))
    return re.search(rf"(?<!\w){re.escape(str(wanted))}(?!\w)", text, re.IGNORECASE) is not None
