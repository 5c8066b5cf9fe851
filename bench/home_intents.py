"""``python -m bench home_intents --intents DIR``: sentences of home-assistant/intents, read by rules alone.

DIR is a copy of https://github.com/home-assistant/intents (its ``tests/en`` is read). A sentence counts as right when
what is to be done, the value, the state that is asked for and the set of entities are those of its test. The templates
that the rules use come from the same project, so these are not sentences of independent people; ``--wordings FILE``
measures those: a YAML list of ``{text, action | state, ids}`` over the small home of ``examples/home_assistant``.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from workers.agents.home.language.reading import read_request
from workers.agents.home.language.request import HomeRequest
from workers.agents.home.language.targets import find_targets
from workers.agents.home.language.templates import SUPPORTED, action_of
from workers.agents.home.language.vocabulary import OPPOSITES
from workers.agents.home.source.state_words import spoken
from workers.contracts import EntityInfo


@dataclass(frozen=True)
class Case:
    """One sentence with what it should be read as. ``area``: where its speaker is."""

    text: str
    intent: str
    slots: dict[str, Any]
    context: dict[str, Any]
    entities: tuple[EntityInfo, ...]

    @property
    def area(self) -> str:
        return str(self.context.get("area") or "") if isinstance(self.context.get("area"), str) else ""


def main(args: list[str]) -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench home_intents")
    parser.add_argument("--intents", type=Path, help="a copy of github.com/home-assistant/intents")
    parser.add_argument("--wordings", type=Path, help="requests of independent authors over the small home")
    parser.add_argument("--failed", action="store_true", help="print every sentence that was read wrongly")
    given = parser.parse_args(args)
    if given.intents:
        print(intents_table(list(cases_of(given.intents / "tests" / "en")), failed=given.failed))
    if given.wordings:
        print(wordings_table(yaml.safe_load(given.wordings.read_text(encoding="utf-8")), failed=given.failed))


def cases_of(folder: Path) -> Iterator[Case]:
    """All sentences: the old files over one home, and the newer ones with a home of their own."""
    home = entities_of(yaml.safe_load((folder / "_fixtures.yaml").read_text(encoding="utf-8")))
    for file in sorted(folder.glob("*_*.yaml")):
        if file.name == "_fixtures.yaml":
            continue
        for test in yaml.safe_load(file.read_text(encoding="utf-8"))["tests"]:
            intent = test["intent"]
            for text in test["sentences"]:
                yield Case(text, intent["name"], intent.get("slots") or {}, intent.get("context") or {}, home)


def entities_of(fixtures: dict[str, Any]) -> tuple[EntityInfo, ...]:
    """The home of the tests."""
    floors = {f["id"]: f["name"] for f in fixtures.get("floors", ())}
    areas = {a["id"]: (a["name"], floors.get(a.get("floor", ""), "")) for a in fixtures.get("areas", ())}
    found = []
    for row in fixtures.get("entities", ()):
        if not row.get("id"):
            continue
        area, floor = areas.get(row.get("area", ""), ("", ""))
        attributes = row.get("attributes") or {}
        device_class = attributes.get("device_class", "")
        name = str(row["name"]).replace("[", "").replace("]", "")
        found.append(EntityInfo(id=row["id"], name=name, area=area, floor=floor, device_class=device_class))
    # rooms without things are known to a real home as well
    found += [EntityInfo(id=f"zone.{k}", name=f"zone {k}", area=a, floor=f) for k, (a, f) in areas.items()]
    return tuple(found)


def expected_ids(case: Case) -> frozenset[str]:
    """The entities that the slots of a test mean."""
    slots, context = case.slots, case.context
    domains, classes = texts(slots.get("domain") or context.get("domain")), texts(slots.get("device_class"))
    classes = classes or texts(context.get("device_class"))
    kept = [e for e in case.entities if e.domain != "zone"]
    if "name" in slots:
        kept = [e for e in kept if e.name.lower() == str(slots["name"]).lower()]
    elif case.intent == "HassClimateGetTemperature" and not domains:
        sensors = [e for e in kept if e.device_class == "temperature" and placed(e, slots)]
        kept = sensors or [e for e in kept if e.domain == "climate"]
    elif case.intent.startswith("HassClimate") and not domains:
        kept = [e for e in kept if e.domain == "climate"]
    elif case.intent == "HassLightSet":
        kept = [e for e in kept if e.domain == "light"]
    elif case.intent in {"HassSetVolume", "HassMediaPause", "HassMediaUnpause", "HassMediaNext", "HassMediaPrevious"}:
        kept = [e for e in kept if e.domain == "media_player"]
    elif case.intent.startswith("HassVacuum"):
        kept = [e for e in kept if e.domain == "vacuum"]
    kept = [e for e in kept if not domains or e.domain in domains]
    kept = [e for e in kept if not classes or e.device_class in classes]
    return frozenset(e.id for e in kept if placed(e, slots))


def placed(entity: EntityInfo, slots: dict[str, Any]) -> bool:
    """Whether an entity is where the slots say."""
    area, floor = slots.get("area"), slots.get("floor")
    return (not area or entity.area in texts(area)) and (not floor or entity.floor in texts(floor))


def texts(value: object) -> list[str]:
    """A value or several as texts."""
    return [str(v) for v in value] if isinstance(value, list) else [str(value)] if value else []


def right(case: Case, request: HomeRequest, ids: frozenset[str]) -> str:
    """What is wrong with how a sentence was read; empty when nothing is."""
    wanted = expected_ids(case)
    domains = frozenset(e.domain for e in case.entities if e.id in wanted)
    action, value = action_of(case.intent, case.slots, domains)
    if ids != wanted:
        return f"entities {sorted(ids)[:4]}, not {sorted(wanted)[:4]}"
    if request.action != action:
        return f"action {request.action!r}, not {action!r}"
    if value and request.value != value:
        return f"value {request.value!r}, not {value!r}"
    state = str(case.slots.get("state", ""))
    state = OPPOSITES.get(state, state) if request.every else state
    classes = {(e.id, e.device_class) for e in case.entities if e.id in wanted}
    if state and request.state not in {state, *(spoken(i, c, state) for i, c in classes)}:
        return f"state {request.state!r}, not {state!r}"
    return ""


def intents_table(cases: list[Case], *, failed: bool) -> str:
    """How many of which were read right."""
    counts: Counter[tuple[str, str]] = Counter()
    took: list[float] = []
    for case in cases:
        began = time.perf_counter()
        request = read_request(case.text, case.entities, area="")
        found = find_targets(request, case.entities)
        ids = frozenset(found.ids)
        took.append((time.perf_counter() - began) * 1000)
        if case.intent not in SUPPORTED:
            acts = request.kind == "change" and bool(
                request.action and ids and not (request.lacks or found.unknown or found.ambiguous)
            )
            counts["not supported", "would be proposed" if acts else "nothing done"] += 1
            if acts and failed:
                print(f"- {case.text!r} ({case.intent}): {request.action} {sorted(ids)[:3]}")
            continue
        group = "needs the speaker's room" if case.area or not expected_ids(case) else "supported"
        if case.area:
            request = read_request(case.text, case.entities, area=case.area)
            ids = frozenset(find_targets(request, case.entities).ids)
        wrong = right(case, request, ids)
        counts[group, "wrong" if wrong else "right"] += 1
        counts[f"  {case.intent}", "wrong" if wrong else "right"] += group == "supported"
        if wrong and failed:
            print(f"- {case.text!r} ({case.intent}): {wrong}")
    took.sort()
    lines = [f"{'':36}{'right':>8}{'of':>8}{'share':>8}"]
    for group in dict.fromkeys(g for g, _ in counts):
        if group == "not supported":
            continue
        good, bad = counts[group, "right"], counts[group, "wrong"]
        lines.append(f"{group:36}{good:8}{good + bad:8}{good / max(good + bad, 1):8.1%}")
    idle, acted = counts["not supported", "nothing done"], counts["not supported", "would be proposed"]
    lines.append(f"{'other intents (timers, lists …)':36}{idle:8}{idle + acted:8}  no change would be proposed")
    lines.append(f"ms a sentence: p50 {took[len(took) // 2]:.1f}, p95 {took[int(len(took) * 0.95)]:.1f}")
    return "\n".join(lines)


def wordings_table(rows: list[dict[str, Any]], *, failed: bool) -> str:
    """Requests of independent authors: how many were read right, asked back, or read wrongly."""
    from examples.home_assistant.small_home import entity_infos  # noqa: PLC0415 - of this table only

    entities, counts = entity_infos(), Counter[str]()
    for row in rows:
        request = read_request(row["text"], entities)
        found = find_targets(request, entities)
        fits = set(found.ids) == set(row["ids"]) and (
            request.action == row.get("action", "") and request.state == row.get("state", request.state)
        )
        asked = bool(found.ambiguous or found.unknown or request.lacks or not found.ids)
        verdict = "right" if fits and not found.unknown else "not understood, or asked back" if asked else "wrong"
        counts[verdict] += 1
        if failed and verdict != "right":
            print(f"- {row['text']!r}: {verdict}: {request.kind} {request.action} {request.state} {found}")
    total = sum(counts.values())
    return "\n".join(f"{verdict:36}{n:8}{total:8}{n / total:8.1%}" for verdict, n in counts.most_common())
