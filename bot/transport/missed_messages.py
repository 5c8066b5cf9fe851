"""What people said to the app while it was away longer than Slack tries: it is read in Slack and asked late.

Each message goes the way that an event goes, so that what was heard after all is not asked twice. Mentions in channels,
direct messages, and replies in threads that the app takes part in, or whose first message is not older than a day.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from slack_bolt import BoltContext

from bot.middleware.accept import Entrance, Refused
from bot.parse import Received
from bot.parse.history import PastMessage, read_missed, read_past
from workers.delivery.installations import Installations
from workers.errors import ChatBusy, ChatError, ChatRefused, LeaseLost, StoreUnavailable
from workers.language.mrkdwn import escape
from workers.ports import Chat, Chats, Place, Post
from workers.requests.ledger import Ledger
from workers.store.absences import ABSENCES, Absence, due_absence, end_absence, keep_read
from workers.store.database import Database

LOOKED_S = 5.0
PACED_S = 1.2
"""Between two calls: Slack takes 50 a minute of each kind."""
LEASE_S = 120.0
LATE_S = 60.0
"""Who waited no longer is not told that the answer is late."""
ROOTS_S = 86_400.0
"""So much earlier a thread may have begun in which someone mentioned the app meanwhile."""
PAGE, PAGES, MOST_THREADS = 200, 10, 50
UNTOLD = frozenset({"off", "outsider"})

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MissedMessages:
    """Reads what was missed.

    ``missed_s``: what is older is left; ``ring`` publishes a request id; ``wait`` waits that many seconds.
    """

    database: Database
    entrance: Entrance
    ledger: Ledger
    chats: Chats
    ring: Callable[[str], None]
    missed_s: float
    installations: Installations | None = None
    wait: Callable[[float], Any] = time.sleep

    def look(self) -> float:
        """Read what is due. Never raises. Returns: after how many seconds to look again."""
        try:
            number = due_absence(self.database)
            held = None if number is None else ABSENCES.claim(self.database, (number,), LEASE_S)
            if held is not None:
                self.read_in_turn(held)
        except LeaseLost as error:
            log.info("%s", error)
        except StoreUnavailable as error:
            log.warning("what was missed is read later: %s", error)
        except Exception:
            log.exception("what was missed cannot be read")
        return LOOKED_S

    def read_in_turn(self, held: Absence) -> None:
        """Read it, or try again later. Raises: LeaseLost, StoreUnavailable."""
        try:
            asked = self.read(held)
        except ChatBusy as error:
            ABSENCES.postpone(self.database, self.current(held), error.retry_after_s, str(error))
        except ChatError as error:
            log.warning("what was missed is read later: %s", error)
            ABSENCES.fail(self.database, self.current(held), str(error))
        else:
            if asked:
                log.warning("the app was away: %s messages to it are answered late", asked)

    def current(self, held: Absence) -> Absence:
        """The span with how far it is read."""
        return ABSENCES.current(self.database, held)

    def read(self, held: Absence) -> int:
        """Read every channel that is not read yet. Returns: how many questions and replies were taken."""
        since_s = max(held.since, time.time() - self.missed_s)
        asked = 0
        for installed in self.teams():
            try:
                chat = self.chats(installed)
                team, ours = chat.team(), chat.identity()[1]
                places = chat.conversations()
            except ChatRefused as error:
                log.warning("what was missed in %s is not read: %s", installed or "the workspace", error)
                continue
            for channel, direct in places:
                if (name := f"{team}/{channel}") in held.read:
                    continue
                missed = self.missed_in(chat, Place(channel, team=team), ours, since_s, direct=direct)
                try:
                    asked += sum(self.take(chat, one) for one in missed)
                except ChatRefused as error:
                    log.warning("what was missed in %s is not read: %s", name, error)
                held = keep_read(self.database, held, name, LEASE_S)
        end_absence(self.database, held)
        return asked

    def teams(self) -> tuple[str, ...]:
        """The workspaces, an empty id where there is only one. Raises: StoreUnavailable."""
        return self.installations.teams_installed() if self.installations else ("",)

    def missed_in(self, chat: Chat, place: Place, ours: str, since_s: float, *, direct: bool) -> Iterator[Received]:
        """The events that a channel's messages since a moment would have been, oldest first. Raises: ChatError."""
        roots = set(self.ledger.threads_in(place.team, place.channel, MOST_THREADS))
        past = list(self.pages(chat, place, since_s - ROOTS_S))
        roots.update(one.ts for one in past if one.last_reply and float(one.last_reply) > since_s)
        for root in sorted(roots, reverse=True)[:MOST_THREADS]:
            try:
                past += self.pages(chat, replace(place, thread_ts=root), since_s)
            except ChatRefused as error:
                log.info("the thread %s of %s is not read: %s", root, place.channel, error)
        said = {one.ts: one for one in past if float(one.ts) > since_s}
        for ts in sorted(said, key=float):
            yield read_missed(said[ts], place.team, place.channel, ours, datetime.now(UTC), direct=direct)

    def pages(self, chat: Chat, place: Place, since_s: float) -> Iterator[PastMessage]:
        """Messages since a moment. Raises: ChatError."""
        cursor = ""
        for _ in range(PAGES):
            self.wait(PACED_S)
            found, cursor = chat.raw_page(place, after_ts=f"{since_s:.6f}", cursor=cursor, most=PAGE)
            yield from filter(None, map(read_past, found))
            if not cursor:
                return

    def take(self, chat: Chat, received: Received) -> bool:
        """Take one message as if it had just come. Returns: whether it asked or replied something."""
        waited_s = received.at.timestamp() - float(received.message.ts or received.at.timestamp())
        received = replace(received, late=waited_s > LATE_S)
        noted = BoltContext()
        try:
            self.entrance.take(received, noted)
        except Refused as refused:
            self.entrance.metrics.refused(refused.reason)
            if refused.reason not in UNTOLD:
                tell(chat, received, str(refused))
            return False
        if request_id := noted.get("request_id"):
            self.ring(request_id)
        return bool(request_id)


def tell(chat: Chat, received: Received, sentence: str) -> None:
    """Say in its thread why a message is not answered; once. Raises: ChatError."""
    message, channel = received.message, received.origin.channel
    place = Place(channel, message.thread_ts or message.ts, received.team)
    key = f"missed:{channel}:{message.ts}:refused"
    if not chat.find(place, key):
        chat.post(place, Post(escape(sentence)), key)
