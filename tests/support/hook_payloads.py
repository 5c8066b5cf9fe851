"""Payloads as other programs send them: CI, GitHub, Argo CD's template, Alertmanager."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

SHA = "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"


def generic(**changes: Any) -> dict[str, Any]:
    """A deploy as CI tells it."""
    told = {"service": "shop", "version": "v1.4.2", "commit": SHA, "environment": "production"}
    return {**told, "at": "2026-11-21T11:00:00Z", "url": "https://ci.example/runs/7", **changes}


def repository(**changes: Any) -> dict[str, Any]:
    """A repository in GitHub's payloads."""
    named = {"id": 186853002, "name": "shop-backend", "full_name": "acme/shop-backend", "private": True}
    return {**named, "html_url": "https://github.com/acme/shop-backend", "default_branch": "main", **changes}


def deployment_status(state: str = "success", ref: str = "v1.4.2", **deployment: Any) -> dict[str, Any]:
    """GitHub: a deployment's status."""
    status = {
        "id": 9,
        "state": state,
        "description": "",
        "environment": "production",
        "created_at": "2026-11-21T11:00:20Z",
        "updated_at": "2026-11-21T11:00:20Z",
        "log_url": "",
    }
    about = {
        "id": 145988746,
        "sha": SHA,
        "ref": ref,
        "task": "deploy",
        "payload": {},
        "original_environment": "production",
        "environment": "production",
        "description": None,
        "created_at": "2026-11-21T10:58:00Z",
        "transient_environment": False,
        "production_environment": True,
    }
    outer = {"action": "created", "sender": {"login": "ada"}, "repository": repository()}
    return {**outer, "deployment_status": status, "deployment": {**about, **deployment}}


def release(action: str = "published", **changes: Any) -> dict[str, Any]:
    """GitHub: a release."""
    about = {"id": 17372790, "tag_name": "v1.4.2", "target_commitish": "main", "name": "1.4.2", "draft": False}
    times = {"prerelease": False, "created_at": "2026-11-21T10:00:00Z", "published_at": "2026-11-21T11:00:40Z"}
    return {"action": action, "repository": repository(), "release": {**about, **times, **changes}}


def argo(**changes: Any) -> dict[str, Any]:
    """What the template in docs/hooks.md sends."""
    state = {"app": "shop", "revision": SHA, "sync_status": "Synced", "phase": "Succeeded"}
    place = {"finished_at": "2026-11-21T11:00:50Z", "namespace": "production", "images": None, "revisions": None}
    return {**state, **place, **changes}


def one_alert(state: str = "firing", **changes: Any) -> dict[str, Any]:
    """An alert of a notification."""
    resolved = "2026-11-21T11:30:00.5Z" if state == "resolved" else "0001-01-01T00:00:00Z"
    return {
        "status": state,
        "labels": {"alertname": "SearchLatencyHigh", "service": "shop", "severity": "page"},
        "annotations": {"summary": "p95 is 1.9 s", "runbook_url": "https://wiki.example/search"},
        "startsAt": "2026-11-21T11:04:00.123456789Z",
        "endsAt": resolved,
        "generatorURL": "http://prometheus:9090/graph?g0.expr=up",
        "fingerprint": "6d1f8c3a9b0e4d27",
        **changes,
    }


def alertmanager(*alerts: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A notification, version 4."""
    group = {"version": "4", "groupKey": '{}:{alertname="SearchLatencyHigh"}', "truncatedAlerts": 0}
    labels = {"groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://am:9093"}
    return {**group, **labels, "status": "firing", "receiver": "oracle", "alerts": list(alerts), **changes}


def signature(body: bytes, secret: str) -> str:
    """How GitHub signs a body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
