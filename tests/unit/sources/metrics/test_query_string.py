"""The structured string."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.errors import ToolArgumentError
from workers.sources.metrics.query_string import (
    COMPARES,
    RESERVED,
    AlertQuery,
    Last,
    MetricQuery,
    SinceDeploy,
    Span,
    parse_query,
    write_window,
)

BARE = re.compile(r'[^\s"\\]+')
zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8))])
moments = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=zones)  # noqa: DTZ001
spans = st.builds(
    lambda start, minutes: Span(start, start + timedelta(minutes=minutes) if minutes else None),
    moments,
    st.one_of(st.none(), st.integers(1, 30 * 24 * 60)),
)
windows = st.one_of(
    st.integers(60, 30 * 86_400).map(lambda s: Last(timedelta(seconds=s))), st.just(SinceDeploy()), spans
)
label_names = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,10}", fullmatch=True).filter(lambda k: k not in RESERVED)
values = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20).filter(
    lambda v: v.strip() and len(repr(v)) < 60
)
metric_names = st.from_regex(r"[a-z_:][a-zA-Z0-9_:. /-]{0,20}[a-z]", fullmatch=True)
queries = st.one_of(
    st.builds(
        MetricQuery,
        metric=metric_names,
        window=windows,
        compare=st.sampled_from(COMPARES),
        by=st.one_of(st.none(), label_names),
        labels=st.dictionaries(label_names, values, max_size=4).map(lambda d: tuple(d.items())),
    ),
    st.builds(AlertQuery, alert=values.map(str.strip), window=windows),
)


def write_query(query: MetricQuery | AlertQuery) -> str:
    """The structured string of a query."""
    if isinstance(query, AlertQuery):
        return f"alert={quoted(query.alert)} window={write_window(query.window)}"
    parts = [f"metric={quoted(query.metric)}", f"window={write_window(query.window)}"]
    if query.compare != "previous":
        parts.append(f"compare={query.compare}")
    if query.by:
        parts.append(f"by={query.by}")
    return " ".join([*parts, *(f"{k}={quoted(v)}" for k, v in query.labels)])


def quoted(value: str) -> str:
    """A value as it stands in the string: bare when it can."""
    if BARE.fullmatch(value) and value[:1] not in {"~", "="}:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@given(queries)
def test_what_is_written_is_read_back(query):
    assert parse_query(write_query(query)) == query


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_with_one_sentence(text):
    said = "read"
    try:
        parse_query(text)
    except ToolArgumentError as error:
        said = str(error)
    assert said
    assert "\n" not in said


def test_reads_every_part():
    query = parse_query('metric="p95 latency" window=90m compare=week by=region endpoint="/a b" service=till')
    assert query == MetricQuery(
        "p95 latency", Last(timedelta(minutes=90)), "week", "region", (("endpoint", "/a b"), ("service", "till"))
    )


def test_a_day_is_the_window_when_none_is_given():
    assert parse_query("metric=x") == MetricQuery("x", Last(timedelta(hours=24)))
    assert parse_query("alert=PaySlow") == AlertQuery("PaySlow")


def test_intervals():
    start, end = datetime(2026, 11, 20, 14, tzinfo=UTC), datetime(2026, 11, 20, 15, tzinfo=UTC)
    assert parse_query("metric=x window=2026-11-20T14:00:00Z/2026-11-20T15:00:00Z").window == Span(start, end)
    assert parse_query("metric=x window=2026-11-20T14:00:00Z/").window == Span(start)
    assert parse_query("metric=x window=since:2026-11-20T14:00Z").window == Span(start)
    assert parse_query("metric=x window=deploy").window == SinceDeploy()


@each_row(
    "text, named",
    [
        ("", "empty"),
        ("   ", "empty"),
        ("window=24h", "metric="),
        ("metric=a alert=b", "together"),
        ("metric=a metric=b", "metric= stands twice"),
        ("metric=a endpoint=/x endpoint=/y", "endpoint= stands twice"),
        ("metric=", "metric= has no value"),
        ('metric=a endpoint=""', "endpoint= has no value"),
        ('metric=a endpoint="  "', "endpoint= has no value"),
        ("metric=a latency", "'latency'"),
        ("metric=a 9x=1", "'9x'"),
        ("metric=a __name__=b", "'__name__'"),
        ("metric=a end-point=b", "'end-point'"),
        ('metric=a endpoint="/x', "quote"),
        ('metric=a endpoint="/x"y', "quote"),
        ("metric=a endpoint=~/x.*", "only exact values"),
        ("metric=a endpoint==/x", "only exact values"),
        ("metric=a window=24x", "unknown unit 'x'"),
        ("metric=a window=day", "window=day cannot be read"),
        ("metric=a window=0h", "window=0h has no length"),
        ("metric=a window=30s", "shorter than 1m"),
        ("metric=a window=401d", "longer than 400d"),
        ("metric=a window=99999999w", "longer than 400d"),
        ("metric=a window=2026-11-20T15:00:00Z/2026-11-20T14:00:00Z", "ends before it starts"),
        ("metric=a window=2026-11-20T15:00:00/", "no time zone"),
        ("metric=a window=2026-13-20T15:00:00Z/", "not a time that exists"),
        ("metric=a window=2024-01-01T00:00:00Z/2026-03-01T00:00:00Z", "longer than 400d"),
        ("metric=a window=since:yesterday", "'yesterday'"),
        ("metric=a window=/", "RFC 3339"),
        ("metric=a compare=month", "compare=month is unknown"),
        ("metric=a by=x-y", "'x-y'"),
        ("metric=a{b}", "not a metric name"),
        ("alert=A compare=day", "compare="),
        ("alert=A endpoint=/x", "endpoint="),
        ("metric=a\x00b", "control character"),
        ("metric=a\nb=c", "control character"),
        ("metric=" + "a" * 3000, "characters long"),
    ],
)
def test_every_mistake_is_named(text, named):
    with pytest.raises(ToolArgumentError, match=r".") as caught:
        parse_query(text)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
