"""Requests to people's calendars. The world: ``people`` with their events and zones, and ``on_call`` rotations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bench.boards.judge import shown_lines
from bench.calendar import matches, moment, outcome, same_change, write_world
from workers.bootstrap import build_engine
from workers.contracts import RequestLog
from workers.engine.run import Pipeline
from workers.settings.load import load_settings

WRITES = ("create", "move", "cancel")
UTC_ZONE = ZoneInfo("UTC")


@contextmanager
def open_world(book: dict[str, Any], folder: Path, file: Path) -> Iterator[Pipeline]:
    """The author's calendars as folders of .ics files; each request gets its asker's zone."""
    del file
    zones = {person["name"]: person["zone"] for person in book["people"]}
    for row in book["requests"]:
        row.setdefault("lang", row.get("language", ""))
        row.setdefault("zone", zones.get(row.get("asker", ""), book["zone"]))
        row["source"] = "slack"
        row["private_titles"] = [
            event["summary"]
            for person in book["people"]
            for event in person["events"]
            if event.get("private") and person["name"] != row.get("asker")
        ]
        row["titles"] = {event["uid"]: event["summary"] for p in book["people"] for event in p["events"]}
    write_world(folder, book)
    oracle = build_engine(load_settings(home=folder))
    try:
        yield oracle.engine
    finally:
        oracle.close()


def judge(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """The verdict and why."""
    found, expected = outcome(log), request["expected"]
    text = " ".join(shown_lines(log)).lower()
    why = json.dumps(found, ensure_ascii=False, default=str)[:600]
    if leaked := [
        t for t in request["private_titles"] if t.lower() in text and t.lower() not in request["text"].lower()
    ]:
        return "wrong", f"tells the private {leaked}"
    if "proposal" in found:
        if "action" not in expected or not changes_as(expected, found["proposal"]):
            return "wrong_write", why
        return "right", ""
    if "ask_back" in expected or request.get("kind") == "ask_back":
        return judge_ask_back(request, log, text, why)
    if "not_found" in expected:
        return judge_not_found(expected, found, text, why)
    if "ask_back" in found or not found:
        return "partly", f"no answer: {shown_lines(log)[:2]}"
    if "action" in expected:
        return "wrong", why
    if matches(kind_of(request), expected, found, UTC_ZONE):
        return "right", ""
    return ("dropped" if holds_more(expected, found) else "wrong"), why


def kind_of(request: dict[str, Any]) -> str:
    """The kind that says how an outcome is compared, by what is expected."""
    expected = request["expected"]
    return next((k for k in ("slots", "on_call", "free") if k in expected), "events")


def changes_as(expected: dict[str, Any], args: dict[str, Any]) -> bool:
    """Whether a proposal is the expected change, its recurrence too."""
    if not same_change(expected, args, UTC_ZONE):
        return False
    if expected["action"] != "create":
        return True
    return {*args["people"]} == {*expected["attendees"]} and starts_of(expected, args, expected.get("rrule", "")) == (
        starts_of(expected, args, args["rule"])
    )


def starts_of(expected: dict[str, Any], args: dict[str, Any], rule: str) -> list[str]:
    """When the occurrences of a new series begin, on its own clock, for a year and a half; one without a rule."""
    from dateutil.rrule import rrulestr  # type: ignore[import-untyped] # noqa: PLC0415 - needed here only

    start = datetime.fromisoformat(expected["start"])
    if not rule:
        return [str(start)]
    zone = ZoneInfo(expected.get("recurs_in_zone") or args["zone"])
    start = start.astimezone(zone) if start.tzinfo else start.replace(tzinfo=zone)
    end = start + timedelta(days=550)
    rule = ";".join(
        part if "T" in part or not part.startswith("UNTIL=") else f"{part}T235959Z" for part in rule.split(";")
    )
    return [str(one.date()) for one in rrulestr(rule, dtstart=start).between(start, end, inc=True)]


def judge_ask_back(request: dict[str, Any], log: RequestLog, text: str, why: str) -> tuple[str, str]:
    """Asked back about what is open; where candidates are named, by at least two of them."""
    if log.answer is None or log.answer.kind != "clarify":
        nothing = not log.answer or not log.answer.headline.evidence
        return ("partly" if nothing else "wrong"), f"not asked back: {text[:200]} {why}"
    candidates = [request["titles"].get(c, c).lower() for c in request["expected"].get("candidates", ())]
    named = sum(c in text for c in candidates)
    return ("right", "") if named >= min(2, len(candidates)) else ("partly", f"asked another thing: {text[:200]}")


def judge_not_found(expected: dict[str, Any], found: dict[str, Any], text: str, why: str) -> tuple[str, str]:
    """That it is not there, by the name that was asked for."""
    looked_for = str(expected.get("looked_for", "")).lower()
    if found.get("events") or found.get("slots") or found.get("on_call"):
        return "wrong", why
    said = any(
        word in text for word in ("no appointment", "found none", "nobody", "not there", "nothing", "no one", "no team")
    )
    return ("right", "") if said and looked_for in text else ("partly", f"not said: {text[:300]}")


def holds_more(expected: dict[str, Any], found: dict[str, Any]) -> bool:
    """Whether all that is expected was told, and more: a condition was left out."""
    if "slots" in expected:
        wanted = [[moment(t, UTC_ZONE) for t in slot] for slot in expected["slots"]]
        got = [[moment(t, UTC_ZONE) for t in slot] for slot in found.get("slots", ())]
        return bool(got) and all(any(a <= s and e <= b for a, b in got) for s, e in wanted)
    if "events" in expected and "events" in found:
        wanted_uids = {e["uid"] for e in expected["events"]}
        return wanted_uids < {e["uid"] for e in found["events"]}
    return False
