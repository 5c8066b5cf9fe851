"""Who wrote or pressed something, and which installation of the app it was addressed to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.parse.payload_fields import is_true
from workers.language.slack_text import NAME, name_at, text_at, ts_at, value_at

SPOKEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes of messages that a person wrote just now."""
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True)
class Origin:
    """Where someone wrote, pressed or typed something, and how they can be answered there; empty where not known.

    ``trigger_id`` opens one window within three seconds; ``response_url`` takes answers, without a token.
    """

    channel: str
    user: str
    thread_ts: str
    trigger_id: str
    response_url: str


def read_origin(body: Mapping[str, Any]) -> Origin:
    """Of an event, a command or an interaction."""
    event, message = value_at(body, "event"), value_at(body, "message")
    place = event or value_at(body, "container") or body
    edited = value_at(event, "message")
    users = name_at(event, "user"), name_at(edited, "user"), name_at(body, "user", "id"), name_at(body, "user_id")
    threads = ts_at(place, "thread_ts"), ts_at(edited, "thread_ts"), ts_at(message, "thread_ts")
    return Origin(
        channel=name_at(place, "channel") or name_at(place, "channel_id") or name_at(body, "channel", "id"),
        user=next(filter(None, users), ""),
        thread_ts=next(filter(None, threads), ""),
        trigger_id=text_at(body, "trigger_id"),
        response_url=text_at(body, "response_url"),
    )


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
