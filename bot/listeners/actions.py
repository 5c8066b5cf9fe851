"""Buttons of questions and answers: what was meant, proof, the same again, sharing, and what people think of it."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.heard import Attention, or_say, whisper
from bot.parse import CLARIFY, Press, read_page, read_pressed, read_verdict
from bot.views.feedback import feedback_view
from workers.contracts import RequestLog
from workers.delivery import names
from workers.delivery.proof import render_proof
from workers.delivery.share import render_shared
from workers.errors import RequestNotFound
from workers.ports import Post
from workers.store.feedback import save_feedback

ANSWERED = Post("This question has been answered already; mention me in the thread to ask something new.")
THEIRS = "This is <@{asker}>'s question, and I wait for their answer. Mention me in the thread to ask one of your own."
AGAIN = Post("Looking again… The new answer comes below, with what differs from this one.")
SHARED = Post("This answer has been shared to the channel already.")
NO_CHANNEL = Post("This is a direct message: there is no channel to share the answer to.")
THANKS = Post("Thank you, noted.")
EVENT_TYPE = "oracle_reply"


def register(app: App, attention: Attention) -> None:
    """Listen to the buttons and menus of questions and answers."""
    on_questions(app, attention)
    on_proof(app, attention)
    on_opinions(app, attention)


def on_questions(app: App, attention: Attention) -> None:
    """What was meant, and Re-run: committed before the acknowledgement."""

    def choose(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
        ack()
        press = read_pressed(body)
        if attention.accepted(context) or press is None:
            return
        with or_say(client, body):
            if context.get("refusal"):
                whisper(client, body, Post(context["refusal"]))
            else:
                whisper(client, body, why_not(attention, press))

    def rerun(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
        ack()
        if attention.accepted(context):
            whisper(client, body, AGAIN)
        elif context.get("refusal"):
            whisper(client, body, Post(context["refusal"]))

    app.action(re.compile(rf"^{CLARIFY.pattern}$"))(choose)
    app.action(names.RERUN)(rerun)


def on_proof(app: App, attention: Attention) -> None:
    """What lies behind an answer."""

    def prove(ack: Ack, body: dict[str, Any], client: WebClient) -> None:
        ack()
        press = read_pressed(body)
        if press is not None:
            with or_say(client, body):
                show_proof(attention, client, press.trigger_id, press.value, press.team)

    def turn_page(ack: Ack, body: dict[str, Any], client: WebClient) -> None:
        ack()
        press = read_pressed(body)
        found = read_page(press.value) if press else None
        if press and found:
            with or_say(client, body):
                view = render_proof(load(attention, found[0], press.team), found[1])
                client.views_update(view_id=press.view_id, view=view)

    app.action(names.PROOF)(prove)
    app.action(names.PROOF_PAGE)(turn_page)


def on_opinions(app: App, attention: Attention) -> None:
    """Sharing an answer, and what people think of it."""

    def share(ack: Ack, body: dict[str, Any], client: WebClient) -> None:
        ack()
        press = read_pressed(body)
        if press is not None and press.channel:
            with or_say(client, body):
                share_answer(attention, client, body, press)

    def judge(ack: Ack, body: dict[str, Any], client: WebClient) -> None:
        ack()
        press = read_pressed(body)
        found = read_verdict(press.value) if press else None
        if press and found:
            with or_say(client, body):
                take_verdict(attention, client, body, press, found)

    app.action(names.SHARE)(share)
    app.action(names.FEEDBACK)(judge)


def why_not(attention: Attention, press: Press) -> Post:
    """Why a press on an option changed nothing."""
    asker = attention.inbox.asker_of(press.block_id.split(":")[1])
    alone = attention.settings.core.slack.clarified_by == "asker"
    return Post(THEIRS.format(asker=asker)) if alone and asker and asker != press.user else ANSWERED


def load(attention: Attention, request_id: str, team: str) -> RequestLog:
    """The log of a request of this workspace. Raises: RequestNotFound, StoreUnavailable."""
    log = attention.store.load(request_id)
    if log.question.team and log.question.team != team:
        raise RequestNotFound(f"no request {request_id!r}")
    return log


def show_proof(attention: Attention, client: WebClient, trigger_id: str, request_id: str, team: str) -> None:
    """Open the window with what lies behind an answer; the trigger lives three seconds.

    Raises: RequestNotFound, StoreUnavailable, slack_sdk's errors.
    """
    client.views_open(trigger_id=trigger_id, view=render_proof(load(attention, request_id, team)))


def share_answer(attention: Attention, client: WebClient, body: dict[str, Any], press: Press) -> None:
    """Say the answer's first lines in its channel, once, with the way to the rest.

    Raises: RequestNotFound, StoreUnavailable, slack_sdk's errors.
    """
    if press.channel.startswith("D"):
        whisper(client, body, NO_CHANNEL)
        return
    log = load(attention, press.value, press.team)
    found = client.chat_getPermalink(channel=press.channel, message_ts=press.message_ts)
    if not attention.inbox.note_event(press.team, f"share:{log.request_id}", log.request_id):
        whisper(client, body, SHARED)
        return
    post = render_shared(log, str(found["permalink"]), press.user)
    client.chat_postMessage(
        channel=press.channel,
        text=post.text,
        blocks=list(post.blocks) or None,
        metadata={"event_type": EVENT_TYPE, "event_payload": {"key": f"{log.request_id}:shared"}},
        unfurl_links=False,
        unfurl_media=False,
    )


def take_verdict(
    attention: Attention, client: WebClient, body: dict[str, Any], press: Press, found: tuple[str, str]
) -> None:
    """Keep a verdict; for a bad one ask what was wrong, which is kept in its place.

    Raises: RequestNotFound, StoreUnavailable, slack_sdk's errors.
    """
    verdict, request_id = found
    if verdict == "bad":
        client.views_open(trigger_id=press.trigger_id, view=feedback_view(request_id, press.channel, press.thread_ts))
        save_feedback(attention.store.database, request_id, press.team, press.user, "bad")
        return
    save_feedback(attention.store.database, request_id, press.team, press.user, "good")
    whisper(client, body, THANKS)
