"""A real Prometheus in names that nothing knows, asked by role."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.support.metric_shapes import END, deploys_of, options
from tests.support.real_servers import run_prometheus
from tests.support.uncatalogued_metrics import brokerage
from workers.sources.metrics.analysis import Analysis, analyse
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.prometheus_backend import PrometheusBackend
from workers.sources.metrics.query_string import parse_query
from workers.sources.metrics.report import report

pytestmark = pytest.mark.servers

ONSET = END - 4 * 3_600
TIMEOUT_MS = 10_000  # patient: the machine may be busy


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on which one entry point gets slow and one replica fails."""
    folder = tmp_path_factory.mktemp("discovery")
    slow, failing = {"point_of_entry": "/v9/bind"}, {"replica": "brk-4"}
    text = brokerage(folder / "x.om", ONSET, slow=slow, failing=failing)
    (folder / "server").mkdir()
    with run_prometheus(folder / "server", text) as url:
        yield url


@pytest.mark.parametrize(
    ("query", "series", "culprit"),
    [
        ("metric=latency", "brk_handling_seconds_bucket", ("point_of_entry", "/v9/bind")),
        ("metric=latency endpoint=/v9/bind", 'point_of_entry="/v9/bind"', None),
        ("metric=errors", "brk_replies_total", ("replica", "brk-4")),
        ("metric=traffic", "brk_replies_total", None),
        ("metric=saturation service=brk", 'replica=~"brk[-_./:#@].+"', None),
    ],
)
def test_roles_are_found_and_explained(address: str, query: str, series: str, culprit: tuple[str, str] | None) -> None:
    server = Server(PrometheusBackend(address, timeout_ms=TIMEOUT_MS), Catalogue(read_options(options())))
    found = analyse(parse_query(f"{query} window=6h"), server, datetime.fromtimestamp(END, UTC), deploys_of(), 20.0)
    assert isinstance(found, Analysis)
    shown = report(found)
    assert series in shown["promql"]
    assert found.gaps == ()
    named = shown["culprit"]
    assert (named and (named["label"], named["value"])) == culprit
    if culprit or "bind" in query:
        assert abs(found.main.reading.change.at - ONSET) <= 120  # type: ignore[union-attr]
    else:
        assert shown["onset"] is None
