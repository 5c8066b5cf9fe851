"""What Slack sent -> one typed event. Nothing behind this sees a payload.

Bodies are decoded payloads as Bolt gives them. Nothing about their shape is trusted: what is missing or of another type
reads as absent, and identifiers that are none make the payload nobody's.

Source: Slack's Events API, slash commands and interaction payloads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from bot.parse.authors import Origin, app_users, asker_team_of, companies_of, read_origin, team_of
from bot.parse.channels import ChannelEvent, read_channel_event
from bot.parse.interactions import Command, Press, read_called, read_pressed
from bot.parse.payload_fields import event_id
from bot.parse.windows import Window, read_sent
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import SlackMessage, read_message

Kind = Literal["mention", "message", "edit", "stop", "command", "action", "shortcut", "submission", "other"]
KINDS: Mapping[str, Kind] = {
    "block_actions": "action",
    "shortcut": "shortcut",
    "message_action": "shortcut",
    "view_submission": "submission",
}
EVENTS: Mapping[str, Kind] = {"app_mention": "mention", "message": "message", "agent_session_stopped": "stop"}
RECEIVED_KEY = "received"
"""What the event is called in Bolt's context."""


@dataclass(frozen=True)
class Received:
    """An event, a command, or what someone pressed or sent.

    ``at``: when it came, aware. ``team``: the installation it was addressed to, ``asker_team`` the workspace of whoever
    wrote or pressed; ``ours`` and ``theirs``: ids of their companies, as far as Slack names them. ``app``: the user ids
    of the app itself. ``direct``: it happened in the direct messages with the app. ``event_id``: what Slack repeats
    when it delivers an event again.

    ``message``: what was said, in an edit as it is now, and ``before`` as it was; of a shortcut the message it was
    opened on. ``command``, ``press``, ``window`` and ``channel`` are there in payloads of their kind alone. ``tab``:
    what someone opened of the app's own place, ``home`` or ``messages``; empty in any other payload. ``removed_at``:
    the end of the second in which the app's own access ended: a later installation is not meant. ``late``: it was said
    while the app was away.
    """

    kind: Kind
    at: datetime
    team: str
    asker_team: str
    origin: Origin
    ours: frozenset[str] = frozenset()
    theirs: frozenset[str] = frozenset()
    app: frozenset[str] = frozenset()
    direct: bool = False
    event_id: str = ""
    message: SlackMessage = field(default_factory=SlackMessage)
    before: SlackMessage = field(default_factory=SlackMessage)
    command: Command | None = None
    press: Press | None = None
    window: Window | None = None
    channel: ChannelEvent | None = None
    tab: str = ""
    removed_at: datetime | None = None
    late: bool = False

    def is_foreign(self, others: Collection[str] = ()) -> bool:
        """Whether whoever wrote or pressed something is of another company; not where Slack does not name theirs.

        ``others``: ids of workspaces and organisations that count as ours too.
        """
        return bool(self.theirs) and self.theirs.isdisjoint(self.ours | set(others))


def received_in(context: Mapping[str, Any]) -> Received:
    """The event of a request, from Bolt's context."""
    found: Received = context[RECEIVED_KEY]
    return found


def read_payload(given: Any, at: datetime) -> Received:
    """Read a payload. ``at``: aware; when it came."""
    body = Fields(given)
    kind, event, origin = kind_of(body), body.inner("event"), read_origin(body)
    ours, theirs = companies_of(body)
    said = {"edit": event.inner("message"), "shortcut": body.inner("message")}.get(kind, event)
    message = read_message(said)
    return Received(
        kind=kind,
        at=at,
        team=team_of(body),
        asker_team=asker_team_of(body),
        origin=origin,
        ours=ours,
        theirs=theirs,
        app=app_users(body),
        direct=event.text("channel_type") == "im",
        event_id=event_id(body.text("event_id") or f"message:{origin.channel}:{event.text('ts')}"),
        message=message,
        before=read_message(event.inner("previous_message")),
        command=read_called(body) if kind == "command" else None,
        press=read_pressed(body) if kind == "action" else None,
        window=read_sent(body) if kind == "submission" else None,
        channel=read_channel_event(body, message),
        tab=event.text("tab") if event.text("type") == "app_home_opened" else "",
        removed_at=read_removal(body, at),
    )


def kind_of(body: Fields) -> Kind:
    """What a payload is. Everything that changed a message is an ``edit``."""
    if body.text("command"):
        return "command"
    kind, event = body.text("type"), body.inner("event")
    if kind != "event_callback":
        return KINDS.get(kind, "other")
    if event.text("subtype") == "message_changed":
        return "edit" if event.text("type") == "message" else "other"
    return EVENTS.get(event.text("type"), "other")


def is_readable(given: Any) -> bool:
    """Whether a payload has what Bolt chooses its listener by, and raises without."""
    body = Fields(given)
    kind = body.text("type")
    if body.text("command"):
        return True
    if kind == "event_callback":
        return bool(body.text("event", "type"))
    if kind == "block_actions":
        return bool(Fields(next(iter(body.items("actions")), None)).text("action_id"))
    if kind in {"view_submission", "view_closed"}:
        return bool(body.text("view", "type") and body.text("view", "callback_id"))
    if kind in {"shortcut", "message_action"}:
        return bool(body.text("callback_id"))
    return bool(kind)


def read_removal(body: Fields, at: datetime) -> datetime | None:
    """When the app's own access ended; None when only people's tokens were revoked, which are none of ours."""
    revoked, told = body.value("event", "tokens", "bot"), body.number("event_time")
    kind = body.text("event", "type")
    if kind != "app_uninstalled" and not (kind == "tokens_revoked" and revoked):
        return None
    return datetime.fromtimestamp(told, UTC) + timedelta(seconds=1) if told and 0 < told < 1 << 33 else at
