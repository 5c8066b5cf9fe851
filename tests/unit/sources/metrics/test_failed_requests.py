"""How many requests failed, held against what the counters themselves say."""

from __future__ import annotations

import pytest

from tests.support.metric_shapes import END
from tests.unit.sources.metrics.test_analysis import ask
from workers.contracts import Evidence
from workers.sources.metrics.backend import Grid
from workers.sources.metrics.metric_evidence import gather
from workers.sources.metrics.metric_resolution import Server


def errors_in(server: Server, query: str) -> list[Evidence]:
    found = gather(ask(server, query), server.backend)
    return [e for e in found if "metric_name" in e.facts and e.facts["metric_name"].value == "error_ratio"]


def increase(server: Server, matchers: str, hours: int) -> float:
    frame = server.backend.query_range(
        f"sum(increase(http_requests_total{{{matchers}}}[{hours}h]))", Grid(END, END, 60)
    )
    return float(frame.series[0].values[-1])


@pytest.mark.parametrize("hours", [6, 24])
def test_failed_requests_are_those_that_the_counters_counted(server: Server, hours: int) -> None:
    (found,) = errors_in(server, f"metric=latency_p95 window={hours}h endpoint=/pay")
    failed, requests = (float(found.facts[name].value) for name in ("failed", "requests"))
    assert failed == pytest.approx(increase(server, 'endpoint="/pay",status="503"', hours), rel=0.03)
    assert requests == pytest.approx(increase(server, 'endpoint="/pay"', hours), rel=0.03)
    assert (found.facts["failed"].unit, found.facts["failed"].entity) == ("count", "/pay")


def test_nothing_is_counted_where_the_requests_were_not_measured(server: Server) -> None:
    (found,) = errors_in(server, "metric=error_ratio window=24h endpoint=/pay")
    assert "failed" not in found.facts
