"""Buttons of questions and answers: what was meant, proof, the same again, sharing, and what people think of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import post_ephemeral, post_in, refused_or
from bot.listeners.mentions import ListenerContext
from bot.middleware.request_record import load_for, load_pressed
from bot.parse import CLARIFY, NARROW, Origin, Press, read_page, read_verdict, received_in
from bot.views.feedback import feedback_view
from bot.views.notice import GONE
from workers.contracts import RequestLog
from workers.delivery import action_ids
from workers.delivery.answer_blocks import render_everything
from workers.delivery.proof import render_proof
from workers.delivery.shared_answer import render_shared
from workers.errors import ChatError, StoreUnavailable
from workers.ports import Place, Post
from workers.store.feedback import save_feedback

ANSWERED = Post("This question has been answered already; mention me in the thread to ask something new.")
THEIRS = "This is <@{asker}>'s question, and I wait for their answer. Mention me in the thread to ask one of your own."
REQUESTS: Mapping[str, tuple[Post, Post | None]] = {
    action_ids.RERUN: (Post("Looking again… The new answer comes below, with what differs from this one."), None),
    action_ids.SAVE: (
        Post("Saving it as a note… Where it stands comes below."),
        Post("This answer has been saved already."),
    ),
    action_ids.ALSO: (Post("Looking… The answer comes below."), Post("That has been asked already.")),
}
"""Buttons that stand for a request: what is said when it was taken, and when it was before."""
NARROWED = Post("Looking… The answer comes below.")
SHARED = Post("This answer has been shared to the channel already.")
NO_CHANNEL = Post("This is a direct message: there is no channel to share the answer to.")
STANDS = Post("The whole answer stands in this thread already.")
THANKS = Post("Thank you, noted.")
NO_RECORD = Post(GONE)


def register(app: App, attention: ListenerContext) -> None:
    """Listen to the buttons and menus of questions and answers."""
    on_questions(app, attention)
    on_proof(app, attention)
    on_opinions(app, attention)


def on_questions(app: App, attention: ListenerContext) -> None:
    """What was meant, and Re-run: committed before the acknowledgement."""

    def choose(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if attention.accepted(context) or (press := received.press) is None:
            return
        refused = context.get("refusal")
        with refused_or(say := later_to(attention, client, received.origin)):
            say(Post(refused) if refused else why_not_chosen(attention, press))

    app.action(re.compile(rf"^{CLARIFY.pattern}$"))(choose)
    for name, (taken, repeated) in REQUESTS.items():
        app.action(name)(request_button(attention, taken, repeated))
    app.action(re.compile(rf"^{NARROW.pattern}$"))(request_button(attention, NARROWED, None))


def request_button(attention: ListenerContext, taken: Post, repeated: Post | None) -> Callable[..., None]:
    """The listener of a button that stands for a request: it says that this was taken, or why not."""

    def press(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        say = later_to(attention, client, received_in(context).origin)
        if attention.accepted(context):
            say(taken)
        elif context.get("refusal"):
            say(Post(context["refusal"]))
        elif context.get("repeated") and repeated:
            say(repeated)

    return press


def on_proof(app: App, attention: ListenerContext) -> None:
    """What lies behind an answer."""

    def prove(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if press := received.press:
            attention.later(partial(show_proof, attention, client, received.origin, press, press.value))

    def tell_all(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if (press := received.press) and press.channel:
            attention.later(partial(show_once, client, received.origin, partial(post_everything, attention, press)))

    def turn_page(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        press = received.press
        found = read_page(press.value) if press else None
        if press and found and found[0] == press.metadata:  # the log of this very window
            attention.later(partial(show_proof, attention, client, received.origin, press, *found))

    app.action(action_ids.PROOF)(prove)
    app.action(action_ids.EVERYTHING)(tell_all)
    app.action(action_ids.PROOF_PAGE)(turn_page)


def on_opinions(app: App, attention: ListenerContext) -> None:
    """Sharing an answer, and what people think of it."""

    def share(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        if (press := received.press) and press.channel:
            attention.later(partial(show_once, client, received.origin, partial(share_answer, attention, press)))

    def judge(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        received = received_in(context)
        press = received.press
        found = read_verdict(press.value) if press else None
        if press and found:
            with refused_or(later_to(attention, client, received.origin)):
                take_verdict(attention, client, received.origin, press, found)

    app.action(action_ids.SHARE)(share)
    app.action(action_ids.FEEDBACK)(judge)


def later_to(attention: ListenerContext, client: WebClient, origin: Origin) -> Callable[[Post], object]:
    """Tells whoever pressed something, without anyone waiting for it."""
    return lambda post: attention.later(partial(post_ephemeral, client, origin, post))


def why_not_chosen(attention: ListenerContext, press: Press) -> Post:
    """Why a press on an option changed nothing. Raises: StoreUnavailable."""
    asker = attention.ledger.asker_of(press.block_id.split(":")[1], press.team, press.channel)
    alone = attention.settings.core.slack.clarified_by == "asker"
    return Post(THEIRS.format(asker=asker)) if alone and asker and asker != press.user else ANSWERED


def show_proof(
    attention: ListenerContext,
    client: WebClient,
    origin: Origin,
    press: Press,
    request_id: str,
    page: int | None = None,
) -> None:
    """Open the window with what lies behind an answer, or turn to another of its pages; the trigger lives 3 s."""
    say = partial(post_ephemeral, client, origin)
    with refused_or(say):
        store, opens = attention.store, page is None
        log = load_pressed(store, request_id, press) if opens else load_for(store, request_id, press.team)
        if log is None or not may_read(attention, log, press):
            say(NO_RECORD)
        elif page is None:
            client.views_open(trigger_id=press.trigger_id, view=render_proof(log))
        else:
            client.views_update(view_id=press.view_id, view=render_proof(log, page))


def may_read(attention: ListenerContext, log: RequestLog, press: Press) -> bool:
    """Whether what a request found may be shown where a button was pressed; in a window, where it was asked.

    Raises: ChatError.
    """
    return attention.doors.may_read(log, press.team, press.user, press.channel or log.question.channel)


def show_once(client: WebClient, origin: Origin, show: Callable[[], Post | None]) -> None:
    """Show everyone something of an answer, once; or tell who pressed why not."""
    say = partial(post_ephemeral, client, origin)
    with refused_or(say):
        refused = show()
        if refused:
            say(refused)


def share_answer(attention: ListenerContext, press: Press) -> Post | None:
    """Say the answer's first lines in its channel, with the way to the rest. Returns: why not; None when it was said.

    Raises: ChatError, StoreUnavailable.
    """
    if press.channel.startswith("D"):
        return NO_CHANNEL
    log = load_pressed(attention.store, press.value, press)
    if log is None or not may_read(attention, log, press):
        return NO_RECORD
    place = Place(press.channel, team=press.team)
    url = attention.chats(press.team).permalink(place, press.message_ts)
    posts = {f"{log.request_id}:shared": render_shared(log, url, press.user)}
    return None if post_marked(attention, f"share:{log.request_id}", log.request_id, place, posts) else SHARED


def post_everything(attention: ListenerContext, press: Press) -> Post | None:
    """All of an answer in its thread, for everybody. Returns: why not; None when it was posted.

    Raises: ChatError, StoreUnavailable.
    """
    log = load_pressed(attention.store, press.value, press)
    if log is None or not may_read(attention, log, press):
        return NO_RECORD
    place = Place(press.channel, press.thread_ts, press.team)
    posts = {f"{log.request_id}:everything.{n}": post for n, post in enumerate(render_everything(log))}
    return None if post_marked(attention, f"everything:{log.request_id}", log.request_id, place, posts) else STANDS


def post_marked(
    attention: ListenerContext, mark: str, request_id: str, place: Place, posts: Mapping[str, Post]
) -> bool:
    """Post each message, by its key, unless all were posted before. Returns: whether any was.

    The mark is taken back also where nobody knows whether a message was posted: every try looks first.

    Raises: ChatError, StoreUnavailable.
    """
    chat, said = attention.chats(place.team), False
    if not attention.ledger.note_event(place.team, mark, request_id):
        return False
    try:
        for key, post in posts.items():
            if not chat.find(place, key):
                post_in(attention.chats, place, post, key)
                said = True
    except (ChatError, StoreUnavailable):
        attention.ledger.forget_event(place.team, mark)
        raise
    return said


def take_verdict(
    attention: ListenerContext, client: WebClient, origin: Origin, press: Press, found: tuple[str, str]
) -> None:
    """Keep a verdict; for a bad one ask what was wrong, which is kept in its place. Raises: StoreUnavailable."""
    verdict, request_id = found
    say = partial(post_ephemeral, client, origin)
    known = load_for(attention.store, request_id, press.team)
    if known and load_pressed(attention.store, request_id, press) is None:
        attention.later(partial(say, NO_RECORD))
        return
    if verdict == "good":
        save_feedback(attention.store.database, request_id, press.team, press.user, "good")
        attention.later(partial(say, THANKS))
        return
    save_feedback(attention.store.database, request_id, press.team, press.user, "bad")

    def ask_why() -> None:
        view = feedback_view(request_id, press.channel, press.thread_ts)
        with refused_or(say):
            client.views_open(trigger_id=press.trigger_id, view=view)

    attention.later(ask_why)
