"""Programs that send in a form of their own: each is read, or told in one sentence that names it what to do."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.hooks import Unreadable
from bot.parse.senders import Home, read_told
from bot.transport.hooks import add_hooks
from tests.support.sender_payloads import (
    SHA,
    buildkite,
    circleci,
    datadog,
    gitlab_deployment,
    gitlab_pipeline,
    grafana,
    jenkins,
    opsgenie,
    pagerduty,
    sentry_issue,
    sentry_metric,
    sns,
)
from tests.support.slack_payloads import served
from tests.support.tables import empty_tables, sqlite_tables
from tests.unit.bot.parse.test_hooks import JSON
from workers.contracts import AlertEvent, Deploy
from workers.incidents.summary.alert_labels import gravest
from workers.language.alert_labels import is_no_data
from workers.settings.load import load_settings
from workers.store.alerts import list_alerts
from workers.store.database import Database, open_database
from workers.store.deploys import list_deploys
from workers.store.hook_events import list_hook_events

TOKEN, CLIENT_SECRET = "correct horse battery", "a client secret"
DEPLOY, ALERTS = "/hooks/deploy", "/hooks/alertmanager"
EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Database]]:
    """The hooks on a database."""
    home = tmp_path_factory.mktemp("senders")
    database, app = open_database(sqlite_tables(home / "oracle.db")), FastAPI()
    secrets = {"oracle.hooks.token": TOKEN, "oracle.hooks.sentry_secret": CLIENT_SECRET}
    known = [{"path": "/srv/cart", "name": "carts"}]
    settings = load_settings({**secrets, "oracle.repositories": known}, home=Path("nowhere"))
    add_hooks(app, settings, database)
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client, database
    database.close()


@pytest.fixture
def web(opened: tuple[httpx.Client, Database]) -> httpx.Client:
    empty_tables(opened[1])
    return opened[0]


@pytest.fixture
def database(opened: tuple[httpx.Client, Database]) -> Database:
    return opened[1]


def tell(web: httpx.Client, path: str, payload: Any, **headers: str) -> dict[str, Any]:
    answer = web.post(path, json=payload, headers=headers or {"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def deploys(database: Database) -> list[Deploy]:
    return list(list_deploys(database, *EVER))


def alerts(database: Database) -> list[AlertEvent]:
    return list(list_alerts(database, *EVER))


def at(hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 11, 21, hour, minute, second, tzinfo=UTC)


def digest(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def counted(database: Database) -> dict[str, tuple[int, int, int]]:
    return {hook.hook: (hook.taken, hook.ignored, hook.refused) for hook in list_hook_events(database)}


def test_gitlab(web: httpx.Client, database: Database) -> None:
    token = {"x-gitlab-token": TOKEN, "x-gitlab-event": "Deployment Hook"}
    assert tell(web, DEPLOY, gitlab_deployment(), **token) == {"new": 1, "known": 0, "sender": "GitLab"}
    (deploy,) = deploys(database)
    assert (deploy.service, deploy.version, deploy.commit) == ("carts", SHA[:7], SHA)
    assert (deploy.environment, deploy.at) == ("production", at(11, 1, 50)), "of its tier, whatever it is called"
    assert "running" in tell(web, DEPLOY, gitlab_deployment(status="running"), **token)["ignored"]
    tag = gitlab_deployment(ref="v2.1.0", environment="qa", environment_tier="testing", commit_url="")
    assert "qa" in tell(web, DEPLOY, tag, **token)["note"]
    assert {(d.version, d.commit, d.environment) for d in deploys(database)} >= {("v2.1.0", SHA[:8], "qa")}
    why = tell(web, DEPLOY, gitlab_pipeline(), **token)["ignored"]
    assert why == "GitLab's pipeline events tell of no deploy: tick “Deployment events” in its webhook"
    assert "/hooks/push" in tell(web, DEPLOY, {**gitlab_pipeline(), "object_kind": "push"}, **token)["ignored"]
    assert "/hooks/deploy" in tell(web, "/hooks/push", gitlab_deployment(), **token)["ignored"]
    assert counted(database) == {"deploys (GitLab)": (2, 3, 0), "pushes (GitLab)": (0, 1, 0)}


def test_circleci(web: httpx.Client, database: Database) -> None:
    body = json.dumps(circleci()).encode()
    signed = {"circleci-signature": f"v1={digest(body, TOKEN)}", "circleci-event-type": "job-completed"}
    assert web.post(DEPLOY, content=body, headers=signed).json()["new"] == 1
    assert web.post(DEPLOY, content=body + b" ", headers=signed).status_code == 401
    (deploy,) = deploys(database)
    assert (deploy.service, deploy.commit, deploy.environment) == ("carts", SHA, "staging")
    assert deploy.at == at(11, 2)
    assert "'test'" in tell(web, DEPLOY, circleci(name="test"))["ignored"]
    assert "failed" in tell(web, DEPLOY, circleci(status="failed"))["ignored"]
    assert "Job Completed" in tell(web, DEPLOY, circleci("workflow-completed"))["ignored"]
    assert len(deploys(database)) == 1


def test_buildkite(web: httpx.Client, database: Database) -> None:
    token = {"x-buildkite-token": TOKEN, "x-buildkite-event": "build.finished"}
    assert tell(web, DEPLOY, buildkite(), **token)["new"] == 1
    (deploy,) = deploys(database)
    assert (deploy.service, deploy.version, deploy.at) == ("carts", SHA[:7], at(11, 3))
    assert "ignored" in tell(web, DEPLOY, buildkite(blocked=True), **token), "it waits before it deploys"
    job = {"id": "b63254c0", "name": "Deploy to staging", "state": "passed", "finished_at": "2026-11-21 11:04:00 UTC"}
    assert tell(web, DEPLOY, {**buildkite(), "event": "job.finished", "job": job}, **token)["new"] == 1
    assert deploys(database)[-1].environment == "staging"
    assert web.post(DEPLOY, json=buildkite(), headers={"x-buildkite-token": "guess"}).status_code == 401


def test_jenkins(web: httpx.Client, database: Database) -> None:
    assert tell(web, DEPLOY, jenkins())["new"] == 1
    assert tell(web, DEPLOY, jenkins(phase="COMPLETED"))["new"] == 0, "it tells of each phase"
    assert "'FAILURE'" in tell(web, DEPLOY, jenkins(status="FAILURE"))["ignored"]
    assert "ignored" in tell(web, DEPLOY, {**jenkins(), "name": "cart-tests"})
    assert [(d.service, d.commit) for d in deploys(database)] == [("carts", SHA)]
    tell(web, DEPLOY, {**jenkins(scm={"commit": SHA}), "name": "deploy-till-qa"})
    assert {(d.service, d.environment) for d in deploys(database)} >= {("till", "qa")}, "by the name of its job"


def test_pagerduty(web: httpx.Client, database: Database) -> None:
    assert tell(web, ALERTS, pagerduty()) == {"new": 1, "known": 0, "sender": "PagerDuty"}
    assert tell(web, ALERTS, pagerduty("incident.acknowledged", "2026-11-21T11:09:00Z"))["new"] == 0
    (alert,) = alerts(database)
    assert (alert.name, alert.state, alert.starts_at) == ("Carts lose their items", "firing", at(11, 4))
    assert (alert.labels["service"], alert.labels["severity"]) == ("cart", "high")
    tell(web, ALERTS, pagerduty("incident.resolved", "2026-11-21T11:30:00Z"))
    assert [a.ends_at for a in alerts(database)] == [at(11, 30)]
    tell(web, ALERTS, pagerduty("incident.reopened", "2026-11-21T11:40:00Z"))
    assert [(a.state, a.starts_at) for a in alerts(database)] == [("resolved", at(11, 4)), ("firing", at(11, 40))]
    assert "pagey.ping" in tell(web, ALERTS, pagerduty("pagey.ping"))["ignored"]


def test_opsgenie(web: httpx.Client, database: Database) -> None:
    tell(web, ALERTS, opsgenie())
    tell(web, ALERTS, opsgenie("Close", 1_795_260_000_000_000_203))
    (alert,) = alerts(database)
    assert (alert.name, alert.summary, alert.labels["severity"]) == ("Carts are slow", "p95 is 3 s", "P2")
    assert (alert.starts_at, alert.ends_at) == (at(11, 5), at(11, 20))
    assert "AddNote" in tell(web, ALERTS, opsgenie("AddNote"))["ignored"]


def test_datadog(web: httpx.Client, database: Database) -> None:
    tell(web, ALERTS, datadog())
    tell(web, ALERTS, datadog("Re-Triggered", 1_795_259_760_000))
    (alert,) = alerts(database)
    assert (alert.name, alert.starts_at, alert.labels["service"]) == ("Cart errors are high", at(11, 6), "cart")
    assert alert.summary.startswith("More than 5 % fail.")
    tell(web, ALERTS, datadog("Recovered", 1_795_260_360_000))
    assert [(a.state, a.ends_at) for a in alerts(database)] == [("resolved", at(11, 26))]
    assert tell(web, ALERTS, datadog("Recovered", 1_795_260_960_000))["new"] == 0, "nothing is open"
    tell(web, ALERTS, datadog("No Data", 1_795_261_560_000))
    assert is_no_data(alerts(database)[-1].name, alerts(database)[-1].labels)
    assert "ignored" in tell(web, ALERTS, datadog(title="Deployed cart", event_type="deploy"))
    own = datadog(title="Cart errors are high", alert_transition="Warn", tags="env:qa,service:cart", alert_id="7")
    tell(web, ALERTS, own)
    assert [(a.environment, a.labels["severity"]) for a in alerts(database) if a.environment == "qa"] == [
        ("qa", "warning")
    ]


def test_sentry(web: httpx.Client, database: Database) -> None:
    for payload in (sentry_metric(), sentry_metric("resolved"), sentry_issue()):
        body = json.dumps(payload).encode()
        signed = {"sentry-hook-signature": digest(body, CLIENT_SECRET), "sentry-hook-resource": "metric_alert"}
        assert web.post(ALERTS, content=body, headers=signed).json()["new"] == 1
        assert web.post(ALERTS, content=body + b" ", headers=signed).status_code == 401
    issue, metric = alerts(database)
    assert (issue.name, issue.summary, issue.state) == ("Errors of carts", "KeyError: 'price'", "resolved")
    assert issue.starts_at == issue.ends_at == at(11, 7), "a moment: nothing says how long"
    assert issue.labels["service"] == "cart"
    assert (metric.name, metric.starts_at, metric.ends_at) == ("Too many errors", at(11, 8), at(11, 38))
    created = {**sentry_issue(), "action": "created", "data": {"issue": {"id": "1"}}}
    assert "alert rule" in tell(web, ALERTS, created)["ignored"]
    assert counted(database)["alerts (Sentry)"] == (3, 1, 0)


def test_amazon_sns(web: httpx.Client, database: Database) -> None:
    asked = web.post(ALERTS, json=sns()).headers["www-authenticate"]
    assert asked.startswith('Basic realm="'), "else it never sends its password"
    basic = {"authorization": httpx.BasicAuth("sns", TOKEN)._auth_header, "content-type": "text/plain"}
    why = tell(web, ALERTS, sns("SubscriptionConfirmation"), **basic)["ignored"]
    assert "SubscribeURL" in why
    assert "https://sns.eu-west-1.amazonaws.com/" in why
    assert tell(web, ALERTS, sns(NewStateValue="OK"), **basic)["new"] == 0, "nothing was wrong before"
    tell(web, ALERTS, sns(), **basic)
    (alert,) = alerts(database)
    assert (alert.name, alert.starts_at.replace(microsecond=0)) == ("cart-queue-long", at(11, 9))
    assert alert.labels["QueueName"] == "orders"
    tell(web, ALERTS, sns(NewStateValue="OK", StateChangeTime="2026-11-21T11:19:00.000+0000"), **basic)
    assert [a.ends_at for a in alerts(database)] == [at(11, 19)]
    assert "no alarm" in tell(web, ALERTS, {**sns(), "Message": "hello"}, **basic)["ignored"]


def test_grafana_without_data_is_no_trouble(web: httpx.Client, database: Database) -> None:
    assert tell(web, ALERTS, grafana())["sender"] == "Grafana"
    tell(web, ALERTS, grafana("DatasourceError", fingerprint="a"))
    reason = {"grafana_state_reason": "NoData"}
    tell(web, ALERTS, grafana("CartsSlow", fingerprint="b", annotations=reason))
    told = alerts(database)
    assert [is_no_data(a.name, a.labels) for a in told] == [True] * 3
    assert gravest(told) is None, "nobody is woken"
    tell(web, ALERTS, grafana("CartsSlow", fingerprint="c"))
    worst = gravest(alerts(database))
    assert worst is not None
    assert worst.fingerprint == "c"


def test_argo_cds_own_form_is_named(web: httpx.Client, database: Database) -> None:
    application = {"metadata": {"name": "cart"}, "status": {"sync": {"status": "Synced", "revision": SHA}}}
    answer = web.post(DEPLOY, json=application, headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("Argo CD: ")
    assert "docs/hooks.md" in answer.json()["error"]
    assert counted(database) == {"deploys (Argo CD)": (0, 0, 1)}


@pytest.mark.parametrize("path", [DEPLOY, ALERTS])
def test_an_unknown_sender_is_named_as_it_calls_itself(web: httpx.Client, database: Database, path: str) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "user-agent": "Zabbix/7"}
    answer = web.post(path, json={"host": "mq-1", "problem": "disk"}, headers=headers)
    assert answer.status_code == 400
    assert all(part in answer.json()["error"] for part in ("Zabbix/7", "host, problem", "docs/hooks.md"))
    assert counted(database) == {"deploys" if path == DEPLOY else "alerts": (0, 0, 1)}


def test_a_known_sender_may_use_either_address(web: httpx.Client, database: Database) -> None:
    assert tell(web, DEPLOY, pagerduty())["new"] == tell(web, ALERTS, gitlab_deployment())["new"] == 1
    assert (len(alerts(database)), len(deploys(database))) == (1, 1)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", 0, -1, 10**400, "soon"])
def test_no_moment_is_an_error_of_ours(web: httpx.Client, moment: Any) -> None:
    sent = [gitlab_deployment(status_changed_at=moment), datadog(date=moment), circleci(), sns(StateChangeTime=moment)]
    sent[2]["happened_at"] = moment
    for payload in sent:
        answer = web.post(ALERTS, json=payload, headers={"authorization": f"Bearer {TOKEN}"})
        assert answer.status_code in {202, 400}, answer.text


EXAMPLES = (
    gitlab_deployment(),
    circleci(),
    buildkite(),
    jenkins(),
    pagerduty(),
    opsgenie(),
    datadog(),
    sentry_issue(),
    sentry_metric(),
    sns(),
    grafana(),
)


def paths(payload: Any) -> list[tuple[Any, ...]]:
    """The places of all values of a payload."""
    parts = payload.items() if isinstance(payload, dict) else enumerate(payload) if isinstance(payload, list) else ()
    return [place for key, value in parts for place in ((key,), *((key, *rest) for rest in paths(value)))]


@given(st.data(), st.booleans())
def test_whatever_a_sender_sends_is_read_or_refused(data: st.DataObject, of_alerts: bool) -> None:
    payload = json.loads(json.dumps(data.draw(st.sampled_from(EXAMPLES))))
    *outer, last = data.draw(st.sampled_from(paths(payload)))
    part = payload
    for key in outer:
        part = part[key]
    part[last] = data.draw(JSON)
    try:
        read = read_told(payload, Home("production", {}, at(12, 0)), "x", of_alerts=of_alerts)
    except Unreadable:
        return
    told = read.alerts.alerts
    assert all(a.name and a.fingerprint and (a.ends_at is None) == (a.state == "firing") for a in told)
    assert all(deploy.service and deploy.version for deploy in read.deploys)
