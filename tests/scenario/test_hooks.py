"""Programs tell the whole bot of deploys and alerts; told again, nothing changes; answers know them."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from bot.cli.processes import build_front, opened
from bot.cli.shared_options import DEMO
from tests.scenario.conftest import NOW, Oracle
from tests.support.cluster_payloads import core_event, event_list
from tests.support.hook_payloads import alertmanager, argo, deployment_status, generic, one_alert, release, signature
from tests.support.sender_payloads import grafana, pagerduty
from tests.support.slack_payloads import SECRET, served, stand_in
from workers.contracts import rfc3339
from workers.entrypoints.celery_app import choose_broker, make_app
from workers.settings.load import ROOT, load_settings
from workers.store.deploys import last_range, list_deploys
from workers.telemetry.service_metrics import ServiceMetrics

TOKEN, HUB = "correct horse battery", "It's a Secret to Everybody"


@pytest.fixture
def team_home(demo_home: Path, tmp_path: Path) -> Path:
    """The demo team, to be changed."""
    return shutil.copytree(demo_home, tmp_path / "team")


@contextmanager
def bot_of(home: Path) -> Iterator[httpx.Client]:
    """The bot's own web server, as `oracle bot` builds it, with both secrets set."""
    with stand_in(auth_test={}, ok=True, user="oracle", user_id="U0APP", team_id="T1", bot_id="B1") as (api, _):
        slack = {"bot_token": "xoxb-test", "signing_secret": SECRET, "api_url": api}
        overrides: dict[str, Any] = {f"oracle.slack.{key}": value for key, value in slack.items()}
        overrides |= {"oracle.hooks.token": TOKEN, "oracle.hooks.github_secret": HUB}
        settings = load_settings(overrides, home=home)
        with opened(settings) as oracle:
            app = make_app(settings, choose_broker(settings, one_process=True))
            front = build_front(oracle, app, ServiceMetrics(oracle.metrics))
            try:
                with served(front.web) as address, httpx.Client(base_url=address, timeout=30) as client:
                    yield client
            finally:
                front.close()


def tell(web: httpx.Client, path: str, payload: Any) -> dict[str, Any]:
    answer = web.post(path, json=payload, headers={"authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def github(web: httpx.Client, event: str, delivery: str, payload: Any) -> dict[str, Any]:
    body = json.dumps(payload).encode()
    headers = {"x-github-event": event, "x-github-delivery": delivery, "x-hub-signature-256": signature(body, HUB)}
    answer = web.post("/hooks/deploy", content=body, headers={"content-type": "application/json", **headers})
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def everything(home: Path) -> list[str]:
    """The whole database as SQL, but for when an alert was told of last, and how often a hook was called."""
    connection = sqlite3.connect(home / "oracle.db")
    try:
        connection.execute("update alerts set last_told = ''")  # never committed
        connection.execute("delete from hook_events")
        return list(connection.iterdump())
    finally:
        connection.close()


def replay(web: httpx.Client, delivery: str) -> list[tuple[int, int]]:
    """Everything that programs tell of, once."""
    said = [
        tell(web, "/hooks/deploy", [generic(), generic(service="cart", environment="staging")]),
        github(web, "deployment_status", delivery, deployment_status()),
        github(web, "deployment_status", f"{delivery}2", deployment_status("inactive")),
        github(web, "release", delivery, release()),
        github(web, "ping", delivery, {"zen": "Keep it logically awesome."}),
        tell(web, "/hooks/deploy", argo(app="search", namespace=DEMO)),
        tell(web, "/hooks/alertmanager", alertmanager(one_alert(), one_alert(fingerprint="0" * 16))),
        tell(web, "/hooks/alertmanager", alertmanager(one_alert("resolved"))),
    ]
    return [(one["new"], one["known"]) for one in said]


def test_what_is_told_again_changes_nothing(team_home: Path) -> None:
    with bot_of(team_home) as web:
        first = replay(web, "a")
        assert first == [(2, 0), (1, 0), (0, 0), (1, 0), (0, 0), (1, 0), (2, 0), (1, 0)]
        before = everything(team_home)
        assert sum(line.startswith('INSERT INTO "alerts"') for line in before) == 2
        for delivery in ("a", "b"):
            assert [new for new, _ in replay(web, delivery)] == [0] * 8
        assert everything(team_home) == before


def test_an_answer_knows_a_deploy_that_was_told(team_home: Path, oracle: Oracle) -> None:
    repository = load_settings(home=team_home).core.repositories[0]
    at = datetime.now(UTC) - timedelta(minutes=3)
    told = {"service": repository.name, "version": "v77.1", "environment": DEMO.title(), "at": rfc3339(at)}
    with bot_of(team_home) as web:
        assert tell(web, "/hooks/deploy", told) == {"new": 1, "known": 0}
    ran = oracle("ask", "what was deployed in the last hour?", "--json", home=team_home)
    assert ran.code == 0, ran.err
    facts = [fact["value"] for e in ran.json["evidence"] if e["kind"] == "deploy" for fact in e["facts"].values()]
    assert "v77.1" in facts
    assert "v77.1" in json.dumps(ran.json["answer"])


def test_an_alert_that_was_told_is_known_with_what_it_means(team_home: Path, oracle: Oracle) -> None:
    labels = {"alertname": "QueueStuck", "service": "shop", "severity": "page"}
    at = datetime.now(UTC) - timedelta(minutes=30)
    firing = one_alert(labels=labels, startsAt=rfc3339(at), fingerprint="ab" * 8)
    with bot_of(team_home) as web:
        tell(web, "/hooks/alertmanager", alertmanager(firing))
    asked = json.dumps({"query": "alert=QueueStuck window=2h"})
    ran = oracle("tool", "metrics_query", asked, "--json", home=team_home)
    assert ran.code == 0, ran.err
    (alert,) = ran.json["alerts"]
    assert (alert["name"], alert["state"], alert["since"]) == ("QueueStuck", "firing", rfc3339(at))
    ran = oracle("ask", "is QueueStuck firing?", "--json", home=team_home)
    facts = {k: f["value"] for e in ran.json["evidence"] if e["kind"] == "alert" for k, f in e["facts"].items()}
    assert facts["summary"] == "p95 is 1.9 s"
    assert facts["runbook"] == "https://wiki.example/search"


def test_a_lack_of_data_is_told_as_one(team_home: Path, oracle: Oracle) -> None:
    since = datetime.now(UTC) - timedelta(minutes=9)
    with bot_of(team_home) as web:
        tell(web, "/hooks/alertmanager", grafana(startsAt=rfc3339(since)))
        tell(web, "/hooks/alertmanager", pagerduty(at=rfc3339(since), created=rfc3339(since)))
    found = oracle("tool", "metrics_query", json.dumps({"query": "alert=* window=2h"}), "--json", home=team_home).json
    told = {alert["name"]: alert.get("no_data") for alert in found["alerts"] if alert["state"] == "firing"}
    assert told.items() >= {"DatasourceNoData": True, "Carts lose their items": None}.items()
    ran = oracle("ask", "Why is DatasourceNoData firing?", "--json", home=team_home)
    assert (
        "no data for “Carts per minute”, which is neither trouble nor health" in ran.json["answer"]["headline"]["text"]
    )


def test_an_answer_tells_of_a_flag_and_the_cluster_before_the_onset(
    team_home: Path, oracle: Oracle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    question = "Why did latency spike on /api/search after the last deploy?"
    log = oracle("ask", question, "--json", home=team_home).json
    moved = next(e for e in log["evidence"] if e["kind"] == "metric")
    onset = datetime.fromisoformat(moved["facts"]["onset_at"]["value"])
    at = onset - timedelta(minutes=4)
    told = {"flag": "ranking-v2", "before": False, "after": True, "environment": DEMO, "at": rfc3339(at)}
    with bot_of(team_home) as web:
        assert tell(web, "/hooks/flags", told) == {"new": 1, "known": 0}
        tell(web, "/hooks/flags", {**told, "flag": "too-late", "at": rfc3339(onset + timedelta(minutes=9))})
    out_of_memory = core_event(at - timedelta(minutes=5), "OOMKilling", "node-a", kind="Node")
    (tmp_path / "events.json").write_text(json.dumps(event_list(out_of_memory)))
    monkeypatch.setenv("HOOKS_TOKEN", TOKEN)
    monkeypatch.setenv("ORACLE_CLUSTER_EVENTS", str(tmp_path / "events.json"))
    log = oracle("ask", question, "--json", home=team_home).json
    changed = {c["text"]: c["status"] for c in log["answer"]["what_changed"]}
    flag = next(text for text in changed if "ranking-v2" in text)
    assert "4 min" in flag
    assert any("OOMKilling" in text and "node-a" in text for text in changed)
    assert "too-late" not in json.dumps(log["answer"])


def test_the_last_deploy_is_a_range_of_commits(team_home: Path, oracle: Oracle) -> None:
    settings = load_settings(home=team_home)
    with opened(settings) as built:
        deploys = list_deploys(built.store.database, NOW - timedelta(days=60), NOW)
    pair = last_range(deploys, settings.core.repositories[0].name, DEMO, NOW)
    assert pair is not None
    assert pair[0] is not None
    ran = oracle(
        "tool", "repo_search", json.dumps({"range": f"{pair[0].commit}..{pair[1].commit}"}), "--json", home=team_home
    )
    assert ran.code == 0, ran.err
    found = ran.json
    assert found["range"]["count"] == len(found["changes"]) >= 1
    assert found["changes"][0]["commit"] == pair[1].commit
    assert pair[0].commit not in [c["commit"] for c in found["changes"]]


def test_what_is_open_is_checked(team_home: Path, oracle: Oracle) -> None:
    rows = {row["name"]: row for row in oracle("check", "--json", home=team_home).json["checks"]}
    assert rows["hooks"]["ok"]
    assert "closed, HOOKS_TOKEN (hooks.token) opens it" in rows["hooks"]["detail"]
    for tool in ("flag_changes", "cluster_events"):
        assert rows[tool]["ok"]
        assert rows[tool]["detail"].startswith("off: ")


def test_the_template_for_argo_cd_sends_what_is_read(team_home: Path) -> None:
    page = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    shown = next(b for b in blocks if "argocd-notifications-cm" in b)
    data = yaml.safe_load(shown)["data"]
    assert yaml.safe_load(data["service.webhook.oracle"])["url"].endswith("/hooks/deploy")
    template = yaml.safe_load(data["template.oracle-deploy"])["webhook"]["oracle"]
    application = {
        "metadata": {"name": "search"},
        "spec": {"destination": {"namespace": "live"}},
        "status": {
            "operationState": {
                "phase": "Succeeded",
                "finishedAt": rfc3339(NOW),
                "syncResult": {"revision": "f95f852bd8fca8fcc58a9a2d6c842781e32a215e", "revisions": None},
            },
            "sync": {"status": "Synced"},
            "summary": {"images": ["acme/search:2.3.0"]},
        },
    }

    def to_json(match: re.Match[str]) -> str:
        value: Any = application
        for key in match[1].removeprefix(".app.").split("."):
            value = value[key]
        return json.dumps(value)

    body = json.loads(re.sub(r"{{toJson (\S+)}}", to_json, template["body"]))
    assert body.keys() == argo().keys()
    with bot_of(team_home) as web:
        assert tell(web, "/hooks/deploy", body).items() >= {"new": 1, "known": 0}.items()
    with opened(load_settings(home=team_home)) as built:
        (deploy,) = [d for d in list_deploys(built.store.database, NOW, NOW) if d.service == "search"]
    assert (deploy.version, deploy.environment, deploy.source) == ("2.3.0", "live", "argocd")
