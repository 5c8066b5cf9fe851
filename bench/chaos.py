"""``python -m bench chaos``: mentions delivered three times each, while worker groups are killed with SIGKILL.

Real processes: a local Slack, the bot over Socket Mode, a prefork worker group, beat; SQLite and a broker of files, or
PostgreSQL and Redis. Kills are aimed at three moments; whether a kill really hit its moment is read from the ledger and
from Slack while no worker runs, and only those that did count.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.support.deployment import (
    Deployment,
    Slack,
    is_answer,
    messages_of,
    run_deployment,
    run_redis,
    run_slack,
    start_oracle,
    until,
)
from tests.support.real_servers import run_postgresql
from workers.requests.ledger import POSTING, Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import Database, open_database
from workers.store.database_clock import now_s
from workers.store.migrate import migrate
from workers.store.tables import jobs

MOMENTS = ("before the claim", "mid-stage", "between post and record")
CHANNELS = ("general", "incidents", "payments", "search")
QUESTIONS = (
    "<@{bot}> Why did latency spike on /api/search after the last deploy?",
    "<@{bot}> Where is the retry policy configured for our payment client?",
    "<@{bot}> Summarize how the alerts are wired for the checkout flow.",
    "<@{bot}> how much traffic does /api/checkout get?",
)
DRAINS_S = 600.0


@dataclass
class Run:
    """One bench run: what was asked, and what the kills hit."""

    slack: Slack
    deployment: Deployment
    database: Database
    chance: random.Random
    asked: list[tuple[str, str]] = field(default_factory=list)
    hits: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    asking: bool = True
    orphans: set[tuple[str, int]] = field(default_factory=set)


def main(args: list[str]) -> None:
    """Run one store, or both, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench chaos")
    parser.add_argument("--mentions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=5, help="at least this many at each moment")
    parser.add_argument("--per-second", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", choices=("sqlite", "postgresql", "both"), default="both")
    options = parser.parse_args(args)
    stores = ("sqlite", "postgresql") if options.store == "both" else (options.store,)
    rows = [measure(store, options) for store in stores]
    print(table(rows))
    wrong = ("without an answer", "with more", "answers elsewhere", "apologies")
    if any(row[key] for row in rows for key in wrong) or any(
        row[f"kills {m}"] < options.kills for row in rows for m in MOMENTS
    ):
        sys.exit(1)


def measure(store: str, options: argparse.Namespace) -> dict[str, Any]:
    """One run."""
    with tempfile.TemporaryDirectory(prefix="oracle-chaos-") as folder, ExitStack() as stack:
        home = Path(folder) / "home"
        environment = {**stack.enter_context(backends(store, Path(folder))), **without_limits(Path(folder))}
        slack = stack.enter_context(run_slack())
        deployment = stack.enter_context(run_deployment(home, slack, start=start_oracle, **environment))
        deployment.start("demo", "demo").wait()
        database = open_database(environment.get("DATABASE_URL") or f"sqlite:///{home / 'oracle.db'}")
        stack.callback(database.close)
        migrate(database)
        run = Run(slack, deployment, database, random.Random(options.seed))
        deployment.start_bot()
        deployment.start("beat", "beat")
        deployment.start("worker", "worker")
        began = time.monotonic()
        asker = threading.Thread(target=ask_all, args=(run, options), daemon=True)
        asker.start()
        kill_until(run, options.kills)
        asker.join()
        ledger = Ledger(database, WorkerSection())
        until(
            lambda: sum(ledger.counts().values()) == options.mentions and ledger.oldest_open_s() == 0,
            "all done",
            DRAINS_S,
        )
        return outcome(store, run, time.monotonic() - began)


@contextmanager
def backends(store: str, folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a store, its servers running."""
    if store == "sqlite":
        yield {}
        return
    with run_postgresql() as postgresql, run_redis(folder / "redis") as redis:
        yield {"DATABASE_URL": f"{postgresql}/postgres", "REDIS_URL": redis.url}


def without_limits(folder: Path) -> dict[str, str]:
    """The environment in which a few people may ask as much as a whole team does."""
    config = folder / "config"
    config.mkdir()
    (config / "oracle.yaml").write_text("limits: {user_per_hour: 100000, channel_per_hour: 100000}\n")
    return {"ORACLE_CONFIG": str(config)}


def ask_all(run: Run, options: argparse.Namespace) -> None:
    """Type the mentions at a steady pace; every event is delivered three times."""
    bot = run.slack.http.get("/client/boot").json()["app"]["user_id"]
    for number in range(options.mentions):
        channel = CHANNELS[number % len(CHANNELS)]
        text = QUESTIONS[number % len(QUESTIONS)].format(bot=bot)
        run.asked.append((channel, run.slack.ask(channel, text, deliveries=3)))
        time.sleep(run.chance.expovariate(options.per_second))
    run.asking = False


def kill_until(run: Run, wanted: int) -> None:
    """Kill the worker's group at each moment until each was hit often enough, or nothing is left to kill for."""
    while True:
        missing = [m for m in MOMENTS if run.hits[m] < wanted]
        if not missing or not wait_for_work(run):
            return
        moment = run.chance.choice(missing)
        AIMS[moment](run)
        run.deployment.kill("worker")
        run.kills += 1
        hit = what_was_hit(run)
        run.hits[moment] += moment in hit
        run.orphans.update((row["request_id"], row["fence"]) for row in rows(run.database))
        print(f"kill {run.kills}: aimed {moment}; hit {', '.join(hit) or 'nothing'}", file=sys.stderr)
        run.slack.http.delete("/control/faults")
        run.slack.control("release", {})
        time.sleep(run.chance.uniform(0, 1))
        run.deployment.start("worker", "worker")


def wait_for_work(run: Run) -> bool:
    """Whether there is a request to work on, or will be."""
    while True:
        if rows(run.database):
            return True
        if not run.asking:
            return False
        time.sleep(0.02)


def fresh(run: Run) -> list[Mapping[str, Any]]:
    """The open requests that moved since the last kill: a lease that an earlier kill orphaned is no new hit."""
    return [row for row in rows(run.database) if (row["request_id"], row["fence"]) not in run.orphans]


def rows(database: Database) -> list[Mapping[str, Any]]:
    """The open requests."""
    columns = (jobs.c.request_id, jobs.c.stage, jobs.c.fence, jobs.c.sent, jobs.c.question)
    query = select(*columns, (jobs.c.lease_until > now_s()).label("held")).where(jobs.c.open)
    with database.begin() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def aim(found: Callable[[Mapping[str, Any]], bool]) -> Callable[[Run], None]:
    """Wait until an open request is at that moment, for a while."""

    def wait(run: Run) -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end and not any(found(row) for row in fresh(run)):
            time.sleep(0.002)

    return wait


def unclaimed(row: Mapping[str, Any]) -> bool:
    """Accepted, and no worker has it yet."""
    return row["fence"] == 0


def mid_stage(row: Mapping[str, Any]) -> bool:
    """A worker plans, runs tools or writes."""
    return bool(row["held"]) and row["stage"] in {"plan", "execute", "synthesize"}


def aim_between(run: Run) -> None:
    """Keep Slack's answer back once an answer was posted."""
    run.slack.control("faults", {"method": "chat.postMessage", "action": "hold", "times": None})
    end = time.monotonic() + 20
    while time.monotonic() < end and not posted_unrecorded(run):
        time.sleep(0.1)


def posted_unrecorded(run: Run) -> int:
    """How many answers stand in Slack while the ledger only knows that a post began."""
    begun = {
        f"{row['request_id']}:{part}": row["question"]["channel"]
        for row in fresh(run)
        for part, ts in row["sent"].items()
        if ts == POSTING
    }
    stand = {key_of(m) for c in set(begun.values()) for m in messages_of(run.slack.get("state", channel=c))}
    return len(begun.keys() & stand)


def key_of(message: Mapping[str, Any]) -> str:
    """The mark of a message."""
    return str(((message.get("metadata") or {}).get("event_payload") or {}).get("key", ""))


AIMS: dict[str, Callable[[Run], None]] = {
    "before the claim": aim(unclaimed),
    "mid-stage": aim(mid_stage),
    "between post and record": aim_between,
}


def what_was_hit(run: Run) -> list[str]:
    """The moments at which requests stand while no worker runs."""
    found = fresh(run)
    hit = {
        "before the claim": any(unclaimed(row) for row in found),
        "mid-stage": any(mid_stage(row) for row in found),
        "between post and record": posted_unrecorded(run) > 0,
    }
    return [moment for moment in MOMENTS if hit[moment]]


def outcome(store: str, run: Run, took_s: float) -> dict[str, Any]:
    """The row of the table."""
    answers: Counter[tuple[str, str]] = Counter()
    apologies = 0
    for channel in CHANNELS:
        for message in messages_of(run.slack.get("state", channel=channel)):
            apologies += ".failed." in key_of(message)
            if is_answer(message):
                answers[channel, str(message.get("thread_ts"))] += 1
    with run.database.begin() as connection:
        lost = connection.execute(select(jobs.c.lost_leases)).scalars().all()
        fences = connection.execute(select(jobs.c.fence)).scalars().all()
    per_thread = [answers.pop(asked, 0) for asked in run.asked]
    return {
        "store": store,
        "mentions": len(run.asked),
        "kills": run.kills,
        **{f"kills {moment}": run.hits[moment] for moment in MOMENTS},
        "threads with exactly one answer": sum(n == 1 for n in per_thread),
        "without an answer": sum(n == 0 for n in per_thread),
        "with more": sum(n > 1 for n in per_thread),
        "answers elsewhere": sum(answers.values()),
        "apologies": apologies,
        "leases lost": sum(lost),
        "claims": sum(fences),
        "seconds": round(took_s),
    }


def table(found: list[dict[str, Any]]) -> str:
    """Markdown, one column a store."""
    lines = [f"| what | {' | '.join(str(row['store']) for row in found)} |", "|---" * (len(found) + 1) + "|"]
    lines += [f"| {key} | {' | '.join(str(row[key]) for row in found)} |" for key in found[0] if key != "store"]
    return "\n".join(lines)
