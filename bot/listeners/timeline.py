"""The window in which people correct the timeline of an incident; what they say wins, and stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import post_ephemeral, refused_or, tried
from bot.listeners.mentions import ListenerContext
from bot.parse import Origin, Press, Window, received_in
from bot.views.timeline import NEW, TEXT, read_timeline, timeline_view
from workers.delivery import action_ids
from workers.delivery.rich_text_blocks import sentence
from workers.incidents.summary.snapshot import read_snapshot
from workers.incidents.summary.summary_types import Summary
from workers.store.followed_channels import followed, make_due
from workers.store.incidents import incident_of
from workers.store.timeline_corrections import correct

NONE_YET = "There is no timeline here yet."


def register(app: App, attention: ListenerContext) -> None:
    """Listen to the button, the menu in the window, and the window."""

    def edit(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if (press := received.press) and press.channel:
            attention.later(partial(open_timeline, attention, client, received.origin, press))

    def pick(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        if press := received_in(context).press:
            attention.later(partial(turn_to, attention, client, press))

    def save(ack: Ack, context: BoltContext) -> None:
        sent = received_in(context).window
        wrong = keep(attention, sent) if sent else {}
        if wrong:
            ack(response_action="errors", errors=wrong)
        else:
            ack()

    app.action(action_ids.INCIDENT_EDIT)(edit)
    app.action(action_ids.TIMELINE_PICK)(pick)
    app.view(action_ids.TIMELINE_VIEW)(save)


def open_timeline(attention: ListenerContext, client: WebClient, origin: Origin, press: Press) -> None:
    """Open the window for a new entry."""
    say = partial(post_ephemeral, client, replace(origin, channel=press.channel, thread_ts=""))
    with refused_or(say):
        summary, incident = shown_in(attention, press.team, press.channel)
        if summary is None:
            say(sentence(NONE_YET))
            return
        zone = attention.directory.person(client, press.team, press.user).zone
        kept = {"channel": press.channel, "incident": str(incident), "began": began(summary).isoformat()}
        client.views_open(trigger_id=press.trigger_id, view=timeline_view(summary.timeline, kept, zone=zone))


def turn_to(attention: ListenerContext, client: WebClient, press: Press) -> None:
    """Show the fields of the entry that was chosen."""
    kept = press.kept
    with refused_or(lambda _: None):
        summary, _ = shown_in(attention, press.team, kept.get("channel", ""))
        remembered = {key: kept.get(key, "") for key in ("channel", "incident", "began")}
        chosen = "" if press.value == NEW else press.value
        view = timeline_view(summary.timeline if summary else (), remembered, chosen, kept.get("zone") or "UTC")
        tried("an entry is not shown", lambda: client.views_update(view_id=press.view_id, view=view))


def keep(attention: ListenerContext, sent: Window) -> dict[str, str]:
    """Store a correction and have the summary renewed; not acknowledged yet. Returns: what is wrong, by block."""
    found, team = read_timeline(sent, datetime.now(UTC)), sent.team
    if isinstance(found, dict):
        return found
    number, wrong = sent.kept.get("incident", ""), dict[str, str]()
    with refused_or(lambda post: wrong.update({f"{TEXT}:{found.entry}"[:255]: post.text})):
        incident = incident_of(attention.store.database, int(number)) if number.isdecimal() else None
        if incident is None or incident.team != team:
            return {f"{TEXT}:{found.entry}"[:255]: NONE_YET}
        clean = found.model_copy(update={"text": attention.ledger.clean(found.text)})
        correct(attention.store.database, incident.id, clean)
        if make_due(attention.store.database, team, incident.channel):
            attention.wake_channel(team, incident.channel)
    return wrong


def shown_in(attention: ListenerContext, team: str, channel: str) -> tuple[Summary | None, int]:
    """The summary that is shown in a channel, and its incident's id; 0 for none. Raises: StoreUnavailable."""
    here = followed(attention.store.database, team, channel)
    last = read_snapshot(here.summary) if here else None
    return (last.summary, here.incident_id) if here and last else (None, 0)


def began(summary: Summary) -> datetime:
    """When an incident began, as far as is known."""
    first = summary.timeline[0].at if summary.timeline else datetime.now(UTC)
    return summary.since or first
