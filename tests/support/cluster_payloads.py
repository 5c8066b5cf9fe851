"""Events of Kubernetes in both versions of its API, and a stand-in that lists them page by page."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tests.support.json_server import Answer, Refused


def stamp(at: datetime) -> str:
    """A moment as Kubernetes writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def core_event(
    at: datetime,
    reason: str = "BackOff",
    name: str = "checkout-7d9f8b6c5-x2x7z",
    *,
    kind: str = "Pod",
    namespace: str = "shop",
    warning: bool = True,
    count: int = 1,
    minutes: float = 0,
    node: str = "node-a",
    message: str = "Back-off restarting failed container",
) -> dict[str, Any]:
    """Of core/v1. ``at``: its last time; ``minutes``: since when before that."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{name}.17a{abs(hash((reason, name, stamp(at)))):x}",
            "namespace": namespace if kind != "Node" else "default",
            "creationTimestamp": stamp(at - timedelta(minutes=minutes)),
        },
        "involvedObject": {
            "kind": kind,
            "name": name,
            **({"namespace": namespace} if kind != "Node" else {}),
            "fieldPath": "spec.containers{app}",
        },
        "reason": reason,
        "message": message,
        "type": "Warning" if warning else "Normal",
        "count": count,
        "firstTimestamp": stamp(at - timedelta(minutes=minutes)),
        "lastTimestamp": stamp(at),
        "eventTime": None,
        "source": {"component": "kubelet", "host": node},
        "reportingComponent": "kubelet",
        "reportingInstance": node,
    }


def new_event(at: datetime, reason: str = "FailedScheduling", name: str = "pay-5b8c9d7f6b-q9w4k", **more: Any) -> Any:
    """Of events.k8s.io/v1, with a series."""
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.17b", "namespace": "shop", "creationTimestamp": stamp(at)},
        "eventTime": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "series": {"count": 7, "lastObservedTime": (at + timedelta(minutes=3)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")},
        "reportingController": "default-scheduler",
        "reportingInstance": "default-scheduler-control-1",
        "action": "Scheduling",
        "reason": reason,
        "regarding": {"kind": "Pod", "namespace": "shop", "name": name},
        "note": "0/3 nodes are available: 3 Insufficient memory.",
        "type": "Warning",
        **more,
    }


def event_list(*events: Any) -> dict[str, Any]:
    """What ``kubectl get events -o json`` writes."""
    return {"apiVersion": "v1", "kind": "List", "items": list(events), "metadata": {"resourceVersion": ""}}


def cluster_api(events: list[dict[str, Any]]) -> Answer:
    """``GET /version``, ``/api/v1/events`` and those of a namespace, with ``limit`` and ``continue``."""

    def answer(path: str, params: dict[str, str]) -> Any:
        if path == "/version":
            return {"major": "1", "minor": "31", "gitVersion": "v1.31.2"}
        parts = path.split("/")
        whole = path == "/api/v1/events"
        if not whole and (parts[:4] != ["", "api", "v1", "namespaces"] or parts[5:] != ["events"]):
            raise Refused(404, "the server could not find the requested resource")
        if set(params) - {"limit", "continue"}:
            raise Refused(400, "unknown parameter")
        fit = [e for e in events if whole or e["metadata"]["namespace"] == parts[4]]
        start, limit = int(params.get("continue", "0")), int(params.get("limit", "500"))
        end = start + limit
        more = {"continue": str(end), "remainingItemCount": len(fit) - end} if end < len(fit) else {}
        return {
            "kind": "EventList",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": "7", **more},
            "items": fit[start:end] or None,
        }

    return answer
