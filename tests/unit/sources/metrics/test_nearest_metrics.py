"""Names near to one that does not exist."""

from workers.sources.metrics.nearest_metrics import nearest_metrics, nearest_values

PATHS = ["/api/search", "/api/zones", "/api/users", "/healthz"]


def test_values():
    assert nearest_values("/api/serch", PATHS)[0] == "/api/search"
    assert nearest_values("/api/zone", PATHS)[0] == "/api/zones"
    assert nearest_values("warehouse", PATHS) == ()
    assert nearest_values("/api/search", []) == ()


def test_metrics_by_name_and_alias():
    aliases = {"latency_p95": "latency_p95", "response_time": "latency_p95", "traffic": "traffic"}
    assert nearest_metrics("respons time", aliases, ["process_cpu_seconds_total"])[0] == "latency_p95"
    assert (
        nearest_metrics("process_cpu_second", aliases, ["process_cpu_seconds_total"])[0] == "process_cpu_seconds_total"
    )
    assert nearest_metrics("qqqq", aliases, ["up"]) == ()
