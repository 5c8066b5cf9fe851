"""Natural requests of an independent author against what they should come to, and the time of calls.

``python -m bench calendar [develop|held] [FILE]``: one half of the requests, or both; those that differ are printed.
``python -m bench calendar times``: p50 and p99 of calls of the tools on a calendar of 5,000 appointments.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import numpy as np
import yaml

from workers.agents.calendar.source.calendar_texts import empty_calendar
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

HELD = Path(__file__).parent / "data" / "calendar_requests.json"
SAMPLE, ROUNDS, WARMING_S = 5_000, 40, 20


def main(args: list[str]) -> None:
    """Print how many requests of each kind came out as expected, or the times of calls."""
    os.environ.pop("ORACLE_CONFIG", None)
    if args[:1] == ["times"]:
        measure_times()
        return
    halves = [a for a in args if a in {"develop", "held"}] or ["develop", "held"]
    files = [a for a in args if a not in {"develop", "held"}]
    world = json.loads(Path(files[0] if files else HELD).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        write_world(Path(folder), world)
        oracle = build_engine(load_settings(home=Path(folder)))
        try:
            for half in halves:
                score(oracle, world, half)
        finally:
            oracle.close()


def score(oracle: Oracle, world: dict[str, Any], half: str) -> None:
    """Ask the requests of one half."""
    now = datetime.fromisoformat(world["now"])
    zones = {p["name"]: p["zone"] for p in world["people"]}
    rows = [r for r in world["requests"] if r["half"] == half]
    right: dict[str, list[bool]] = {}
    spent = []
    for row in rows:
        began = time.perf_counter()
        log = ask(oracle, row["text"], row["asker"], zones[row["asker"]], now)
        spent.append((time.perf_counter() - began) * 1e3)
        found = outcome(log)
        same = matches(row["kind"], row["expected"], found, ZoneInfo(world["zone"]))
        right.setdefault(row["kind"], []).append(same)
        if not same:
            print(f"- {row['id']} {row['kind']} ({row['asker']}): {row['text']}")
            print(f"    expected {json.dumps(row['expected'], ensure_ascii=False)}")
            print(f"    found    {json.dumps(found, ensure_ascii=False)[:700]}")
            print(f"    said     {log.answer.headline.text if log.answer else ''}")
    print(f"\n{half}\n\n| kind | right | of |\n|---|---|---|")
    for kind, results in right.items():
        print(f"| {kind} | {sum(results)} | {len(results)} |")
    print(f"| all | {sum(map(sum, right.values()))} | {len(rows)} |")
    print(f"\n{np.percentile(spent, 50):.0f} ms p50 a request, {max(spent):.0f} ms at most\n")


def ask(oracle: Oracle, text: str, asker: str, zone: str, now: datetime) -> RequestLog:
    """One request, asked as of the world's now."""
    question = Question(
        request_id=os.urandom(6).hex(), text=text, asker=asker, team="T1", source="slack", channel="D1",
        agent="calendar", timezone=zone, received_at=now.astimezone(UTC),
    )  # fmt: skip
    return replace(oracle.engine, clock=SystemClock(now.astimezone(UTC))).ask(question)


def outcome(log: RequestLog) -> dict[str, Any]:
    """What a request came to, from its calls, evidence and proposals."""
    if log.answer and log.answer.kind == "clarify":
        return {"ask_back": log.answer.headline.text, "options": [o.label for o in log.answer.options]}
    if log.proposals:
        return {"proposal": log.proposals[0].args}
    tools = {call.name: call.args for call in log.tool_calls}
    facts = [{name: fact.value for name, fact in e.facts.items()} for e in log.evidence]
    items = [f for f in facts if "start" in f]
    if "calendar_free_slots" in tools:
        args = tools["calendar_free_slots"]
        return {"duration_min": int(args.get("duration_min", 0)), "slots": [[f["start"], f["end"]] for f in items]}
    if "calendar_on_call" in tools:
        team = next((f.get("teams") for f in facts if "teams" in f), "")
        return {"team": team, "on_call": [{k: f[k] for k in ("person", "start", "end")} for f in items]}
    if "calendar_events" in tools:
        who = next((f["people"] for f in facts if "window" in f), "")
        events = [{"uid": f["uid"], "start": f["start"], "busy": f["busy"]} for f in items]
        return {"people": who, "at": tools["calendar_events"].get("start", ""), "events": events}
    return {}


def matches(kind: str, expected: dict[str, Any], found: dict[str, Any], zone: ZoneInfo) -> bool:
    """Whether an outcome is the expected one; times as moments."""
    if kind == "ask_back":
        return "ask_back" in found
    if kind in {"create", "move", "cancel"}:
        return "proposal" in found and same_change(expected, found["proposal"], zone)
    if kind == "slots":
        wanted = [[moment(t, zone) for t in slot] for slot in expected["slots"]]
        got = [[moment(t, zone) for t in slot] for slot in found.get("slots", ())]
        return "slots" in found and found["duration_min"] == expected["duration_min"] and got == wanted
    if kind == "on_call":
        wanted_shifts = [(s["person"], moment(s["start"], zone), moment(s["end"], zone)) for s in expected["on_call"]]
        got_shifts = [(s["person"], moment(s["start"], zone), moment(s["end"], zone)) for s in found.get("on_call", ())]
        return found.get("team") == expected["team"] and got_shifts == wanted_shifts
    if "events" not in found:
        return False
    if kind == "free":
        busy = sorted({e["uid"] for e in found["events"] if e["busy"] == "busy"})
        same = found["people"] == expected["person"] and moment(found["at"], zone) == moment(expected["at"], zone)
        return same and busy == sorted(expected["busy_with"]) and expected["free"] == (not busy)
    got = [(e["uid"], moment(e["start"], zone)) for e in found["events"]]
    if len(got) != len(expected["events"]):
        return False
    return all(
        (uid, start) == (e["uid"], moment(e["start"], zone)) or (uid == e["uid"] and begins_day(e["start"], start))
        for (uid, start), e in zip(got, expected["events"], strict=True)
    )


def begins_day(text: str, start: datetime) -> bool:
    """Whether a moment is the beginning of a date in some zone, as whole days lie in that of their owner."""
    midnight = datetime.fromisoformat(text)
    return "T" not in text and abs(midnight.replace(tzinfo=UTC) - start) <= timedelta(hours=14)


def same_change(expected: dict[str, Any], args: dict[str, Any], zone: ZoneInfo) -> bool:
    """Whether a proposal holds the change that is expected; a title when it has the words of the expected one."""
    times = all(moment(args[k], zone) == moment(expected[k], zone) for k in ("start", "end") if expected.get(k))
    if args["action"] != expected["action"] or not times:
        return False
    if expected["action"] == "create":
        words = {w.strip(".,:") for w in expected["summary"].lower().split()}
        title = {w.strip(".,:") for w in args["title"].lower().split()}
        return words <= title and set(args["people"]) >= set(expected["attendees"])
    of = expected.get("occurrence")
    one = moment(args["original"], zone) if args["original"] and args["scope"] != "all" else None
    return (
        args["uid"] == expected["uid"]
        and args["scope"] == expected["scope"]
        and one == (moment(of, zone) if of else None)
    )


def moment(text: str, zone: ZoneInfo) -> datetime:
    """A time, or the midnight that begins a date."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=zone)


# --- the world ------------------------------------------------------------------------------------------------


def write_world(home: Path, world: dict[str, Any]) -> None:
    """The calendars of the author's file as folders, and the configuration that names them."""
    entries: list[dict[str, Any]] = []
    for person in world["people"]:
        folder = home / "calendars" / person["name"].replace(" ", "-")
        folder.mkdir(parents=True)
        for event in person["events"]:
            text = object_of(event, ZoneInfo(event.get("zone", person["zone"])), person["name"])
            (folder / f"{event['uid'].replace('@', '-')}.ics").write_text(text, encoding="utf-8", newline="")
        hours = "-".join(person.get("working_hours") or world["working_hours"])
        entries.append(
            {"path": str(folder), "name": person["name"], "aliases": person["aliases"], "timezone": person["zone"],
             "users": [person["name"]], "hours": hours, "fresh_s": 3600}
        )  # fmt: skip
    for rotation in world["on_call"]:
        folder = home / "calendars" / f"on-call-{rotation['team']}"
        folder.mkdir(parents=True)
        for i, shift in enumerate(rotation["shifts"]):
            event = {"uid": f"shift-{i}", "summary": shift["person"], **shift}
            (folder / f"{i}.ics").write_text(object_of(event, ZoneInfo(world["zone"])), encoding="utf-8", newline="")
        entries.append(
            {"path": str(folder), "on_call": rotation["team"], "aliases": rotation.get("aliases", []),
             "timezone": world["zone"], "fresh_s": 3600}
        )  # fmt: skip
    (home / "config").mkdir()
    core = {"calendars": entries, "timezone": world["zone"]}
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(core), encoding="utf-8")


def object_of(event: dict[str, Any], zone: ZoneInfo, owner: str = "") -> str:
    """An event of the file as iCalendar text; ``owner``: who declined it, if it was."""
    calendar = empty_calendar()
    master = icalendar.Event()
    master.add("UID", event["uid"])
    master.add("SUMMARY", event["summary"])
    master.add("DTSTART", value_of(event["start"], zone))
    master.add("DTEND", value_of(event["end"], zone))
    if event.get("rrule"):
        master.add("RRULE", icalendar.vRecur.from_ical(event["rrule"]))
    if event.get("transparent"):
        master.add("TRANSP", "TRANSPARENT")
    if event.get("private"):
        master.add("CLASS", "PRIVATE")
    if event.get("declined"):
        guest = icalendar.vCalAddress("mailto:guest@example.com")
        guest.params["CN"], guest.params["PARTSTAT"] = owner, "DECLINED"
        master.add("ATTENDEE", guest)
    for original in event.get("exdates", ()):
        master.add("EXDATE", [value_of(original, zone)])
    calendar.add_component(master)
    for change in event.get("overrides", ()):
        one = icalendar.Event()
        one.add("UID", event["uid"])
        one.add("RECURRENCE-ID", value_of(change["recurrence_id"], zone))
        one.add("SUMMARY", change.get("summary", event["summary"]))
        start = value_of(change.get("start", change["recurrence_id"]), zone)
        one.add("DTSTART", start)
        one.add("DTEND", value_of(change["end"], zone) if "end" in change else start + timedelta(minutes=30))
        if change.get("cancelled"):
            one.add("STATUS", "CANCELLED")
        calendar.add_component(one)
    return calendar.to_ical().decode()


def value_of(text: str, zone: ZoneInfo) -> date | datetime:
    """A date, or a time in the zone of its calendar."""
    return datetime.fromisoformat(text).astimezone(zone) if "T" in text else date.fromisoformat(text)


# --- times ----------------------------------------------------------------------------------------------------


def measure_times() -> None:
    """Calls of the tools on a calendar of 5,000 appointments, a tenth of them series."""
    now = datetime.now(UTC).replace(microsecond=0)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_large(home, now)
        oracle = build_engine(load_settings(home=home))
        try:
            agent = oracle.engine.agents["calendar"]
            context = ToolContext("bench", "calendar", now, "Europe/Berlin", user="local")
            began = time.perf_counter()
            oracle.toolbox.tools["calendar_events"].tool.prepare()  # type: ignore[misc]
            print(f"first reading: {time.perf_counter() - began:.1f} s\n")
            time.sleep(WARMING_S)
            print("| call | p50 ms | p99 ms | timeouts |\n|---|---|---|---|")
            for name, make in calls(now).items():
                times, late = [], 0
                for turn in range(ROUNDS):
                    tool, args = make(turn)
                    began = time.perf_counter()
                    call, _ = oracle.toolbox.open(context, agent.limits).call("s", tool, args)
                    times.append((time.perf_counter() - began) * 1e3)
                    assert call.status in {"ok", "empty", "timeout"}, call
                    late += call.status == "timeout"
                print(f"| {name} | {np.percentile(times, 50):.1f} | {np.percentile(times, 99):.1f} | {late} |")
        finally:
            oracle.close()


def calls(now: datetime) -> dict[str, Any]:
    """The calls that are timed; each turn another span, so that no kept result serves it."""

    def span(turn: int, days: int) -> dict[str, str]:
        start = now + timedelta(hours=turn)
        return {"start": start.isoformat(), "end": (start + timedelta(days=days)).isoformat()}

    far = timedelta(days=200)
    return {
        "events of a day": lambda t: ("calendar_events", span(t, 1)),
        "events of a week": lambda t: ("calendar_events", span(t, 7)),
        "free slots of two people, a week": lambda t: (
            "calendar_free_slots", {"people": "me, Ben Large", "duration_min": 45, **span(t, 7)}
        ),
        "events of a week, weeks that nobody asked for": lambda t: (
            "calendar_events",
            {k: (datetime.fromisoformat(v) + far + timedelta(weeks=t)).isoformat() for k, v in span(0, 7).items()},
        ),
        "move proposed": lambda t: (
            "calendar_move", {"appointment": "series-3@bench", "scope": "this", "shift_min": 15 + t}
        ),
    }  # fmt: skip


def write_large(home: Path, now: datetime) -> None:
    """Two people of 5,000 appointments each."""
    zone = ZoneInfo("Europe/Berlin")
    rng = np.random.default_rng(7)
    entries = []
    for name, user in (("Ann Large", ["local"]), ("Ben Large", [])):
        folder = home / "calendars" / name.replace(" ", "-")
        folder.mkdir(parents=True)
        for i in range(SAMPLE):
            day = now.astimezone(zone).date() + timedelta(days=int(rng.integers(-500, 200)))
            start = datetime(day.year, day.month, day.day, int(rng.integers(8, 18)), tzinfo=zone)
            event = {"uid": f"single-{i}@bench", "summary": f"Appointment {i}"}
            if i % 10 == 0:
                event = {"uid": f"series-{i // 10}@bench", "summary": f"Series {i // 10}"}
                event["rrule"] = ("FREQ=WEEKLY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYDAY=1TU")[i // 10 % 3]
            times = {"start": start.isoformat(), "end": (start + timedelta(minutes=30)).isoformat()}
            (folder / f"{event['uid']}.ics").write_text(
                object_of({**event, **times}, zone), encoding="utf-8", newline=""
            )
        entries.append({"path": str(folder), "name": name, "users": user, "timezone": "Europe/Berlin", "fresh_s": 3600})
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump({"calendars": entries}), encoding="utf-8")
