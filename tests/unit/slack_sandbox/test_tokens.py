"""Tokens: what a scope opens, how OAuth gives one, and how they end."""

from urllib.parse import parse_qs, urlsplit

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from slack_sandbox.scopes import EVERY_SCOPE
from tests.support.sandbox_process import running_sandbox, until

REDIRECT = "http://127.0.0.1:1/slack/oauth_redirect"


@pytest.fixture(scope="module")
def narrow():
    scopes = [part for scope in ("chat:write", "channels:history", "channels:read") for part in ("--scope", scope)]
    with running_sandbox(*scopes) as running:
        yield running


@pytest.fixture
def sandbox():
    with running_sandbox("--client-id", "1.2", "--client-secret", "s3cret") as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


def refused(call, **arguments):
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return caught.value.response


def test_a_method_without_its_scope_says_what_it_needs(narrow):
    slack = narrow.slack()
    answer = refused(slack.pins_list, channel=narrow.channel("search")["id"])
    assert (answer["error"], answer["needed"]) == ("missing_scope", "pins:read")
    assert answer["provided"] == "chat:write,channels:history,channels:read"
    assert answer.headers["x-oauth-scopes"] == "chat:write,channels:history,channels:read"
    posted = slack.chat_postMessage(channel="search", text="this may be posted")
    assert posted.headers["x-oauth-scopes"] == "chat:write,channels:history,channels:read"


def test_a_conversations_scope_is_that_of_its_kind(narrow):
    slack = narrow.slack()
    assert slack.conversations_history(channel=narrow.channel("search")["id"])["ok"]
    me = narrow.see("/client/boot")["me"]
    assert refused(slack.conversations_open, users=me)["needed"] == "im:write"
    direct = next(channel["id"] for channel in narrow.see("/client/boot")["channels"] if channel["is_im"])
    assert refused(slack.conversations_history, channel=direct)["needed"] == "im:history"
    assert refused(slack.conversations_list, types="public_channel,im")["needed"] == "im:read"
    assert refused(slack.conversations_create, name="x", is_private=True)["needed"] == "groups:write"
    assert refused(slack.conversations_setTopic, channel=narrow.channel("search")["id"], topic="x")["needed"] == (
        "channels:manage,channels:write.topic"
    )
    assert slack.auth_test()["ok"]
    assert slack.api_test()["ok"]


def test_every_scope_is_granted_when_none_is_named(sandbox):
    granted = sandbox.slack().auth_test().headers["x-oauth-scopes"].split(",")
    assert tuple(granted) == EVERY_SCOPE
    assert {"app_mentions:read", "groups:history", "files:write", "assistant:write"} <= set(granted)


def ask(sandbox, **others):
    question = {"client_id": "1.2", "scope": "chat:write,commands", "redirect_uri": REDIRECT, "state": "xyz"}
    return sandbox.http.get("/oauth/v2/authorize", params=question | others)


def install(sandbox, **others):
    """What Allow sends, and the answer that the redirect carries."""
    question = {"client_id": "1.2", "scope": "chat:write,commands", "redirect_uri": REDIRECT, "state": "xyz"}
    answer = sandbox.http.post("/oauth/v2/authorize", data=question | {"decision": "allow"} | others)
    assert answer.status_code == 302
    assert answer.headers["location"].startswith(REDIRECT)
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


def exchange(sandbox, code, **others):
    client = {"client_id": "1.2", "client_secret": "s3cret", "redirect_uri": REDIRECT}
    return WebClient(base_url=sandbox.address["api_url"]).oauth_v2_access(code=code, **(client | others))


def test_the_authorize_page_names_app_scopes_and_workspaces(sandbox):
    page = ask(sandbox, state="<script>").text
    for words in ("helper wants to be installed", "chat:write", "Second sandbox", "Allow", "&lt;script&gt;"):
        assert words in page
    assert "<script>" not in page
    assert "invalid_client_id" in ask(sandbox, client_id="9").text
    assert "bad_redirect_uri" in ask(sandbox, redirect_uri="javascript:alert(1)").text
    assert "no_scopes" in ask(sandbox, scope="").text


def test_a_code_becomes_a_token_once(sandbox):
    answer = install(sandbox)
    assert answer["state"] == "xyz"
    assert refused(exchange, sandbox=sandbox, code=answer["code"], client_secret="no")["error"] == "bad_client_secret"
    assert refused(exchange, sandbox=sandbox, code=answer["code"], client_id="9")["error"] == "invalid_client_id"
    other = {"redirect_uri": "http://127.0.0.1:1/other"}
    assert refused(exchange, sandbox=sandbox, code=answer["code"], **other)["error"] == "bad_redirect_uri"
    installed = exchange(sandbox, answer["code"])
    state = sandbox.see("/control/state")
    assert installed["team"] == {"id": state["team"]["id"], "name": "Sandbox"}
    assert (installed["token_type"], installed["scope"]) == ("bot", "chat:write,commands")
    assert (installed["bot_user_id"], installed["app_id"]) == (state["bot"]["user_id"], state["bot"]["app_id"])
    assert (installed["enterprise"], installed["is_enterprise_install"]) == (None, False)
    assert installed["authed_user"] == {"id": state["me"]}
    assert refused(exchange, sandbox=sandbox, code=answer["code"])["error"] == "invalid_code"
    assert slack_with(sandbox, installed["access_token"]).auth_test()["team"] == "Sandbox"
    assert install(sandbox, decision="cancel") == {"error": "access_denied", "state": "xyz"}


def slack_with(sandbox, token):
    return WebClient(token=token, base_url=sandbox.address["api_url"])


def test_a_second_workspace_has_a_token_and_events_of_its_own(sandbox):
    second = exchange(sandbox, install(sandbox, team="T0SECOND")["code"])
    slack = slack_with(sandbox, second["access_token"])
    assert slack.auth_test()["team_id"] == "T0SECOND"
    assert slack.chat_postMessage(channel="search", text="from there")["ok"]
    assert sandbox.slack().auth_test()["team_id"] != "T0SECOND"
    said = sandbox.do("/control/message", channel="search", text="@helper hi", team="T0SECOND")
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    outer = [record["payload"] for record in records if record["event_id"] in said["event_ids"]]
    assert [payload["team_id"] for payload in outer] == ["T0SECOND"] * 2
    assert outer[1]["authorizations"][0]["team_id"] == outer[1]["event"]["team"] == "T0SECOND"
    assert exchange(sandbox, install(sandbox, team="T0SECOND")["code"])["access_token"] != second["access_token"]


def test_uninstalling_ends_the_tokens_of_one_workspace(sandbox):
    second = slack_with(sandbox, exchange(sandbox, install(sandbox, team="T0SECOND")["code"])["access_token"])
    ids = sandbox.do("/control/uninstall", team="T0SECOND")["event_ids"]
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    told = [record["payload"] for record in records if record["event_id"] in ids]
    assert [payload["event"]["type"] for payload in told] == ["app_uninstalled", "tokens_revoked"]
    assert {payload["team_id"] for payload in told} == {"T0SECOND"}
    assert told[1]["event"]["tokens"]["bot"] == [sandbox.see("/control/state")["bot"]["user_id"]]
    assert refused(second.auth_test)["error"] == "account_inactive"
    assert sandbox.slack().auth_test()["ok"]


def test_a_token_revokes_itself(sandbox):
    slack = slack_with(sandbox, exchange(sandbox, install(sandbox)["code"])["access_token"])
    assert slack.auth_revoke(test=True)["revoked"] is False
    assert slack.auth_revoke()["revoked"] is True
    assert refused(slack.auth_test)["error"] == "token_revoked"
    until(lambda: sandbox.see("/control/deliveries", type="tokens_revoked")["deliveries"])
    kept = slack_with(sandbox, exchange(sandbox, install(sandbox)["code"])["access_token"])
    wrong = {"client_id": "1.2", "client_secret": "no"}
    assert refused(kept.apps_uninstall, **wrong)["error"] == "bad_client_secret"
    assert kept.apps_uninstall(client_id="1.2", client_secret="s3cret")["ok"]
    assert refused(sandbox.slack().auth_test)["error"] == "account_inactive"
