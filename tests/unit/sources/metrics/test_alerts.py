"""Alerts from series and from the live list."""

import numpy as np

from tests.support.metric_shapes import END, FakeBackend, options
from workers.sources.metrics.alerts import about, from_series, located, place_of, with_live
from workers.sources.metrics.backend import Alert, Grid, Series
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.metric_resolution import Server

GRID = Grid(END - 3600, END, 300)


def series(present, state="firing"):
    values = np.where(np.array(present, dtype=bool), 1.0, np.nan)
    return Series({"__name__": "ALERTS", "alertname": "PaySlow", "alertstate": state, "endpoint": "/pay"}, values)


def read(present, state="firing", last=END, states=None):
    return from_series(series(present, state), GRID, last, states or {})


def test_firing_since_its_first_point():
    alert = read([0] * 6 + [1] * 7)
    assert (alert.name, alert.state, alert.since, alert.until) == ("PaySlow", "firing", END - 1800, None)
    assert alert.labels == {"endpoint": "/pay"}


def test_one_that_ended_is_resolved():
    alert = read([0] * 2 + [1] * 4 + [0] * 7)
    assert (alert.state, alert.until) == ("resolved", END - 2100)


def test_the_last_run_counts():
    assert read([1] * 2 + [0] * 5 + [1] * 6).since == END - 1500


def test_one_that_fired_all_along_has_no_known_start():
    states = {(("alertname", "PaySlow"), ("endpoint", "/pay")): float(END - 9000)}
    alert = read([1] * 13, states=states)
    assert alert.since is None
    assert alert.active_at == END - 9000


def test_samples_that_end_early_do_not_resolve_an_alert():
    assert read([1] * 8 + [0] * 5, last=END - 1500).state == "firing"


def test_pending_is_not_firing():
    assert read([0] * 6 + [1] * 7, "pending").state == "pending"
    assert read([0] * 6 + [1] * 7, "pending").since is None


def test_the_live_list_knows_more():
    stored = Alert("PaySlow", "resolved", END - 900.0, {"endpoint": "/pay"}, END - 300.0)
    live = Alert("PaySlow", "firing", None, {"endpoint": "/pay"}, None, END - 1000.0, "p95 > 1")
    (merged,) = with_live((stored,), [live])
    assert (merged.state, merged.since, merged.until, merged.expr) == ("firing", END - 900.0, None, "p95 > 1")
    (alone,) = with_live((), [live])
    assert alone.since == END - 1000.0
    assert with_live((stored,), [Alert("PaySlow", "inactive")]) == [stored]
    assert with_live((), [Alert("Quiet", "inactive")]) == [Alert("Quiet", "inactive")]


def test_an_alert_with_another_value_is_about_something_else():
    server = Server(FakeBackend({}), Catalogue(read_options(options())))
    alert = Alert("PaySlow", "firing", labels={"handler": "/pay"})
    assert about(server, alert, (("endpoint", "/pay"),))
    assert not about(server, alert, (("endpoint", "/list"),))
    assert about(server, alert, (("service", "till"),))


def test_what_is_of_no_service_stands_beside_no_question_that_does_not_name_it():
    server = Server(FakeBackend({}), Catalogue(read_options(options())))
    disk = Alert("Disk", "firing", labels={"host": "mq-1", "path": "/"})
    assert not about(server, disk, (("endpoint", "/pay"),))
    assert not about(server, disk, ())
    assert about(server, Alert("PayErrors", "firing"), (("endpoint", "/pay"),)), "its name tells"
    assert not about(server, Alert("ListErrors", "firing"), (("endpoint", "/pay"),))


def test_heartbeats_and_other_environments_stand_beside_no_question():
    server = Server(FakeBackend({}), Catalogue(read_options(options())))
    of_qa = located(Alert("PaySlow", "firing", labels={"endpoint": "/pay", "env": "qa"}), server.environment)
    assert of_qa.environment == "qa"
    assert not about(server, of_qa, (("endpoint", "/pay"),))
    assert not about(server, Alert("Watchdog", "firing", labels={"severity": "none"}), ())
    assert located(Alert("PaySlow", "firing", labels={"env": "prod"}), server.environment).environment == ""


def test_alerts_come_with_the_gravest_first():
    named = ("info", "warning", "critical", "page")
    firing = [Alert(name, "firing", labels={"severity": name}) for name in named]
    beat, unknown = Alert("Watchdog", "firing"), Alert("unknown", "firing")
    qa, over = Alert("qa", "firing", labels={"severity": "page"}, environment="qa"), Alert("over", "resolved")
    ranked = sorted((over, qa, beat, *firing, unknown), key=place_of)
    assert [a.name for a in ranked] == ["page", "critical", "unknown", "warning", "info", "Watchdog", "qa", "over"]
