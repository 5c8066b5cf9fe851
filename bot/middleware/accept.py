"""Before the acknowledgement: what was asked is committed, or why not is noted for whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from slack_bolt import BoltContext, BoltRequest, BoltResponse
from slack_bolt.middleware import Middleware

from bot.middleware.channel_messages import Watch
from bot.middleware.losses import Losses
from bot.middleware.refusal_replies import PRESSES, Later, at_once, closed, tell_presser, window_error
from bot.middleware.request_record import NotYours, load_decided, load_pressed
from bot.parse import (
    RECEIVED_KEY,
    Kind,
    Press,
    Received,
    addressed_text,
    ask_again,
    ask_also,
    ask_narrowed,
    ask_to_change,
    is_readable,
    make_encodable,
    overheard,
    read_button,
    read_decision,
    read_narrowed,
    read_payload,
    read_saved,
    read_stop,
    received_in,
    to_question,
)
from bot.views.notice import GONE
from workers.contracts import Question, Reply
from workers.delivery.action_ids import ALSO, CONFIRM, RERUN
from workers.delivery.answer_blocks import render_declined
from workers.delivery.installations import Installations
from workers.delivery.narrowing_menus import narrow_question
from workers.delivery.rich_text import escape
from workers.errors import AskedTooOften, StoreUnavailable
from workers.requests.ledger import Ledger
from workers.settings.schema import SlackSection
from workers.store.channels import channel_settings
from workers.store.request_logs import SqlStore
from workers.telemetry.service_metrics import ServiceMetrics

TOO_LONG = (
    "Your question has {chars:,} characters, and I read at most {most:,}. "
    "Please ask it shorter, with only the lines that matter."
)
OFF = render_declined().text
RUNNING = "I am looking again already; the new answer comes below."
FOREIGN = "I answer people of {whom} only."
log = logging.getLogger(__name__)


class Refused(Exception):
    """A question that is not taken, with the sentence for its asker. ``reason`` is the counter's label."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason


class Outsider(Refused):
    """Someone of another company, whom nothing is shown either."""


@dataclass(frozen=True)
class Entrance:
    """The middleware that commits questions and replies.

    The context then says how it went: ``request_id`` and ``question`` of what was accepted, ``repeated`` when it was
    before, ``refusal`` for its asker, ``stopped`` ids of requests that a person stopped. ``later`` calls what talks to
    Slack without keeping the acknowledgement; ``watch`` commits what is said in followed channels. ``agents``: the name
    of the agent of each task; ``losses``: tells people when nothing can be kept.
    """

    ledger: Ledger
    store: SqlStore
    limit: int
    metrics: ServiceMetrics
    slack: SlackSection
    installations: Installations | None = None
    later: Later = at_once
    watch: Watch | None = None
    agents: Mapping[str, str] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)

    def accept(self, context: BoltContext, next_: Callable[[], Any]) -> BoltResponse | None:
        """Commit what is in a payload, which `TurnAway` has read.

        While the database does not answer an event gets 503 (over Socket Mode: no acknowledgement), so that Slack sends
        it again. It never sends a command, a press or a window again: whoever did that is told so in one sentence.
        """
        received = received_in(context)
        kind = received.kind
        self.metrics.received(kind)
        try:
            if self.watch and received.channel:
                self.watch.take(received.channel)
            self.take(received, context)
        except StoreUnavailable as error:
            log.error("%s was not accepted: %s", kind, error)  # noqa: TRY400 - the sentence says it all
            self.metrics.refused("store_unavailable")
            self.losses.note(received, context, error)
            return closed(received, self.later)
        except Refused as refused:
            self.metrics.refused(refused.reason)
            context["refusal"] = str(refused)
            if received.window:
                return window_error(received.window, str(refused))
            if kind in PRESSES and isinstance(refused, Outsider):
                tell_presser(received.origin, str(refused), self.later)
                return BoltResponse(status=200)
        next_()
        return None

    def take(self, received: Received, context: BoltContext) -> None:
        """One event. Raises: Refused, StoreUnavailable."""
        kind = received.kind
        if kind in PRESSES and context.get("store_unavailable"):
            raise StoreUnavailable(context["store_unavailable"])  # no token is known: no listener could say anything
        self.turn_outsiders_away(received)
        if kind == "stop":
            place = read_stop(received)
            context["stopped"] = self.ledger.stop_thread(*place) if place else ()
            return
        found = to_question(received)
        if isinstance(found, Reply):
            request_id = self.answer(found)
            if request_id:
                self.metrics.accepted(kind)
                context["request_id"] = request_id
                return
            found = None
        if found is None and kind == "message":
            found = self.listen(overheard(received))
        if found is None and (press := received.press):
            readers = (self.again, self.change, self.saved, self.also, self.narrowed)
            found = next(filter(None, (read(press, received.at) for read in readers)), None)
        if found is not None:
            self.ask(found, kind, context)

    def turn_outsiders_away(self, received: Received) -> None:
        """Raises: Outsider: a person of another company wants something. StoreUnavailable."""
        if self.slack.outsiders == "answer" or not received.is_foreign(self.slack.teams):
            return
        if self.wants_something(received):
            bot = self.installations.find(received.team) if self.installations else None
            name = (bot.team_name or bot.enterprise_name) if bot else None
            raise Outsider(FOREIGN.format(whom=escape(name) if name else "the workspace that installed me"), "outsider")

    def wants_something(self, received: Received) -> bool:
        """Whether a payload is for the app; most that is said in a shared channel is not, and gets no refusal."""
        kind = received.kind
        if kind == "other":
            return False
        if kind not in {"mention", "message", "edit"} or addressed_text(received) is not None:
            return True
        found = to_question(received)
        if isinstance(found, Question) or (found and self.ledger.is_awaited(found)):
            return True
        return kind == "message" and self.listen(overheard(received)) is not None

    def answer(self, reply: Reply) -> str | None:
        """Commit what was said to a clarifying question. Returns: the request that goes on. Raises: Refused."""
        if len(reply.text) <= self.limit:
            return self.ledger.accept_reply(reply)
        if self.ledger.is_awaited(reply):
            raise Refused(self.too_long(reply.text), "too_long")
        return None

    def ask(self, question: Question, kind: Kind, context: BoltContext) -> None:
        """Commit a question. Raises: Refused."""
        settings = channel_settings(self.store.database, question.team, question.channel)
        if settings.mode == "off":
            raise Refused(OFF, "off")
        if len(question.text) > self.limit:
            raise Refused(self.too_long(question.text), "too_long")
        question = question.model_copy(update={"agent": question.agent or settings.agent or None})
        try:
            request_id = self.ledger.accept(question)
        except AskedTooOften as error:
            raise Refused(str(error), "too_often") from error
        if request_id:
            self.metrics.accepted(kind)
            context.update(request_id=request_id, question=question)
        else:
            self.metrics.repeated()
            context["repeated"] = True

    def listen(self, question: Question | None) -> Question | None:
        """A message without a mention, where its channel wants such messages answered."""
        if question is None:
            return None
        mode = channel_settings(self.store.database, question.team, question.channel).mode
        if mode not in {"threads", "questions"}:
            return None
        question = question.model_copy(update={"unasked": True})
        if question.thread_ts == question.ts:
            return question if mode == "questions" and question.text.endswith("?") else None
        return question if self.ledger.is_ours(question.team, question.channel, question.thread_ts) else None

    def again(self, press: Press, now: datetime) -> Question | None:
        """A pressed Re-run as the question that it repeats.

        Raises: Refused: this workspace does not know it (any more), or it is being run again for the same person.
        """
        if not (request_id := read_button(press, RERUN)):
            return None
        known = load_pressed(self.store, request_id, press)
        if known is None:
            raise Refused(GONE, "gone")
        if self.ledger.is_running_again(known.request_id, press.user):
            raise Refused(RUNNING, "running")
        return ask_again(press, known.question, now)

    def saved(self, press: Press, now: datetime) -> Question | None:
        """A pressed "Save as note" as the order that it stands for. Raises: Refused: the answer is not known here."""
        found = read_saved(press, now)
        if found and load_pressed(self.store, press.value, press) is None:
            raise Refused(GONE, "gone")
        return found

    def also(self, press: Press, now: datetime) -> Question | None:
        """A pressed "Ask also" as the question that it stands for. Raises: Refused: the answer is not known here."""
        if not (request_id := read_button(press, ALSO)):
            return None
        known = load_pressed(self.store, request_id, press)
        if known is None or known.route is None or not known.route.also:
            raise Refused(GONE, "gone")
        return ask_also(press, known.route.also, now)

    def narrowed(self, press: Press, now: datetime) -> Question | None:
        """A chosen option of a menu as the narrower question. Raises: Refused: the answer is not known here."""
        found = read_narrowed(press)
        if found is None:
            return None
        known = load_pressed(self.store, found.request_id, press)
        menus = known.answer.menus if known and known.answer else ()
        if known is None or found.menu >= len(menus) or found.option >= len(menus[found.menu].options):
            raise Refused(GONE, "gone")
        menu, asked = menus[found.menu], known.question
        text = narrow_question(asked.text, menu, menu.options[found.option].value)
        agent = asked.agent or (self.agents.get(known.route.task) if known.route else None)
        return ask_narrowed(press, asked, text, agent, now)

    def change(self, press: Press, now: datetime) -> Question | None:
        """A pressed Confirm as the request that makes the change.

        Raises: Refused: it is not known here (any more), or another person's to decide.
        """
        found = read_decision(press)
        if found is None or press.action_id != CONFIRM:
            return None
        try:
            log = load_decided(self.store, press, *found)
        except NotYours as error:
            raise Refused(str(error), "not_theirs") from error
        return ask_to_change(press, log.question, log.proposals[found[1]].title, now)

    def too_long(self, text: str) -> str:
        """Why a question was not taken."""
        return TOO_LONG.format(chars=len(text), most=self.limit)


class TurnAway(Middleware):
    """Refuses a body that is none of Slack's payloads, before Bolt reads it and raises; the others it reads."""

    def process(self, *, req: BoltRequest, resp: BoltResponse, next: Callable[[], BoltResponse]) -> BoltResponse:  # noqa: A002, ARG002 - Bolt's names
        """Before the installation is looked for: the only place where a payload is seen."""
        make_encodable(req.body)
        if not is_readable(req.body):
            return BoltResponse(status=400, body={"error": "not a Slack request"})
        req.context[RECEIVED_KEY] = read_payload(req.body, datetime.now(UTC))
        return next()
