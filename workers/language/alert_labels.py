"""What an alert's labels say, whoever wrote them: how grave it is, whether it is trouble at all, what it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

WOKEN_FOR = ("page", "critical", "emergency", "fatal", "sev1", "p1", "high", "error", "major", "sev2", "p2")
"""Severities that somebody is woken for, the gravest first."""
LESS = ("warning", "warn", "medium", "moderate", "minor", "sev3", "p3", "low", "p4", "p5", "notice", "info", "none")
GRAVITY = {name: place for place, name in enumerate((*WOKEN_FOR, "", *LESS))}
"""A severity that nobody knows, or none, is between those that somebody is woken for and the others."""
HEARTBEATS = re.compile(r"watchdog|alwaysfiring|heartbeat|.*deadmans?(?:switch|snitch)")
"""Alerts that always fire, so that their silence shows that alerting is broken; in lower case, letters alone."""
NO_DATA = frozenset({"DatasourceNoData", "DatasourceError"})
STATE_REASON = "state_reason"
"""A label that says why an alert is in its state: ``NoData`` or ``Error`` where its rule got no value to judge by."""

SERVICES = ("service", "app", "application", "service_name", "app_kubernetes_io_name")
ROUTES = ("endpoint", "route", "handler", "http_route", "uri")
PATH = "path"
WEB = ("method", "status", "code", "http_method", "status_code", "verb")
DISK = ("mountpoint", "mount", "fstype", "device", "disk", "volume", "filesystem")
OBJECTS = {
    "file system": ("mountpoint", "mount", "filesystem"),
    "device": ("device", "disk"),
    "volume": ("persistentvolumeclaim", "persistentvolume", "volume"),
    "deployment": ("deployment",),
    "stateful set": ("statefulset",),
    "daemon set": ("daemonset",),
    "job": ("job_name", "cronjob"),
    "pod": ("pod",),
    "node": ("node", "nodename"),
    "autoscaler": ("horizontalpodautoscaler", "hpa"),
    "queue": ("queue", "topic"),
    "certificate": ("certificate", "certname", "common_name"),
    "host": ("host", "hostname"),
    "instance": ("instance", "target"),
    "namespace": ("namespace",),
    "exporter": ("job",),
}
"""What an alert that is of no service is about, and the labels that name it, the most special first."""
IDENTIFYING = re.compile(r"(?:identifier|name|service|balancer|group|subscription_id|ingress)$", re.IGNORECASE)
"""How labels end that name a thing, whatever kind it is of: ``dbinstance_identifier``."""
OF_SCRAPE = frozenset("alertname container prometheus metrics_path endpoint rule_group alertgroup account_id".split())
"""Labels that tell how a sample came to be."""
WHERE = ("instance", "namespace", "exporter")
"""Kinds of objects that say where it is rather than what."""
HOSTS = ("host", "hostname", "node", "nodename", "instance")
EXPORTER = re.compile(
    r"exporter|kube-state-metrics|kubelet|cadvisor|prometheus|alertmanager|blackbox|snmp|cloudwatch|yace", re.IGNORECASE
)
"""A service or job that tells of other things: an alert that carries its name is not about it."""


def severity_of(labels: Mapping[str, str]) -> str:
    """How severe an alert says it is, in lower case; empty when it does not."""
    return (labels.get("severity") or labels.get("priority") or "").strip().lower()


def gravity(severity: str) -> int:
    """The place of a severity, the gravest lowest."""
    return GRAVITY.get(severity.strip().lower(), GRAVITY[""])


def is_heartbeat(name: str, labels: Mapping[str, str]) -> bool:
    """Whether an alert is no trouble: it always fires, or says itself that it is of no severity."""
    return severity_of(labels) == "none" or HEARTBEATS.fullmatch(re.sub(r"[^a-z]", "", name.lower())) is not None


def is_no_data(name: str, labels: Mapping[str, str]) -> bool:
    """Whether an alert says only that its rule got no value to judge by: neither trouble nor health.

    Source: Grafana's ``DatasourceNoData`` and ``DatasourceError``, and its annotation ``grafana_state_reason``.
    """
    return name in NO_DATA or labels.get(STATE_REASON, "").startswith(("NoData", "Error"))


def is_calm(name: str, labels: Mapping[str, str]) -> bool:
    """Whether an alert is no trouble, though it fires."""
    return is_heartbeat(name, labels) or is_no_data(name, labels)


def service_of(labels: Mapping[str, str]) -> str:
    """The service that an alert is of; empty when it is of none, such as when an exporter tells of a disk."""
    named = next((labels[label] for label in (*SERVICES, "job") if labels.get(label)), "")
    return "" if EXPORTER.search(named) or any(labels.get(label) for label in DISK) else named


def route_of(labels: Mapping[str, str]) -> str:
    """The HTTP route that an alert is of. ``path`` is one beside a service or an HTTP method, else of a file system."""
    named = next((labels[label] for label in ROUTES if "/" in labels.get(label, "")), "")  # else a port: "http-metrics"
    if named or any(labels.get(label) for label in DISK):
        return named
    of_web = any(labels.get(label) for label in (*SERVICES, *WEB))
    return labels.get(PATH, "") if of_web else ""


def object_of(labels: Mapping[str, str]) -> str:
    """What an alert of no service is about, in words: ``file system /data on mq-1``; empty for one of a service or
    route, and where no label says it."""
    return "" if service_of(labels) or route_of(labels) else thing_of(labels)


def thing_of(labels: Mapping[str, str]) -> str:
    """The most special thing that labels name beside a service, in words; empty where they name none."""
    tellers = {labels[x] for x in ("service", "job") if EXPORTER.search(labels.get(x, ""))}
    given = {x: value for x, value in labels.items() if value and not any(value.startswith(t) for t in tellers)}
    given["mountpoint"] = labels.get("mountpoint") or labels.get(PATH, "")
    special = ((k, given[x]) for k, names in OBJECTS.items() if k not in WHERE for x in names if given.get(x))
    telling = (x for x in sorted(given) if IDENTIFYING.search(x) and x not in OF_SCRAPE)
    named = ((x.replace("_", " "), given[x]) for x in telling if given[x] != labels.get("service"))
    where = ((k, labels[x]) for k in WHERE for x in OBJECTS[k] if labels.get(x))
    kind, name = next(chain(special, named, where), ("", ""))
    host = next((labels[label] for label in HOSTS if labels.get(label)), "")
    place = f" on {host}" if kind in {"file system", "device"} and host else ""
    return f"{kind} {name}{place}" if kind else ""
