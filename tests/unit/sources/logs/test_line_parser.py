"""Lines of many shapes as records: time, service, level, message; what is broken is left out, and nothing raises."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.logs.line_parser import LineForm, parse_lines
from workers.sources.logs.record import LEVELS, MOST_CHARS, Record
from workers.sources.logs.timestamps import Clock

AT = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
FORM = LineForm("files", Clock(UTC, AT))


def parse(*lines: str | bytes, form: LineForm = FORM) -> list[Record]:
    raw = [line if isinstance(line, bytes) else line.encode() for line in lines]
    return list(parse_lines(((f"app.log@{n}", line) for n, line in enumerate(raw)), form))


def parse_one(line: str) -> tuple[datetime, str, str, str]:
    (found,) = parse(line)
    return found.at, found.service, found.level, found.message


def as_json(**fields: Any) -> str:
    return json.dumps(fields)


@each_row(
    "line",
    [
        as_json(timestamp="2026-03-01T12:00:05Z", level="ERROR", service="cart", message="boom"),
        as_json(time="2026-03-01T13:00:05+01:00", severity="error", app="cart", msg="boom"),
        as_json(ts=AT.timestamp(), lvl="err", service_name="cart", event="boom"),
        as_json(ts=AT.timestamp() * 1e3, level=50, service={"name": "cart"}, msg="boom"),
        as_json(timestamp=str(int(AT.timestamp() * 1e9)), level=3, service="cart", short_message="boom"),
        as_json(**{"@timestamp": "2026-03-01T12:00:05.000Z", "log.level": "error", "service.name": "cart"}, msg="boom"),
        as_json(**{"@timestamp": "2026-03-01T12:00:05"}, log={"level": "error"}, service={"name": "cart"}, body="boom"),
        as_json(
            timeUnixNano=str(int(AT.timestamp() * 1e9)),
            severityNumber=17,
            body={"stringValue": "boom"},
            resource={"attributes": [{"key": "service.name", "value": {"stringValue": "cart"}}]},
        ),
        'ts=2026-03-01T12:00:05Z level=error service=cart msg="boom"',
    ],
)  # fmt: skip
def test_shapes_of_structured_lines(line: str) -> None:
    assert parse_one(line) == (AT, "cart", "error", "boom")


@each_row(
    "line",
    [
        "2026-03-01T12:00:05Z ERROR boom",
        "2026-03-01 12:00:05,000 ERROR boom",
        "[2026-03-01 12:00:05] ERROR boom",
        "2026/03/01 12:00:05 ERROR boom",
        "2026-03-01T12:00:05.000000+0000 ERROR boom",
        "Mar  1 12:00:05 host files[42]: ERROR boom",
        "<11>Mar  1 12:00:05 host files: ERROR boom",
    ],
)
def test_shapes_of_plain_lines(line: str) -> None:
    assert parse_one(line) == (AT, "files", "error", "ERROR boom")


def test_web_server_line_keeps_its_request() -> None:
    line = '10.0.0.1 - - [01/Mar/2026:13:00:05 +0100] "GET /cart HTTP/1.1" 502 12'
    assert parse_one(line) == (AT, "files", "", '10.0.0.1 - - "GET /cart HTTP/1.1" 502 12')


def test_times_without_a_zone_are_read_in_the_configured_one() -> None:
    form = LineForm("files", Clock(timezone(timedelta(hours=2)), AT))
    (found,) = parse("2026-03-01 14:00:05 boom", form=form)
    assert found.at == AT
    assert found.at.tzinfo is UTC


def test_a_time_without_a_year_is_of_the_last_one_that_fits() -> None:
    form = LineForm("files", Clock(UTC, datetime(2026, 1, 2, tzinfo=UTC)))
    (found,) = parse("Dec 31 23:59:59 host app: late", form=form)
    assert found.at == datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_an_export_of_open_telemetry_has_several_records() -> None:
    records = [{"timeUnixNano": str(int(AT.timestamp() * 1e9)), "body": {"stringValue": f"m{n}"}} for n in range(3)]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "cart"}}]}
    found = parse(as_json(resourceLogs=[{"resource": resource, "scopeLogs": [{"logRecords": records}]}]))
    assert [(r.service, r.message) for r in found] == [("cart", "m0"), ("cart", "m1"), ("cart", "m2")]


def test_a_stack_trace_belongs_to_its_line() -> None:
    found = parse(
        "at the end of another", "2026-03-01T12:00:05Z ERROR boom", "  at a.b(C.java:1)", "2026-03-01T12:00:06Z ok"
    )
    assert [(r.message, r.locator) for r in found] == [
        ("ERROR boom\n  at a.b(C.java:1)", "app.log@1"),
        ("ok", "app.log@3"),
    ]  # fmt: skip


def test_colours_and_controls_are_taken_out() -> None:
    assert parse_one("2026-03-01T12:00:05Z \x1b[31mERROR\x1b[0m bo\x07om")[3] == "ERROR bo om"


@each_row("line", ["", "no time", "{", '{"message": "x"}', "2026-13-45T99:00:00Z x", '{"ts": 12, "msg": "x"}'])
def test_lines_without_a_time_are_left_out(line: str) -> None:
    assert parse(line) == []


def test_other_fields_become_attributes() -> None:
    (found,) = parse(as_json(ts="2026-03-01T12:00:05Z", msg="x", trace_id="abc", attributes={"http.status": 502}))
    assert found.attributes == {"trace_id": "abc", "http.status": 502}


KEYS = st.sampled_from(
    "ts time @timestamp level severityNumber log msg body service resource attributes resourceLogs scopeLogs".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just("2026-03-01T12:00:05Z")
    | st.just(1e18),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6).map(lambda found: json.dumps(found).encode())
TIMED = st.text().map(lambda text: f"2026-03-01T12:00:05Z {text}".encode("utf-8", "surrogatepass"))


@given(st.lists(st.binary() | OBJECTS | TIMED | st.text().map(lambda t: t.encode("utf-8", "replace")), max_size=8))
def test_any_bytes_are_read_without_an_error_and_always_alike(lines: list[bytes]) -> None:
    found = parse(*lines)
    assert repr(parse(*lines)) == repr(found)
    for record in found:
        assert record.at.tzinfo is UTC
        assert record.level in {"", *LEVELS}
        assert len(record.message) <= MOST_CHARS
        record.message.encode()
        record.service.encode()


@each_row(
    "line",
    [
        b'{"attributes":' * 900 + b"{}" + b"}" * 900,
        b'{"ts":"2026-03-01T12:00:05Z","attributes":' + b'{"attributes":' * 900 + b"{}" + b"}" * 901,
        b'{"ts":"0001-01-01T00:00:00+14:00"}',
        b'{"ts":"9999-12-31T23:59:59-14:00"}',
        b'{"ts":1e300}',
        b"9999-12-31T23:59:59-14:00 x",
        b"2026-03-01T12:00:05+99:99 x",
        b"Feb 30 12:00:05 host app: x",
        b"[32/Foo/2026:99:00:05 +0100]",
    ],
)
def test_odd_lines_are_read_or_left_out(line: bytes) -> None:
    assert len(parse(line)) <= 1
