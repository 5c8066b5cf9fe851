"""A sandbox as an application in this process, without a server."""

import asyncio

import httpx
import pytest

from slack_sandbox import Command, SandboxConfig, build_sandbox
from slack_sandbox.errors import ConnectionDropped

BOT = {"Authorization": "Bearer xoxb-1"}


def ask(*requests, **config):
    """Sends requests one after another to a fresh sandbox; gives the last response."""

    async def send():
        app = build_sandbox(
            SandboxConfig(
                app_name="Release Bot", commands=(Command("/ship"),), bot_token="xoxb-1", app_token="xapp-1", **config
            )
        )
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
            return [await client.request(method, path, **options) for method, path, options in requests][-1]

    return asyncio.run(send())


def test_it_serves_without_a_server():
    answer = ask(("POST", "/api/auth.test", {"headers": BOT})).json()
    assert (answer["ok"], answer["user"]) == (True, "release-bot")
    assert ask(("GET", "/client/boot", {})).json()["commands"][0]["command"] == "/ship"


def test_a_dropped_connection_is_an_error_of_the_client():
    fault = {"method": "auth.test", "action": "drop_after", "times": 1}
    with pytest.raises(ConnectionDropped):
        ask(("POST", "/control/faults", {"json": fault}), ("POST", "/api/auth.test", {"headers": BOT}))


def test_a_file_path_can_not_leave_the_page():
    assert ask(("GET", "/page/..%2f__main__.py", {})).status_code == 404
    assert ask(("GET", "/page/index.html", {})).status_code == 200
    assert ask(("GET", "/client/files/F0/x", {})).status_code == 404


@pytest.mark.parametrize(("host", "code"), [("localhost:1", 200), ("sandbox.local", 200), ("evil.example", 400)])
def test_only_its_own_names_are_served(host, code):
    config = {"host": "sandbox.local"}
    assert ask(("GET", "/client/boot", {"headers": {"Host": host}}), **config).status_code == code


def test_a_socket_is_opened_with_the_apps_own_token():
    assert ask(("POST", "/api/apps.connections.open", {"headers": BOT})).json()["error"] == "not_allowed_token_type"
    own = {"Authorization": "Bearer xapp-1"}
    assert ask(("POST", "/api/apps.connections.open", {"headers": own})).json()["url"].startswith("ws://127.0.0.1:")
    assert ask(("POST", "/api/auth.test", {"headers": own})).json()["error"] == "not_allowed_token_type"
