"""How a server is entered, and what is done without."""

import ssl

import httpx
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END
from workers.errors import ToolUnavailable
from workers.settings.schema import PrometheusSource
from workers.sources.metrics.backend import Grid
from workers.sources.metrics.http_connection import encryption
from workers.sources.metrics.prometheus_backend import PrometheusBackend


def success(data):
    return httpx.Response(200, json={"status": "success", "data": data})


def headers_of(**access):
    seen = []

    def handler(request):
        seen.append(request)
        return success([])

    at = PrometheusBackend(
        "http://metrics.test/prometheus", transport=httpx.MockTransport(handler), access=PrometheusSource(**access)
    )
    at.names()
    assert seen[0].url.path == "/prometheus/api/v1/label/__name__/values"
    return seen[0].headers


def test_a_tenant_and_a_token_are_sent():
    headers = headers_of(tenant="team-a", bearer_token="t0ken")
    assert headers["x-scope-orgid"] == "team-a"
    assert headers["authorization"] == "Bearer t0ken"


def test_a_user_and_a_password_are_sent():
    assert headers_of(username="u", password="p")["authorization"] == "Basic dTpw"


def test_a_token_file_is_read_anew_for_each_request(tmp_path):
    path, seen = tmp_path / "token", []

    def handler(request):
        seen.append(request.headers["authorization"])
        return success([])

    access = PrometheusSource(bearer_token_file=str(path))
    at = PrometheusBackend("http://metrics.test", transport=httpx.MockTransport(handler), access=access)
    for token in ("one\n", "two"):
        path.write_text(token)
        at.label_values(token[:3], ("x",), END - 60, END)
    assert seen == ["Bearer one", "Bearer two"]
    path.unlink()
    with pytest.raises(ToolUnavailable, match=r"bearer_token_file .* cannot be read"):
        at.names()


@each_row(
    "access, why",
    [
        ({"bearer_token": "a", "username": "b"}, r"prometheus\.bearer_token and prometheus\.username"),
        ({"key_file": "k.pem"}, r"prometheus\.key_file needs prometheus\.cert_file"),
        ({"ca_file": "/nowhere/ca.pem"}, r"prometheus\.ca_file '/nowhere/ca\.pem' cannot be used"),
        ({"cert_file": "/nowhere/c.pem"}, r"prometheus\.cert_file '/nowhere/c\.pem' cannot be used"),
        ({"tenant": "équipe"}, "more than ASCII"),
    ],
)
def test_what_cannot_be_is_one_sentence(access, why):
    with pytest.raises(ToolUnavailable, match=why):
        PrometheusBackend("https://metrics.test", access=PrometheusSource(**access))


def test_certificates_are_checked_unless_told_not_to():
    assert encryption(PrometheusSource()) is True
    loose = encryption(PrometheusSource(insecure_skip_verify=True))
    assert isinstance(loose, ssl.SSLContext)
    assert (loose.verify_mode, loose.check_hostname) == (ssl.CERT_NONE, False)


@each_row("status", [400, 404, 405, 422, 500])
def test_what_a_server_does_not_serve_is_done_without(status):
    def handler(request):
        path = request.url.path
        if path.endswith("/series"):
            return success([{"__name__": "x", "pod": "a"}, {"__name__": "x", "zone": "b"}])
        if path.endswith("/label/__name__/values"):
            return success(["x"])
        return httpx.Response(status, text="no")

    at = PrometheusBackend("http://metrics.test", transport=httpx.MockTransport(handler))
    assert at.described() == {}
    assert at.recorded() == frozenset()
    assert at.label_names("x") == {"pod", "zone"}
    with pytest.raises(ToolUnavailable, match=str(status)):
        at.query_range("x", Grid(END - 60, END, 60))


def test_metadata_and_recording_rules_are_read():
    def handler(request):
        if request.url.path.endswith("metadata"):
            return success({"a_total": [{"type": "counter", "help": "h", "unit": ""}], "empty": []})
        rules = [{"type": "recording", "name": "a:b"}, {"type": "alerting", "name": "c"}]
        return success({"groups": [{"rules": rules}]})

    at = PrometheusBackend("http://metrics.test", transport=httpx.MockTransport(handler))
    assert (at.described()["a_total"].kind, at.described()["a_total"].help) == ("counter", "h")
    assert at.recorded() == {"a:b"}


def test_native_histograms_are_known_by_their_points():
    point = [END, {"count": "7", "sum": "1", "buckets": []}]
    data = {"resultType": "matrix", "result": [{"metric": {"__name__": "n"}, "histograms": [point]}]}
    at = PrometheusBackend("http://metrics.test", transport=httpx.MockTransport(lambda r: success(data)))
    (series,) = at.query_range("n", Grid(END - 60, END, 60)).series
    assert series.native
    assert series.values[-1] == 7
