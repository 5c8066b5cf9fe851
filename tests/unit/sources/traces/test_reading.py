"""Spans of every format are read alike, and strange input is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.unit.sources.traces.span_formats import (
    NOON,
    as_jaeger,
    as_otlp,
    as_plain,
    as_zipkin,
    make_span,
    spans_of_the_shop,
)
from workers.sources.traces.reading import read_spans
from workers.sources.traces.span import Span

FORMATS: dict[str, Callable[[Sequence[Span]], Any]] = {
    "otlp": as_otlp,
    "tempo": lambda spans: as_otlp(spans, "batches", encoded=True),
    "tempo 2": lambda spans: {"trace": as_otlp(spans, encoded=True)},
    "jaeger": as_jaeger,
    "zipkin": as_zipkin,
    "plain": as_plain,
    "under a key": lambda spans: {"spans": as_plain(spans)},
    "lists of lists": lambda spans: [as_zipkin(spans)],
}


@each_row("name", FORMATS)
def test_all_formats_tell_the_same(name: str) -> None:
    skipped: Counter[str] = Counter()
    spans = spans_of_the_shop()
    read = read_spans(json.loads(json.dumps(FORMATS[name](spans))), skipped)
    assert not skipped
    assert [(s.key, s.parent_id, s.service, s.name) for s in read] == [
        (s.key, s.parent_id, s.service, s.name) for s in spans
    ]
    assert [(s.start, s.duration_ms, s.error, s.kind) for s in read] == [
        (s.start, pytest.approx(s.duration_ms), s.error, s.kind) for s in spans
    ]
    assert all(known.attributes.items() <= s.attributes.items() for s, known in zip(read, spans, strict=True))


ROW = {"trace_id": "t", "span_id": "a", "start": NOON.timestamp(), "duration_ms": 5}


@each_row(
    "row, reason",
    [
        (7, "not an object"),
        ({"span_id": "b", "start": 1}, "no trace or span id"),
        ({**ROW, "span_id": None}, "no trace or span id"),
        ({**ROW, "start": "soon"}, "no start"),
        ({**ROW, "start": 1e300}, "no start"),
        ({**ROW, "duration_ms": None}, "no duration"),
        ({**ROW, "duration_ms": 1e13}, "no duration"),
        ({**ROW, "duration_ms": float("nan")}, "no duration"),
        ({"resourceSpans": 3}, "no list of spans"),
        ({"data": [{"processes": {}, "spans": None}]}, "no list of spans"),
        ([[[[[[[[[]]]]]]]]], "nested too deep"),
    ],
)
def test_what_is_no_span_is_counted_by_its_reason(row: Any, reason: str) -> None:
    skipped: Counter[str] = Counter()
    assert [s.span_id for s in read_spans([row, ROW], skipped)] == ["a"]
    assert skipped == {reason: 1}


@each_row(
    "start, duration, ms",
    [
        (NOON.isoformat(), 5, 5),
        ("2026-11-20T12:00:00Z", "5", 5),
        (NOON.timestamp(), 5, 5),
        (NOON.timestamp() * 1e3, 5, 5),
        (int(NOON.timestamp() * 1e6), 5_000, 5),
        (str(int(NOON.timestamp()) * 10**9), 5_000_000, 5),
    ],
)
def test_times_are_read_in_the_unit_their_size_tells(start: Any, duration: Any, ms: float) -> None:
    (span,) = read_spans([{"trace_id": "t", "span_id": "a", "start": start, "duration": duration}])
    assert (span.start, span.duration_ms) == (NOON, pytest.approx(ms))


def test_an_end_before_the_start_counts_as_no_time() -> None:
    row = {"trace_id": "t", "span_id": "a", "start_time": "2026-11-20T12:00:01Z", "end_time": "2026-11-20T12:00:00Z"}
    assert read_spans([row])[0].duration_ms == 0


@each_row(
    "more, failed",
    [
        ({"error": True}, True),
        ({"error": 1}, True),
        ({"error": "card declined"}, True),
        ({"error": "false"}, False),
        ({"error": None, "status": "OK"}, False),
        ({"status": "ERROR"}, True),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, True),
        ({"status": 503}, True),
        ({"status": 404}, False),
        ({"tags": {"error": "timeout"}}, True),
        ({}, False),
    ],
)
def test_errors_of_plain_spans(more: dict[str, Any], failed: bool) -> None:
    assert read_spans([{**ROW, **more}])[0].error is failed


def test_an_exception_of_an_event_is_kept() -> None:
    otlp = as_otlp([make_span("a", error=True)])
    row = otlp["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    row["status"]["message"] = "boom"
    thrown = [{"key": "exception.type", "value": {"stringValue": "CardDeclined"}}]
    row["events"] = [{"name": "exception", "attributes": thrown}, "?"]
    (span,) = read_spans(otlp)
    assert span.attributes == {"status.message": "boom", "exception.type": "CardDeclined"}


def test_spans_take_the_trace_id_of_what_is_around_them() -> None:
    read = read_spans({"trace_id": "t9", "spans": [{k: v for k, v in ROW.items() if k != "trace_id"}]})
    assert [s.trace_id for s in read] == ["t9"]


def test_a_server_that_shares_its_clients_id_gets_its_own() -> None:
    shared = [
        make_span("a", service="shop"),
        make_span("b", "a", "shop", "get", 10, 80, kind="client"),
        make_span("b", "a", "stock", "get", 20, 60, kind="server"),
        make_span("c", "b", "stock", "query", 30, 40),
    ]
    read = read_spans(as_zipkin(shared))
    assert [(s.span_id, s.parent_id) for s in read] == [("a", ""), ("b", "a"), ("b:server", "b"), ("c", "b:server")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("2026-11-20T12:00:00Z"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "resourceSpans batches resource scopeSpans spans data processes processID attributes key value tags "
                "logs references events status code trace_id traceId traceID span_id spanId spanID id parent_id "
                "service name start startTime startTimeUnixNano endTimeUnixNano duration duration_ms timestamp error "
                "kind trace".split()
            )
            | st.text(max_size=5),
            inner,
            max_size=8,
        )
    ),
    max_leaves=30,
)


@given(JSON)
def test_readers_never_raise(value: Any) -> None:
    for span in read_spans(value, Counter()):
        assert span.trace_id
        assert span.span_id
        assert span.duration_ms >= 0
        assert span.start.tzinfo is UTC


@given(st.data())
def test_readers_never_raise_on_a_known_shape_with_one_strange_value(data: st.DataObject) -> None:
    made = json.loads(json.dumps(data.draw(st.sampled_from(list(FORMATS.values())))(spans_of_the_shop()[:3])))
    at = made
    while isinstance(at, dict | list) and at:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            at[key] = data.draw(JSON)
            break
        at = at[key]
    read_spans(made, Counter())


def test_huge_numbers_are_no_ids_and_no_times() -> None:
    assert read_spans([{**ROW, "trace_id": 10**5_000}, {**ROW, "start": 10**5_000}]) == ()
    assert read_spans([{**ROW, "trace_id": 2**64}])[0].start == datetime(2026, 11, 20, 12, tzinfo=UTC)
