"""Who wrote or pressed something, and which installation of the app it was addressed to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.parse.fields import NAME, is_true, name_at, text_at, value_at

SPOKEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes of messages that a person wrote just now."""
SLACKBOT = "USLACKBOT"


def team_of(body: Mapping[str, Any]) -> str:
    """The installation that was addressed: a workspace, or an organisation that installed the app as a whole.

    In a channel shared with another company it is ours, not the author's.
    """
    first = first_authorization(body)
    whole = is_true(value_at(body if first is None else first, "is_enterprise_install"))
    organisations = (
        name_at(first, "enterprise_id"),
        name_at(body, "enterprise", "id"),
        name_at(body, "enterprise_id"),
        name_at(body, "team", "enterprise_id"),
    )
    workspaces = (
        name_at(first, "team_id"),
        name_at(body, "view", "app_installed_team_id"),
        name_at(body, "team", "id"),
        name_at(body, "team_id"),
        name_at(body, "user", "team_id"),
    )
    return next(filter(None, (*organisations, *workspaces) if whole else workspaces), "")


def asker_team_of(body: Mapping[str, Any], message: Mapping[str, Any] | None = None) -> str:
    """The workspace of the person: an event's author, or who pressed or typed a command."""
    event = message if message is not None else value_at(body, "event")
    named = [name_at(event, key) for key in ("user_team", "team", "source_team")]
    named += [name_at(body, "user", "team_id"), name_at(body, "team", "id"), name_at(body, "team_id")]
    return next(filter(None, named), "")


def first_authorization(body: Mapping[str, Any]) -> Any:
    """The installation an event is delivered for; Slack names one."""
    given = value_at(body, "authorizations")
    return given[0] if isinstance(given, list) and given else None


def app_users(body: Mapping[str, Any]) -> frozenset[str]:
    """The user ids of the app itself, as the event's authorizations say."""
    given = value_at(body, "authorizations")
    users = [text_at(a, "user_id") for a in given if isinstance(a, Mapping)] if isinstance(given, list) else []
    return frozenset(user for user in users if NAME.fullmatch(user))


def is_spoken(body: Mapping[str, Any]) -> bool:
    """Written by a person, just now: no bot, not this app itself, not hidden, edited or deleted."""
    event = value_at(body, "event")
    return is_persons(event, app_users(body)) and not any(event.get(key) for key in ("hidden", "edited"))


def is_persons(message: Any, app: frozenset[str]) -> bool:
    """A message that a person wrote: not this app, no bot, no workflow, no notice of Slack's."""
    if not isinstance(message, Mapping) or text_at(message, "user") in {*app, SLACKBOT}:
        return False
    subtype = message.get("subtype") or ""
    odd = any(message.get(key) for key in ("bot_id", "bot_profile"))
    return not odd and isinstance(subtype, str) and subtype in SPOKEN
