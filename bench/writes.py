"""``python -m bench writes calendar`` and ``python -m bench writes home --venv DIR``: changes on real servers.

Ten orders each, on a Radicale and on a Home Assistant (see `bench.home`), are proposed, confirmed as a person does, and
confirmed once more; what came of them is read from the server itself. Then the ten are ordered again, and the server
stands still for `STOPPED_S` seconds: every second time before the confirmation, else between Oracle's look at it and
its order. What is told then must be so, and who finds that nothing happened orders again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch
from zoneinfo import ZoneInfo

import httpx
import icalendar
import recurring_ical_events
import yaml

from bench.boards.judge import shown_lines
from bench.calendar import object_of
from bench.home import bearer, opened, run_home_assistant, state_of
from bot.cli.confirm import carry_out
from tests.support.radicale_server import PASSWORD, USER, make_calendar, serve_radicale
from workers.agents.calendar.source.caldav_store import CaldavStore
from workers.agents.home.source.rest_client import RestClient
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog
from workers.errors import ConfigError
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate
from workers.toolkit.clock import SystemClock

STOPPED_S, SETTLES_S = 10.0, 14.0
ZONE = ZoneInfo("Europe/Vienna")
MONDAY = datetime(2027, 3, 1, 8, tzinfo=ZONE)
SPAN = (MONDAY.date(), datetime(2027, 4, 1, tzinfo=ZONE).date())
SEEDS = (  # title, start, end, rule
    ("Boiler review", "2027-03-03T10:00:00+01:00", "2027-03-03T11:00:00+01:00", ""),
    ("Roof inspection", "2027-03-04T14:00:00+01:00", "2027-03-04T15:00:00+01:00", ""),
    ("Tenant round", "2027-02-02T09:00:00+01:00", "2027-02-02T09:30:00+01:00", "FREQ=WEEKLY;BYDAY=TU"),
    ("Budget talk", "2027-02-05T13:00:00+01:00", "2027-02-05T14:00:00+01:00", "FREQ=WEEKLY;BYDAY=FR"),
    ("Choir", "2027-02-01T18:00:00+01:00", "2027-02-01T19:00:00+01:00", "FREQ=WEEKLY;BYDAY=MO"),
)
MEETINGS = (  # order, occurrences gone, occurrences new, resources touched, the first new start
    ('book "Lift repair" on Wednesday from 15:00 to 16:00', 0, 1, 1, "2027-03-03T15:00"),
    ('schedule "Key handover" with Ben on Thursday at 11 for 30 minutes', 0, 1, 1, "2027-03-04T11:00"),
    ('every Wednesday at 8:30, 30 minutes, "Waste check", until April', 0, 5, 1, "2027-03-03T08:30"),
    ('add "Painting day" on Friday, all day', 0, 1, 1, "2027-03-05"),
    ("move the boiler review to Thursday at 9", 1, 1, 1, "2027-03-04T09:00"),
    ("make the roof inspection 30 minutes longer", 1, 1, 1, "2027-03-04T14:00"),
    ("move tomorrow's tenant round to 10:30", 1, 1, 1, "2027-03-02T10:30"),
    ("from next week on the budget talk should start at 2:30pm", 3, 3, 2, "2027-03-12T14:30"),
    ("cancel the choir on March 15", 1, 0, 1, ""),
    ("cancel the choir from March 22 on", 2, 0, 1, ""),
)
SWITCHES: Sequence[tuple[str, str, str, Any, str, dict[str, Any]]] = (
    ("turn off the kitchen lights", "light.kitchen_lights", "", "off", "light/turn_on", {}),
    ("turn on the bed light", "light.bed_light", "", "on", "light/turn_off", {}),
    ("dim the ceiling lights to 30 %", "light.ceiling_lights", "brightness", 76, "light/turn_on", {"brightness": 200}),
    ("make the hvac 2 degrees warmer", "climate.hvac", "temperature", 22, "climate/set_temperature",
     {"temperature": 20}),
    ("open the garage door", "cover.garage_door", "", "open", "cover/close_cover", {}),
    ("close the hall window", "cover.hall_window", "", "closed", "cover/open_cover", {}),
    ("unlock the front door", "lock.front_door", "", "unlocked", "lock/lock", {}),
    ("lock the kitchen door", "lock.kitchen_door", "", "locked", "lock/unlock", {}),
    ("turn on the ceiling fan", "fan.ceiling_fan", "", "on", "fan/turn_off", {}),
    ("turn off the decorative lights", "switch.decorative_lights", "", "off", "switch/turn_on", {}),
)  # fmt: skip


class Server(Protocol):
    """A real server that orders go to. ``pid``: its process; ``sends``: where Oracle's changes leave for it."""

    pid: int
    sends: tuple[tuple[type, str], ...]

    def prepare(self, order: Any) -> None:
        """Make the order one that changes something."""

    def mark(self) -> Any:
        """How things stand now."""

    def effects(self, order: Any, since: Any) -> int:
        """How often the server did what an order says; -1: it did something else."""


@dataclass
class Radicale:
    """A calendar of one person."""

    url: str
    pid: int
    sends: tuple[tuple[type, str], ...] = ((CaldavStore, "put"), (CaldavStore, "delete"))

    def prepare(self, order: Any) -> None:
        """All orders are of one calendar, as it is."""

    def mark(self) -> dict[str, str]:
        """Each resource with its text."""
        found = {}
        with httpx.Client(auth=(USER, PASSWORD)) as client:
            listed = client.request("PROPFIND", self.url, headers={"Depth": "1"}, timeout=30).text
            for part in listed.split("<href>")[1:]:
                href = part.partition("</href>")[0]
                if href.endswith(".ics"):
                    found[href] = client.get(f"{self.url.partition('/anna')[0]}{href}", timeout=30).text
        return found

    def effects(self, order: Any, since: dict[str, str]) -> int:
        """By the occurrences of a month before and after."""
        _, gone, new, touched, start = order
        now = self.mark()
        changed = [href for href in {*since, *now} if since.get(href) != now.get(href)]
        if not changed:
            return 0
        before, after = occurrences(since), occurrences(now)
        added = sorted(after - before)
        fits = (len(before - after), len(added), len(changed)) == (gone, new, touched)
        return 1 if fits and (not added or added[0][1].startswith(start)) else -1


def occurrences(resources: dict[str, str]) -> set[tuple[str, str, str]]:
    """Title, start and end of what takes place in the month."""
    found = set()
    for text in resources.values():
        for one in recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(*SPAN):
            found.add((str(one["SUMMARY"]), one["DTSTART"].dt.isoformat(), one["DTEND"].dt.isoformat()))
    return found


@dataclass
class HomeAssistant:
    """A home, and the services that were called in it."""

    url: str
    token: str
    pid: int
    sends: tuple[tuple[type, str], ...] = ((RestClient, "call_service"),)
    called: list[dict[str, Any]] = field(default_factory=list)

    def listen(self) -> None:
        """Collect the calls of services, until the home ends."""
        with suppress(httpx.HTTPError):
            path = f"{self.url}/api/stream?restrict=call_service"
            with httpx.stream("GET", path, headers=bearer(self.token), timeout=None) as lines:
                for line in lines.iter_lines():
                    if line.startswith("data: {"):
                        self.called.append(json.loads(line[6:])["data"])

    def prepare(self, order: Any) -> None:
        """Undo it."""
        _, entity, _, after, service, data = order
        body = {"entity_id": entity, **data}
        httpx.post(f"{self.url}/api/services/{service}", headers=bearer(self.token), json=body, timeout=30)
        until(lambda: self.value(order) != after)
        time.sleep(0.2 if not entity.startswith(("cover.", "lock.")) else 3)

    def value(self, order: Any) -> Any:
        """What the order is about, as it is."""
        state = state_of(self.url, self.token, order[1])
        return state["attributes"].get(order[2]) if order[2] else state["state"]

    def mark(self) -> int:
        """How many services were called."""
        return len(self.called)

    def effects(self, order: Any, since: int) -> int:
        """By the services that were called, each for this entity alone, and its state."""
        until(lambda: len(self.called) > since, 1.0)
        calls = self.called[since:]
        if not calls:
            return 0
        until(lambda: self.value(order) == order[3])
        own = all(call["service_data"]["entity_id"] in (order[1], [order[1]]) for call in calls)
        return len(calls) if own and self.value(order) == order[3] else -1


def until(holds: Callable[[], bool], within_s: float = SETTLES_S) -> None:
    """Wait for something, or for so long."""
    end = time.monotonic() + within_s
    while time.monotonic() < end and not holds():
        time.sleep(0.1)


def main(args: Sequence[str]) -> None:
    """Print each order and the counts."""
    parser = argparse.ArgumentParser(prog="python -m bench writes")
    parser.add_argument("family", choices=("calendar", "home"))
    parser.add_argument("--venv", type=Path, help="a virtual environment with Home Assistant in it")
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as folder:
        opens = home_worlds if given.family == "home" else calendar_worlds
        print("| what | orders | nothing before | one effect | a second confirmation refused | told what is so |")
        print("|---|---|---|---|---|---|")
        for name, server, oracle, orders in opens(Path(folder), given.venv):
            print(measure(name, server, oracle, orders), flush=True)


def home_worlds(folder: Path, venv: Path) -> Iterator[tuple[str, Server, Oracle, Sequence[Any]]]:
    """A home that runs, then the same that stands still at times."""
    with run_home_assistant(venv, folder / "ha") as (url, token, pid):
        server = HomeAssistant(url, token, pid)
        threading.Thread(target=server.listen, daemon=True).start()
        with opened(folder / "oracle", url, token) as oracle:
            yield "Home Assistant", server, oracle, SWITCHES
            yield f"Home Assistant, stopped for {STOPPED_S:.0f} s", server, oracle, SWITCHES


def calendar_worlds(folder: Path, venv: Path) -> Iterator[tuple[str, Server, Oracle, Sequence[Any]]]:
    """A calendar that can be reached, then another one whose server stands still at times."""
    del venv
    with serve_radicale(folder / "radicale") as (url, pid):
        for name in ("Radicale", f"Radicale, stopped for {STOPPED_S:.0f} s"):
            calendar = make_calendar(url, uuid.uuid4().hex)
            for title, start, end, rule in SEEDS:
                event = {"uid": f"{title.replace(' ', '-')}@seed", "summary": title, "start": start, "end": end}
                text = object_of({**event, "rrule": rule}, ZONE)
                httpx.put(f"{calendar}{title.replace(' ', '-')}.ics", content=text, auth=(USER, PASSWORD))
            with opened_calendar(folder / name.replace(" ", ""), calendar) as oracle:
                yield name, Radicale(calendar, pid), oracle, MEETINGS


@contextmanager
def opened_calendar(home: Path, url: str) -> Iterator[Oracle]:
    """Oracle on that calendar and on a colleague's, as of `MONDAY`."""
    (home / "config").mkdir(parents=True)
    (home / "ben").mkdir()
    own = {"caldav": url, "username": USER, "password": PASSWORD, "name": "Anna Berger", "users": ["local"]}
    ben = {"path": str(home / "ben"), "name": "Ben Okafor", "aliases": ["Ben"], "email": "ben@example.com"}
    calendars = [{**one, "timezone": str(ZONE)} for one in ({**own, "fresh_s": 0}, ben)]
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump({"calendars": calendars, "timezone": str(ZONE)}))
    settings = load_settings({"models.reasoner": "rules"}, home=home)
    database = open_database(settings.database_url)
    migrate(database)
    database.close()
    oracle = build_engine(settings, clock=SystemClock(MONDAY))
    try:
        yield oracle
    finally:
        oracle.close()


def measure(name: str, server: Server, oracle: Oracle, orders: Sequence[Any]) -> str:
    """All orders, each with what went wrong below the row of counts."""
    counts = {"nothing before": 0, "one effect": 0, "refused": 0, "told": 0}
    stops, took, lines = "stopped" in name, [], []
    for place, order in enumerate(orders):
        server.prepare(order)
        mark = server.mark()
        log = ask(oracle, order[0])
        began, idle = time.monotonic(), bool(log.proposals) and not server.effects(order, mark)
        if not log.proposals:
            lines.append(f"- {order[0]}: not proposed: {shown_lines(log)[:3]}")
            continue
        how = ("before" if place % 2 else "between") if stops else ""
        done = confirm(server, oracle, log, how)
        took.append(time.monotonic() - began)
        made = server.effects(order, mark)
        told = is_so(done, made)
        again = refused(oracle, log)
        if stops:
            lines.append(f"- {order[0]} (stopped {how}): {made} effects, told: {' '.join(shown_lines(done))[:150]}")
        if not made:  # who sees that nothing happened orders again
            log = ask(oracle, order[0])
            done = confirm(server, oracle, log, "") if log.proposals else log
            told = told and is_so(done, 1)
        made = server.effects(order, mark)
        counts["nothing before"] += idle
        counts["one effect"] += made == 1
        counts["refused"] += again
        counts["told"] += told
        if made != 1 or not (idle and told and again):
            lines.append(f"- WRONG {order[0]}: {made} effects, told: {' '.join(shown_lines(done))[:200]}")
    row = " | ".join(str(n) for n in counts.values())
    return "\n".join(
        (f"| {name} | {len(orders)} | {row} |", *lines, f"- a confirmation: p50 {statistics.median(took):.1f} s")
    )


def ask(oracle: Oracle, text: str) -> RequestLog:
    """One order at the command line."""
    now = oracle.engine.clock.now()
    question = Question(request_id=uuid.uuid4().hex[:12], text=text, received_at=now, timezone=str(ZONE))
    return replace(oracle.engine, clock=SystemClock(now)).ask(question)


def confirm(server: Server, oracle: Oracle, log: RequestLog, stopped: str) -> RequestLog:
    """Confirm an order; where the server stands still, until it goes on and is done."""
    if not stopped:
        return carry_out(oracle, log.request_id, 0)
    began = time.monotonic()
    timer = threading.Timer(STOPPED_S, os.kill, (server.pid, signal.SIGCONT))
    timer.start()
    try:
        if stopped == "before":
            os.kill(server.pid, signal.SIGSTOP)
            return carry_out(oracle, log.request_id, 0)
        with standing_still(server):
            return carry_out(oracle, log.request_id, 0)
    finally:
        time.sleep(max(0.0, began + STOPPED_S + 3 - time.monotonic()))


@contextmanager
def standing_still(server: Server) -> Iterator[None]:
    """The server stops just before an order leaves for it, the first time."""
    once = threading.Lock()

    def stopping(sends: Callable[..., Any]) -> Callable[..., Any]:
        def send(*args: Any, **more: Any) -> Any:
            if once.acquire(blocking=False):
                os.kill(server.pid, signal.SIGSTOP)
            return sends(*args, **more)

        return send

    with ExitStack() as patches:
        for owner, name in server.sends:
            patches.enter_context(patch.object(owner, name, stopping(getattr(owner, name))))
        yield


def is_so(log: RequestLog, made: int) -> bool:
    """Whether what is told of a confirmed change agrees with what was made."""
    told = " ".join(shown_lines(log)).lower()
    unsure = any(words in told for words in ("not known", "unknown", "may ", "not seen yet", "look there"))
    denies = any(words in told for words in ("nothing was changed", "nothing is changed", "nothing changed"))
    return unsure or (denies if made == 0 else not denies)


def refused(oracle: Oracle, log: RequestLog) -> bool:
    """Whether a second confirmation of the same change is."""
    try:
        carry_out(oracle, log.request_id, 0)
    except ConfigError:
        return True
    return False
