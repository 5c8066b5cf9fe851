"""How Oracle behaves in a channel: the window in which administrators say so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from bot.parse.windows import Window
from slack_limits import OPTION_TEXT_CHARS
from workers.delivery import action_ids
from workers.delivery.rich_text import clip, safe
from workers.delivery.rich_text_blocks import plain
from workers.store.channels import DEFAULT, ChannelSettings, Mode, Verbosity

CHANNEL, MODE, AGENT, VERBOSITY = "channel", "mode", "agent", "verbosity"
"""Blocks of the window; each block's action is called the same."""
MODES: Mapping[Mode, tuple[str, str]] = {
    "mentions": ("Mentions", "Answers when it is mentioned, and where it asked something back."),
    "threads": ("Threads", "Also answers every message in a thread where something was asked."),
    "questions": ("Questions", "Also answers every message that ends in a question mark."),
    "off": ("Off", "Answers nothing here, and tells who mentions it."),
}
VERBOSITIES: Mapping[Verbosity, tuple[str, str]] = {
    "short": ("Short", "What decides; everything else is one press away."),
    "full": ("Full", "Every section of each answer."),
}
DEFAULT_AGENT = "*"
"""Stands for the default agent in the menu, whose values may not be empty."""
MOST_AGENTS = 99
NOT_ADMIN = (
    "Only administrators and owners of this workspace can change settings, and those named in Oracle's configuration "
    "(slack.admins)."
)
WHO_UNKNOWN = "Slack did not tell me whether you are an administrator here. Please try again in a minute."

Json = dict[str, Any]


def settings_view(
    agents: Mapping[str, str], channel: str = "", current: ChannelSettings = DEFAULT, *, admin: str = ""
) -> Json:
    """The window.

    Args:
        agents: names of agents, and what each is for.
        channel: the channel it begins with; empty: none.
        current: what holds there now.
        admin: who opens it, found to be an administrator; the window remembers that for when it is sent.
    """
    chooser: Json = {"type": "conversations_select", "action_id": CHANNEL, "placeholder": plain("Choose a channel")}
    chooser["filter"] = {"include": ["public", "private"], "exclude_bot_users": True}
    if channel:
        chooser["initial_conversation"] = channel
    blocks = [
        field(CHANNEL, "Channel", chooser, "What you save here replaces what holds in that channel now."),
        field(MODE, "What is answered", radio(MODE, MODES, current.mode)),
        field(AGENT, "Who answers", agent_menu(agents, current.agent)),
        field(VERBOSITY, "How long answers are", radio(VERBOSITY, VERBOSITIES, current.verbosity)),
    ]
    return {
        "type": "modal",
        "callback_id": action_ids.SETTINGS_VIEW,
        "title": plain("Channel settings"),
        "submit": plain("Save"),
        "close": plain("Cancel"),
        "private_metadata": json.dumps({"admin": admin}),
        "blocks": blocks,
    }


def read_settings(sent: Window) -> tuple[str, ChannelSettings] | None:
    """What was chosen: the channel, and what shall hold there; None when it is none of what the window offers."""
    channel, mode, agent, verbosity = map(sent.field, (CHANNEL, MODE, AGENT, VERBOSITY))
    if not channel or mode not in MODES or verbosity not in VERBOSITIES:
        return None
    chosen = "" if agent == DEFAULT_AGENT else agent
    return channel, ChannelSettings(cast("Mode", mode), chosen, cast("Verbosity", verbosity))


def told(settings: ChannelSettings) -> str:
    """What holds in a channel, in a line."""
    said = [MODES[settings.mode][0].lower() if settings.mode in MODES else settings.mode]
    if settings.agent:
        said.append(f"agent {settings.agent}")
    if settings.verbosity != DEFAULT.verbosity:
        said.append(f"{settings.verbosity} answers")
    return " · ".join(said)


def agent_menu(agents: Mapping[str, str], current: str) -> Json:
    """The agents by name, the default one first."""
    options = [option(DEFAULT_AGENT, "Default", "The agent that fits the question.")]
    options += [option(name, name, agents[name]) for name in list(agents)[:MOST_AGENTS]]
    chosen = next((one for one in options if one["value"] == current), options[0])
    return {"type": "static_select", "action_id": AGENT, "options": options, "initial_option": chosen}


def radio(name: str, choices: Mapping[Any, tuple[str, str]], current: str) -> Json:
    """One of a few, with a sentence each."""
    options = [
        {"text": plain(title), "value": value, "description": plain(does)} for value, (title, does) in choices.items()
    ]
    chosen = next((one for one in options if one["value"] == current), options[0])
    return {"type": "radio_buttons", "action_id": name, "options": options, "initial_option": chosen}


def option(value: str, title: str, does: str) -> Json:
    """One line of a menu, within what Slack takes."""
    description = clip(safe(does), OPTION_TEXT_CHARS)
    said = {"description": plain(description)} if description else {}
    return {"text": plain(clip(safe(title), OPTION_TEXT_CHARS)), "value": value, **said}


def field(name: str, label: str, element: Json, hint: str = "") -> Json:
    """One input."""
    found = {"type": "input", "block_id": name, "label": plain(label), "element": element}
    return {**found, "hint": plain(hint)} if hint else found
