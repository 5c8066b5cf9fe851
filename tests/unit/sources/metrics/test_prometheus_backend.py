"""The HTTP client against every way a server can answer."""

import json
from datetime import UTC, datetime

import httpx
import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, deploys_of, options
from workers.errors import ToolUnavailable
from workers.sources.metrics.alert_query import analyse_alert
from workers.sources.metrics.backend import Alert, Grid
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.http_connection import MAX_BYTES
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.prometheus_backend import PrometheusBackend
from workers.sources.metrics.query_string import AlertQuery

GRID = Grid(END - 120, END, 60)


def backend(handler, url="http://metrics.test:9090", **given):
    return PrometheusBackend(url, transport=httpx.MockTransport(handler), **given)


def success(data):
    return httpx.Response(200, json={"status": "success", "data": data})


def matrix(*series):
    return success({"resultType": "matrix", "result": [{"metric": m, "values": v} for m, v in series]})


def test_points_are_put_on_the_grid_and_what_is_not_finite_is_missing():
    rows = [[END - 120, "1.5"], [END - 60, "NaN"], [END, "+Inf"]]
    frame = backend(lambda r: matrix(({"a": "x"}, rows), ({"a": "y"}, [[END, "NaN"]]))).query_range("up", GRID)
    (series,) = frame.series
    assert series.labels == {"a": "x"}
    assert series.values[0] == 1.5
    assert np.isnan(series.values[1:]).all()


def test_a_missing_point_stays_missing():
    frame = backend(lambda r: matrix(({}, [[END, "3"]]))).query_range("up", GRID)
    assert np.isnan(frame.series[0].values[:2]).all()
    assert frame.series[0].values[2] == 3


def test_the_base_path_headers_and_credentials_are_sent():
    seen = []

    def handler(request):
        seen.append(request)
        return matrix()

    at = backend(handler, "https://user:secret@metrics.test/team/prom/", headers={"X-Scope-OrgID": "7"})
    at.query_range("up", GRID)
    assert seen[0].url.path == "/team/prom/api/v1/query_range"
    assert seen[0].headers["x-scope-orgid"] == "7"
    assert seen[0].headers["authorization"].startswith("Basic ")
    assert "secret" not in at.shown
    assert at.graph_url('a{b="c"}', END - 60, END).startswith(
        "https://metrics.test/team/prom/graph?g0.expr=a%7Bb%3D%22c%22%7D"
    )


def test_a_long_expression_is_sent_as_a_form():
    methods = []

    def handler(request):
        methods.append((request.method, len(request.content) > 1000))
        return matrix()

    at = backend(handler)
    at.query_range("up", GRID)
    at.query_range(" + ".join(["up"] * 1000), GRID)
    assert methods == [("GET", False), ("POST", True)]


def fail(error):
    def handler(request):
        raise error

    return handler


def prom_error(status, kind, why):
    return httpx.Response(status, json={"status": "error", "errorType": kind, "error": why})


FAILURES = [
    (lambda r: httpx.Response(502, text="<html>bad gateway"), "answered 502"),
    (lambda r: httpx.Response(401, json={"message": "no"}), "refuses us (401)"),
    (lambda r: httpx.Response(200, text="<html>hello"), "answered something that is not the Prometheus API"),
    (lambda r: httpx.Response(200, json=["x"]), "answered something that is not the Prometheus API"),
    (lambda r: httpx.Response(200, json={"status": "success"}), "answered something that is not the Prometheus API"),
    (lambda r: success({"resultType": "vector", "result": []}), "answered something that is not the Prometheus API"),
    (lambda r: success({"resultType": "matrix"}), "answered something that is not the Prometheus API"),
    (
        lambda r: success({"resultType": "matrix", "result": [{"metric": {}, "values": [[1, "x"]]}]}),
        "not the Prometheus",
    ),
    (
        lambda r: success({"resultType": "matrix", "result": [{"metric": {}, "values": [[1e18, "1"]]}]}),
        "not the Prometheus",
    ),
    (lambda r: httpx.Response(200, content=b"[" * 200_000), "not the Prometheus API"),
    (lambda r: httpx.Response(200, content=b"x" * (MAX_BYTES + 1)), "answered more than 16 MB"),
    (
        lambda r: prom_error(422, "execution", "query processing would load too many samples into memory"),
        "refused: too many samples",
    ),
    (lambda r: prom_error(400, "bad_data", "1:3: parse error:\n bad"), "refused: 1:3: parse error: bad"),
    (fail(httpx.ReadTimeout("slow")), "did not answer within 5000 ms"),
    (fail(httpx.ConnectTimeout("slow")), "cannot be reached: nothing accepts"),
    (fail(httpx.ConnectError("[Errno 111] Connection refused")), "cannot be reached: nothing listens"),
    (fail(httpx.RemoteProtocolError("closed")), "cannot be reached: closed"),
]


@each_row("handler, named", FAILURES)
def test_every_failure_is_one_sentence(handler, named):
    with pytest.raises(ToolUnavailable) as caught:
        backend(handler).query_range("up", GRID)
    assert str(caught.value).startswith("prometheus at http://metrics.test:9090 ")
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_dribbles_is_slow():
    def dribble():
        import time

        for _ in range(100):
            time.sleep(0.02)
            yield b" "

    with pytest.raises(ToolUnavailable, match="did not answer within 50 ms"):
        backend(lambda r: httpx.Response(200, content=dribble()), timeout_ms=50).query_range("up", GRID)


@each_row("url", ["metrics.test:9090", "ftp://metrics.test", "http://", "http://[::1", "nonsense"])
def test_an_address_that_is_none_is_named(url):
    with pytest.raises(ToolUnavailable, match=r"prometheus\.url"):
        PrometheusBackend(url)


def test_names_are_asked_once_a_minute():
    count = []

    def handler(request):
        count.append(request.url.path)
        return success(["b", "a"])

    at = backend(handler)
    assert at.names() == {"a", "b"}
    assert at.names() == {"a", "b"}
    assert at.label_names("a") == {"a", "b"}
    assert at.label_values("x", ("a",), END - 60, END) == ("a", "b")
    assert at.label_values("x", ("a",), END - 60, END + 1) == ("a", "b")
    assert len(count) == 3 + 1  # the last one ends in another hour


def test_a_failure_is_not_kept():
    answers = [httpx.Response(503), success(["a"])]
    at = backend(lambda r: answers.pop(0))
    with pytest.raises(ToolUnavailable):
        at.names()
    assert at.names() == {"a"}


def cadence_handler(newest, count, alive_at):
    """A server whose samples end at ``newest``, seen only by queries that ask at ``alive_at``."""

    def handler(request):
        params = dict(request.url.params)
        if request.url.path.endswith("query"):
            if float(params["time"]) != alive_at:
                return success({"resultType": "vector", "result": []})
            rows = [({"of": "newest"}, newest), ({"of": "count"}, count)]
            return success({"resultType": "vector", "result": [{"metric": m, "value": [0, str(v)]} for m, v in rows]})
        step = int(params["step"])
        moments = range(int(float(params["start"])), int(float(params["end"])) + 1, step)
        return matrix(({}, [[t, "1"] for t in moments if t - step <= newest <= t or t <= alive_at - step]))

    return handler


@each_row("count, interval", [(40, 15), (41, 15), (10, 60), (11, 60), (20, 30), (2, 300), (120, 5)])
def test_the_interval_is_read_from_the_count(count, interval):
    at = backend(cadence_handler(END - 7, count, END))
    assert at.cadence("up", END - 3600, END) == (END - 7, interval)


def test_samples_that_ended_are_looked_for():
    at = backend(cadence_handler(END - 40_005, 10, END - 40_000 + 64))
    newest, _ = at.cadence("up", END - 86_400, END)
    assert newest == pytest.approx(END - 40_005, abs=432)


def test_no_sample_at_all():
    at = backend(lambda r: success({"resultType": "matrix" if "range" in r.url.path else "vector", "result": []}))
    assert at.cadence("up", END - 3600, END) == (None, 60.0)


RULES = {
    "groups": [
        {
            "rules": [
                {
                    "type": "alerting",
                    "name": "PaySlow",
                    "query": "p95 > 1",
                    "alerts": [
                        {
                            "labels": {"alertname": "PaySlow", "endpoint": "/pay"},
                            "state": "firing",
                            "activeAt": "2026-11-21T10:00:00.123456789Z",
                        }
                    ],
                },
                {"type": "alerting", "name": "ListSlow", "query": "p95 > 2", "alerts": []},
                {"type": "recording", "name": "x:y", "query": "1"},
            ]
        }
    ]
}


def test_alerts_come_from_the_rules():
    found = backend(lambda r: success(RULES)).live_alerts()
    assert found == (
        Alert("PaySlow", "firing", None, {"endpoint": "/pay"}, None, END - 3600, "p95 > 1"),
        Alert("ListSlow", "inactive", expr="p95 > 2"),
    )


def test_without_rules_they_come_from_the_list_of_active_ones():
    def handler(request):
        if request.url.path.endswith("rules"):
            return httpx.Response(404, text="not here")
        return success({"alerts": RULES["groups"][0]["rules"][0]["alerts"]})

    (alert,) = backend(handler).live_alerts()
    assert (alert.name, alert.active_at) == ("PaySlow", END - 3600)


def test_without_either_there_are_none():
    assert backend(lambda r: httpx.Response(404)).live_alerts() == ()


def test_ping_tells_version_and_age():
    def handler(request):
        path = request.url.path
        if path.endswith("buildinfo"):
            return success({"version": "2.42.0"})
        if path.endswith("values"):
            return success(["up", "x"])
        return cadence_handler(END - 30, 40, END)(request)

    assert backend(handler).ping(END) == (
        "prometheus 2.42.0 at http://metrics.test:9090, 2 metrics, newest sample of up 30 s old"
    )


def test_answers_may_be_any_json():
    for body in ("null", "1", '"x"', "{}", '{"status":"success","data":null}', '{"status":"success","data":[1]}'):
        with pytest.raises(ToolUnavailable):
            backend(lambda r, body=body: httpx.Response(200, json=json.loads(body))).query_range("up", GRID)
        with pytest.raises(ToolUnavailable):
            backend(lambda r, body=body: httpx.Response(200, json=json.loads(body))).names()


def test_what_a_server_says_is_missing_is_told():
    body = {"resultType": "matrix", "result": [{"metric": {}, "values": [[END - 60, "NaN"], [END, "+Inf"]]}]}
    answer = {"status": "success", "data": body, "warnings": ["store-2: no response"], "isPartial": True}
    frame = backend(lambda r: httpx.Response(200, json=answer)).query_range("up", GRID)
    assert frame.warnings == ("store-2: no response", "the response is partial")
    assert frame.not_numbers == 2
    assert frame.series == ()


@pytest.mark.parametrize(("status", "served"), [(404, False), (200, True)])
def test_a_server_without_rules_cannot_tell_that_nothing_fires(status, served):
    def handler(request):
        if request.url.path.endswith("/values"):
            return success(["up"])
        return success({"groups": [], "alerts": []}) if status == 200 else httpx.Response(404, text="no page")

    assert backend(handler).tells_alerts() is served


def test_of_an_alert_by_name_a_server_without_rules_does_not_say_that_nothing_ever_fired():
    def answer(request):
        if request.url.path.endswith(("rules", "alerts")):
            return httpx.Response(404, text="no page")
        return success(["up"] if request.url.path.endswith("/values") else {"resultType": "matrix", "result": []})

    server = Server(backend(answer), Catalogue(read_options(options())))
    with pytest.raises(ToolUnavailable, match="whether an alert fires is not known"):
        analyse_alert(AlertQuery("NoSuchAlert"), server, datetime.fromtimestamp(END, UTC), deploys_of())
