"""Reads the files of one incident: alert, logs, metrics, traces, commits, deploys, flags and notices."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from workers.agents.causes.source.incident import (
    Alert,
    Commit,
    Flag,
    Incident,
    LogPattern,
    Notice,
    Release,
    Series,
)
from workers.agents.causes.source.log_patterns import mined_patterns
from workers.errors import ConfigError
from workers.language.environment_labels import PRODUCTION
from workers.language.environment_names import is_elsewhere, spelled
from workers.language.flag_events import FlagEventError, read_flag_event
from workers.sources.cluster.event import ClusterEvent, is_event
from workers.sources.cluster.event import read_events as cluster_events
from workers.sources.cluster.files import read_values
from workers.sources.logs.files import LogFiles
from workers.sources.traces.reading import epoch_s, read_spans
from workers.sources.traces.span import Span

MOST_BYTES = 200_000_000
RECENT = timedelta(minutes=30)
JSON_LINES = (".jsonl", ".ndjson")
KNOWN = frozenset("alert commits deploys flags logs metrics patterns traces service_map".split())
"""Files that are read by their names; any other JSON file is read as notices."""
TIME_KEYS = ("timestamp", "time", "at", "ts", "started_at", "start", "fired_at", "created_at", "updated_at")
TROUBLE_LEVELS = ("err", "warn", "fatal", "crit", "panic", "alert", "emerg")


def read_bundle(folder: Path) -> Incident:
    """The incident that the files of a folder tell of, at any depth.

    Files are found by name: ``alert.json``, ``logs.ndjson`` or ``.jsonl``, ``metrics.csv`` (timestamp, service, metric,
    value), ``traces.json`` (spans), ``patterns.json``, ``commits.json``, ``deploys.json``, ``flags.json`` (also as
    LaunchDarkly and Unleash send them), ``service_map.json``; other files of JSON or JSON lines are notices of
    providers and clusters, events of Kubernetes among them.

    Raises:
        ConfigError: there is no folder, no alert, or the alert cannot be read.
    """
    files = find_files(folder)
    unread: list[str] = []

    def items(name: str) -> list[dict[str, Any]]:
        return list(rows_of(read_json(files[name], unread))) if name in files else []

    if "alert" not in files:
        raise ConfigError(f"--bundle: {folder.name} holds no alert.json")
    told = next(iter(rows_of(read_json(files["alert"], unread))), {})
    fired = moment_of(told, "fired_at", *TIME_KEYS)
    alert = Alert(word(told, "service", "name"), word(told, "metric", "monitor"), sentence_of(told), fired)
    skipped = Counter[str]()
    spans = read_spans(read_json(files["traces"], unread), skipped) if "traces" in files else ()
    unread += [f"{count} spans of traces: {why}." for why, count in skipped.items()]
    patterns = tuple(read_pattern(row) for row in items("patterns"))
    if not patterns and "logs" in files and fired:
        patterns = mined_patterns([LogFiles([str(files["logs"])])], fired - RECENT, fired + RECENT)
    others = [p for name, p in files.items() if p.suffix in {".json", *JSON_LINES} and name not in KNOWN]
    series = read_metrics(files["metrics"]) if "metrics" in files else ()
    if "metrics" in files and not series:
        unread.append("metrics.csv holds no rows with timestamp, service, metric and value.")
    service_map = read_json(files["service_map"], unread) if "service_map" in files else None
    names = {canonical(s.service): s.service for s in series}
    uses = frozenset((who, names.get(canonical(what), what)) for who, what in mapped_uses(service_map))
    things = names | {canonical(what): what for _, what in uses}
    return Incident(
        alert=alert,
        series=series,
        patterns=patterns,
        spans=spans,
        commits=tuple(read_commit(row) for row in items("commits")),
        releases=tuple(filter(None, map(read_release, items("deploys")))),
        flags=tuple(flag for row in items("flags") for flag in read_flags(row)),
        notices=tuple(n for p in others for n in read_notices(p.stem, read_json(p, unread), things)),
        uses=uses,
        calls=calls_of(spans) | mapped_calls(service_map),
        unread=tuple(unread),
    )


def find_files(folder: Path) -> dict[str, Path]:
    """The files of a folder, at any depth, by their names without suffix. Raises: ConfigError: there is no folder."""
    if not folder.is_dir():
        raise ConfigError(f"--bundle: {folder} is no folder")
    return {p.stem: p for p in sorted(folder.rglob("*")) if p.is_file() and p.stat().st_size <= MOST_BYTES}


# --- values -----------------------------------------------------------------------------------------------------


def read_json(file: Path, unread: list[str]) -> Any:
    """The value of a file, of JSON lines a list; None and a sentence in ``unread`` when it is no JSON."""
    if file.suffix in JSON_LINES:
        return read_values(file, MOST_BYTES, unread)
    try:
        return json.loads(file.read_text(encoding="utf-8", errors="replace"))
    except ValueError as error:
        unread.append(f"{file.name} is no JSON: {error}.")
        return None


def rows_of(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list, or of the first list in an object, or the object itself."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))
    elif isinstance(value, dict):
        lists = [v for v in value.values() if isinstance(v, list) and any(isinstance(i, dict) for i in v)]
        yield from rows_of(lists[0]) if lists and len(value) <= len(lists) + 2 else iter((value,))


def word(row: Mapping[str, Any], *keys: str) -> str:
    """The first value of some keys as text; empty when there is none."""
    return next((str(row[k]).strip() for k in keys if row.get(k) not in (None, "")), "")


def moment_of(row: Mapping[str, Any], *keys: str) -> datetime | None:
    """The first value of some keys that is a time: RFC 3339 or epoch seconds."""
    for key in keys or TIME_KEYS:
        if (found := read_moment(row.get(key))) is not None:
            return found
    return None


def read_moment(value: Any) -> datetime | None:
    """A time, as spans have it; None for anything else."""
    try:
        seconds = epoch_s(value)
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def sentence_of(row: Mapping[str, Any]) -> str:
    """The words of an alert."""
    said = (word(row, key) for key in ("summary", "description", "message", "title", "detail"))
    return " ".join(dict.fromkeys(filter(None, said))) or word(row, "monitor")


# --- rows -------------------------------------------------------------------------------------------------------


def read_metrics(file: Path) -> tuple[Series, ...]:
    """Series of a table with the columns timestamp, service, metric, value; other cells are left out."""
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        for row in csv.DictReader(lines):
            at = read_moment(row.get("timestamp") or row.get("time"))
            try:
                value = float(row.get("value") or "nan")
            except ValueError:
                continue
            if at is not None:
                times, values = found.setdefault((row.get("service") or "", row.get("metric") or ""), ([], []))
                times.append(at.timestamp())
                values.append(value)
    return tuple(Series(service, metric, t, v) for (service, metric), (t, v) in found.items())


def read_pattern(row: Mapping[str, Any]) -> LogPattern:
    """A pattern that was counted already; ``delta_vs_baseline`` is a number with a sign."""
    count = int(float(word(row, "count") or 0))
    grown = float(word(row, "delta_vs_baseline", "delta").replace("+", "").rstrip("%") or 0)
    mood = word(row, "sentiment", "severity", "level").lower()
    trouble = mood.startswith(("neg", *TROUBLE_LEVELS))
    return LogPattern(word(row, "service"), word(row, "signature", "pattern", "template"), count, int(grown), trouble)


def read_commit(row: Mapping[str, Any]) -> Commit:
    """A commit; its diff may be missing."""
    files = row.get("files_changed") or row.get("files") or ()
    title = word(row, "message", "title").splitlines()[:1]
    return Commit(
        sha=word(row, "sha", "commit", "id"),
        at=moment_of(row),
        title=title[0] if title else "",
        files=tuple(str(f.get("path", "") if isinstance(f, dict) else f) for f in files),
        diff=word(row, "diff", "patch"),
    )


def read_release(row: Mapping[str, Any]) -> Release | None:
    """A deploy; None without a time."""
    at = moment_of(row)
    return (
        Release(word(row, "service"), word(row, "commit_sha", "commit", "sha"), word(row, "version"), at)
        if at
        else None
    )


def read_flags(row: Mapping[str, Any]) -> Iterator[Flag]:
    """The flags that a row says were changed: none without a time, none of another environment than production."""
    with suppress(FlagEventError):
        for told in read_flag_event(row, PRODUCTION).changes:
            if not is_elsewhere(told.environment, PRODUCTION):
                change = "→".join(filter(None, (told.before, told.after))) or told.change
                yield Flag(told.flag, told.service, change, told.at)
        return
    at = moment_of(row)
    sides = (word(row, "from", "old", "before"), word(row, "to", "new", "after"))
    change = word(row, "change") or "→".join(filter(None, sides))
    if at and not is_elsewhere(spelled(word(row, "environment"), PRODUCTION), PRODUCTION):
        yield Flag(word(row, "flag", "name", "key"), word(row, "service"), change, at)


def read_notices(source: str, value: Any, things: Mapping[str, str]) -> Iterator[Notice]:
    """Everything in a value that has a status and words, at any depth; ``things``: names by their canonical form."""
    if is_event(value):
        yield from (cluster_notice(source, event, things) for event in cluster_events(value) if event)
    elif isinstance(value, dict):
        status = word(value, "status", "impact", "type", "reason").lower()
        said = (word(value, k) for k in ("title", "name", "detail", "message", "body", "endpoint", "reason"))
        if status and (text := " ".join(filter(None, said))):
            about = canonical(word(value, "object", "involvedObject", "resource", "component"))
            warns = status.startswith(WARNING) or "pressure" in text.lower()
            times = [key for key in value if key.endswith(("_at", "Timestamp", "Time"))]
            yield Notice(source, text, status, moment_of(value, *TIME_KEYS, *times), things.get(about, ""), warns)
        for inner in value.values():
            yield from read_notices(source, inner, things)
    elif isinstance(value, list):
        for inner in value:
            yield from read_notices(source, inner, things)


def cluster_notice(source: str, event: ClusterEvent, things: Mapping[str, str]) -> Notice:
    """An event of Kubernetes as a notice: of a node, or of the workload whose pod it is."""
    text = f"{event.reason} of {event.kind} {event.name}: {event.message}"
    about = things.get(canonical(event.workload), "")
    trouble = event.warning or event.gravity == 0
    return Notice(source, text, "warning" if trouble else "normal", event.first_at, about, trouble)


WARNING = ("warn", "err", "crit", "node", "pod", "evict", "metric_threshold", "degrad", "down", "outage")
"""How the kind of an event begins that tells of trouble; those of deployments and scaling do not."""


def canonical(name: str) -> str:
    """What a thing is called without its kind and domain: ``node/ip-10-0-1-2.us-east-1`` is ``ip-10-0-1-2``."""
    return re.split(r"[:/]", name)[-1].split(".")[0].lower()


# --- who calls whom ---------------------------------------------------------------------------------------------


def calls_of(spans: Iterable[Span]) -> frozenset[tuple[str, str]]:
    """The calls between services that spans tell of; a span whose trace is not told is found by its id alone."""
    known = list(spans)
    by_key = {s.key: s.service for s in known}
    by_id = {s.span_id: s.service for s in known}
    found = ((by_key.get((s.trace_id, s.parent_id)) or by_id.get(s.parent_id), s.service) for s in known if s.parent_id)
    return frozenset((caller, callee) for caller, callee in found if caller and caller != callee)


def mapped_calls(value: Any) -> frozenset[tuple[str, str]]:
    """The calls of a service map: edges as objects with from and to, or services with what they depend on."""
    found: set[tuple[str, str]] = set()
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, list) and all(isinstance(i, str) for i in inner):
                found |= {(name, i) for i in inner}
            else:
                found |= mapped_calls(inner)
        pair = (word(value, "from", "source", "caller", "client"), word(value, "to", "target", "callee", "server"))
        found |= {pair} if all(pair) else set()
    elif isinstance(value, list):
        for inner in value:
            found |= mapped_calls(inner)
    return frozenset(found)


PLAIN_FIELDS = frozenset(
    "name namespace kind note description zone role version tier team owner language external_deps".split()
)
"""What a service map says of a service that is nothing which it rests on."""


def mapped_uses(value: Any) -> Iterator[tuple[str, str]]:
    """What each service of a map rests on beside other services: the values of its further fields."""
    if isinstance(value, dict):
        if name := word(value, "name"):
            for key, inner in value.items():
                named = inner if isinstance(inner, list) else [inner]
                if key not in PLAIN_FIELDS:
                    yield from ((name, item) for item in named if isinstance(item, str) and item)
        for inner in value.values():
            yield from mapped_uses(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from mapped_uses(inner)
