"""Several workspaces against a local Slack: installing, whose token an event gets, removing the app again."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from bot.app import build_app
from bot.transport.manifest import SCOPES
from bot.transport.oauth import REMOVED, add_install_routes, oauth_flow
from bot.transport.web import build_web
from tests.scenario.test_slack_door import png
from tests.support.deployment import Slack, run_slack
from tests.support.real_servers import free_port
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import served, wait_for
from workers.delivery.installations import Installations, open_chats
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatRefused
from workers.ports import Chats, Picture, Place, Post, Recipient
from workers.requests.ledger import Ledger
from workers.settings.load import load_settings
from workers.store.database import Database, open_database
from workers.store.request_logs import SqlStore
from workers.telemetry.service_metrics import ServiceMetrics

THREE_PARTS = {"database": True, "slack": True, "broker": True}
SECOND = "T0SECOND"
THIRD = "T0THIRD"
HELLO = Post("p95 is 1.9 s")


@dataclass
class Server:
    """The app for several workspaces, over HTTP, beside a local Slack."""

    slack: Slack
    url: str
    database: Database
    ledger: Ledger
    stored: Installations
    chats: Chats
    rung: list[str] = field(default_factory=list)

    @property
    def home(self) -> str:
        """The id of the workspace that the local Slack begins with."""
        return str(self.slack.get("state")["team"]["id"])

    def install(self, team: str = "", decision: str = "allow") -> httpx.Response:
        """What a person does in a browser. Returns: the page at the end."""
        with httpx.Client(timeout=30) as browser:
            first = browser.get(f"{self.url}/slack/install")
            cookie = first.headers["set-cookie"].partition(";")[0]  # a browser would send it back over https alone
            (link,) = re.findall(r'href="([^"]+)"', first.text)
            consent = browser.get(html.unescape(link))
            assert consent.status_code == 200
            hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', consent.text)
            form = {name: html.unescape(value) for name, value in hidden}
            address = urlsplit(link)._replace(query="").geturl()
            answer = browser.post(address, data=form | {"decision": decision, "team": team})
            assert answer.status_code == 302
            return browser.get(answer.headers["location"], headers={"cookie": cookie})

    def mention(self, text: str = "why is search slow?", **more: Any) -> str:
        """Someone mentions the app, and Slack is told that it arrived. Returns: the message's ts."""
        ts = self.slack.ask("general", f"@oracle {text}", **more)
        wait_for(self.all_arrived)
        return ts

    def all_arrived(self) -> bool:
        """Whether Slack waits for no acknowledgement."""
        return all(delivery["acknowledged"] for delivery in self.slack.get("deliveries")["deliveries"])

    def token(self, team: str) -> str:
        """The stored token."""
        return self.stored.bot_token(team)


@pytest.fixture
def server(prepared_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    door = f"{url}/slack/events"
    with ExitStack() as stack:
        slack = stack.enter_context(
            run_slack("--events-url", door, "--interactivity-url", door, "--commands-url", door)
        )
        keys = ("signing_secret", "api_url", "client_id", "client_secret")
        options = {f"oracle.slack.{key}": slack.address[key] for key in keys} | {"oracle.slack.public_url": url}
        options["oracle.slack.teams"] = f"{slack.get('state')['team']['id']}, {SECOND}"
        settings = load_settings(options, home=prepared_home)
        database = open_database(settings.database_url)
        stack.callback(database.close)
        ledger, metrics = Ledger(database, settings.core.worker), ServiceMetrics()
        flow = oauth_flow(settings, database)
        assert flow
        made = Server(slack, url, database, ledger, flow.installations, open_chats(settings, database))
        store = SqlStore(database, unchanged)
        app = build_app(settings, ledger, store, made.rung.append, metrics=metrics, installations=flow.installations)
        web = build_web(settings, ledger, app, ready=lambda: THREE_PARTS, metrics=metrics)
        add_install_routes(web, flow)
        stack.enter_context(served(web, port))
        yield made


def team_of(chat: Any) -> str:
    """Whose token a chat has, by Slack's own word."""
    assert isinstance(chat, SlackChat)
    return str(chat.client.auth_test()["team_id"])


def test_two_workspaces_install_it_and_each_has_its_own_token(server: Server) -> None:
    page = server.install()
    assert page.status_code == 200
    assert "Installed in" in page.text
    assert "Installed in" in server.install(SECOND).text
    home = server.home
    assert server.token(home) != server.token(SECOND)
    assert [team_of(server.chats(team)) for team in (home, SECOND)] == [home, SECOND]

    ts = server.mention()
    other = server.mention("why is checkout slow?", team=SECOND)
    wait_for(lambda: len(server.rung) == 2)
    jobs = [job for request_id in server.rung if (job := server.ledger.claim(request_id))]
    assert {(job.question.team, job.question.ts) for job in jobs} == {(home, ts), (SECOND, other)}
    for job in jobs:
        asked = job.question
        server.chats(asked.team).post(
            Place(asked.channel, asked.thread_ts, asked.team), HELLO, f"{asked.request_id}:0.0"
        )
    for thread in (ts, other):
        assert [message["text"] for message in server.slack.thread(jobs[0].question.channel, thread)] == [HELLO.text]


def test_workspace_that_did_not_install_it_is_refused_and_told_so(server: Server) -> None:
    server.install(SECOND)
    server.mention()
    server.slack.control("command", {"channel": "general", "user": "you", "text": "/oracle why is search slow?"})
    (general,) = server.slack.get("state", channel="general")["channels"]
    assert REMOVED in [note["message"]["text"] for note in general["ephemerals"]]
    assert server.ledger.counts() == {}
    assert not server.rung


def test_workspace_that_may_not_install_it_is_turned_away_and_its_token_revoked(server: Server) -> None:
    page = server.install(THIRD)
    assert page.status_code == 403
    assert "Nothing was installed. Whoever runs this app has not allowed this workspace to install it." in page.text
    wait_for(server.all_arrived)
    grants = {grant["team"]: grant["refusal"] for grant in server.slack.get("state")["grants"]}
    assert grants[THIRD] == "token_revoked"
    assert server.stored.find(THIRD) is None
    assert "Installed in" in server.install(SECOND).text


def test_removed_from_one_workspace(server: Server) -> None:
    server.install()
    server.install(SECOND)
    home = server.home
    old = server.chats(home)
    server.mention()
    server.mention("why is checkout slow?", team=SECOND)
    wait_for(lambda: server.ledger.counts().get("plan") == 2)

    server.slack.control("uninstall", {"team": home})
    wait_for(server.all_arrived)
    assert server.stored.find(home) is None
    assert server.ledger.counts() == {"plan": 1}
    with pytest.raises(ChatRefused, match="account_inactive"):
        old.post(Place(server.slack.get("state", channel="general")["channels"][0]["id"]), HELLO, "r:0.0")
    with pytest.raises(ChatRefused) as caught:
        server.chats(home)
    assert caught.value.code == "not_installed"

    server.mention("and now?")
    assert server.ledger.counts() == {"plan": 1}
    server.mention("and here?", team=SECOND)
    wait_for(lambda: server.ledger.counts().get("plan") == 2)

    server.install()
    server.mention("are you back?")
    wait_for(lambda: server.ledger.counts().get("plan") == 3)
    assert team_of(server.chats(home)) == home


def test_person_who_presses_cancel(server: Server) -> None:
    page = server.install(decision="cancel")
    assert "Nothing was installed. It was not allowed in Slack." in page.text
    assert server.stored.find(server.home) is None


def test_all_that_the_door_does_is_within_the_scopes_of_the_manifest(server: Server) -> None:
    server.install()
    grant = server.stored.find(server.home)
    assert grant
    assert set(grant.bot_scopes) == set(SCOPES)
    ts = server.mention()
    channel = server.slack.get("state", channel="general")["channels"][0]["id"]
    place, chat = Place(channel, ts, server.home), server.chats(server.home)
    person = server.ledger.asker_of(server.rung[0], server.home, channel)

    picture = chat.upload(Picture("p95.png", "p95", "a line that rises", png()))
    image = {"type": "image", "slack_file": {"id": picture}, "alt_text": "a line that rises"}
    answer = chat.post(place, Post("p95", (image,)), "r:0.0")
    chat.update(place, answer, HELLO, "r:0.0")
    assert chat.find(place, "r:0.0") == answer
    assert [said.ts for said in chat.thread(place, "9999999999.0", 5)][-1] == answer
    assert chat.permalink(place, answer)
    assert chat.timezone(person)
    assert chat.post(Place(chat.direct(person)), HELLO, "r:direct")
    chat.set_status(place, "is checking")
    chat.set_session(place, "processing", "why is search slow?", person)
    stream = chat.start_stream(place, Recipient(person, server.home), ({"type": "markdown_text", "text": "looking"},))
    chat.append_stream(place, stream, ({"type": "markdown_text", "text": " further"},))
    chat.stop_stream(place, stream, (), "r:progress")
