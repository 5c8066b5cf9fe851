"""The app's manifest, from which Slack creates the app: what it is called, may do, and is told of.

Source: https://docs.slack.dev/reference/app-manifest, version 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bot.parse import FAMILY_SUBCOMMANDS
from workers.delivery.action_ids import ASK_ABOUT, ASK_ANYTHING
from workers.errors import ConfigError
from workers.settings.load import Settings

EVENTS_PATH = "/slack/events"
INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
LONGEST_NAME, LONGEST_SHORTCUT = 35, 24

DESCRIPTION = "Answers engineering questions with evidence"
LONG_DESCRIPTION = (
    "Ask why latency rose, where something is configured or what an alert means. The plan is shown, the checks are "
    "read-only, and each statement of the answer names the metric, deploy, lines of code or document it rests on. What "
    "could not be checked is said."
)
USAGE = " | ".join(
    (
        "[question] | help | status | sources | catchup | incident | resolve | pause | resume | feedback | cancel",
        "why ID | notes",
        *FAMILY_SUBCOMMANDS,
    )
)

SCOPES = {
    "app_mentions:read": "be told when someone mentions it",
    "assistant:write": "be an agent: suggested questions, status, Stop",
    "channels:history": "read the thread it is asked in",
    "groups:history": "the same in private channels it was invited to",
    "im:history": "direct messages with it",
    "mpim:history": "direct messages of several people",
    "channels:read": "whether a person may see what was asked in a channel",
    "groups:read": "the same of a private channel",
    "im:read": "the same of a direct message",
    "mpim:read": "the same of direct messages of several people",
    "chat:write": "answer",
    "commands": "its command and its shortcuts",
    "files:read": "see that an uploaded chart is ready",
    "files:write": "upload charts",
    "im:write": "answer in a direct message where it may not post",
    "pins:write": "pin how an incident stands",
    "reactions:read": "see who acknowledged what in an incident's channel",
    "usergroups:read": "who is in a user group that config/access.yaml names",
    "users:read": "a person's time zone, and who is an administrator",
}
"""What the bot's token may do, and what for."""
JOIN = {"channels:join": "join public channels of incidents without an invitation"}
"""Only where ``incidents.join`` is on."""

EVENTS = (
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "member_joined_channel",
    "channel_created",
    "channel_rename",
    "channel_archive",
    "channel_unarchive",
    "channel_left",
    "channel_deleted",
    "channel_id_changed",
    "group_rename",
    "group_archive",
    "group_unarchive",
    "group_left",
    "group_deleted",
    "app_home_opened",
    "agent_session_stopped",
    "app_uninstalled",
    "tokens_revoked",
)

PROMPTS = (
    ("Firing alerts", "Which alerts are firing right now?"),
    ("Recent changes", "What changed since yesterday?"),
    ("What can you do?", "help"),
)
"""Shown until the app has opened its sources and suggests questions about this team's own services."""


def build_manifest(settings: Settings, url: str = "") -> dict[str, Any]:
    """The manifest as Slack takes it.

    Args:
        settings: the app's name and command, and whether it uses Socket Mode.
        url: where Slack reaches the bot; as configured (``slack.public_url``) when empty.

    Returns: a JSON object. Without an address, or with an app-level token, events come over Socket Mode.

    Raises:
        ConfigError: the address is none, or Slack takes no name that long.
    """
    slack = settings.core.slack
    address = check_url(url or slack.public_url, "--url" if url else settings.where("oracle.slack.public_url"))
    name = slack.name.strip()
    title = display_name(name)
    if not 1 <= len(title) <= LONGEST_NAME:
        place = settings.where("oracle.slack.name")
        raise ConfigError(f"{place}: slack.name: Slack takes 1 to {LONGEST_NAME} characters")
    socket = not address or bool(slack.app_token)
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {
            "name": title,
            "description": DESCRIPTION,
            "long_description": LONG_DESCRIPTION,
        },
        "features": features(name, title, slack.command, "" if socket else address + EVENTS_PATH),
        "oauth_config": oauth_config(address, SCOPES | JOIN if settings.core.incidents.join else SCOPES),
        "settings": {
            "event_subscriptions": reached("" if socket else address) | {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True} | reached("" if socket else address),
            "org_deploy_enabled": True,
            "socket_mode_enabled": socket,
            "token_rotation_enabled": False,
        },
    }


def display_name(name: str) -> str:
    """The app's name with a capital letter."""
    return name[:1].upper() + name[1:]


def features(name: str, title: str, command: str, url: str) -> dict[str, Any]:
    """What people see of the app. ``url``: where the command is sent; empty over Socket Mode."""
    slash = {"command": command, "description": DESCRIPTION, "usage_hint": USAGE, "should_escape": True}
    ask_about = f"Ask {title} about this"
    return {
        "app_home": {"home_tab_enabled": True, "messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
        "agent_view": {
            "agent_description": LONG_DESCRIPTION,
            "suggested_prompts": [{"title": title_, "message": message} for title_, message in PROMPTS],
        },
        "bot_user": {"display_name": name, "always_online": True},
        "shortcuts": [
            {
                "name": ask_about if len(ask_about) <= LONGEST_SHORTCUT else "Ask about this",
                "type": "message",
                "callback_id": ASK_ABOUT,
                "description": "Ask a question about this message; the answer comes in its thread",
            },
            {
                "name": "Ask a question",
                "type": "global",
                "callback_id": ASK_ANYTHING,
                "description": "Ask a question and choose where it is answered",
            },
        ],
        "slash_commands": [slash | {"url": url} if url else slash],
    }


def oauth_config(address: str, scopes: Mapping[str, str]) -> dict[str, Any]:
    """What the app asks for, and where Slack sends people who allowed it."""
    config: dict[str, Any] = {"scopes": {"bot": list(scopes)}}
    if address:
        config["redirect_urls"] = [address + REDIRECT_PATH]
    return config


def reached(address: str) -> dict[str, str]:
    """Where Slack sends events and interactions; nothing over Socket Mode."""
    return {"request_url": address + EVENTS_PATH} if address else {}


def check_url(url: str, place: str) -> str:
    """An address without its last slash. Raises: ConfigError."""
    address = url.strip().rstrip("/")
    if address and not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", address):
        raise ConfigError(f"{place}: {url!r} is not an address such as https://oracle.example.com")
    return address
