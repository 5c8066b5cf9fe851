"""Whole queries on the embedded shop."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.metric_shapes import END, deploys_of, options, shop
from tests.unit.sources.metrics.conftest import ONSET
from workers.contracts import Deploy
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.sources.metrics.alert_query import analyse_alert
from workers.sources.metrics.analysis import Missing, analyse
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.query_string import parse_query

NOW = datetime.fromtimestamp(END, UTC)


def moment(seconds):
    return datetime.fromtimestamp(seconds, UTC)


CAUSE = Deploy(service="till", version="v2", commit="a" * 40, at=moment(ONSET - 120))
OTHER = Deploy(service="web", version="v9", at=moment(ONSET - 30))
AFTER = Deploy(service="till", version="v3", at=moment(ONSET + 3600))


def ask(server, text, now=NOW, deploys=(CAUSE, OTHER), budget_s=5.0):
    return analyse(parse_query(text), server, now, deploys_of(*deploys), budget_s)


def test_the_fault_is_found_to_the_minute(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay")
    change = found.main.reading.change
    assert 0 <= change.at - ONSET <= 120
    assert found.main.reading.direction == "rose"
    assert found.main.reading.current > 5 * found.main.reading.baseline
    assert found.main.resolution_s == 60
    assert found.url is None
    assert found.gaps == ()


def test_what_moved_with_it_comes_first_and_in_order(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay")
    names = [m.resolved.known.name for m in found.related]
    assert set(names[:2]) == {"db_latency_p95", "error_ratio"}
    assert set(names[2:]) == {"pool", "traffic"}
    moved = {m.resolved.known.name: m.reading for m in found.related}
    assert moved["db_latency_p95"].change.at <= found.main.reading.change.at
    assert moved["traffic"].direction == "steady"
    assert moved["pool"].direction == "steady"


def test_a_filter_that_a_related_metric_lacks_is_left_out_there(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay")
    pool = next(m for m in found.related if m.resolved.known.name == "pool")
    assert pool.resolved.applied == ()


def test_the_culprit_is_found_without_a_filter(server):
    found = ask(server, "metric=latency_p95 window=24h")
    assert found.breakdown.label == "endpoint"
    assert found.breakdown.parts[0].value == "/pay"
    assert found.breakdown.share == pytest.approx(1.0)
    assert found.culprit.resolved.applied == (("endpoint", "/pay"),)
    assert 0 <= found.culprit.reading.change.at - ONSET <= 120
    assert all(not p.reading.moved for p in found.breakdown.parts[1:])
    database = next(m for m in found.related if m.resolved.known.name == "db_latency_p95")
    assert database.resolved.applied == (("endpoint", "/pay"),)


def test_a_quiet_endpoint_is_quiet(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/list")
    assert found.main.reading.direction == "steady"
    assert not found.main.reading.moved
    assert found.breakdown is None or not found.breakdown.explains
    assert all(not m.reading.moved for m in found.related)


@pytest.mark.parametrize("minutes", [4, 7, 12, 20, 45])
def test_a_fault_is_seen_while_it_is_young(server, minutes):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay", moment(ONSET + 60 * minutes + 17))
    assert found.main.reading.direction == "rose"
    assert 0 <= found.main.reading.change.at - ONSET <= 180


@pytest.mark.parametrize("minutes", [-600, -60, -10, -1])
def test_nothing_is_seen_before_it_began(server, minutes):
    found = ask(server, "metric=latency_p95 window=12h endpoint=/pay", moment(ONSET + 60 * minutes))
    assert not found.main.reading.moved


def test_a_short_window_within_the_fault_still_tells_when_it_began(server):
    found = ask(server, "metric=latency_p95 window=1h endpoint=/pay")
    assert 0 <= found.main.reading.change.at - ONSET <= 120
    assert found.window.why == "last 1h"


def test_deploys_of_the_service_come_first_then_those_before_the_onset(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay", deploys=(CAUSE, OTHER, AFTER))
    assert found.deploys == (CAUSE, AFTER, OTHER)


def test_a_deploy_before_an_onset_that_lies_before_the_window_is_told(server):
    found = ask(server, "metric=latency_p95 window=1h endpoint=/pay")
    assert CAUSE in found.deploys


def test_since_the_deploy_of_the_metrics_own_service(server):
    found = ask(server, "metric=latency_p95 window=deploy endpoint=/pay")
    assert found.window.start == CAUSE.at
    assert found.window.why.startswith("since deploy till v2")


def test_alerts_of_the_window_with_their_start(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay")
    (alert,) = found.alerts
    assert (alert.name, alert.state) == ("PaySlow", "firing")
    assert alert.since == pytest.approx(ONSET + 300, abs=60)
    assert alert.active_at == ONSET + 60


def test_alerts_about_something_else_are_left_out(server):
    assert ask(server, "metric=latency_p95 window=24h endpoint=/list").alerts == ()


def test_an_alert_that_began_before_the_window_keeps_its_start(server):
    found = analyse_alert(parse_query("alert=PaySlow window=1h"), server, NOW, deploys_of())
    assert found.alerts[0].since == pytest.approx(ONSET + 300, abs=60)


def test_a_value_that_does_not_exist_names_the_nearest(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/payy")
    assert isinstance(found, Missing)
    assert found.reason == "metrics for /payy not found for last 24h"
    assert found.nearest == ("/pay",)


def test_a_value_like_nothing_here_has_no_nearest(server):
    assert ask(server, "metric=latency_p95 endpoint=/zeppelin-flux").nearest == ()


def test_a_label_that_does_not_exist_is_named(server):
    found = ask(server, "metric=latency_p95 endpont=/pay")
    assert isinstance(found, Missing)
    assert "has no label 'endpont'" in found.reason
    assert found.nearest == ("endpoint",)


def test_a_metric_of_the_catalogue_that_the_server_lacks(server):
    found = ask(server, "metric=nowhere")
    assert isinstance(found, Missing)
    assert "nowhere is not on this server: it has none of not_on_this_server" in found.reason


def test_grouping_by_what_cannot_be_grouped(server):
    found = ask(server, "metric=pool by=endpoint")
    assert isinstance(found, Missing)
    assert "cannot be grouped by 'endpoint'" in found.reason


def test_samples_that_end_early_are_said(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay", NOW + timedelta(hours=12))
    assert re.fullmatch(
        r"newest sample 2026-11-21T11:00:00Z, 12 h before the end of the window; it was 2\.\d+ s then", found.reason
    )
    assert found.main.reading.current is None
    assert found.main.reading.change_pct is None
    assert found.main.reading.last > 1.0
    late = ask(server, "metric=latency_p95 window=1h endpoint=/pay", NOW + timedelta(hours=12))
    assert isinstance(late, Missing)
    assert "the newest sample is from 2026-11-21T11:00:00Z" in late.reason


def test_raw_names_of_the_server_work(server):
    found = ask(server, "metric=http_requests_total window=24h endpoint=/pay")
    assert found.main.reading.direction == "steady"
    assert found.main.resolved.known.entry.unit == "/s"
    quantile = ask(server, "metric=db_seconds window=24h endpoint=/pay")
    assert 0 <= quantile.main.reading.change.at - (ONSET - 60) <= 180


def test_an_error_ratio_of_nothing_is_zero(server):
    found = ask(server, "metric=error_ratio window=24h endpoint=/healthz")
    assert found.main.reading.current == pytest.approx(0.0, abs=0.005)
    assert found.main.reading.direction == "steady"


def test_compared_with_the_day_before(server):
    found = ask(server, "metric=traffic window=2h compare=day endpoint=/list")
    assert found.main.reading.baseline_of == "the same time the day before"
    assert abs(found.main.reading.change_pct) < 10


def test_a_fault_that_is_over(tmp_path):
    load_openmetrics(shop(tmp_path / "x.om", ONSET, 12, ONSET + 5400), tmp_path / "store")
    server = Server(EmbeddedBackend(tmp_path / "store"), Catalogue(read_options(options())))
    found = ask(server, "metric=latency_p95 window=8h endpoint=/pay")
    change = found.main.reading.change
    assert 0 <= change.at - ONSET <= 180
    assert change.ended_at == pytest.approx(ONSET + 5400, abs=300)
    assert found.main.reading.peak > 1.0
    assert found.main.reading.current < 0.4
    (alert,) = found.alerts
    assert alert.state == "resolved"


def test_without_time_the_rest_is_left_out_and_named(server):
    found = ask(server, "metric=latency_p95 window=24h endpoint=/pay", budget_s=0.0)
    assert found.main.reading.direction == "rose"
    assert found.related == ()
    assert "traffic: not read in time" in found.gaps


def test_an_expression_of_several_series_is_refused(server):
    raw = options()
    raw["metrics"]["bad"] = {"title": "bad", "unit": "count", "promql": ["http_requests_total{{filter}}"]}
    bad = Server(server.backend, Catalogue(read_options(raw)))
    with pytest.raises(ToolUnavailable, match="must aggregate them into one"):
        ask(bad, "metric=bad window=1h")


def test_an_alert_that_did_not_fire_in_the_window(server):
    found = analyse_alert(parse_query("alert=PaySlow window=1h"), server, moment(ONSET), deploys_of())
    assert found.alerts[0].state == "inactive"
    assert found.reason == "PaySlow did not fire for last 1h"


def test_an_unknown_alert_names_the_nearest(server):
    with pytest.raises(ToolArgumentError, match="no alert named 'PaySlwo'") as caught:
        analyse_alert(parse_query("alert=PaySlwo"), server, NOW, deploys_of())
    assert caught.value.nearest == ("PaySlow",)


def test_a_related_metric_that_moved_names_its_own_culprit(server):
    raw = options()
    raw["metrics"]["db_latency_p95"]["group_by"] = ["table", "endpoint"]
    raw["metrics"]["pool"]["related"] = ["db_latency_p95"]
    found = ask(Server(server.backend, Catalogue(read_options(raw))), "metric=pool window=24h")
    blamed = found.blamed["db_latency_p95"]
    assert (blamed.label, blamed.value) == ("endpoint", "/pay")
