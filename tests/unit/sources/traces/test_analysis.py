"""What spans say: where time went, where failures began, who called whom, what changed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.unit.sources.traces.span_formats import make_span, spans_of_the_shop
from workers.sources.traces.calls import repeated_calls, service_map
from workers.sources.traces.comparison import compare
from workers.sources.traces.failures import failing_origin
from workers.sources.traces.self_time import self_times, slow_paths
from workers.sources.traces.span import Span, percentile, plant


def own(*spans: Span) -> dict[str, float]:
    return {span_id: round(found, 3) for (_, span_id), found in self_times(spans).items()}


def test_children_that_overlap_are_counted_once() -> None:
    root = make_span("a")
    assert own(root, make_span("b", "a", begin_ms=10, duration_ms=40)) == {"a": 60, "b": 40}
    assert own(
        root,
        make_span("b", "a", begin_ms=10, duration_ms=40),
        make_span("c", "a", begin_ms=30, duration_ms=40),
        make_span("d", "a", begin_ms=35, duration_ms=5),
    ) == {"a": 40, "b": 40, "c": 40, "d": 5}


def test_what_a_child_does_after_its_parent_is_not_the_parents() -> None:
    assert own(make_span("a"), make_span("b", "a", begin_ms=90, duration_ms=500)) == {"a": 90, "b": 500}
    later = make_span("b", "a", "mail", begin_ms=900, duration_ms=50, kind="consumer")
    assert own(make_span("a"), later) == {"a": 100, "b": 50}


def test_a_skewed_clock_of_another_service_is_set_right() -> None:
    one = make_span("b", "a", "stock", begin_ms=5_000, duration_ms=30)
    two = make_span("c", "a", "stock", begin_ms=5_040, duration_ms=30)
    assert own(make_span("a"), one, two) == {"a": 40, "b": 30, "c": 30}
    assert own(make_span("a"), replace(one, service="shop")) == {"a": 100, "b": 30}


def test_missing_parents_cycles_and_copies() -> None:
    orphan = make_span("b", "gone", duration_ms=10)
    assert plant([orphan]).roots == (orphan,)
    circle = [make_span("a", "c"), make_span("b", "a", begin_ms=1), make_span("c", "b", begin_ms=2)]
    assert [s.span_id for s in plant(circle).roots] == ["a"]
    assert [s.span_id for s in plant(circle).path(circle[2])] == ["a", "b", "c"]
    itself = make_span("a", "a")
    assert plant([itself]).roots == (itself,)
    ended = make_span("a", duration_ms=70)
    assert plant([make_span("a", duration_ms=0), ended, ended]).spans == (ended,)


@st.composite
def sequential_trees(draw: st.DrawFn) -> list[Span]:
    """Spans whose children run one after another within them, in whole ms."""
    spans = [make_span("0", begin_ms=0, duration_ms=draw(st.integers(0, 5_000)))]
    free = [(0, 0, int(spans[0].duration_ms))]
    for number in range(1, draw(st.integers(1, 30))):
        place = draw(st.integers(0, len(free) - 1))
        parent, begin, end = free[place]
        first = draw(st.integers(begin, end))
        last = draw(st.integers(first, end))
        service = draw(st.sampled_from(["shop", "stock", "mail"]))
        spans.append(
            make_span(
                str(number), str(parent), service, begin_ms=first, duration_ms=last - first, error=draw(st.booleans())
            )
        )
        free[place] = (parent, last, end)
        free.append((number, first, last))
    return spans


@given(sequential_trees(), st.randoms())
def test_self_times_sum_up_to_the_root_of_a_sequential_tree(spans: list[Span], order: random.Random) -> None:
    mixed = [*spans, spans[-1]]
    order.shuffle(mixed)
    assert sum(self_times(mixed).values()) == pytest.approx(spans[0].duration_ms)
    places = slow_paths(mixed, 100)
    assert sum(p.share for p in places) == pytest.approx(1.0 if spans[0].duration_ms else 0.0)


@st.composite
def strange_spans(draw: st.DrawFn) -> list[Span]:
    """Spans with any parents at any times."""
    ids = st.sampled_from("abcdef")
    return [
        make_span(
            draw(ids),
            draw(ids | st.just("")),
            draw(st.sampled_from(["shop", "stock"])),
            draw(st.sampled_from(["get 1", "get 2"])),
            draw(st.floats(-1e6, 1e6)),
            draw(st.floats(0, 1e6)),
            trace_id=draw(st.sampled_from(["t1", "t2"])),
            error=draw(st.booleans()),
            kind=draw(st.sampled_from(["", "client", "server", "consumer"])),
        )
        for _ in range(draw(st.integers(0, 20)))
    ]


@given(strange_spans(), strange_spans())
def test_nothing_raises_and_shares_are_shares(spans: list[Span], others: list[Span]) -> None:
    forest = plant(spans)
    longest = {span.key: span.duration_ms for span in forest.spans}
    assert len(forest.parents) + len(forest.roots) == len(forest.spans) == len({s.key for s in spans})
    for span in forest.spans:
        assert forest.path(span)[0] in forest.roots
    assert all(0 <= found <= longest[key] for key, found in self_times(spans).items())
    assert all(0 < p.share <= 1 + 1e-9 for p in slow_paths(spans))
    origins = failing_origin(spans)
    assert sum(o.traces for o in origins) == len({s.trace_id for s in forest.spans if s.error})
    assert all(o.example.error and o.path[-1] == o.example for o in origins)
    assert all(0 <= e.error_share <= 1 and e.p50_ms <= e.p95_ms for e in service_map(spans))
    assert all(r.count >= 5 and 0 <= r.share <= 1 + 1e-9 for r in repeated_calls(spans))
    places = {s.place for s in (*forest.spans, *plant(others).spans)}
    assert len(compare(spans, others)) == len(places)


def test_slow_paths_of_the_shop() -> None:
    best = slow_paths(spans_of_the_shop(), 3)
    assert [(p.service, p.name, round(p.self_ms)) for p in best] == [
        ("payments", "SELECT card #", 400),
        ("shop", "POST /checkout", 300),
        ("payments", "POST bank", 250),
    ]
    assert (best[0].count, best[0].longest_self_ms) == (8, 50)
    assert best[2].share == pytest.approx(250 / 1_100)
    assert [s.name for s in best[2].path] == ["POST /checkout", "POST payments", "charge", "POST bank"]


def test_failures_begin_at_the_deepest_failing_span_of_each_trace() -> None:
    shop = spans_of_the_shop()
    again = [replace(s, trace_id=f"{s.trace_id}2") for s in shop]
    alone = make_span("x", trace_id="other", error=True)
    found = failing_origin([*shop, *again, alone])
    assert [(o.service, o.name, o.traces, round(o.share, 2)) for o in found] == [
        ("payments", "POST bank", 2, 0.67),
        ("shop", "GET /", 1, 0.33),
    ]
    assert failing_origin([make_span()]) == ()


def test_service_map_of_the_shop() -> None:
    found = {(e.caller, e.callee): e for e in service_map(spans_of_the_shop())}
    assert {pair: (e.calls, e.errors, e.traced) for pair, e in found.items()} == {
        ("shop", "payments"): (1, 1, True),
        ("payments", "postgresql"): (8, 0, False),
        ("payments", "bank.example"): (1, 1, False),
    }
    assert found["shop", "payments"].p95_ms == 690
    assert found["payments", "postgresql"].error_share == 0


def test_repeated_calls_of_the_shop() -> None:
    (calls,) = repeated_calls(spans_of_the_shop())
    assert (calls.service, calls.parent.name, calls.count, calls.parents) == ("payments", "charge", 8, 1)
    assert (calls.total_ms, calls.wall_ms) == (400, 400)
    assert calls.share == pytest.approx(400 / 690)
    assert repeated_calls(spans_of_the_shop(), 9) == ()


def test_what_changed_most_comes_first() -> None:
    before = spans_of_the_shop()
    slow = [replace(s, duration_ms=s.duration_ms + 40) if s.name == "GET /" else s for s in before]
    new = make_span("n", service="audit", name="write", trace_id="other")
    found = compare(before, [*slow, new])
    assert (found[0].service, found[0].name, found[0].self_change_ms) == ("shop", "GET /", pytest.approx(40))
    fixed = compare(before, [replace(s, error=s.error and s.name != "POST bank") for s in slow])
    changed = next(c for c in fixed[:2] if c.name == "POST bank")
    assert (changed.error_change, changed.before.error_share, changed.after.p50_ms) == (-1, 1, 250)
    assert found[-1].name == "write"
    assert (found[-1].before.count, found[-1].self_change_ms) == (0, 0)


@each_row(
    "name, place",
    [
        ("GET /users/17/cart", "GET /users/#/cart"),
        ("GET /v2/items", "GET /v2/items"),
        ("job 3fa85f64-5717-4562-b3fc-2c963f66afa6", "job #"),
        ("key 0af7651916cd43dd8448eb211c80319c", "key #"),
        ("s3.get", "s3.get"),
    ],
)
def test_numbers_and_ids_in_names_make_no_places(name: str, place: str) -> None:
    assert make_span(name=name).place == ("shop", place)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([3], 0.95) == 3
    assert percentile([4, 1, 2, 3], 0.5) == 2.5
    assert percentile([0, 10], 0.95) == 9.5


def test_a_chain_of_twenty_thousand_spans_and_a_wide_one() -> None:
    deep = [
        make_span(str(n), str(n - 1) if n else "", begin_ms=n / 1e3, duration_ms=20 - n / 1e3) for n in range(20_000)
    ]
    assert sum(self_times(deep).values()) == pytest.approx(20)
    assert len(slow_paths(deep)) == 1
    wide = [
        make_span("r", duration_ms=20_000),
        *(make_span(str(n), "r", begin_ms=n, duration_ms=1) for n in range(20_000)),
    ]
    assert self_times(wide)["t1", "r"] == pytest.approx(0, abs=1e-6)
    assert repeated_calls(wide)[0].count == 20_000
