"""A deployment of real processes and a repository on another server: cloned, asked about, pushed to, gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.support.deployment import QUICK_WORKER, Deployment, Slack, run_deployment, run_slack, until
from tests.support.git_repositories import commit, make_repository, run_git
from tests.support.git_server import GitServer, run_git_server
from tests.support.hook_payloads import signature
from workers.settings.load import load_settings
from workers.sources.connections.source_status import SourceStatus, source_statuses

pytestmark = pytest.mark.servers
HUB = "It's a Secret to Everybody"
CODE = "RETRY_LIMIT = 3\n\n\ndef charge_card(card):\n    return bank.post(card, tries=RETRY_LIMIT)\n"
ASKED = "@oracle Where is the card charged, in charge_card?"


@pytest.fixture
def slack() -> Iterator[Slack]:
    with run_slack() as found:
        yield found


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "remotes" / "shop", {"client.py": CODE})


@pytest.fixture
def server(tmp_path: Path, origin: Path) -> Iterator[GitServer]:
    with run_git_server(tmp_path / "remotes") as running:
        running.user, running.token = "oauth2", "s3cret-t0ken"
        yield running


@pytest.fixture
def running(tmp_path: Path, slack: Slack, server: GitServer) -> Iterator[Deployment]:
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    repository = {"url": server.address("shop/.git"), "name": "shop", "permalink": "https://x/{commit}/{path}#L{start}"}
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump({"repositories": [repository], "worker": QUICK_WORKER}))
    (home / "config" / "agents.yaml").write_text("research: {tool_timeout_ms: 8000, tools_total_ms: 12000}\n")
    with run_deployment(home, slack, GITHUB_WEBHOOK_SECRET=HUB, GIT_TOKEN_SHOP=server.token) as deployment:
        yield deployment


def answer(slack: Slack, text: str = ASKED) -> str:
    """What a question is answered with, as JSON."""
    ts = slack.ask("general", text)
    return json.dumps(until(lambda: slack.answers("general", ts), "an answer"), ensure_ascii=False)


def pushed(url: str, name: str = "acme/shop") -> httpx.Response:
    address = {"full_name": name, "clone_url": f"https://elsewhere.example/{name}.git"}
    body = json.dumps({"repository": address}).encode()
    headers = {"x-github-event": "push", "x-hub-signature-256": signature(body, HUB)}
    return httpx.post(f"{url}/hooks/push", content=body, headers=headers)


def test_a_repository_elsewhere_from_its_clone_to_its_end(
    running: Deployment, slack: Slack, server: GitServer, origin: Path
) -> None:
    settings = load_settings(home=running.home)

    def row() -> SourceStatus:
        (found,) = source_statuses(settings)
        return found

    server.gate.clear()
    url = running.start_all()
    until(lambda: "clone" in row().doing and row().doing != "not cloned yet", "it is being cloned")
    assert "shop is being cloned" in answer(slack), "no question waits for a clone"
    server.gate.set()
    until(lambda: row().count, "it is cloned and indexed")
    first = run_git(origin, "rev-parse", "HEAD").strip()
    assert f"https://x/{first}/client.py#L" in answer(slack)

    second = commit(origin, {"client.py": "# moved\n\n" + CODE}, "Move")
    assert pushed(url).json() == {"ignored": "acme/shop is not among the repositories of oracle.yaml that are fetched"}
    body = json.dumps({"repository": {"full_name": "shop", "clone_url": server.address("shop/.git")}}).encode()
    headers = {"x-github-event": "push", "x-hub-signature-256": signature(body, HUB)}
    assert httpx.post(f"{url}/hooks/push", content=body, headers=headers).json() == {"fetching": "shop"}
    until(lambda: row().commit == second, "the push is fetched and indexed")
    asked = "@oracle Where is charge_card defined?"  # the first question is answered from the cache for a while
    assert f"https://x/{second}/client.py#L" in answer(slack, asked)

    told: dict[str, Any] = slack.control("command", {"channel": "general", "user": "you", "text": "/oracle sources"})
    assert f"shop at {second[:7]}" in until(lambda: said(slack, told), "the sources are told")

    server.gone = True
    assert httpx.post(f"{url}/hooks/push", content=body, headers=headers).status_code == 202
    until(lambda: "not found" in row().problem, "that it is gone is noted")
    asked = "@oracle Where is RETRY_LIMIT set?"
    assert f"https://x/{second}/client.py#L" in answer(slack, asked), "the last index answers"
    written = b"".join(p.read_bytes() for p in running.home.rglob("*") if p.is_file())
    assert server.token.encode() not in written


def said(slack: Slack, told: dict[str, Any]) -> str:
    """Everything in the channel that tells of commits."""
    text = json.dumps([told, slack.get("state", channel="general")], ensure_ascii=False)
    return text if "shop at" in text else ""
