"""The bot over HTTP, served for real."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from slack_sdk.signature import SignatureVerifier

from bot.transport.web import MAX_BODY_BYTES, build_web, dispatch
from tests.support.slack_payloads import SECRET, as_form, as_json, command, mention, press, served, signed, wait_for
from tests.unit.bot.conftest import Bot
from workers.contracts import Question
from workers.settings.load import load_settings

PARTS = {"database": True, "slack": True, "broker": True}


def make_web(bot: Bot, parts: dict[str, bool] | None = None) -> FastAPI:
    return build_web(bot.settings, bot.ledger, bot.app, ready=lambda: parts or PARTS, metrics=bot.metrics)  # type: ignore[arg-type]


@pytest.fixture
def web(bot: Bot) -> Iterator[httpx.Client]:
    with served(make_web(bot)) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def post(web: httpx.Client, raw: str | bytes, headers: dict[str, str]) -> httpx.Response:
    return web.post("/slack/events", content=raw, headers=headers)


def test_events_commands_and_buttons_come_to_one_address(bot: Bot, web: httpx.Client) -> None:
    bot.ledger.waiting["1763733600.000100"] = "a1b2c3d4e5f6"
    for raw, kind in (as_json(mention()), as_form(command()), as_form(press())):
        assert post(web, raw, signed(raw, kind)).status_code == 200
    assert [q.text for q in bot.ledger.questions] == ["why is search slow?"] * 2
    assert [r.text for r in bot.ledger.replies] == ["/api/search"]
    wait_for(lambda: len(bot.rung) == 3)
    assert 'oracle_ack_seconds_count{transport="http"} 3.0' in web.get("/metrics").text


def test_what_slack_hears_is_what_bolt_says(bot: Bot, web: httpx.Client) -> None:
    raw, kind = as_form(command())
    response = post(web, raw, signed(raw, kind))
    assert response.headers["content-type"].startswith("application/json")
    assert response.json()["response_type"] == "ephemeral"
    raw = json.dumps({"type": "url_verification", "challenge": "c"})
    assert post(web, raw, signed(raw, "application/json")).json() == {"challenge": "c"}
    bot.ledger.broken = True
    raw, kind = as_json(mention())
    assert post(web, raw, signed(raw, kind)).status_code == 503


@pytest.mark.parametrize(
    "wrong",
    [
        {"x-slack-signature": "v0=" + "0" * 64},
        {"x-slack-signature": ""},
        {"x-slack-request-timestamp": "0"},
        {"x-slack-request-timestamp": ""},
        {"x-slack-request-timestamp": "yesterday"},
        {"x-slack-request-timestamp": "9" * 400},
    ],
)
def test_a_signature_that_is_none_is_refused(bot: Bot, web: httpx.Client, wrong: dict[str, str]) -> None:
    raw, kind = as_json(mention())
    assert post(web, raw, {**signed(raw, kind), **wrong}).status_code == 401
    assert bot.ledger.questions == []


def test_an_old_wrong_or_missing_signature_is_refused(bot: Bot, web: httpx.Client) -> None:
    raw, kind = as_json(mention())
    assert post(web, raw, signed(raw, kind, age_s=301)).status_code == 401
    assert post(web, raw, signed(raw, kind, secret=SECRET[::-1])).status_code == 401
    assert post(web, raw, {"content-type": kind}).status_code == 401
    assert web.post("/slack/events").status_code == 401
    latin = web.post("/slack/events", content=raw, headers=[(b"x-slack-signature", b"v0=\xe9")])
    assert latin.status_code == 401
    assert bot.ledger.questions == []


@pytest.mark.parametrize(
    ("signed_s", "status"), [(0, 200), (-300, 200), (300, 200), (-301, 401), (301, 401), (-390, 401), (-690, 401)]
)
def test_a_signature_is_as_old_as_when_the_request_came_however_long_it_waits(
    bot: Bot, signed_s: int, status: int
) -> None:
    came_s = int(time.time()) - 390
    raw, kind = as_json(mention())
    headers = signed(raw, kind)
    stamp = str(came_s + signed_s)
    headers["x-slack-request-timestamp"] = stamp
    headers["x-slack-signature"] = SignatureVerifier(SECRET).generate_signature(timestamp=stamp, body=raw) or ""
    assert dispatch(bot.app, raw.encode(), headers, came_s + 0.9).status_code == status
    assert len(bot.ledger.questions) == (status == 200)
    assert bot.send(mention(), age_s=301).status == 401  # the next request in this thread is none of that time


@pytest.mark.parametrize(
    "raw",
    [
        "{",
        "[]",
        "nonsense",
        "payload=%7B",
        "payload=[]",
        '{"authorizations": {"0": 1}}',
        '{"event": [], "type": "event_callback"}',
        '{"team": 7}',
        "{" + '"a":[' * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_body_that_is_none_does_no_harm(bot: Bot, web: httpx.Client, raw: str | bytes) -> None:
    text = raw if isinstance(raw, str) else ""
    assert post(web, raw, signed(text, "application/json")).status_code in {400, 401, 404}
    assert post(web, raw, {"content-type": "application/json"}).status_code in {400, 401}
    good, kind = as_json(mention())
    assert post(web, good, signed(good, kind)).status_code == 200


def test_a_large_body_is_refused_unread(bot: Bot, web: httpx.Client) -> None:
    raw = "x" * (MAX_BODY_BYTES + 1)
    assert post(web, raw, signed(raw, "application/json")).status_code == 413
    headers = signed("x", "application/json")
    streamed = web.post("/slack/events", content=(b"x" * 65_536 for _ in range(20)), headers=headers)
    assert streamed.status_code == 413
    assert web.post("/slack/events", content=(b"x" * 65_536 for _ in range(20))).status_code == 401
    full, kind = as_json(mention())
    full += " " * (MAX_BODY_BYTES - len(full))
    assert post(web, full, signed(full, kind)).status_code == 200


def test_health(bot: Bot, web: httpx.Client) -> None:
    assert web.get("/healthz").json() == {"status": "ok", "oldest_unanswered_s": 12.5, "open": 3}
    bot.ledger.broken = True
    response = web.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "database unavailable", "oldest_unanswered_s": None, "open": None}


@pytest.mark.parametrize("missing", ["", "database", "slack", "broker"])
def test_readiness_names_each_part(bot: Bot, missing: str) -> None:
    parts = {name: name != missing for name in PARTS}
    with served(make_web(bot, parts)) as address:
        response = httpx.get(f"{address}/readyz")
    assert response.status_code == (503 if missing else 200)
    told = {"error": f"not ready: no answer from {missing}"} if missing else {}
    assert response.json() == {**parts, **told}


def test_readiness_that_cannot_be_told_is_one_sentence(bot: Bot) -> None:
    def broken() -> dict[str, bool]:
        raise OSError("no route")

    app = build_web(bot.settings, bot.ledger, bot.app, ready=broken, metrics=bot.metrics)  # type: ignore[arg-type]
    with served(app) as address:
        response = httpx.get(f"{address}/readyz")
    assert (response.status_code, list(response.json())) == (503, ["error"])


def test_metrics(bot: Bot, web: httpx.Client) -> None:
    response = web.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert "oracle_inbox_oldest_unanswered_seconds 12.5" in response.text
    assert "oracle_inbox_open 3.0" in response.text
    assert 'oracle_inbox_requests{stage="waiting"} 4.0' in response.text
    bot.ledger.broken = True
    assert "oracle_inbox_up 0.0" in web.get("/metrics").text


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/"])
def test_nothing_else_is_shown(web: httpx.Client, path: str) -> None:
    assert web.get(path).status_code == 404
    assert web.get("/slack/events").status_code == 405


def test_no_events_without_a_signing_secret(bot: Bot) -> None:
    settings = load_settings(home=bot.settings.home)
    for app in (bot.app, None):
        web = build_web(settings, bot.ledger, app, ready=lambda: PARTS, metrics=bot.metrics)  # type: ignore[arg-type]
        with served(web) as address:
            assert httpx.post(f"{address}/slack/events").status_code == 404
            assert httpx.get(f"{address}/healthz").status_code == 200


def test_health_is_told_while_the_database_hangs(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    release, entered, lock = threading.Event(), [0], threading.Lock()
    accept = bot.ledger.accept

    def hang(question: Question) -> str | None:
        with lock:
            entered[0] += 1
        release.wait(60)
        return accept(question)

    monkeypatch.setattr(bot.ledger, "accept", hang)
    raw, kind = as_json(mention())
    statuses: list[int] = []

    def deliver(address: str) -> None:
        answer = httpx.post(f"{address}/slack/events", content=raw, headers=signed(raw, kind), timeout=60)
        statuses.append(answer.status_code)

    with served(make_web(bot)) as address:
        threads = [threading.Thread(target=deliver, args=(address,)) for _ in range(40)]
        try:
            for thread in threads:
                thread.start()
            wait_for(lambda: entered[0] == 32)
            for path in ("/healthz", "/readyz", "/metrics"):
                assert httpx.get(f"{address}{path}", timeout=30).status_code == 200
        finally:
            release.set()
            for thread in threads:
                thread.join()
    assert statuses == [200] * 40
    assert len(bot.ledger.questions) == 1
