"""Values are those of the environment, route and place that were asked for, or the answer says that they are not."""

from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.metric_shapes import END, Text, deploys_of, options, times
from workers.sources.metrics.analysis import Missing, analyse
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.metric_names import read_landscape
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.query_string import AlertQuery, parse_query
from workers.sources.metrics.report import report
from workers.tools.metrics import run_alert

NOW = datetime.fromtimestamp(END, UTC)
RATES = {"production": 1.0, "staging": 4.0}
ROUTES = ("/orders/:id/items", "/orders/{id}/items", "/buy")


def served(folder, environments):
    text, t = Text(), times(4)
    text.family("http_requests", "counter")
    for environment in environments:
        for route in ROUTES:
            labels = {"route": route, "env": environment, "cluster": f"{environment}-1", "status": "200"}
            text.add("http_requests_total", labels, t, np.arange(len(t)) * 60 * RATES[environment])
    load_openmetrics(text.write(folder / "x.om"), folder / "store")
    return Server(EmbeddedBackend(folder / "store"), Catalogue(read_options(options())))


@pytest.fixture
def server(tmp_path):
    return served(tmp_path, RATES)


def ask(server, text):
    found = analyse(parse_query(text), server, NOW, deploys_of(), 20.0)
    assert not isinstance(found, Missing), found.reason
    return report(found)


def test_production_is_told_unless_another_is_asked_for(server):
    told = ask(server, "metric=traffic window=1h endpoint=/buy")
    assert told["current"] == pytest.approx(1.0, rel=0.05)
    assert told["filters"]["env"] == "production"
    assert told["unnamed"] == []
    other = ask(server, "metric=traffic window=1h endpoint=/buy env=stg")
    assert other["current"] == pytest.approx(4.0, rel=0.05)
    assert other["unnamed"] == ["told of env=stg, not of production"]
    assert ask(server, "metric=traffic window=1h endpoint=/buy env=prod")["current"] == pytest.approx(1.0, rel=0.05)


def test_where_no_production_is_known_the_answer_says_so(tmp_path):
    told = ask(served(tmp_path, ["staging"]), "metric=traffic window=1h endpoint=/buy")
    assert told["unnamed"] == ["told of staging: no production is known"]


def test_a_route_is_all_of_its_notations(server):
    for route in ("/orders/<int:pk>/items", "/orders/:id/items", "GET /orders/[id]/items", "/orders/42/items"):
        told = ask(server, f'metric=traffic window=1h endpoint="{route}"')
        assert told["current"] == pytest.approx(2.0, rel=0.05)


def test_what_could_not_be_filtered_by_is_said(server):
    told = ask(server, 'metric=traffic window=1h unfiltered="region=eu"')
    assert told["unnamed"][0].startswith("not filtered by region=eu")


def test_a_server_s_own_labels_are_known(server):
    labels = read_landscape(server, NOW).labels
    assert labels["metric_cluster"] == ("production-1", "staging-1")
    assert "metric_le" not in labels


def test_a_span_beyond_what_is_kept_says_where_it_begins(server):
    told = ask(server, "metric=traffic window=90d")
    assert told["window"]["start"].startswith("2026-08-23")
    assert any(flaw.startswith("no value before") for flaw in told["unavailable"])


def test_a_server_that_serves_no_rules_does_not_say_that_nothing_fires(server, monkeypatch):
    monkeypatch.setattr(EmbeddedBackend, "tells_alerts", lambda self: False)
    context, resources = SimpleNamespace(now=NOW), SimpleNamespace(deploys=deploys_of())
    told = run_alert(AlertQuery("*"), server, context, resources)
    assert told.status == "empty"
    assert "no rules API" in told.reason
    assert told.evidence == ()
