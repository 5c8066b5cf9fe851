"""Deploys and alerts told over HTTP, served for real."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from bot.transport.hook_secrets import describe_hooks
from bot.transport.hooks import add_hooks
from bot.transport.web import MAX_BODY_BYTES
from tests.support.flag_payloads import launchdarkly_entry, launchdarkly_signature, plain_flag, unleash_event
from tests.support.hook_payloads import (
    SHA,
    alertmanager,
    argo,
    deployment_status,
    generic,
    one_alert,
    release,
    signature,
)
from tests.support.slack_payloads import served
from tests.support.tables import empty_tables, sqlite_tables
from workers.contracts import AlertEvent, Deploy
from workers.settings.load import Settings, load_settings
from workers.store.alerts import list_alerts
from workers.store.database import Database, open_database
from workers.store.deploys import list_deploys
from workers.store.flag_changes import list_flag_changes
from workers.store.hook_events import list_hook_events
from workers.toolkit.redaction import BUILTIN

TOKEN, SECRET = "correct horse battery", "It's a Secret to Everybody"
BEARER = {"authorization": f"Bearer {TOKEN}"}
EVER = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
AT = datetime(2026, 11, 21, 11, tzinfo=UTC)
PATHS = ["/hooks/deploy", "/hooks/alertmanager", "/hooks/flags"]
GOOD = {
    "/hooks/deploy": generic(),
    "/hooks/alertmanager": alertmanager(one_alert()),
    "/hooks/flags": plain_flag(),
}


def make_settings(home: Path, **hooks: str) -> Settings:
    overrides: dict[str, Any] = {f"oracle.hooks.{name}": value for name, value in hooks.items()}
    overrides["oracle.repositories"] = [{"path": "/srv/shop-backend", "name": "shop"}]
    return load_settings(overrides, home=home)


@pytest.fixture(scope="module")
def shared_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = open_database(sqlite_tables(tmp_path_factory.mktemp("hooks") / "oracle.db"))
    yield opened
    opened.close()


@pytest.fixture
def database(shared_database: Database) -> Database:
    empty_tables(shared_database)
    return shared_database


@pytest.fixture(scope="module")
def shared_web(shared_database: Database) -> Iterator[httpx.Client]:
    app = FastAPI()
    add_hooks(app, make_settings(Path("nowhere"), token=TOKEN, github_secret=SECRET), shared_database)
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


@pytest.fixture
def web(shared_web: httpx.Client, database: Database) -> httpx.Client:
    """The hooks, open to those who know the secrets, on an empty database."""
    return shared_web


def tell(web: httpx.Client, payload: Any, path: str = "/hooks/deploy", **headers: str) -> httpx.Response:
    return web.post(path, content=json.dumps(payload), headers={**BEARER, **headers})


def github(web: httpx.Client, event: str, payload: Any, secret: str = SECRET, **headers: str) -> httpx.Response:
    body = json.dumps(payload).encode()
    sent = {"x-github-event": event, "x-hub-signature-256": signature(body, secret), "content-type": "application/json"}
    return web.post("/hooks/deploy", content=body, headers={**sent, **headers})


def deploys(database: Database) -> tuple[Deploy, ...]:
    return list_deploys(database, *EVER)


def alerts(database: Database) -> tuple[AlertEvent, ...]:
    return list_alerts(database, *EVER)


def test_half_a_surrogate_pair_is_kept_as_a_question_mark(web: httpx.Client, database: Database) -> None:
    alert = one_alert()
    alert["labels"] = {**alert["labels"], "pod": "shop-\ud800-1", "zone\udfff": "a"}
    assert tell(web, alertmanager(alert), "/hooks/alertmanager").status_code == 202
    (told,) = alerts(database)
    assert (told.labels["pod"], told.labels["zone?"]) == ("shop-?-1", "a")
    assert tell(web, {**generic(), "service": "shop\ud800"}).status_code == 202
    assert [deploy.service for deploy in deploys(database)] == ["shop?"]


def test_secrets_are_taken_out_of_what_is_told(home: Path, database: Database) -> None:
    app, token = FastAPI(), "ghp_" + "a1B2" * 9
    add_hooks(app, make_settings(home, token=TOKEN), database, clean=BUILTIN.value)
    alert = one_alert()
    alert["annotations"] = {"summary": f"login with {token} fails"}
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        assert tell(client, alertmanager(alert), "/hooks/alertmanager").status_code == 202
        assert tell(client, {**generic(), "version": f"v1-{token}"}).status_code == 202
    kept = repr((alerts(database), deploys(database)))
    assert "[redacted:github-token]" in kept
    assert token not in kept


def test_what_became_of_each_event_is_counted_by_hook(web: httpx.Client, database: Database) -> None:
    tell(web, generic())
    tell(web, argo(phase="Running"))
    tell(web, {"version": "v1"})
    github(web, "ping", {})
    tell(web, alertmanager(one_alert(), one_alert(startsAt="soon")), "/hooks/alertmanager")
    tell(web, {"repository": "nobody-knows-it"}, "/hooks/push")
    web.post("/hooks/deploy", content=json.dumps(generic()))
    found = {hook.hook: hook for hook in list_hook_events(database)}
    counts = {name: (hook.taken, hook.ignored, hook.refused) for name, hook in found.items()}
    assert counts == {
        "deploys": (1, 0, 1),
        "deploys (Argo CD)": (0, 1, 0),
        "deploys (GitHub)": (0, 1, 0),
        "alerts": (1, 0, 0),
        "pushes": (0, 1, 0),
    }
    assert found["deploys"].reason.startswith("service: "), "why the last was not taken"
    assert found["alerts"].reason.startswith("alerts[1].startsAt"), "a part that was not taken is told too"
    assert found["alerts"].reason_at == found["alerts"].last_at


def test_a_bad_alert_is_told_beside_those_that_are_taken(web: httpx.Client, database: Database) -> None:
    answer = tell(web, alertmanager(7, one_alert(fingerprint=None)), "/hooks/alertmanager")  # type: ignore[arg-type]
    told = {"new": 1, "known": 0, "refused": 1, "reason": "alerts[0]: it is not an object"}
    assert (answer.status_code, answer.json()) == (202, told)
    assert len(alerts(database)) == 1


@pytest.mark.parametrize("name", ["till\ud800", "till\x00", "\x00"])
def test_no_name_is_a_fault_of_the_server(web: httpx.Client, name: str) -> None:
    for key in ("alertname", "fingerprint", "service"):
        alert = one_alert(fingerprint=name) if key == "fingerprint" else one_alert(labels={"alertname": "A", key: name})
        assert tell(web, alertmanager(alert), "/hooks/alertmanager").status_code == 202, key
    assert tell(web, generic(service=name)).status_code in {202, 400}
    assert github(web, "release", release(tag_name=name)).status_code in {202, 400}


def test_a_heartbeat_gets_no_message(home: Path, database: Database) -> None:
    app, due = FastAPI(), list[int]()
    settings = load_settings({"oracle.hooks.token": TOKEN, "oracle.incidents.alerts_channel": "C1"}, home=home)
    add_hooks(app, settings, database, alerted=due.append)
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        beat = one_alert(labels={"alertname": "Watchdog", "severity": "none"})
        tell(client, alertmanager(beat, groupKey="beat"), "/hooks/alertmanager")
        assert due == []
        tell(client, alertmanager(one_alert(fingerprint="b")), "/hooks/alertmanager")
    assert len(due) == 1


# --- who may ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
def test_an_address_without_a_secret_is_closed(home: Path, database: Database, path: str) -> None:
    app = FastAPI()
    add_hooks(app, make_settings(home), database)
    with served(app) as address, httpx.Client(base_url=address) as client:
        for headers in (BEARER, {"authorization": "Basic Og=="}, {}):
            answer = client.post(path, content=json.dumps(GOOD[path]), headers=headers)
            assert answer.status_code == 403
            assert answer.json() == {"error": "this address is closed: set HOOKS_TOKEN (hooks.token) to open it"}
        answer = github(client, "deployment_status", deployment_status(), secret="")
        assert answer.status_code == 403
        assert "set GITHUB_WEBHOOK_SECRET (hooks.github_secret) to open it" in answer.json()["error"]
    assert deploys(database) == alerts(database) == ()


def test_each_secret_opens_its_own_door(home: Path, database: Database) -> None:
    for hooks, bearer, hub in (({"token": TOKEN}, 202, 403), ({"github_secret": SECRET}, 403, 202)):
        app = FastAPI()
        add_hooks(app, make_settings(home, **hooks), database)
        with served(app) as address, httpx.Client(base_url=address) as client:
            assert tell(client, generic()).status_code == bearer
            assert github(client, "deployment_status", deployment_status()).status_code == hub


WRONG = [
    None,
    "",
    "Bearer",
    f"Bearer {TOKEN}x",
    f"Bearer {TOKEN[:-1]}",
    f"Token {TOKEN}",
    TOKEN,
    "Bearer caf\xe9",
    "Basic " + base64.b64encode(TOKEN.encode()).decode(),
    "Basic " + base64.b64encode(f"{TOKEN}:".encode()).decode(),
    "Basic " + base64.b64encode(b"oracle:wrong").decode(),
    "Basic %%%",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_token_is_refused(web: httpx.Client, database: Database, path: str) -> None:
    answers = {}
    for authorization in WRONG:
        headers = [] if authorization is None else [(b"authorization", authorization.encode("latin-1"))]
        answer = web.post(path, content=json.dumps(GOOD[path]), headers=headers)
        answers[authorization] = (answer.status_code, answer.json())
    assert answers == dict.fromkeys(WRONG, (401, {"error": "the token is wrong or missing"}))
    assert deploys(database) == alerts(database) == ()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "authorization", [f"bearer  {TOKEN}", "Basic " + base64.b64encode(f"any:{TOKEN}".encode()).decode()]
)
def test_the_token_may_be_a_password(web: httpx.Client, path: str, authorization: str) -> None:
    answer = web.post(path, content=json.dumps(GOOD[path]), headers={"authorization": authorization})
    assert (answer.status_code, answer.json()) == (202, {"new": 1, "known": 0})


@pytest.mark.parametrize("given", [None, "", "sha256=", "sha256=" + "0" * 64, "sha1=" + "0" * 40, "caf\xe9"])
def test_a_wrong_signature_is_refused(web: httpx.Client, database: Database, given: str | None) -> None:
    headers = [(b"x-github-event", b"deployment_status")] + [(k.encode(), v.encode()) for k, v in BEARER.items()]
    headers += [] if given is None else [(b"x-hub-signature-256", given.encode("latin-1"))]
    answer = web.post("/hooks/deploy", content=json.dumps(deployment_status()), headers=headers)
    assert (answer.status_code, answer.json()) == (401, {"error": "X-Hub-Signature-256 is wrong or missing"})
    assert github(web, "deployment_status", deployment_status(), secret=TOKEN).status_code == 401
    assert deploys(database) == ()


def test_a_signature_is_of_the_bytes_that_were_sent(web: httpx.Client) -> None:
    body = json.dumps(deployment_status()).encode()
    signed = {"x-github-event": "deployment_status", "x-hub-signature-256": signature(body, SECRET)}
    assert web.post("/hooks/deploy", content=body + b" ", headers=signed).status_code == 401
    assert web.post("/hooks/deploy", content=body, headers=signed).status_code == 202


def test_github_documents_its_signature_with_this_example() -> None:
    wanted = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature(b"Hello, World!", SECRET) == wanted


# --- what comes in ---------------------------------------------------------------------------------------------


def test_deploys_from_ci(web: httpx.Client, database: Database) -> None:
    told = [generic(), generic(service="cart", environment="staging", at="2026-11-21T11:05:00Z")]
    answer = tell(web, told)
    assert answer.status_code == 202
    assert answer.json().items() >= {"new": 2, "known": 0}.items()
    assert deploys(database) == (
        Deploy(service="shop", version="v1.4.2", commit=SHA, at=AT, source="webhook"),
        Deploy(
            service="cart",
            version="v1.4.2",
            commit=SHA,
            at=AT + timedelta(minutes=5),
            source="webhook",
            environment="staging",
        ),
    )
    assert tell(web, told).json().items() >= {"new": 0, "known": 2}.items()
    assert len(deploys(database)) == 2


def test_one_deploy_that_everybody_tells_of(web: httpx.Client, database: Database) -> None:
    assert tell(web, generic()).json() == {"new": 1, "known": 0}
    before = deploys(database)
    for _ in range(2):
        assert github(web, "deployment_status", deployment_status(), **{"x-github-delivery": "a"}).json() == {
            "new": 0,
            "known": 1,
        }
        assert github(web, "deployment_status", deployment_status(ref="main"), **{"x-github-delivery": "b"}).json() == {
            "new": 0,
            "known": 1,
        }
        assert github(web, "release", release()).json() == {"new": 0, "known": 1}
        told = tell(web, argo(images=["acme/shop:v1.4.2"])).json()
        assert told == {"new": 0, "known": 1, "sender": "Argo CD"}
    assert deploys(database) == before


def test_what_tells_of_no_deploy(web: httpx.Client, database: Database) -> None:
    ping = github(web, "ping", {"zen": "Design for failure.", "hook_id": 1})
    assert (ping.status_code, ping.json()) == (202, {"new": 0, "known": 0, "ignored": "ping: deploys are told here"})
    assert github(web, "deployment_status", deployment_status("failure")).json()["ignored"].endswith("success counts")
    assert github(web, "deployment", deployment_status()).json()["new"] == 0
    assert tell(web, argo(phase="Failed")).json()["new"] == 0
    assert tell(web, []).json() == {"new": 0, "known": 0}
    assert deploys(database) == ()


def test_github_may_send_a_form(web: httpx.Client, database: Database) -> None:
    body = httpx.Request("POST", "http://x", data={"payload": json.dumps(deployment_status())}).content
    signed = {"x-github-event": "deployment_status", "x-hub-signature-256": signature(body, SECRET)}
    form = {**signed, "content-type": "application/x-www-form-urlencoded"}
    assert web.post("/hooks/deploy", content=body, headers=form).json() == {"new": 1, "known": 0}
    assert [d.service for d in deploys(database)] == ["shop"]


def test_alerts_fire_and_are_resolved(web: httpx.Client, database: Database) -> None:
    firing, over = alertmanager(one_alert()), alertmanager(one_alert("resolved"), status="resolved")
    for payload, new in ((firing, 1), (firing, 0), (over, 1), (over, 0), (firing, 0)):
        answer = tell(web, payload, "/hooks/alertmanager")
        assert (answer.status_code, answer.json()) == (202, {"new": new, "known": 1 - new})
    (alert,) = alerts(database)
    assert (alert.name, alert.state, alert.labels["service"]) == ("SearchLatencyHigh", "resolved", "shop")
    assert alert.ends_at == datetime(2026, 11, 21, 11, 30, 0, 500_000, tzinfo=UTC)


def test_alerts_that_were_left_out_are_noted(
    web: httpx.Client, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    answer = tell(web, alertmanager(one_alert(), truncatedAlerts=3), "/hooks/alertmanager")
    assert answer.json() == {"new": 1, "known": 0, "truncated": 3}
    assert "Alertmanager left 3 alerts out of a notification: raise its max_alerts" in caplog.messages


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/hooks/deploy", "{", "the body is not JSON"),
        ("/hooks/deploy", "", "the body is not JSON"),
        ("/hooks/deploy", "[" * 100_000, "the body is nested too deeply"),
        ("/hooks/deploy", json.dumps(generic(commit="main")), "commit: a commit is 7 to 64 hexadecimal digits"),
        ("/hooks/deploy", '{"version": "v1", "\\ud800": 1}', "'?': no such key"),
        ("/hooks/alertmanager", json.dumps(generic()), "alerts: Alertmanager's webhook has a list of them"),
        ("/hooks/alertmanager", "\x00", "the body is not JSON"),
    ],
)
def test_one_clear_sentence_a_mistake(
    web: httpx.Client, database: Database, path: str, body: str, sentence: str
) -> None:
    answer = web.post(path, content=body, headers=BEARER)
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert answer.json()["error"].startswith(sentence)
    assert deploys(database) == alerts(database) == ()


def test_nothing_of_a_list_with_a_mistake_is_kept(web: httpx.Client, database: Database) -> None:
    answer = tell(web, [generic(), generic(service=None)])
    assert answer.json() == {"error": "[1].service: a text of 1 to 200 printable characters is needed"}
    assert deploys(database) == ()


@pytest.mark.parametrize("path", PATHS)
def test_a_large_body_is_refused_unread(web: httpx.Client, path: str) -> None:
    assert web.post(path, content=b" " * (MAX_BODY_BYTES + 1), headers=BEARER).status_code == 413
    assert web.post(path, content=(b" " * 65_536 for _ in range(20)), headers=BEARER).status_code == 413
    full = json.dumps(GOOD[path])
    assert web.post(path, content=full + " " * (MAX_BODY_BYTES - len(full)), headers=BEARER).status_code == 202


@pytest.mark.parametrize("path", PATHS)
def test_a_database_that_does_not_answer(web: httpx.Client, database: Database, path: str) -> None:
    with database.begin() as connection:
        for table in ("deploys", "alerts", "flag_changes"):
            connection.exec_driver_sql(f"alter table {table} rename to {table}_away")
    answer = tell(web, GOOD[path], path)
    assert (answer.status_code, answer.json()) == (503, {"error": "the database does not answer; send it again"})
    with database.begin() as connection:
        for table in ("deploys", "alerts", "flag_changes"):
            connection.exec_driver_sql(f"alter table {table}_away rename to {table}")
    assert tell(web, GOOD[path], path).json() == {"new": 1, "known": 0}


@pytest.mark.parametrize("path", PATHS)
def test_other_methods(web: httpx.Client, path: str) -> None:
    assert web.get(path, headers=BEARER).status_code == 405


def test_what_is_open_is_told(home: Path) -> None:
    assert describe_hooks(make_settings(home).core) == (
        "deploys, alerts, pushes and flags: closed, HOOKS_TOKEN (hooks.token) opens it; "
        "GitHub's webhooks: closed, GITHUB_WEBHOOK_SECRET (hooks.github_secret) opens it; "
        "Sentry's webhooks: closed, SENTRY_WEBHOOK_SECRET (hooks.sentry_secret) opens it; "
        "LaunchDarkly's webhooks: closed, LAUNCHDARKLY_WEBHOOK_SECRET (hooks.launchdarkly_secret) opens it"
    )
    both = describe_hooks(make_settings(home, token=TOKEN, github_secret=SECRET).core)
    assert both.startswith("deploys, alerts, pushes and flags: open; GitHub's webhooks: open; ")
    assert TOKEN not in both


def test_a_deploy_to_another_environment_is_kept_and_said_so(web: httpx.Client, database: Database) -> None:
    answer = tell(web, [generic(environment="staging"), generic(environment="PRODUCTION", version="v2")])
    assert answer.status_code == 202
    assert answer.json()["new"] == 2
    assert answer.json()["note"].startswith(
        "kept, but questions are about the environment production, and this went to staging:"
    )
    assert {d.environment for d in deploys(database)} == {"staging", "production"}
    assert "note" not in tell(web, generic(environment="production", version="v3")).json()


# --- pushes ----------------------------------------------------------------------------------------------------

PUSHED = {
    "ref": "refs/heads/main",
    "repository": {"full_name": "acme/shop", "clone_url": "https://h.example/acme/shop"},
}
BITBUCKET = {"repository": {"full_name": "acme/shop", "links": {"html": {"href": "https://h.example/acme/shop"}}}}
GITLAB = {"project": {"path_with_namespace": "acme/shop", "git_ssh_url": "git@h.example:acme/shop.git"}}


@pytest.fixture
def fetched() -> list[tuple[str, tuple[str, ...]]]:
    """What was asked to be fetched."""
    return []


@pytest.fixture
def pushed_web(home: Path, database: Database, fetched: list[tuple[str, tuple[str, ...]]]) -> Iterator[httpx.Client]:
    def pushed(name: str, addresses: tuple[str, ...]) -> tuple[str, ...]:
        fetched.append((name, addresses))
        return ("shop",) if name == "shop" or any("h.example" in a for a in addresses) else ()

    app = FastAPI()
    add_hooks(app, make_settings(home, token=TOKEN, github_secret=SECRET), database, pushed)
    with served(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def test_a_push_has_its_repository_fetched(
    pushed_web: httpx.Client, fetched: list[tuple[str, tuple[str, ...]]]
) -> None:
    body = json.dumps(PUSHED).encode()
    signed = {"x-github-event": "push", "x-hub-signature-256": signature(body, SECRET)}
    gitlab = {"x-gitlab-event": "Push Hook", "x-gitlab-token": TOKEN}
    told = json.dumps(BITBUCKET).encode()
    bitbucket = {"x-event-key": "repo:push", "x-hub-signature": signature(told, TOKEN)}
    for _ in range(2):
        answers = [
            pushed_web.post("/hooks/push", content=body, headers=signed),
            pushed_web.post("/hooks/push", json=GITLAB, headers=gitlab),
            pushed_web.post("/hooks/push", content=told, headers=bitbucket),
            tell(pushed_web, {"repository": "shop"}, "/hooks/push"),
            tell(pushed_web, {"url": "ssh://git@h.example/acme/shop"}, "/hooks/push"),
        ]
        assert [(a.status_code, a.json()["fetching"]) for a in answers] == [(202, "shop")] * 5
        assert [a.json().get("sender") for a in answers] == [None, "GitLab", "Bitbucket", None, None]
    assert fetched[:4] == [
        ("", ("https://h.example/acme/shop",)),
        ("", ("git@h.example:acme/shop.git",)),
        ("", ("https://h.example/acme/shop",)),
        ("shop", ()),
    ]


def test_a_push_of_github_may_be_a_form(pushed_web: httpx.Client) -> None:
    body = f"payload={quote(json.dumps(PUSHED))}".encode()
    kind = "application/x-www-form-urlencoded"
    headers = {"x-github-event": "push", "x-hub-signature-256": signature(body, SECRET), "content-type": kind}
    assert pushed_web.post("/hooks/push", content=body, headers=headers).json() == {"fetching": "shop"}


def test_an_unknown_repository_is_told_as_such(pushed_web: httpx.Client) -> None:
    answer = tell(pushed_web, {"repository": "other"}, "/hooks/push")
    assert answer.status_code == 202
    assert answer.json() == {"ignored": "other is not among the repositories of oracle.yaml that are fetched"}


def test_a_push_without_proof_fetches_nothing(
    pushed_web: httpx.Client, fetched: list[tuple[str, tuple[str, ...]]]
) -> None:
    body = json.dumps(PUSHED).encode()
    wrong = {"x-github-event": "push", "x-hub-signature-256": signature(body, "wrong")}
    assert pushed_web.post("/hooks/push", content=body, headers=wrong).status_code == 401
    for headers in ({"x-gitlab-event": "Push Hook", "x-gitlab-token": "wrong"}, {"x-gitlab-event": "Push Hook"}, {}):
        assert pushed_web.post("/hooks/push", json=GITLAB, headers=headers).status_code == 401
    told = json.dumps(BITBUCKET).encode()
    for given, proof in (({"x-hub-signature": signature(told, "wrong")}, "X-Hub-Signature"), ({}, "the token")):
        answer = pushed_web.post("/hooks/push", content=told, headers={"x-event-key": "repo:push", **given})
        assert (answer.status_code, answer.json()) == (401, {"error": f"{proof} is wrong or missing"})
    event = {"x-github-event": "push", "authorization": f"Bearer {TOKEN}"}
    assert pushed_web.post("/hooks/push", content=body, headers=event).status_code == 401
    assert tell(pushed_web, {"repository": 1}, "/hooks/push").status_code == 400
    assert fetched == []


# --- flags -----------------------------------------------------------------------------------------------------


def test_changed_flags_are_kept_once_whoever_tells_of_them(web: httpx.Client, database: Database) -> None:
    assert tell(web, plain_flag(), "/hooks/flags").json() == {"new": 1, "known": 0}
    assert tell(web, [plain_flag(), unleash_event(featureName="b")], "/hooks/flags").json() == {"new": 1, "known": 1}
    kept = list_flag_changes(database, *EVER)
    assert {(c.flag, c.before, c.after, c.source) for c in kept} == {
        ("new-cart", "off", "on", "webhook"),
        ("b", "off", "on", "unleash"),
    }
    note = tell(web, plain_flag(environment="qa"), "/hooks/flags").json()["note"]
    assert "this went to qa" in note


def launchdarkly(web: httpx.Client, entry: Any, secret: str) -> httpx.Response:
    body = json.dumps(entry).encode()
    return web.post("/hooks/flags", content=body, headers={"x-ld-signature": launchdarkly_signature(body, secret)})


def test_launchdarkly_s_signature_opens_its_own_door(home: Path, database: Database) -> None:
    app = FastAPI()
    add_hooks(app, make_settings(home, launchdarkly_secret=SECRET), database)
    with served(app) as address, httpx.Client(base_url=address) as client:
        assert launchdarkly(client, launchdarkly_entry(), "another").status_code == 401
        assert tell(client, launchdarkly_entry(), "/hooks/flags").status_code == 403
        assert launchdarkly(client, launchdarkly_entry(), SECRET).json() == {"new": 1, "known": 0}
        ignored = launchdarkly(client, launchdarkly_entry(kind="member", target={"resources": ["member/1"]}), SECRET)
        assert (ignored.status_code, list(ignored.json())) == (202, ["ignored"])
        assert launchdarkly(client, launchdarkly_entry(date=None), SECRET).status_code == 400
    (counted,) = list_hook_events(database)
    assert (counted.hook, counted.taken, counted.ignored, counted.refused) == ("flags (LaunchDarkly)", 1, 1, 1)
    assert counted.reason.startswith("date")


def test_a_signature_of_launchdarkly_is_none_of_ours(web: httpx.Client) -> None:
    assert launchdarkly(web, launchdarkly_entry(), TOKEN).status_code == 403, "its secret is not set"


def test_secrets_are_taken_out_of_flags_that_are_told(home: Path, database: Database) -> None:
    app, token = FastAPI(), "ghp_" + "a1B2" * 9
    add_hooks(app, make_settings(home, token=TOKEN), database, clean=BUILTIN.value)
    with served(app) as address, httpx.Client(base_url=address) as client:
        assert tell(client, plain_flag(after=f"use {token}"), "/hooks/flags").status_code == 202
    (kept,) = list_flag_changes(database, *EVER)
    assert token not in kept.after
    assert "[redacted:github-token]" in kept.after
