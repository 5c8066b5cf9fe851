"""Lines -> records: JSON of many shapes, logfmt, and plain text that begins with a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import orjson

from workers.sources.logs.record import Record, clean, level_of, open_telemetry_level
from workers.sources.logs.timestamps import Clock, leading_time, read_time

TIME_KEYS = tuple(
    "timestamp @timestamp time ts datetime date timeUnixNano observedTimeUnixNano observedTimestamp asctime eventTime "
    "Timestamp Time __REALTIME_TIMESTAMP".split()
)
MESSAGE_KEYS = tuple("message msg body Body log event text short_message MESSAGE Message".split())
LEVEL_KEYS = tuple(
    "level severity severityText severity_text SeverityText lvl loglevel log.level levelname Level PRIORITY".split()
)
NUMBER_KEYS = ("severityNumber", "severity_number", "SeverityNumber")
SERVICE_KEYS = tuple(
    "service service.name service_name app application container component unit SYSLOG_IDENTIFIER".split()
)
KNOWN = frozenset((*TIME_KEYS, *MESSAGE_KEYS, *LEVEL_KEYS, *NUMBER_KEYS, *SERVICE_KEYS))
LOGFMT = re.compile(r'(?<!\S)([A-Za-z_@][\w.@-]{0,60})=("(?:[^"\\]|\\.)*"|[^\s"]*)')
LOGFMT_START = re.compile(r"(?:ts|time|timestamp|t|level|lvl)=\S")
UPPER = re.compile(
    r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|SEVERE|CRITICAL|CRIT|FATAL|ALERT|EMERG|PANIC)\b", re.ASCII
)
MARKED = re.compile(r"(?:[\[<(]|level=|severity=)([A-Za-z]{3,12})(?:[\]>)]|\b)", re.ASCII)
PROGRAM = re.compile(r"(?:[\w.-]{1,100} )?([A-Za-z][\w./-]{0,60})(?:\[\d{1,10}\])?: ", re.ASCII)
HEAD_CHARS = 80
MOST_LINE_CHARS = 100_000
MOST_FURTHER = 30
"""Lines without a time, such as those of a stack trace, that are kept with the one before."""
Raw = Mapping[str, Any]


@dataclass(frozen=True)
class LineForm:
    """What is known of lines beforehand: the ``service`` of those that name none, how times are read, and how many
    lines each stands for.
    """

    service: str
    clock: Clock
    weight: float = 1.0


def parse_lines(lines: Iterable[tuple[str, bytes]], form: LineForm) -> Iterator[Record]:
    """Records of lines with their locators. A line without a time belongs to the one before it, and is left out when
    there is none. Never raises.
    """
    last: Record | None = None
    further = 0
    for locator, line in lines:
        found = parse_line(line, locator, form)
        if found:
            if last is not None:
                yield last
            yield from found[:-1]
            last, further = found[-1], 0
        elif last is not None and further < MOST_FURTHER and line.strip():
            further += 1
            text = clean(line.decode("utf-8", "replace"))
            last = replace(last, message=clean(f"{last.message}\n{text}"))
    if last is not None:
        yield last


def parse_line(line: bytes, locator: str, form: LineForm) -> list[Record]:
    """The records of one line: one, several when it is an export of OpenTelemetry, none when it has no time."""
    if line[:1] == b"{":
        try:
            data = orjson.loads(line)
        except ValueError:  # cut off, or not JSON after all
            data = None
        if isinstance(data, dict):
            if "resourceLogs" in data:
                return [r for part in exported(data) if (r := parse_object(part, locator, form)) is not None]
            one = parse_object(data, locator, form)
            return [] if one is None else [one]
    one = parse_text(line.decode("utf-8", "replace")[:MOST_LINE_CHARS].rstrip(), locator, form)
    return [] if one is None else [one]


def parse_object(data: Raw, locator: str, form: LineForm, at: datetime | None = None) -> Record | None:
    """A JSON object as a record; None when it has no time. ``at``: the time that is known of it otherwise."""
    if at is None:
        at = object_time(data, form.clock)
        if at is None:
            return None
    message = clean(first(data, MESSAGE_KEYS, text_of) or event_text(data))
    service, level = first(data, SERVICE_KEYS, name_of), object_level(data)
    attributes = {k: v for k, v in data.items() if k not in KNOWN}
    for group in ("resource", "attributes"):
        if group in attributes:
            inner = plain_attributes(attributes.pop(group))
            service = service or first(inner, SERVICE_KEYS, name_of)
            attributes |= inner
    level = level or word_level(message[:HEAD_CHARS])
    return Record(at, service or form.service, level, message, locator, attributes, form.weight)


def first(data: Raw, keys: Iterable[str], read: Callable[[object], str]) -> str:
    """What is read under the first of some keys that says something; empty when none does."""
    for key in keys:
        if key in data and (found := read(data[key])):
            return found
    return ""


def object_time(data: Raw, clock: Clock) -> datetime | None:
    """When an object says that it was written."""
    for key in TIME_KEYS:
        if key in data and (found := read_time(data[key], clock)) is not None:
            return found
    return None


def object_level(data: Raw) -> str:
    """The level that an object names, as a word or a number, or as Elastic's common schema does; else empty."""
    if found := first(data, LEVEL_KEYS, level_of) or first(data, NUMBER_KEYS, open_telemetry_level):
        return found
    log = data.get("log")
    return level_of(log.get("level")) if isinstance(log, dict) else ""


def event_text(data: Raw) -> str:
    """The text of an event that is all fields; those that can be written."""
    fields = without_time(data)
    try:
        return orjson.dumps(fields, default=str).decode()
    except TypeError:  # too deep, or a number too large
        return " ".join(f"{k}={v}" for k, v in fields.items() if isinstance(v, str | int | float))


def without_time(data: Raw) -> dict[str, Any]:
    """An object without its times."""
    return {k: v for k, v in data.items() if k not in TIME_KEYS}


def text_of(value: object) -> str:
    """A message: text, or OpenTelemetry's value of one; empty for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(found := value.get("stringValue"), str):
        return found
    return ""


def name_of(value: object) -> str:
    """A service's name: text, or an object that has a name; empty for anything else."""
    if isinstance(value, dict):
        value = value.get("name")
    return clean(value)[:100] if isinstance(value, str) else ""


def plain_attributes(value: object) -> dict[str, Any]:
    """Attributes as a mapping: OpenTelemetry's list of keys and values, an object of them, or one within another."""
    if isinstance(value, dict) and isinstance(inner := value.get("attributes"), dict | list):
        value = inner
    if isinstance(value, dict):
        return dict(value)
    found: dict[str, Any] = {}
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and isinstance(item.get("key"), str):
            held = item.get("value")
            found[item["key"]] = next(iter(held.values()), "") if isinstance(held, dict) else held
    return found


def exported(data: Raw) -> Iterator[dict[str, Any]]:
    """The records of an export of OpenTelemetry, each with its resource."""
    for resource in objects(data.get("resourceLogs")):
        for scope in objects(resource.get("scopeLogs")):
            for one in objects(scope.get("logRecords")):
                yield {**one, "resource": resource.get("resource")}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list, if it is one."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def parse_text(line: str, locator: str, form: LineForm) -> Record | None:
    """Plain text that begins with a time, or logfmt; None when it has no time."""
    if LOGFMT_START.match(line):
        return parse_object(logfmt(line), locator, form)
    timed = leading_time(line, form.clock)
    if timed is None:
        return None
    at, rest = timed
    message = clean(rest)
    service = form.service
    if line[:1].isalpha() or line[:1] == "<":  # syslog: host program[pid]:
        program = PROGRAM.match(message)
        if program:
            service, message = program[1], message[program.end() :]
    return Record(at, service, word_level(message[:HEAD_CHARS]), message, locator, weight=form.weight)


def logfmt(line: str) -> dict[str, Any]:
    """The fields of ``key=value key="a value"``."""
    return {key: value[1:-1].replace('\\"', '"') if value[:1] == '"' else value for key, value in LOGFMT.findall(line)}


def word_level(head: str) -> str:
    """The level that the beginning of a text names, in capitals or within brackets; empty when there is none."""
    found = UPPER.search(head)
    if found:
        return level_of(found[1])
    return next((level for m in MARKED.finditer(head) if (level := level_of(m[1]))), "")
