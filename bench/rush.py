"""``python -m bench rush``: many questions within one minute in one channel, under Slack's limits.

Real processes: a local Slack that keeps Slack's limits (one message a second and channel, after a short burst), the
bot, prefork workers, beat. Counted: who got an answer, how often, and when; and what gave way.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.chaos import QUESTIONS, backends, without_limits
from tests.support.deployment import Slack, is_answer, messages_of, run_deployment, run_slack, start_oracle, until
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import open_database
from workers.store.migrate import migrate

CHANNEL = "search"
DRAINS_S = 900.0


def main(args: list[str]) -> None:
    """Ask, wait, count. Exit 1: a question without exactly one answer, or one that came too late."""
    parser = argparse.ArgumentParser(prog="python -m bench rush")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--within", type=float, default=60, help="seconds in which they are asked")
    parser.add_argument("--answered", type=float, default=330, help="seconds, from the first question, for all answers")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(args)
    found = measure(options)
    print(f"| {options.questions} questions in {options.within:g} s, one channel, {options.store} | |\n|---|---|")
    print("\n".join(f"| {name} | {value} |" for name, value in found.items()))
    if found["without an answer"] or found["with more than one"] or found["last answer after, s"] > options.answered:
        sys.exit(1)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """One run."""
    with tempfile.TemporaryDirectory(prefix="oracle-rush-") as folder, ExitStack() as stack:
        home = Path(folder) / "home"
        environment = {**stack.enter_context(backends(options.store, Path(folder))), **without_limits(Path(folder))}
        slack = stack.enter_context(run_slack())
        deployment = stack.enter_context(run_deployment(home, slack, start=start_oracle, **environment))
        deployment.start("demo", "demo").wait()
        database = open_database(environment.get("DATABASE_URL") or f"sqlite:///{home / 'oracle.db'}")
        stack.callback(database.close)
        migrate(database)
        deployment.start_all()
        asked = ask_all(slack, options)
        ledger = Ledger(database, WorkerSection())
        until(lambda: ledger.counts().get("done", 0) >= options.questions, "all done", DRAINS_S)
        return outcome(slack, asked)


def ask_all(slack: Slack, options: argparse.Namespace) -> list[str]:
    """Type the questions at random moments of the span, by every person there is."""
    boot = slack.http.get("/client/boot").json()
    people = [user["id"] for user in boot["users"] if not user["is_bot"] and user["name"] != "slackbot"]
    chance = random.Random(options.seed)
    moments = sorted(chance.uniform(0, options.within) for _ in range(options.questions))
    began, asked = time.monotonic(), []
    for number, moment in enumerate(moments):
        time.sleep(max(began + moment - time.monotonic(), 0))
        text = QUESTIONS[number % len(QUESTIONS)].format(bot=boot["app"]["user_id"])
        asked.append(slack.ask(CHANNEL, text, user=people[number % len(people)]))
    return asked


def outcome(slack: Slack, asked: list[str]) -> dict[str, Any]:
    """What stands in the channel, by the times Slack stored."""
    messages = messages_of(slack.get("state", channel=CHANNEL))
    answers = {ts: [m for m in messages if m.get("thread_ts") == ts and is_answer(m)] for ts in asked}
    first = {ts: min(float(m["ts"]) for m in found) for ts, found in answers.items() if found}
    keys = [[m["metadata"]["event_payload"]["key"] for m in found] for found in answers.values()]
    requests = [{key.partition(":")[0] for key in found} for found in keys]
    began = min(map(float, asked))
    waits = sorted(at - float(ts) for ts, at in first.items())
    calls = slack.get("calls")["calls"]
    refused = [c["method"] for c in calls if c["status"] == 429]
    told = [c["arguments"] for c in calls if c["method"] == "assistant.threads.setStatus" and c["status"] == 200]
    return {
        "answered": len(first),
        "without an answer": sum(not found for found in answers.values()),
        "with more than one": sum(len(set(k)) < len(k) or len(r) > 1 for k, r in zip(keys, requests, strict=True)),
        "in more than one message": sum(len(k) > 1 for k in keys),
        "first answer after, s": round(min(first.values()) - began, 1),
        "last answer after, s": round(max(first.values()) - began, 1),
        "wait for an answer, p50 s": round(waits[len(waits) // 2], 1),
        "told how many are before them": len({a["thread_ts"] for a in told if "queued" in str(a.get("status"))}),
        "progress begun": sum(c["method"] == "chat.startStream" and c["status"] == 200 for c in calls),
        "answers refused by Slack's limits (429)": refused.count("chat.postMessage"),
        "other calls refused (429)": len(refused) - refused.count("chat.postMessage"),
    }
