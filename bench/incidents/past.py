"""A long past of an incident's channel: a written core in a crowd, with many threads, for who comes late."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bench.incidents.acts import people_of
from bench.incidents.crowd import crowded
from bench.incidents.transcripts import as_slack, with_ts
from bench.incidents.written import Transcript, read

Json = dict[str, Any]
CORE = "checkout-outage"
LONGEST_THREAD = 300
IN_THREADS = 0.45
"""The share of all messages that are replies."""
APART_S = 5.0
MARKS = "eyes thinking_face fire raised_hands".split()


def long_past(count: int, threads: int, end: float, seed: int = 1) -> tuple[list[Json], list[Json]]:
    """People, as the control API of the local Slack takes them, and messages, as an export has them, oldest first.

    Args:
        count: messages, replies included.
        threads: how many threads hang on them, of 1 to 300 replies.
        end: when the last message was written, in seconds since the epoch.
        seed: the same makes the same.
    """
    draw = random.Random(seed)
    told = crowded(replace(read(CORE), crowd={"size": count, "seed": seed}))
    stamps = {ts: f"{end - (count - n) * APART_S:.6f}" for n, (_, ts) in enumerate(with_ts(told))}
    messages = list(moved(told, stamps))
    free = [n for n, m in enumerate(messages) if m.pop("loose") and not m.get("subtype", "").startswith("channel_")]
    hang(draw, messages, free, threads)
    for number in free:
        decorate(draw, messages[number])
    return people_of(told), messages


def moved(told: Transcript, stamps: dict[str, str]) -> Iterator[Json]:
    """Every message at its new time; ``loose``: the crowd's, taken out of the threads of the core."""
    keys = {message.key: ts for message, ts in with_ts(told) if message.key}
    for message, ts in with_ts(told):
        plain = replace(message, deleted=None, edited=None)
        made = as_slack(told, plain if message.key else replace(plain, parent=""), ts, keys)
        made |= {name: stamps[made[name]] for name in ("ts", "thread_ts") if name in made}
        yield made | {"loose": not message.key}


def hang(draw: random.Random, messages: list[Json], free: list[int], threads: int) -> None:
    """Make some of the messages that are free replies to others: one long thread, one of a single reply, many short."""
    room = int(len(messages) * IN_THREADS)
    most = min(LONGEST_THREAD, room // 2)
    sizes = [most, 1, *(min(int(draw.paretovariate(0.9)), most) for _ in range(threads - 2))]
    roots = sorted(draw.sample(free[: len(free) // 2], threads))
    rest = [number for number in free if number not in set(roots)]
    for size, root in zip(draw.sample(sizes, threads), roots, strict=True):
        later = [number for number in rest if number > root][: min(size, max(room, 1))]
        for number in later:
            messages[number]["thread_ts"] = messages[root]["ts"]
        taken = set(later)
        rest, room = [number for number in rest if number not in taken], room - len(later)


def decorate(draw: random.Random, message: Json) -> None:
    """Reactions, an edit or a file, on some messages."""
    kind = draw.random()
    if kind < 0.15:
        message["reactions"] = [{"name": draw.choice(MARKS), "users": ["USLACKBOT"], "count": 1}]
    elif kind < 0.22 and "user" in message:
        message["edited"] = {"user": message["user"], "ts": f"{float(message['ts']) + 1:.6f}"}
    elif kind < 0.27:
        message["files"] = [{"id": f"F{draw.randrange(10**9):09d}", "name": "graph.png", "title": "graph of errors"}]
