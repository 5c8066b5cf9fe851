"""The manifest: Slack takes it, the command prints it, and the app listens to just what it names."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_bolt import App

from bot.app import build_app
from bot.cli import main
from bot.transport.manifest import EVENTS, JOIN, PROMPTS, SCOPES, build_manifest
from workers.delivery import action_ids
from workers.errors import ConfigError
from workers.requests.ledger import Ledger
from workers.settings.load import ROOT, Settings, load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate
from workers.store.request_logs import SqlStore

SCOPES_OF = {
    "app_mention": {"app_mentions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "app_home_opened": set(),
    "agent_session_stopped": {"chat:write"},
    "reaction_added": {"reactions:read"},
    "reaction_removed": {"reactions:read"},
    "member_joined_channel": {"channels:read", "groups:read"},
    "channel_created": {"channels:read"},
    "channel_rename": {"channels:read"},
    "channel_archive": {"channels:read"},
    "channel_unarchive": {"channels:read"},
    "channel_left": {"channels:read"},
    "channel_deleted": {"channels:read"},
    "channel_id_changed": {"channels:read", "groups:read"},
    "group_rename": {"groups:read"},
    "group_archive": {"groups:read"},
    "group_unarchive": {"groups:read"},
    "group_left": {"groups:read"},
    "group_deleted": {"groups:read"},
    "app_uninstalled": set(),
    "tokens_revoked": set(),
}
"""What Slack asks for before it sends an event. Source: https://docs.slack.dev/reference/events"""
SCOPES_OF_METHODS = {
    "agents.sessions.setStatus": {"assistant:write", "chat:write"},
    "assistant.threads.setStatus": {"chat:write"},
    "assistant.threads.setSuggestedPrompts": {"assistant:write"},
    "auth.revoke": set(),
    "bots.info": {"users:read"},
    "conversations.join": {"channels:join"},
    "auth.test": set(),
    "chat.appendStream": {"chat:write"},
    "users.conversations": {"channels:read", "groups:read", "im:read", "mpim:read"},
    "chat.getPermalink": set(),
    "chat.postEphemeral": {"chat:write"},
    "chat.postMessage": {"chat:write"},
    "chat.startStream": {"chat:write"},
    "chat.stopStream": {"chat:write"},
    "chat.update": {"chat:write"},
    "conversations.history": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "conversations.info": {"channels:read", "groups:read", "im:read", "mpim:read"},
    "conversations.members": {"channels:read", "groups:read", "im:read", "mpim:read"},
    "conversations.open": {"im:write"},
    "conversations.replies": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "files.completeUploadExternal": {"files:write"},
    "files.getUploadURLExternal": {"files:write"},
    "files.info": {"files:read"},
    "pins.add": {"pins:write"},
    "pins.remove": {"pins:write"},
    "usergroups.list": {"usergroups:read"},
    "users.info": {"users:read"},
    "views.open": set(),
    "views.publish": set(),
    "views.push": set(),
    "views.update": set(),
}
"""What a method asks for. Source: https://docs.slack.dev/reference/methods"""
METHOD = re.compile(
    r"""["'](\w+(?:\.\w+)*\.\w+)["']|\.((?:agents_sessions|assistant_threads|auth|chat|conversations|files|pins|users"""
    r"""|views|bookmarks|reactions|canvases|team|usergroups)_\w+)\("""
)


def made(url: str = "", **slack: str) -> dict[str, Any]:
    return build_manifest(load_settings({f"oracle.slack.{key}": value for key, value in slack.items()}), url)


def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["oracle", "manifest", *args])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0), *capsys.readouterr()


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PUBLIC_URL", raising=False)


# --- what is printed ------------------------------------------------------------------------------------------


def test_command_prints_the_file_of_the_project(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = printed(monkeypatch, capsys)
    assert (code, err) == (0, "")
    assert out == (ROOT / "manifest.json").read_text(encoding="utf-8")
    assert json.loads(out)["settings"]["socket_mode_enabled"] is True


def test_command_with_an_address(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(monkeypatch, capsys, "--url", "https://oracle.example.com/")
    assert code == 0
    assert (
        json.loads(out)["settings"]["event_subscriptions"]["request_url"] == "https://oracle.example.com/slack/events"
    )


def test_command_with_an_address_that_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = printed(monkeypatch, capsys, "--url", "oracle.example.com")
    assert (code, out) == (2, "")
    assert err == "--url: 'oracle.example.com' is not an address such as https://oracle.example.com\n"


# --- what Slack takes -----------------------------------------------------------------------------------------


def check_limits(manifest: dict[str, Any]) -> None:
    """The limits of Slack's own schema. Source: slackapi/manifest-schema, 2.0.0."""
    shown, features = manifest["display_information"], manifest["features"]
    assert 1 <= len(shown["name"]) <= 35
    assert 1 <= len(shown["description"]) <= 140
    assert 175 <= len(shown["long_description"]) <= 4_000
    assert 1 <= len(features["bot_user"]["display_name"]) <= 80
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert set(features["agent_view"]) <= {"agent_description", "suggested_prompts", "actions"}
    assert len(features["agent_view"]["suggested_prompts"]) <= 4
    assert all(set(p) == {"title", "message"} for p in features["agent_view"]["suggested_prompts"])
    for shortcut in features["shortcuts"]:
        assert set(shortcut) == {"name", "type", "callback_id", "description"}
        assert len(shortcut["name"]) <= 24
        assert len(shortcut["description"]) <= 150
    (command,) = features["slash_commands"]
    assert re.fullmatch(r"/.{1,31}", command["command"])
    assert len(command["usage_hint"]) <= 1_000
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert len(set(events)) == len(events) <= 100
    for url in (*addresses(manifest), *manifest["oauth_config"].get("redirect_urls", ())):
        assert re.match(r"https?://", url)


def addresses(manifest: dict[str, Any]) -> list[str]:
    """Where Slack sends what."""
    parts = [manifest["settings"]["event_subscriptions"], manifest["settings"]["interactivity"]]
    found = [part.get("request_url") for part in parts] + [manifest["features"]["slash_commands"][0].get("url")]
    return [url for url in found if url]


@given(name=st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=34).filter(str.strip))
def test_any_name_that_slack_takes(name: str) -> None:
    check_limits(made(name=name))


@pytest.mark.parametrize("name", ["", "  ", "o" * 36])
def test_name_that_slack_does_not_take(name: str) -> None:
    with pytest.raises(ConfigError, match=r"slack\.name: Slack takes 1 to 35 characters"):
        made(name=name)


def test_name_and_command_of_the_settings() -> None:
    manifest = made(name="pythia", command="/ask-pythia")
    assert manifest["display_information"]["name"] == "Pythia"
    assert manifest["features"]["bot_user"]["display_name"] == "pythia"
    assert [s["name"] for s in manifest["features"]["shortcuts"]] == ["Ask Pythia about this", "Ask a question"]
    assert manifest["features"]["slash_commands"][0]["command"] == "/ask-pythia"


@pytest.mark.parametrize("configured", [True, False])
def test_events_over_http(configured: bool) -> None:
    url = "https://oracle.example.com/team/"
    manifest = made(public_url=url) if configured else made(url, public_url="https://other.example.com")
    check_limits(manifest)
    assert addresses(manifest) == ["https://oracle.example.com/team/slack/events"] * 3
    assert manifest["oauth_config"]["redirect_urls"] == ["https://oracle.example.com/team/slack/oauth_redirect"]
    assert manifest["settings"]["socket_mode_enabled"] is False


def test_several_workspaces_over_socket_mode() -> None:
    manifest = made(public_url="https://oracle.example.com", app_token="xapp-1")
    assert addresses(manifest) == []
    assert manifest["oauth_config"]["redirect_urls"] == ["https://oracle.example.com/slack/oauth_redirect"]
    assert manifest["settings"]["socket_mode_enabled"] is True


@pytest.mark.parametrize("url", ["ftp://x", "https://", "https://a b", "https://x/?q=1", "javascript:alert(1)"])
def test_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigError, match="is not an address such as https://"):
        made(public_url=url)


# --- what the app does with it --------------------------------------------------------------------------------


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, list[Any]]:
    """What the app listens to: kind -> what was named; catch-alls too."""
    found: dict[str, list[Any]] = defaultdict(list)
    for kind in ("event", "command", "shortcut", "global_shortcut", "message_shortcut"):
        real = getattr(App, kind)

        def spy(self: App, *args: Any, _kind: str = kind, _real: Any = real, **options: Any) -> Any:
            found[_kind].append(args[0] if args else next(iter(options.values())))
            return _real(self, *args, **options)

        monkeypatch.setattr(App, kind, spy)
    settings: Settings = load_settings({"oracle.slack.bot_token": "xoxb-1", "oracle.slack.signing_secret": "s"})
    database = open_database(f"sqlite:///{tmp_path / 'oracle.db'}")
    migrate(database)
    store = SqlStore(database, lambda log: log)
    build_app(settings, Ledger(database, settings.core.worker), store, lambda _: None)
    database.close()
    return found


def types(named: list[Any]) -> set[str]:
    """The types of events that are named; patterns apart."""
    found = (item["type"] if isinstance(item, dict) else item for item in named)
    return {item for item in found if isinstance(item, str)}


def test_every_event_that_is_subscribed_to_is_listened_to_and_no_other(registered: dict[str, list[Any]]) -> None:
    assert types(registered["event"]) == {event.partition(".")[0] for event in EVENTS}


def test_command_and_shortcuts_are_listened_to(registered: dict[str, list[Any]]) -> None:
    features = made()["features"]
    (command,) = features["slash_commands"]
    heard = [c if isinstance(c, re.Pattern) else re.compile(re.escape(c)) for c in registered["command"]]
    assert any(pattern.fullmatch(command["command"]) for pattern in heard)
    ids = {item for kind in ("shortcut", "global_shortcut", "message_shortcut") for item in registered[kind]}
    ids = {item for item in ids if isinstance(item, str)}
    assert {s["callback_id"] for s in features["shortcuts"]} == ids == {action_ids.ASK_ABOUT, action_ids.ASK_ANYTHING}


def test_scopes_are_those_that_events_and_methods_need() -> None:
    called = methods_called()
    assert called, "no call was found"
    assert called <= set(SCOPES_OF_METHODS), "a method whose scopes are not known here"
    needed = set().union(*(SCOPES_OF[e] for e in EVENTS), *(SCOPES_OF_METHODS[m] for m in called), {"commands"})
    assert {*SCOPES, *JOIN} == needed


def test_public_channels_are_joined_only_where_that_is_wanted() -> None:
    plain, joining = (load_settings({"oracle.incidents.join": join}) for join in (False, True))
    assert "channels:join" not in build_manifest(plain)["oauth_config"]["scopes"]["bot"]
    assert "channels:join" in build_manifest(joining)["oauth_config"]["scopes"]["bot"]


def methods_called() -> set[str]:
    """The Web API methods named in the bot and in the workers' door to Slack."""
    bot = ROOT / "bot"
    files = [*(ROOT / "workers" / "delivery").glob("*.py"), *bot.glob("*.py"), *(bot / "listeners").rglob("*.py")]
    families = {method.partition(".")[0] for method in SCOPES_OF_METHODS} | {
        "bookmarks",
        "reactions",
        "canvases",
        "team",
    }
    found = set()
    for path in files:
        for dotted, called in METHOD.findall(path.read_text(encoding="utf-8")):
            name = dotted or called.replace("_", ".", 2 if called.startswith(("agents_", "assistant_")) else 1)
            if name.partition(".")[0] in families:
                found.add(name)
    return found


def test_suggested_questions_are_questions() -> None:
    assert all(title and message for title, message in PROMPTS)


def test_documentation_names_every_scope_and_event() -> None:
    text = (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")
    written = set(re.findall(r"`([^`]+)`", text.partition("## What it may do")[2].partition("## The local Slack")[0]))
    assert written - {"/oracle", "incidents.join"} == {*SCOPES, *JOIN, *EVENTS}
