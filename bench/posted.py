"""What a run of the whole bot posted, judged word for word, and the figures of its requests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bench.occurs import Known, known_of, ungrounded
from bench.specifics import texts_of
from tests.support.deployment import Slack
from workers.contracts import Answer, Claim, Landscape, RequestLog
from workers.errors import RequestNotFound
from workers.store.database import Database
from workers.store.request_logs import SqlStore
from workers.store.tables import jobs

WRITES = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")
SHOWS = (*WRITES, "assistant.threads.setStatus", "chat.postEphemeral", "views.open", "views.publish")


@dataclass
class Run:
    """What was asked, and what came of it."""

    slack: Slack
    database: Database
    landscape: Landscape = field(default_factory=Landscape)
    candidates: list[tuple[str, float]] = field(default_factory=list)
    threads: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)


# --- judging --------------------------------------------------------------------------------------------------


def outcome(run: Run, report: Path | None) -> dict[str, Any]:
    """The figures of all requests, and of every text that was posted."""
    logs = {log.request_id: log for log in logs_of(run.database)}
    bad: list[dict[str, Any]] = []
    said = list(posted(run, logs))
    for ids, text in said:
        back = run.candidates if any(a in text for a in ("p95 steady", "p95 rose", "p95 fell")) else []
        knowns = [known_of(logs[i], run.landscape, vouched(logs[i]), back) for i in ids]
        for specific, verdict in unknown_to_all(text, knowns):
            bad.append(
                {"requests": ids, "kind": specific.kind, "specific": specific.text, "verdict": verdict, "in": text}
            )
    if report:
        rows = [{"text": text, "requests": ids} for ids, text in said] + bad
        report.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    wrong = [row for row in bad if row["verdict"] == "ungrounded"]
    for row in wrong:
        print(
            f"ungrounded {row['kind']} {row['specific']!r} ({', '.join(row['requests'])}): {row['in'][:300]!r}",
            file=sys.stderr,
        )
    return {
        **counts(run, list(logs.values())),
        "claims of the model shown": sum(
            len(claims_of(x.answer)) for x in logs.values() if x.answer and x.reasoner != "rules"
        ),
        "texts read": len(said),
        "ungrounded specifics": len(wrong),
        "named only as what was searched for": len(bad) - len(wrong),
    }


def unknown_to_all(text: str, knowns: list[Known]) -> list[Any]:
    """What none of the requests of a text knows; as good as the best of them says."""
    found = [dict(ungrounded(text, known)) for known in knowns]
    return [(s, min(f[s] for f in found)) for s in (found[0] if found else ()) if all(s in f for f in found)]


def vouched(log: RequestLog) -> list[str]:
    """What a reply says of itself: who wrote it, how long it took, which tools it used."""
    times = [text for ms in log.timings_ms.values() for text in (f"{ms / 1000:.1f} s", f"{ms:.0f} ms")]
    used = [f"{call.model} {call.usage.tokens}" for call in log.model_calls]
    return [log.reasoner, *times, *(log.answer.tools_used if log.answer else ()), *used]


def posted(run: Run, logs: dict[str, RequestLog]) -> Iterator[tuple[list[str], str]]:
    """Every text that reached a thread, with the requests it may be about."""
    by_thread: dict[tuple[str, str], list[str]] = {}
    with run.database.begin() as connection:
        for row in connection.execute(select(jobs.c.request_id, jobs.c.channel, jobs.c.thread_ts)):
            by_thread.setdefault((row.channel, row.thread_ts), []).append(row.request_id)
    channels = run.slack.get("state")["channels"]
    roots = {(c["id"], m["ts"]): m.get("thread_ts", m["ts"]) for c in channels for m in c["messages"]}
    for call in run.slack.get("calls")["calls"]:
        if call["status"] != 200 or call["method"] not in SHOWS:
            continue
        arguments = call["arguments"]
        whole = json.dumps(arguments)
        ids = [i for i in logs if f"{i}:" in whole]
        if not ids:
            channel = arguments.get("channel") or arguments.get("channel_id") or ""
            root = arguments.get("thread_ts") or roots.get((channel, arguments.get("ts", "")), "")
            ids = [i for i in by_thread.get((channel, root), []) if i in logs]
        shown = {k: v for k, v in arguments.items() if k != "metadata"}
        if call["method"].endswith("setStatus"):
            shown = {"title": arguments.get("status", "")}
        for text in dict.fromkeys(texts_of(shown)):
            if text.strip():
                yield ids, text


def logs_of(database: Database) -> Iterator[RequestLog]:
    """The stored log of every request."""
    store = SqlStore(database, lambda log: log)
    with database.begin() as connection:
        ids = [row.request_id for row in connection.execute(select(jobs.c.request_id).order_by(jobs.c.accepted_at))]
    for request_id in ids:
        try:
            yield store.load(request_id)
        except RequestNotFound:
            continue


# --- figures --------------------------------------------------------------------------------------------------


def counts(run: Run, logs: list[RequestLog]) -> dict[str, Any]:
    """Who answered what, how, how long it took, and what the model was asked."""
    answers = [log.answer for log in logs if log.answer]
    calls = Counter(f"{c.role} {c.status}" for log in logs for c in log.model_calls)
    reasons = Counter(
        f"{c.role} {c.status}: {c.reason[:60]}" for log in logs for c in log.model_calls if c.status != "ok"
    )
    waits = sorted(waits_of(run))
    return {
        "asked": sum(map(len, run.threads.values())),
        "without a reply": len(run.silent),
        "answered, asked back, refused": " · ".join(
            str(sum(a.kind == kind for a in answers)) for kind in ("answer", "clarify", "refusal")
        ),
        "written by": as_list(Counter(log.reasoner for log in logs)),
        "with a banner": as_list(Counter(a.banner for a in answers if a.banner)),
        "claims shown": sum(len(claims_of(a)) for a in answers),
        "claims struck at last": sum(len(log.struck) for log in logs),
        "calls of the model": as_list(calls),
        "why they failed, most often": as_list(Counter(dict(reasons.most_common(6)))),
        "tokens in, out": f"{sum(tokens_in(log) for log in logs):,} · {sum(log.usage.output_tokens for log in logs):,}",
        "mention to answer, p50 s": percentile(waits, 0.5),
        "mention to answer, p95 s": percentile(waits, 0.95),
    }


def claims_of(answer: Answer) -> tuple[Claim, ...]:
    """The statements of an answer."""
    lists = (answer.what_changed, answer.metrics, answer.code, answer.docs, answer.next_steps)
    return (answer.headline, *(claim for found in lists for claim in found))


def tokens_in(log: RequestLog) -> int:
    """Tokens that went into the model, those that its cache served included."""
    used = log.usage
    return used.input_tokens + used.cache_read_tokens + used.cache_write_tokens


def waits_of(run: Run) -> Iterator[float]:
    """Seconds from each mention to its reply, by the times that Slack stored; waiting for a worker included."""
    with run.database.begin() as connection:
        rows = list(connection.execute(select(jobs.c.accepted_at, jobs.c.finished_at, jobs.c.waiting_since)))
    for row in rows:
        if row.finished_at:
            yield float(row.finished_at) - float(row.accepted_at)


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of them lies."""
    return round(values[min(int(share * len(values)), len(values) - 1)], 1) if values else 0.0


def as_list(counted: Counter[Any]) -> str:
    """``a ×3 · b ×1``."""
    return " · ".join(f"{name} ×{n}" for name, n in counted.most_common()) or "–"
