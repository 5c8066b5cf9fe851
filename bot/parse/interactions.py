"""Pressed buttons and chosen options, commands and shortcuts.

Source: Slack's interaction payloads (``block_actions``, ``shortcut``, ``message_action``) and slash commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.parse.authors import asker_team_of, team_of
from bot.parse.payload_fields import event_id, request_id
from bot.parse.windows import remembered
from workers.contracts import Question, Reply
from workers.delivery import action_ids
from workers.language.mrkdwn import plain_text
from workers.slack_messages.fields import Fields

CLARIFY = re.compile(r"clarify:(?:[0-9]{1,3}|menu)")
TURN = re.compile(r"[0-9]{1,6}")
PAGE = re.compile(r"[0-9]{1,3}")
REQUEST = re.compile(r"[A-Za-z0-9_-]{1,64}")
MEMORY = "memory"
"""The agent that keeps notes and finds them again."""


@dataclass(frozen=True)
class Press:
    """One pressed button or chosen option. ``view_id`` is where it stands when that is a window or the Home tab,
    ``metadata`` what that remembers, as one text, and ``kept`` the same as texts by name.

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
    metadata: str
    kept: Mapping[str, str]
    trigger_id: str
    event_id: str


def read_pressed(body: Fields) -> Press | None:
    """The first action of a payload; None when there is none, or nobody pressed it."""
    action = next(iter(body.objects("actions")), None)
    user = body.name("user", "id")
    if body.text("type") != "block_actions" or action is None or not user:
        return None
    message, container = body.inner("message"), body.inner("container")
    channel = body.name("channel", "id") or container.name("channel_id")
    message_ts = message.ts("ts") or container.ts("message_ts")
    trigger = body.text("trigger_id")
    return Press(
        action_id=action.text("action_id"),
        block_id=action.text("block_id"),
        value=action.text("value") or action.text("selected_option", "value"),
        user=user,
        team=team_of(body),
        asker_team=asker_team_of(body),
        channel=channel,
        message_ts=message_ts,
        thread_ts=message.ts("thread_ts") or container.ts("thread_ts") or message_ts,
        view_id=body.name("view", "id") or container.name("view_id"),
        metadata=body.text("view", "private_metadata"),
        kept=remembered(body.inner("view")),
        trigger_id=trigger,
        event_id=event_id(trigger or f"press:{channel}:{message_ts}:{user}:{action.text('action_ts')}"),
    )


def read_option(press: Press, now: datetime) -> Reply | None:
    """A chosen option of a clarifying question: the block names request and turn, its value is the answer."""
    if not CLARIFY.fullmatch(press.action_id):
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


def read_button(press: Press, action: str) -> str:
    """The id of the request that is the value of a button in a thread; empty when it is another one."""
    here = press.action_id == action and press.channel and press.thread_ts
    return press.value if here and REQUEST.fullmatch(press.value) else ""


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


def read_saved(press: Press, now: datetime) -> Question | None:
    """A pressed "Save as note" as the order that it stands for, once for each answer."""
    if not (answer := read_button(press, action_ids.SAVE)):
        return None
    return ask_once(press, f"save:{answer}", f"Save the answer {answer} as a note", now, agent=MEMORY)


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


def read_decision(press: Press) -> tuple[str, int] | None:
    """A pressed Confirm or Decline: the request that proposed a change, and the change's place there."""
    if press.action_id not in {action_ids.CONFIRM, action_ids.DECLINE} or not press.channel:
        return None
    request, _, place = press.value.rpartition(":")
    return (request, int(place)) if REQUEST.fullmatch(request) and PAGE.fullmatch(place) else None


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
    """A slash command that was typed. ``name``: what it is called, with its slash; ``text``: what follows it, as a
    person reads it. What is missing is empty.
    """

    name: str
    text: str
    team: str
    asker_team: str
    channel: str
    user: str
    trigger_id: str


def read_called(body: Fields) -> Command:
    """Who typed a command where."""
    return Command(
        name=body.text("command"),
        text=plain_text(body.text("text")),
        team=team_of(body),
        asker_team=asker_team_of(body),
        channel=body.name("channel_id"),
        user=body.name("user_id"),
        trigger_id=body.text("trigger_id"),
    )


def ask_by_command(called: Command, text: str, now: datetime, *, agent: str | None = None) -> Question | None:
    """A slash command: no message and no thread yet; Slack never sends one twice."""
    team, channel, user = called.team, called.channel, called.user
    if not (channel and user):
        return None
    press = event_id(called.trigger_id or f"command:{channel}:{user}:{now.isoformat()}")
    return Question(
        request_id=request_id(team, channel, press),
        text=text,
        asker=user,
        team=team,
        asker_team=called.asker_team,
        channel=channel,
        event_id=press,
        source="slack",
        received_at=now,
        agent=agent,
    )
