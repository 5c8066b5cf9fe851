"""Questions by role to a server in names that nothing knows."""

from datetime import UTC, datetime

import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, deploys_of, options
from tests.support.uncatalogued_metrics import brokerage
from workers.sources.metrics.analysis import Missing, analyse
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.query_string import parse_query
from workers.sources.metrics.report import report

ONSET = END - 4 * 3_600


@pytest.fixture(scope="module")
def unknown(tmp_path_factory):
    """A server on which one entry point gets slow and one replica fails."""
    folder = tmp_path_factory.mktemp("unknown")
    slow, failing = {"point_of_entry": "/v9/bind"}, {"replica": "brk-4"}
    load_openmetrics(brokerage(folder / "x.om", ONSET, slow=slow, failing=failing), folder / "store")
    return folder / "store"


@pytest.fixture
def server(unknown):
    return open_server(unknown)


def open_server(store):
    """A server as it is before the first question: it knows more after each."""
    return Server(EmbeddedBackend(store), Catalogue(read_options(options())))


def ask(server, text):
    found = analyse(parse_query(text), server, datetime.fromtimestamp(END, UTC), deploys_of(), 20.0)
    assert not isinstance(found, Missing), found.reason
    return found


@each_row(
    "word, name, unit, series",
    [
        ("latency", "latency_p95", "s", "brk_handling_seconds_bucket"),
        ("p99", "latency_p99", "s", "histogram_quantile(0.99"),
        ("errors", "errors", "ratio", 'brk_replies_total{verdict=~"crashed"}'),
        ("error_ratio", "error_ratio", "ratio", 'brk_replies_total{verdict=~"crashed"}'),
        ("traffic", "traffic", "/s", "brk_replies_total["),
        ("saturation", "brk_desk_seats", "ratio", 'brk_desk_seats{state="used"}'),
        ("brk_desk_seats", "brk_desk_seats", "count", "avg_over_time(brk_desk_seats["),
    ],
)
def test_a_role_is_found_by_what_the_server_holds(unknown, word, name, unit, series):
    main = ask(open_server(unknown), f"metric={word} window=6h").main
    assert (main.resolved.known.name, main.resolved.known.entry.unit) == (name, unit)
    assert series in main.promql


@pytest.mark.parametrize("value", ["/v9/bind", "v9/bind", "/V9/bind/"])
def test_the_value_says_which_label_an_endpoint_is(server, value):
    main = ask(server, f"metric=latency endpoint={value} window=6h").main
    assert 'point_of_entry="/v9/bind"' in main.promql
    assert main.reading.moved
    assert 0 <= main.reading.change.at - ONSET <= 120


def test_a_value_that_nothing_has_is_told_with_the_nearest(server):
    query = parse_query("metric=latency endpoint=/v9/bid window=6h")
    found = analyse(query, server, datetime.fromtimestamp(END, UTC), deploys_of(), 20.0)
    assert isinstance(found, Missing)
    assert found.nearest == ("/v9/bind",)


def test_the_entry_point_is_to_blame_for_what_is_slow_and_the_replica_for_what_fails(server):
    for word, label, value in (("latency", "point_of_entry", "/v9/bind"), ("errors", "replica", "brk-4")):
        shown = report(ask(server, f"metric={word} window=6h"))
        assert (shown["culprit"]["label"], shown["culprit"]["value"]) == (label, value)
        assert shown["candidates"][0]["value"] == value
        assert shown["onset"] is not None


def test_nothing_is_to_blame_for_what_did_not_change(server):
    found = ask(server, "metric=traffic window=6h")
    assert not found.main.reading.moved
    assert report(found)["culprit"] is None


def test_related_metrics_are_the_other_roles(server):
    found = ask(server, "metric=latency window=6h endpoint=/v9/bind")
    roles = {m.resolved.known.entry.role for m in found.related}
    assert {"traffic", "errors", "saturation"} <= roles


def test_traffic_that_grew_is_named_as_what_moved_first(tmp_path):
    path = brokerage(tmp_path / "x.om", ONSET, busy=2.2)
    load_openmetrics(path, tmp_path / "store")
    server = Server(EmbeddedBackend(tmp_path / "store"), Catalogue(read_options(options())))
    shown = report(ask(server, "metric=saturation window=6h"))
    assert shown["first_mover"]["metric"] == "traffic"
    assert abs(shown["first_mover"]["lag_s"]) <= 60
    assert shown["culprit"] is None  # every replica alike
    assert report(ask(server, "metric=traffic window=6h"))["culprit"] is None


def test_the_catalogue_overrides(store):
    server = Server(EmbeddedBackend(store), Catalogue(read_options(options())))
    known = server.find("latency")
    assert all(not way.known.raw for way in server.candidates(known, END))


def test_a_catalogue_without_a_word_still_answers_by_role(unknown):
    server = Server(EmbeddedBackend(unknown), Catalogue(read_options({})))
    for word, name in (("latency", "latency"), ("p90", "latency_p90"), ("traffic", "traffic")):
        assert ask(server, f"metric={word} window=6h").main.resolved.known.name == name


def test_a_hole_in_the_samples_is_told(tmp_path):
    lines = brokerage(tmp_path / "x.om", END + 1, hours=8).read_text().splitlines()
    first, last = END - 7_200, END - 3_600

    def kept(line):
        return line.startswith("#") or not first < float(line.rsplit(" ", 1)[1]) < last

    (tmp_path / "y.om").write_text("\n".join(filter(kept, lines)) + "\n")
    load_openmetrics(tmp_path / "y.om", tmp_path / "store")
    server = Server(EmbeddedBackend(tmp_path / "store"), Catalogue(read_options(options())))
    found = ask(server, "metric=traffic window=6h")
    assert [gap.split(" from ")[0] for gap in found.gaps] == ["no value"]
    ((begin, end),) = found.main.holes
    assert begin >= first
    assert end <= last + 300
    assert not found.main.reading.moved


def test_metrics_of_the_same_places_are_asked_for_their_interval_once(server, monkeypatch):
    asked = []
    backend, cadence = server.backend, server.backend.cadence
    monkeypatch.setattr(backend, "cadence", lambda *a: asked.append(a[0]) or cadence(*a))
    ask(server, "metric=latency window=6h")
    sources = [server.intervals.source(selector.partition("{")[0]) for selector in asked]
    assert len(sources) == len(set(sources))


def test_a_value_that_was_seen_already_is_not_asked_for(server, monkeypatch):
    server.holdings.inventory(END)
    asked = []
    values = server.backend.label_values
    monkeypatch.setattr(server.backend, "label_values", lambda *a: asked.append(a[0]) or values(*a))
    server.resolve(server.find("latency", END), (("endpoint", "/v9/bind"),), END - 3_600, END)
    assert set(asked) <= {"le"}
