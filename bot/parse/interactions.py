"""Pressed buttons and chosen options, commands and shortcuts.

Source: Slack's interaction payloads (``block_actions``, ``shortcut``, ``message_action``) and slash commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.parse.authors import asker_team_of, team_of
from bot.parse.payload_fields import event_id, request_id
from bot.parse.windows import remembered
from workers.contracts import Question, Reply
from workers.delivery import action_ids
from workers.language.slack_content import quote_message
from workers.language.slack_text import name_at, plain_text, text_at, ts_at, value_at

CLARIFY = re.compile(r"clarify:(?:[0-9]{1,3}|menu)")
TURN = re.compile(r"[0-9]{1,6}")
PAGE = re.compile(r"[0-9]{1,3}")
REQUEST = re.compile(r"[A-Za-z0-9_-]{1,64}")
MEMORY = "memory"
"""The agent that keeps notes and finds them again."""


@dataclass(frozen=True)
class Press:
    """One pressed button or chosen option. ``view_id`` is where it stands when that is a window or the Home tab,
    and ``kept`` what that remembers.

    ``thread_ts`` is the thread of its message, or the message itself; both are empty outside of messages.
    """

    action_id: str
    block_id: str
    value: str
    user: str
    team: str
    asker_team: str
    channel: str
    message_ts: str
    thread_ts: str
    view_id: str
    kept: Mapping[str, str]
    trigger_id: str
    event_id: str


def read_pressed(body: Mapping[str, Any]) -> Press | None:
    """The first action of a payload; None when there is none, or nobody pressed it."""
    pressed = value_at(body, "actions")
    action = next((a for a in pressed if isinstance(a, Mapping)), None) if isinstance(pressed, list) else None
    user = name_at(body, "user", "id")
    if text_at(body, "type") != "block_actions" or action is None or not user:
        return None
    channel = name_at(body, "channel", "id") or name_at(body, "container", "channel_id")
    message_ts = ts_at(body, "message", "ts") or ts_at(body, "container", "message_ts")
    thread_ts = ts_at(body, "message", "thread_ts") or ts_at(body, "container", "thread_ts") or message_ts
    trigger = text_at(body, "trigger_id")
    return Press(
        action_id=text_at(action, "action_id"),
        block_id=text_at(action, "block_id"),
        value=text_at(action, "value") or text_at(action, "selected_option", "value"),
        user=user,
        team=team_of(body),
        asker_team=asker_team_of(body, {}),
        channel=channel,
        message_ts=message_ts,
        thread_ts=thread_ts,
        view_id=name_at(body, "view", "id") or name_at(body, "container", "view_id"),
        kept=remembered(value_at(body, "view")),
        trigger_id=trigger,
        event_id=event_id(trigger or f"press:{channel}:{message_ts}:{user}:{text_at(action, 'action_ts')}"),
    )


def read_option(body: Mapping[str, Any], now: datetime) -> Reply | None:
    """A chosen option of a clarifying question: the block names request and turn, its value is the answer."""
    press = read_pressed(body)
    if press is None or not CLARIFY.fullmatch(press.action_id):
        return None
    kind, _, name = press.block_id.partition(":")
    request, _, turn = name.partition(":")
    text = plain_text(press.value)
    if kind != action_ids.CLARIFY_BLOCK or not (press.channel and text and request):
        return None
    return Reply(
        text=text,
        asker=press.user,
        team=press.team,
        channel=press.channel,
        thread_ts=press.thread_ts,
        event_id=press.event_id,
        request_id=request[:64],
        turn=int(turn) if TURN.fullmatch(turn) else 0,
        received_at=now,
    )


def read_button(body: Mapping[str, Any], action: str) -> tuple[Press, str] | None:
    """A pressed button in a thread whose value is the id of a request: where, and the request."""
    press = read_pressed(body)
    if press is None or press.action_id != action or not (press.channel and press.thread_ts):
        return None
    return (press, press.value) if REQUEST.fullmatch(press.value) else None


def read_again(body: Mapping[str, Any]) -> tuple[Press, str] | None:
    """A pressed Re-run: where, and the request that is to be run again."""
    return read_button(body, action_ids.RERUN)


def ask_again(press: Press, asked: Question, now: datetime) -> Question:
    """The same question once more, where the button stands, asked by whoever pressed it."""
    return asked.model_copy(
        update={
            "request_id": request_id(press.team, press.channel, press.event_id),
            "again": asked.request_id,
            "confirms": "",
            "asker": press.user,
            "team": press.team,
            "asker_team": press.asker_team,
            "channel": press.channel,
            "thread_ts": press.thread_ts,
            "ts": "",
            "edits": "",
            "event_id": press.event_id,
            "source": "slack",
            "received_at": now,
        }
    )


def read_saved(body: Mapping[str, Any], now: datetime) -> Question | None:
    """A pressed "Save as note" as the order that it stands for, once for each answer."""
    found = read_button(body, action_ids.SAVE)
    if found is None:
        return None
    press, answer = found
    return ask_once(press, f"save:{answer}", f"Save the answer {answer} as a note", now, agent=MEMORY)


def read_also(body: Mapping[str, Any]) -> tuple[Press, str] | None:
    """A pressed "Ask also": where, and the request whose message asked two things."""
    return read_button(body, action_ids.ALSO)


def ask_also(press: Press, text: str, now: datetime) -> Question:
    """What else a message asked as a question of its own, once for each answer."""
    return ask_once(press, f"also:{press.value}", text, now)


def ask_once(press: Press, event: str, text: str, now: datetime, *, agent: str | None = None) -> Question:
    """A question that a button asks in its thread; whoever presses it again, it is the same ``event``."""
    event = event_id(event)
    return Question(
        request_id=request_id(press.team, press.channel, event),
        text=text,
        asker=press.user,
        team=press.team,
        asker_team=press.asker_team,
        channel=press.channel,
        thread_ts=press.thread_ts,
        event_id=event,
        source="slack",
        received_at=now,
        agent=agent,
    )


def read_decision(body: Mapping[str, Any]) -> tuple[Press, str, int] | None:
    """A pressed Confirm or Decline: where, the request that proposed a change, and the change's place there."""
    press = read_pressed(body)
    if press is None or press.action_id not in {action_ids.CONFIRM, action_ids.DECLINE} or not press.channel:
        return None
    request, _, place = press.value.rpartition(":")
    return (press, request, int(place)) if REQUEST.fullmatch(request) and PAGE.fullmatch(place) else None


def ask_to_change(press: Press, proposed: Question, title: str, now: datetime) -> Question:
    """The request that carries out a confirmed change, in the thread of the one that proposed it. It is taken once."""
    return proposed.model_copy(
        update={
            "request_id": request_id(press.team, press.channel, decision_event(press.value)),
            "text": title,
            "confirms": press.value,
            "asker_team": press.asker_team,
            "channel": press.channel,
            "thread_ts": press.thread_ts,
            "ts": "",
            "edits": "",
            "again": "",
            "context": (),
            "unread": (),
            "unasked": False,
            "event_id": decision_event(press.value),
            "source": "slack",
            "received_at": now,
        }
    )


def decision_event(proposal: str) -> str:
    """What a change is decided by once: whoever writes this event first has decided."""
    return event_id(f"decision:{proposal}")


def read_page(value: str) -> tuple[str, int] | None:
    """``ID:PAGE`` of a button in the window of proof."""
    request, _, page = value.rpartition(":")
    return (request, int(page)) if REQUEST.fullmatch(request) and PAGE.fullmatch(page) else None


def read_verdict(value: str) -> tuple[str, str] | None:
    """``good:ID`` or ``bad:ID``: the verdict and the request."""
    verdict, _, request = value.partition(":")
    return (verdict, request) if verdict in {"good", "bad"} and REQUEST.fullmatch(request) else None


# --- commands and shortcuts -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A slash command that was typed. ``name``: what it is called, with its slash."""

    name: str
    team: str
    channel: str
    user: str
    trigger_id: str


def read_called(body: Mapping[str, Any]) -> Command:
    """Who typed a command where; what is missing is empty."""
    return Command(
        name=text_at(body, "command"),
        team=team_of(body),
        channel=name_at(body, "channel_id"),
        user=name_at(body, "user_id"),
        trigger_id=text_at(body, "trigger_id"),
    )


def read_command(body: Mapping[str, Any], text: str, now: datetime) -> Question | None:
    """A slash command: no message and no thread yet; Slack never sends one twice."""
    called = read_called(body)
    team, channel, user = called.team, called.channel, called.user
    if not (channel and user):
        return None
    press = event_id(called.trigger_id or f"command:{channel}:{user}:{now.isoformat()}")
    return Question(
        request_id=request_id(team, channel, press),
        text=text,
        asker=user,
        team=team,
        asker_team=asker_team_of(body, {}),
        channel=channel,
        event_id=press,
        source="slack",
        received_at=now,
    )


def read_about(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """The message of a message shortcut: its channel, its thread, and all that a person sees; each may be empty."""
    message = value_at(body, "message")
    ts = ts_at(message, "ts") or ts_at(body, "message_ts")
    return name_at(body, "channel", "id"), ts_at(message, "thread_ts") or ts, quote_message(message)
