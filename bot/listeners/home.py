"""The Home tab and its buttons, and the window in which administrators change a channel's settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import refused_or, tried
from bot.listeners.health import read_health
from bot.listeners.mentions import ListenerContext
from bot.middleware.request_record import load_for, without_hidden
from bot.parse import Press, Window, received_in
from bot.views.help import examples
from bot.views.home import MOST_RECENT, Home, PolicyTold, closed_view, home_view
from bot.views.notice import notice_view
from bot.views.settings import AGENT, CHANNEL, NOT_ADMIN, WHO_UNKNOWN, read_settings, settings_view
from workers.access.sources import rules_without_effect
from workers.access.views import Access
from workers.contracts import Landscape, RequestLog
from workers.delivery import action_ids
from workers.delivery.proof import render_proof
from workers.store.channels import DEFAULT, change_channel, changed_channels, channel_settings
from workers.store.followed_channels import followed, note_channel, stop_following
from workers.store.incidents import Incident, active_incidents
from workers.store.memories import forget_memory, list_memories
from workers.store.request_jobs import Asked

log = logging.getLogger(__name__)
MOST_INCIDENTS = 10
LINKS = 5
NOT_YOURS = "I no longer have the record of that question, or it is not yours."
NOTHING_CHOSEN = "Please choose a channel."
NO_AGENT = "There is no agent of that name any more."


def register(app: App, attention: ListenerContext) -> None:
    """Listen to ``app_home_opened``, the tab's buttons and the settings window."""

    def opened(context: BoltContext, client: WebClient) -> None:
        received = received_in(context)
        attention.later(partial(publish, attention, client, received.team, received.origin.user))

    def on(action_id: str, does: Callable[[ListenerContext, WebClient, Press], None]) -> None:
        def listen(ack: Ack, context: BoltContext, client: WebClient) -> None:
            ack()
            if press := received_in(context).press:
                attention.later(partial(does, attention, client, press))

        app.action(action_id)(listen)

    def save(ack: Ack, context: BoltContext, client: WebClient) -> None:
        if (sent := received_in(context).window) is None:
            return
        wrong = keep(attention, sent)
        if wrong:
            ack(response_action="errors", errors=wrong)
            return
        ack()
        attention.later(partial(publish, attention, client, sent.team, sent.user))

    app.event("app_home_opened", matchers=[shows_home])(opened)
    on(action_ids.HOME_REFRESH, lambda attention, client, press: publish(attention, client, press.team, press.user))
    on(action_ids.FORGET, forget)
    on(
        action_ids.HOME_PROOF,
        lambda _, client, press: open_view(client, press, partial(proof, attention, client, press)),
    )
    on(
        action_ids.HOME_SETTINGS,
        lambda _, client, press: open_view(client, press, partial(settings_of, attention, client, press)),
    )
    app.view(action_ids.SETTINGS_VIEW)(save)


def shows_home(context: BoltContext) -> bool:
    """Whether someone opened the Home tab."""
    return received_in(context).tab == "home"


# --- the tab --------------------------------------------------------------------------------------------------


def publish(attention: ListenerContext, client: WebClient, team: str, user: str) -> None:
    """Show someone their tab. What Slack refuses is logged: there is no other place to say it."""

    def show(view: dict[str, Any]) -> None:
        tried("a Home tab was not published", lambda: client.views_publish(user_id=user, view=view))

    if user:
        with refused_or(lambda _: show(closed_view())):
            show(home_view(read_home(attention, client, team, user), datetime.now(UTC)))


def read_home(attention: ListenerContext, client: WebClient, team: str, user: str) -> Home:
    """All that one person's tab shows. Raises: StoreUnavailable."""
    recent = tuple(seen_recent(attention, client, team, user))
    threads = [(asked.channel, asked.thread_ts) for asked in reversed(recent) if asked.thread_ts]
    links = attention.directory.permalinks(client, threads, LINKS)
    landscape = Landscape() if attention.doors.closed else attention.landscape()
    admin = may_not_change(attention, client, team, user) == ""
    return Home(
        user=user,
        health=read_health(attention, team, user),
        recent=recent,
        examples=examples(landscape),
        landscape=landscape,
        command=attention.settings.core.slack.command,
        links={asked.request_id: links[asked.thread_ts] for asked in recent if asked.thread_ts in links},
        incidents=seen_incidents(attention, client, team, user),
        channels=changed_channels(attention.store.database, team) if admin else None,
        memories=list_memories(attention.store.database, f"{team}/{user}"),
        policy=policy_told(attention.access) if admin else None,
    )


def seen_recent(attention: ListenerContext, client: WebClient, team: str, user: str) -> Iterator[Asked]:
    """What a person asked last; without the headline of an answer that may not be shown any more.

    Raises: StoreUnavailable, ChatError.
    """
    for asked in attention.ledger.recent(team, user, MOST_RECENT):
        yield without_hidden(
            attention.store, attention.doors, asked, team, user, lambda log: channel_read(attention, client, log, user)
        )


def channel_read(attention: ListenerContext, client: WebClient, log: RequestLog, user: str) -> str:
    """The channel of a question, whose rights count for a person's answer while they can read it; empty when not."""
    channel, team = log.question.channel, log.question.team
    return channel if channel and attention.directory.may_see(client, team, channel, user) else ""


def policy_told(access: Access) -> PolicyTold:
    """The policy as administrators see it."""
    rules = access.policy.rules if access.policy else None
    return PolicyTold(rules, tuple(rules_without_effect(access.settings)))


def seen_incidents(
    attention: ListenerContext, client: WebClient, team: str, user: str
) -> tuple[tuple[Incident, str], ...]:
    """Open incidents of the channels that someone may read, the newest first, with the addresses of the newest few."""
    directory = attention.directory
    active = active_incidents(attention.store.database, team)[::-1][:MOST_INCIDENTS]
    seen = [incident for incident in active if directory.may_see(client, team, incident.channel, user)]
    links = directory.permalinks(client, [(one.channel, one.ts) for one in reversed(seen)], LINKS)
    return tuple((incident, links.get(incident.ts, "")) for incident in seen)


def forget(attention: ListenerContext, client: WebClient, press: Press) -> None:
    """Remove one memory of whoever pressed, and show the tab as it is then."""
    if press.value.isdecimal() and len(press.value) < 12:
        with refused_or(lambda post: log.warning("a memory was not removed: %s", post.text)):
            forget_memory(attention.store.database, f"{press.team}/{press.user}", int(press.value))
    publish(attention, client, press.team, press.user)


# --- windows --------------------------------------------------------------------------------------------------


def open_view(client: WebClient, press: Press, make: Callable[[], dict[str, Any]]) -> None:
    """Open a window, or one that says what is in the way."""

    def show(view: dict[str, Any]) -> None:
        tried("a window did not open", lambda: client.views_open(trigger_id=press.trigger_id, view=view))

    with refused_or(lambda post: show(notice_view(post.text))):
        show(make())


def proof(attention: ListenerContext, client: WebClient, press: Press) -> dict[str, Any]:
    """The proof of one's own question. Raises: StoreUnavailable."""
    log = load_for(attention.store, press.value, press.team)
    mine = log is not None and log.question.asker == press.user
    place = channel_read(attention, client, log, press.user) if log and attention.doors.closed else ""
    if log and not attention.doors.may_read(log, press.team, press.user, place):
        return notice_view(NOT_YOURS)
    return render_proof(log) if log and mine else notice_view(NOT_YOURS)


def settings_of(attention: ListenerContext, client: WebClient, press: Press) -> dict[str, Any]:
    """The settings window, for administrators. Raises: StoreUnavailable."""
    team, channel, user = press.team, press.value, press.user
    wrong = may_not_change(attention, client, team, user)
    if wrong:
        return notice_view(wrong)
    current = channel_settings(attention.store.database, team, channel) if channel else DEFAULT
    return settings_view(agents_of(attention), channel, current, admin=user)


def keep(attention: ListenerContext, sent: Window) -> dict[str, str]:
    """Store what an administrator chose; this is not acknowledged yet, so that Slack is not asked anything.

    Returns: what is wrong, by block; empty when it is stored.
    """
    user, was_admin = sent.user, sent.kept.get("admin", "")  # only we write what a window remembers
    if not user or user not in {was_admin, *attention.settings.core.slack.admins}:
        return {CHANNEL: NOT_ADMIN}
    found = read_settings(sent)
    if found is None:
        return {CHANNEL: NOTHING_CHOSEN}
    channel, settings = found
    if settings.agent and settings.agent not in agents_of(attention):
        return {AGENT: NO_AGENT}
    wrong: dict[str, str] = {}
    with refused_or(lambda post: wrong.update({CHANNEL: post.text})):
        database, team = attention.store.database, sent.team
        change_channel(database, team, channel, settings, user)
        here = followed(database, team, channel)
        if settings.mode == "off":
            stop_following(database, team, channel, "off")
        elif here and here.state == "off":
            note_channel(database, team, channel)
            attention.wake_channel(team, channel)
    return wrong


def may_not_change(attention: ListenerContext, client: WebClient, team: str, user: str) -> str:
    """Why someone may not change settings; empty when they may."""
    if user in attention.settings.core.slack.admins:
        return ""
    person = attention.directory.person(client, team, user)
    if not person.known:
        return WHO_UNKNOWN
    return "" if person.is_admin else NOT_ADMIN


def agents_of(attention: ListenerContext) -> dict[str, str]:
    """The agents by name, and what each is for."""
    return {name: agent.description for name, agent in attention.settings.tree.agents.items()}
