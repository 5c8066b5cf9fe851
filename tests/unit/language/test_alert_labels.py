"""What an alert is about by its labels, and whether it is trouble."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.language.alert_labels import gravity, is_heartbeat, object_of, route_of, service_of


@each_row(
    "labels, service, route, thing",
    [
        ({"service": "till", "path": "/pay"}, "till", "/pay", ""),
        ({"job": "till", "instance": "a:9100"}, "till", "", ""),
        ({"method": "GET", "path": "/pay"}, "", "/pay", ""),
        ({"host": "mq-1", "path": "/"}, "", "", "file system / on mq-1"),
        ({"job": "node-exporter", "instance": "db-2", "mountpoint": "/data"}, "", "", "file system /data on db-2"),
        ({"service": "till", "mountpoint": "/data", "path": "/x"}, "", "", "file system /data"),
        ({"service": "kube-state-metrics", "namespace": "n", "deployment": "till"}, "", "", "deployment till"),
        ({"node": "n7", "namespace": "kube-system"}, "", "", "node n7"),
        ({"instance": "vpn.example:443"}, "", "", "instance vpn.example:443"),
        ({"namespace": "ns1"}, "", "", "namespace ns1"),
        ({"service": "kube-state-metrics", "pod": "kube-state-metrics-7d", "hpa": "cart"}, "", "", "autoscaler cart"),
        ({"job": "kubelet", "endpoint": "https-metrics", "node": "n7"}, "", "", "node n7"),
        ({"job": "cloudwatch", "dbinstance_identifier": "erp-1"}, "", "", "dbinstance identifier erp-1"),
        ({}, "", "", ""),
    ],
)
def test_what_an_alert_is_about(labels: dict[str, str], service: str, route: str, thing: str) -> None:
    assert (service_of(labels), route_of(labels), object_of(labels)) == (service, route, thing)


@each_row(
    "name, severity, beats",
    [
        ("Watchdog", "none", True),
        ("Watchdog", "critical", True),
        ("dead-mans-switch", "", True),
        ("InfoInhibitor", "none", True),
        ("HeartbeatMissing", "critical", False),
        ("WatchdogSilent", "", False),
        ("DiskFull", "info", False),
        ("PrometheusAlertmanagerE2eDeadManSwitch", "critical", True),
        ("DeadMansSwitchMissing", "critical", False),
        ("HeartbeatLost", "critical", False),
    ],
)
def test_a_heartbeat_is_no_trouble(name: str, severity: str, beats: bool) -> None:
    assert is_heartbeat(name, {"severity": severity}) == beats


def test_the_gravest_is_first_in_any_case() -> None:
    assert gravity("PAGE") < gravity("Critical") < gravity("p2") < gravity("") == gravity("odd") < gravity("Warning")
