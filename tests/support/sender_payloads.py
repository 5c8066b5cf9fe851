"""Payloads in the shapes that the documentation of each program gives, with values of our own."""

from __future__ import annotations

import json
from typing import Any

SHA = "3f1c9a7e5b2d4860917263544f5e6d7c8b9a0f1e"


def gitlab_deployment(**changes: Any) -> dict[str, Any]:
    """GitLab's deployment event."""
    project = {
        "id": 30,
        "name": "Cart",
        "web_url": "https://git.example/acme/cart",
        "git_ssh_url": "ssh://git@git.example/acme/cart.git",
        "git_http_url": "https://git.example/acme/cart.git",
        "namespace": "Acme",
        "path_with_namespace": "acme/cart",
        "default_branch": "main",
    }
    return {
        "object_kind": "deployment",
        "status": "success",
        "status_changed_at": "2026-11-21 12:01:50 +0100",
        "deployment_id": 15,
        "deployable_id": 796,
        "deployable_url": "https://git.example/acme/cart/-/jobs/796",
        "environment": "eu-1",
        "environment_tier": "production",
        "environment_slug": "eu-1",
        "environment_external_url": "https://cart.example",
        "project": project,
        "short_sha": SHA[:8],
        "user": {"id": 1, "name": "Ada", "username": "ada"},
        "user_url": "https://git.example/ada",
        "commit_url": f"https://git.example/acme/cart/-/commit/{SHA}",
        "commit_title": "Round prices once",
        "ref": "main",
        **changes,
    }


def gitlab_pipeline() -> dict[str, Any]:
    """GitLab's pipeline event."""
    run = {
        "id": 31,
        "ref": "main",
        "tag": False,
        "sha": SHA,
        "status": "success",
        "finished_at": "2026-11-21 11:01:00 UTC",
    }
    return {
        "object_kind": "pipeline",
        "object_attributes": run,
        "project": gitlab_deployment()["project"],
        "builds": [],
    }


def circleci(kind: str = "job-completed", **job: Any) -> dict[str, Any]:
    """CircleCI's webhooks."""
    vcs = {
        "provider_name": "github",
        "origin_repository_url": "https://github.com/acme/cart",
        "target_repository_url": "https://github.com/acme/cart",
        "revision": SHA,
        "branch": "main",
    }
    given = {
        "type": kind,
        "id": "3888f21b-eaa7-38e3-8f3d-75a63bba8895",
        "happened_at": "2026-11-21T11:02:00.000Z",
        "webhook": {"id": "cf8c4fdd-0587-4da1-b4ca-4846e9640af9", "name": "Oracle"},
        "project": {"id": "84996744", "name": "cart", "slug": "github/acme/cart"},
        "organization": {"id": "f22b6566", "name": "acme"},
        "pipeline": {"id": "1285fe1d", "number": 130, "trigger": {"type": "webhook"}, "vcs": vcs},
        "workflow": {"id": "fda08377", "name": "release", "status": "success", "url": "https://ci.example/w/fda08377"},
    }
    ran = {"id": "8bd71c28", "name": "deploy-staging", "number": 136, "status": "success", **job}
    return {**given, "job": ran} if kind == "job-completed" else given


def buildkite(**build: Any) -> dict[str, Any]:
    """Buildkite's ``build.finished``."""
    about = {"id": "f62a1b4d", "number": 27, "state": "passed", "blocked": False, "branch": "main", "commit": SHA}
    times = {"tag": None, "started_at": "2026-11-21 10:58:00 UTC", "finished_at": "2026-11-21 11:03:00 UTC"}
    line = {
        "id": "849411f9",
        "name": "Cart deploy",
        "slug": "cart-deploy",
        "repository": "git@github.com:acme/cart.git",
    }
    sent = {"event": "build.finished", "pipeline": line, "sender": {"id": "8a7693f8", "name": "Ada"}}
    return {**sent, "build": {**about, **times, **build}}


def jenkins(**build: Any) -> dict[str, Any]:
    """What Jenkins' Notification plugin sends."""
    scm = {"url": "https://github.com/acme/cart.git", "branch": "origin/main", "commit": SHA}
    about = {
        "full_url": "https://jenkins.example/job/cart-deploy/18/",
        "number": 18,
        "phase": "FINALIZED",
        "status": "SUCCESS",
        "url": "job/cart-deploy/18/",
    }
    return {"name": "cart-deploy", "url": "job/cart-deploy/", "build": {**about, "scm": scm, **build}}


def pagerduty(
    event: str = "incident.triggered", at: str = "2026-11-21T11:04:00.000Z", created: str = "2026-11-21T11:04:00Z"
) -> dict[str, Any]:
    """PagerDuty's V3 webhooks."""
    service = {"id": "PF9KMXH", "summary": "cart", "type": "service_reference", "html_url": "https://pd.example/s"}
    incident = {
        "id": "PGR0VU2",
        "type": "incident",
        "html_url": "https://pd.example/incidents/PGR0VU2",
        "number": 2,
        "status": event.partition(".")[2],
        "incident_key": "d3640fbd41094207a1c11e58e46b1662",
        "created_at": created,
        "title": "Carts lose their items",
        "service": service,
        "priority": None,
        "urgency": "high",
    }
    about = {"id": "5ac64822", "event_type": event, "resource_type": "incident", "occurred_at": at}
    return {"event": {**about, "agent": {"id": "PLH1HKV"}, "client": None, "data": incident}}


def opsgenie(action: str = "Create", at_ns: int = 1_795_259_100_000_000_203) -> dict[str, Any]:
    """Opsgenie's outgoing webhook. It begins at 2026-11-21T11:05:00Z."""
    alert = {
        "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c",
        "message": "Carts are slow",
        "tags": ["cart"],
        "tinyId": "1791",
        "entity": "cart-db",
        "alias": "carts-slow",
        "createdAt": 1_795_259_100_000,
        "updatedAt": at_ns,
        "username": "ada@acme.example",
        "description": "p95 is 3 s",
        "team": "Carts",
        "priority": "P2",
        "source": "monitor",
    }
    outer = {"integrationId": "4c3efe94", "integrationName": "Oracle", "integrationType": "Webhook"}
    return {"action": action, "alert": alert, "source": {"name": "", "type": "web"}, **outer}


def datadog(state: str = "Triggered", at_ms: int = 1_795_259_160_000, **more: Any) -> dict[str, Any]:
    """Datadog's default payload. It is of 2026-11-21T11:06:00Z."""
    return {
        "id": "7310",
        "last_updated": str(at_ms),
        "event_type": "query_alert_monitor",
        "title": f"[{state} on {{env:production,service:cart}}] Cart errors are high",
        "date": str(at_ms),
        "org": {"id": "11023", "name": "Acme"},
        "body": "%%%\nMore than 5 % fail.\n\n[Monitor](https://dd.example/monitors/7)\n%%%",
        **more,
    }


def sentry_issue(**event: Any) -> dict[str, Any]:
    """Sentry's ``event_alert``: an alert rule of issues."""
    about = {
        "event_id": "e4874d664c3540c1a32eab185f12c5ab",
        "issue_id": "1170820242",
        "title": "KeyError: 'price'",
        "culprit": "cart.total",
        "level": "error",
        "environment": "production",
        "project": 1,
        "datetime": "2026-11-21T11:07:00.000000Z",
        "url": "https://sentry.example/api/0/projects/acme/cart/events/e4874d664c3540c1a32eab185f12c5ab/",
        "web_url": "https://sentry.example/organizations/acme/issues/1170820242/",
        **event,
    }
    actor = {"id": "sentry", "name": "Sentry", "type": "application"}
    data = {"event": about, "triggered_rule": "Errors of carts"}
    return {"action": "triggered", "actor": actor, "data": data, "installation": {"uuid": "a8e5d37a"}}


def sentry_metric(action: str = "critical") -> dict[str, Any]:
    """Sentry's ``metric_alert``."""
    rule = {"id": "7", "name": "Too many errors", "aggregate": "count()", "environment": None, "projects": ["cart"]}
    alert = {
        "id": "4",
        "identifier": "4",
        "title": "Too many errors",
        "date_created": "2026-11-21T11:08:30Z",
        "date_detected": "2026-11-21T11:08:30Z",
        "date_started": "2026-11-21T11:08:00Z",
        "date_closed": "2026-11-21T11:38:00Z" if action == "resolved" else None,
        "projects": ["cart"],
        "alert_rule": rule,
    }
    told = {"description_text": "1000 events in the last 10 minutes", "description_title": f"{action}: Too many errors"}
    data = {"metric_alert": alert, **told, "web_url": "https://sentry.example/alerts/4"}
    actor = {"id": "sentry", "name": "Sentry", "type": "application"}
    return {"action": action, "actor": actor, "data": data, "installation": {"uuid": "a8e5d37a"}}


def sns(kind: str = "Notification", **alarm: Any) -> dict[str, Any]:
    """What Amazon SNS delivers over HTTP: a CloudWatch alarm, or the question whether it may."""
    outer = {"MessageId": "165545c9", "TopicArn": "arn:aws:sns:eu-west-1:123456789012:carts", "SignatureVersion": "1"}
    if kind == "SubscriptionConfirmation":
        asked = {
            "Token": "2336412f37",
            "SubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription",
        }
        return {"Type": kind, **outer, **asked, "Message": "You have chosen to subscribe."}
    message = {
        "AlarmName": "cart-queue-long",
        "AlarmDescription": "Orders wait.",
        "AWSAccountId": "123456789012",
        "NewStateValue": "ALARM",
        "OldStateValue": "OK",
        "NewStateReason": "Threshold Crossed: 1 datapoint (900.0) was greater than the threshold (500.0).",
        "StateChangeTime": "2026-11-21T11:09:00.236+0000",
        "Region": "EU (Ireland)",
        "AlarmArn": "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:cart-queue-long",
        "Trigger": {"MetricName": "Depth", "Dimensions": [{"name": "QueueName", "value": "orders"}]},
        **alarm,
    }
    return {"Type": kind, **outer, "Subject": "ALARM", "Message": json.dumps(message)}


def grafana(alertname: str = "DatasourceNoData", **changes: Any) -> dict[str, Any]:
    """What Grafana's alerting sends to a webhook."""
    labels = {"alertname": alertname, "datasource_uid": "P1", "rulename": "Carts per minute", "grafana_folder": "Carts"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {},
        "startsAt": "2026-11-21T12:10:00.56+01:00",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "https://grafana.example/alerting/grafana/x/view",
        "fingerprint": "57c6d9296de2ad39",
        "silenceURL": "https://grafana.example/alerting/silence/new",
        "values": None,
        **changes,
    }
    group = {
        "receiver": "oracle",
        "status": "firing",
        "orgId": 1,
        "alerts": [alert],
        "groupLabels": {"alertname": alertname},
    }
    rest = {
        "externalURL": "https://grafana.example/",
        "version": "1",
        "groupKey": '{}:{alertname="x"}',
        "truncatedAlerts": 0,
    }
    return {**group, **rest, "title": f"[FIRING:1] {alertname}", "state": "alerting", "message": "**Firing**"}
