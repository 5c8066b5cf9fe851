"""Grafana Loki by its HTTP API: ``/loki/api/v1/query_range``, labels and ``/ready``. Every request is a GET."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from workers.errors import ToolUnavailable
from workers.settings.schema import LokiServer
from workers.sources.logs.line_parser import LineForm, logfmt, parse_line, parse_object, word_level
from workers.sources.logs.record import LEVELS, SPELLINGS, Reading, Record, Wanted, clean, level_of, rank
from workers.sources.logs.time_slices import Slice, read_slices, share_of
from workers.sources.logs.timestamps import Clock
from workers.sources.server_connection import ServerConnection

API = "/loki/api/v1"
SERVICE_LABELS = ("service_name", "service", "app", "application", "job", "container")
LEVEL_LABELS = ("level", "detected_level", "severity", "severity_text")
SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
"""What RE2 takes for more than a letter."""


class Loki:
    """A Loki. Threads may share it."""

    name = "Loki"

    def __init__(self, server: LokiServer) -> None:
        headers = {"x-scope-orgid": server.tenant} if server.tenant else {}
        self.server = server
        self.connection = ServerConnection(self.name, "logs.loki", server, headers, "Bearer")

    def ping(self) -> str:
        """What it says of itself. Raises: ToolUnavailable."""
        return f"Loki at {self.connection.address}: {self.connection.text('/ready') or 'ready'}"

    def read(self, wanted: Wanted) -> Reading:
        """See `record.LogSource`."""
        query = self.query(wanted, self.labels(wanted))
        return read_slices(self.name, wanted, lambda span: self.read_slice(query, span))

    def labels(self, wanted: Wanted) -> tuple[str, ...]:
        """The labels of a span's streams. Raises: ToolUnavailable."""
        params = {"start": nanoseconds(wanted.since), "end": nanoseconds(wanted.until)}
        found = self.connection.get(f"{API}/labels", params).get("data")
        return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()

    def query(self, wanted: Wanted, labels: Sequence[str]) -> str:
        """What is wanted in LogQL. Levels are chosen by a label where streams have one, else when they are read."""
        matchers = [self.server.selector.strip().removeprefix("{").removesuffix("}")]
        service = next((label for label in SERVICE_LABELS if label in labels), "")
        if wanted.service and service:
            matchers.append(f"{service}=~{literal(f'(?i){quoted(wanted.service)}')}")
        level = next((label for label in LEVEL_LABELS if label in labels), "")
        if wanted.level and level:
            words = [word for name in LEVELS[rank(wanted.level) :] for word in SPELLINGS[name].split()]
            matchers.append(f"{level}=~{literal('(?i)' + '|'.join(words))}")
        text = f" |~ {literal(f'(?i){quoted(wanted.text)}')}" if wanted.text else ""
        return f"{{{', '.join(filter(None, matchers))}}}{text}"

    def read_slice(self, query: str, span: Wanted) -> Slice:
        """The first lines of a slice. Raises: ToolUnavailable."""
        limit = min(span.most, self.server.most)
        params: dict[str, str | int] = {
            "query": query,
            "start": nanoseconds(span.since),
            "end": nanoseconds(span.until),
            "limit": limit,
            "direction": "forward",
        }
        answer = self.connection.get(f"{API}/query_range", params)
        data = answer.get("data")
        streams = data.get("result") if isinstance(data, dict) else None
        if not isinstance(streams, list) or not isinstance(data, dict) or data.get("resultType") != "streams":
            raise ToolUnavailable("what answers in place of Loki is something else")
        clock = Clock(UTC, span.until)
        records = [record for stream in streams for record in stream_records(stream, self.connection.address, clock)]
        warnings = answer.get("warnings")
        notes = [f"Loki warns: {clean(str(w))[:200]}" for w in warnings] if isinstance(warnings, list) else []
        share = share_of(records, span) if len(records) >= limit else 1.0
        return Slice(tuple(records), share, tuple(notes))


def stream_records(stream: object, address: str, clock: Clock) -> Iterator[Record]:
    """The records of a stream as Loki sends it; what is none is left out."""
    labels = stream.get("stream") if isinstance(stream, dict) else None
    values = stream.get("values") if isinstance(stream, dict) else None
    for value in values if isinstance(values, list) else ():
        if not isinstance(value, list) or len(value) < 2 or not all(isinstance(part, str) for part in value[:2]):
            continue
        more = value[2] if len(value) > 2 and isinstance(value[2], dict) else {}
        known: dict[str, Any] = {**(labels if isinstance(labels, dict) else {}), **more}
        if value[0].isascii() and value[0].isdigit() and len(value[0]) < 20:
            yield entry_record(int(value[0]), value[1], known, address, clock)


def entry_record(at_ns: int, line: str, labels: Mapping[str, Any], address: str, clock: Clock) -> Record:
    """One line with the labels of its stream. What these say of service and level goes before what the line says."""
    at = datetime.fromtimestamp(at_ns / 1e9, UTC)
    service = next((clean(str(labels[name]))[:100] for name in SERVICE_LABELS if labels.get(name)), "")
    level = next((found for name in LEVEL_LABELS if (found := level_of(labels.get(name)))), "")
    locator = f"{address}{API}/query_range@{at_ns}"
    inner = inner_record(line, locator, LineForm(service, clock), at)
    if inner is None:
        message = clean(line)
        return Record(at, service, level or word_level(message[:80]), message, locator, dict(labels))
    return Record(
        at,
        service or inner.service,
        level or inner.level,
        inner.message,
        locator,
        {**labels, **inner.attributes},
    )


def inner_record(line: str, locator: str, form: LineForm, at: datetime) -> Record | None:
    """A line that is JSON, logfmt, or begins with a time again; None for any other text."""
    if line[:1] == "{":
        try:
            data = orjson.loads(line)
        except ValueError:
            return None
        return parse_object(data, locator, form, at) if isinstance(data, dict) else None
    fields = logfmt(line[:4_000]) if "=" in line[:40] else {}
    if fields.get("msg") or fields.get("message"):
        return parse_object(fields, locator, form, at)
    found = parse_line(line.encode("utf-8", "replace"), locator, form)
    return found[0] if found else None


def nanoseconds(moment: datetime) -> int:
    """A moment as Loki takes it."""
    return int(moment.timestamp()) * 10**9 + moment.microsecond * 1_000


def quoted(text: str) -> str:
    """A text as a pattern that only finds it."""
    return SPECIAL.sub(lambda m: f"\\{m.group()}", text)


def literal(text: str) -> str:
    """A text as LogQL writes one."""
    return json.dumps(text, ensure_ascii=False)
