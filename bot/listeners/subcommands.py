"""What each subcommand does, but for incidents. Each reads the stores and returns what one person is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from slack_sdk import WebClient

from bot.listeners.health import read_health, seen_sources
from bot.listeners.mentions import ListenerContext
from bot.middleware.request_record import load_for
from bot.parse import Command
from bot.views.status import QUOTE, sources_post, status_post
from workers.contracts import Landscape, RequestLog
from workers.delivery.proof import proof_text
from workers.delivery.rich_text import words
from workers.delivery.rich_text_blocks import block, bullets, paragraph, post_of, quoted, sentence
from workers.ports import Post
from workers.settings.schema import Core
from workers.store.database import Database
from workers.store.feedback import Verdict, save_feedback
from workers.store.request_jobs import ENDING
from workers.store.source_refreshes import list_sources

VERDICTS: dict[str, Verdict] = {
    "good": "good",
    "👍": "good",
    "+1": "good",
    ":+1:": "good",
    ":thumbsup:": "good",
    "bad": "bad",
    "👎": "bad",
    "-1": "bad",
    ":-1:": "bad",
    ":thumbsdown:": "bad",
}
NO_ANSWER = "I have not answered a question of yours in this channel yet."


@dataclass(frozen=True)
class Called:
    """What someone typed after the command's name. ``rest``: the words after the subcommand; ``now``: aware, UTC."""

    attention: ListenerContext
    client: WebClient
    team: str
    channel: str
    user: str
    command: str
    rest: str
    now: datetime

    @property
    def database(self) -> Database:
        """Where people's words and settings are."""
        return self.attention.store.database

    @property
    def owner(self) -> str:
        """Whose words and memories they are; see `workers.contracts.Question.user`."""
        return f"{self.team}/{self.user}"

    @property
    def clean_rest(self) -> str:
        """The words after the subcommand, without secrets."""
        return self.attention.ledger.clean(self.rest.strip())

    @property
    def core(self) -> Core:
        """The settings that are no agent's and no tool's."""
        return self.attention.settings.core


def called_by(command: Command, rest: str, attention: ListenerContext, client: WebClient) -> Called:
    """What someone typed, and what it is done with."""
    return Called(
        attention=attention,
        client=client,
        team=command.team,
        channel=command.channel,
        user=command.user,
        command=command.name,
        rest=rest,
        now=datetime.now(UTC),
    )


def status(called: Called) -> Post:
    """How Oracle is. Raises: StoreUnavailable."""
    return status_post(read_health(called.attention, called.team, called.user), called.now)


def sources(called: Called) -> Post:
    """What is read, and how fresh it is. Raises: StoreUnavailable."""
    doors = called.attention.doors
    allowed = doors.allowed(called.team, called.user)
    found = seen_sources(doors, allowed, list_sources(called.database))
    return sources_post(found, called.attention.landscape() if allowed is None else Landscape(), called.now)


def feedback(called: Called) -> Post:
    """A word on the person's last answer here. Raises: StoreUnavailable."""
    first, _, rest = called.rest.strip().partition(" ")
    verdict = VERDICTS.get(first.casefold().strip(":,.") or first) or VERDICTS.get(first)
    if verdict is None:
        return post_of(
            block(
                paragraph(words("Was the answer good or bad? Please say one of")),
                bullets(
                    [
                        [words(f"{called.command} feedback {word} {called.rest}".strip(), code=True)]
                        for word in ("good", "bad")
                    ]
                ),
            )
        )
    ledger = called.attention.ledger
    last = ledger.last_of(called.team, called.channel, called.user)
    if last is None or not last.answered:
        return sentence(NO_ANSWER)
    text = ledger.clean(rest.strip())
    save_feedback(called.database, last.request_id, called.team, called.user, verdict, "", text)
    return post_of(block(paragraph(words("Thank you, noted on "), quoted(last.text, QUOTE), words("."))))


def cancel(called: Called) -> Post:
    """Stop what the person asked here, or the one request they name. Raises: StoreUnavailable."""
    ledger = called.attention.ledger
    mine = [asked for asked in ledger.open_of(called.team, called.user) if asked.stage not in ENDING]
    if called.rest:
        chosen = [asked for asked in mine if asked.request_id.startswith(called.rest)]
    else:
        chosen = [asked for asked in mine if asked.channel == called.channel]
    stopped = [asked for asked in chosen if ledger.stop(asked.request_id, called.user)]
    for asked in stopped:
        called.attention.ring(asked.request_id)
    if not stopped:
        return sentence(nothing_to_cancel(called, len(mine) - len(chosen), already=bool(chosen)))
    lines = [[quoted(asked.text, QUOTE), words(" "), words(asked.request_id, code=True)] for asked in stopped[:10]]
    if len(stopped) > 10:
        lines.append([words(f"and {len(stopped) - 10} more")])
    return post_of(block(paragraph(words("Stopped:")), bullets(lines)))


def nothing_to_cancel(called: Called, elsewhere: int, *, already: bool) -> str:
    """Why nothing was stopped."""
    if already:
        return "That has ended already."
    if called.rest:
        return f"You have no open question {called.rest}."
    more = f" Elsewhere: {elsewhere}; {called.command} cancel ID stops one." if elsewhere else ""
    return f"You have no open question in this channel.{more}"


def may_read_alone(called: Called, log: RequestLog) -> bool:
    """Whether what a request found may be shown to one person, by what they are or by the channel they type in.

    Raises: ChatError.
    """
    doors, team, user = called.attention.doors, called.team, called.user
    return doors.may_read(log, team, user) or doors.may_read(log, team, user, called.channel)


def why(called: Called) -> Post:
    """How an answer came about, for its asker and for everyone in its channel. Raises: StoreUnavailable."""
    log = load_for(called.attention.store, called.rest, called.team)
    theirs = log is not None and (log.question.asker == called.user or log.question.channel == called.channel)
    if log is None or not theirs or not may_read_alone(called, log):
        return sentence(f"I know no request {called.rest} that you asked, or that was asked in this channel.")
    return proof_text(log)
