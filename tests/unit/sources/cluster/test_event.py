"""One event of a cluster, of whatever version of the API."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.cluster_payloads import core_event, event_list, new_event
from tests.support.each_row import each_row
from workers.sources.cluster.event import ClusterEvent, read_events, workload_of

AT = datetime(2026, 3, 1, 11, 50, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def read(value: Any) -> ClusterEvent:
    (event,) = read_events(value)
    assert event is not None
    return event


def test_both_versions_give_the_same_fields() -> None:
    core = read(core_event(AT, count=14, minutes=9))
    assert (core.reason, core.warning, core.kind, core.namespace, core.workload) == (
        "BackOff",
        True,
        "Pod",
        "shop",
        "checkout",
    )
    assert (core.node, core.component, core.count) == ("node-a", "kubelet", 14)
    assert (core.first_at, core.last_at) == (AT - timedelta(minutes=9), AT)
    new = read(new_event(AT))
    assert (new.reason, new.workload, new.count, new.node) == ("FailedScheduling", "pay", 7, "")
    assert (new.first_at, new.last_at) == (AT, AT + timedelta(minutes=3))
    assert new.message.startswith("0/3 nodes")
    old = new_event(AT, series=None, eventTime=None, deprecatedCount=3, deprecatedLastTimestamp="2026-03-01T11:50:00Z")
    assert (read(old).count, read(old).last_at) == (3, AT)


def test_lists_lines_and_watches_are_read() -> None:
    listed = event_list(core_event(AT), core_event(AT, "OOMKilling", "node-a", kind="Node"))
    assert [e.reason for e in read_events(listed) if e] == ["BackOff", "OOMKilling"]
    assert read({"type": "ADDED", "object": core_event(AT)}).reason == "BackOff"
    assert [e.reason for e in read_events([core_event(AT), listed, {"kind": "Pod"}, 5]) if e] == [
        "BackOff",
        "BackOff",
        "OOMKilling",
    ]
    assert read(core_event(AT, "NodeNotReady", "node-a", kind="Node")).node == "node-a"


@each_row(
    "kind, name, workload",
    [
        ("Pod", "checkout-7d9f8b6c5-x2x7z", "checkout"),
        ("Pod", "checkout-worker-7d9f8b6c54-x2x7z", "checkout-worker"),
        ("Pod", "log-agent-x2x7z", "log-agent"),
        ("Pod", "db-0", "db"),
        ("Pod", "report-28912345-x2x7z", "report"),
        ("Pod", "checkout", "checkout"),
        ("ReplicaSet", "checkout-7d9f8b6c5", "checkout"),
        ("Job", "report-28912345", "report"),
        ("Deployment", "checkout-v2", "checkout-v2"),
        ("Node", "ip-10-0-1-2", "ip-10-0-1-2"),
    ],
)
def test_the_workload_of_an_object(kind: str, name: str, workload: str) -> None:
    assert workload_of(kind, name) == workload


@given(JSON | st.tuples(st.sampled_from([core_event(AT), new_event(AT)]), st.text(), JSON))
def test_no_value_breaks_it(value: Any) -> None:
    if isinstance(value, tuple):
        form, _, part = value
        for key in form:
            list(read_events({**form, key: part}))
        return
    for event in read_events(value):
        assert event is None or event.first_at <= event.last_at
