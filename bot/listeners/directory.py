"""What is asked of Slack about people, channels and messages, and kept for a moment."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, TypeVar, cast

from slack_sdk import WebClient

from bot.listeners.ephemeral import NOT_REACHED, refusal
from bot.parse.people import Person, is_member, is_public, read_person

KEPT_S = 300.0
KEPT_MOST = 2_000
MEMBERS_PAGE = 1_000

log = logging.getLogger(__name__)
T = TypeVar("T")


UNKNOWN = Person(is_guest=True, known=False)
"""Someone of whom Slack tells nothing may do as little as anyone."""


class Directory:
    """Answers of Slack, at most `KEPT_S` old and `KEPT_MOST` of them; what it refused is asked again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: dict[tuple[str, ...], tuple[float, Any]] = {}

    def person(self, client: WebClient, team: str, user: str) -> Person:
        """Someone's zone, and whether they administer the workspace."""

        def ask() -> Person:
            return read_person(client.users_info(user=user).data)

        return self.recall(("person", team, user), ask, UNKNOWN)

    def permalink(self, client: WebClient, channel: str, ts: str) -> str:
        """The address of a message; empty when Slack does not tell it."""
        if not (channel and ts):
            return ""

        def ask() -> str:
            return str(client.chat_getPermalink(channel=channel, message_ts=ts).get("permalink") or "")

        return self.recall(("message", channel, ts), ask, "")

    def permalinks(self, client: WebClient, messages: Iterable[tuple[str, str]], most: int = 5) -> dict[str, str]:
        """The addresses of the last few messages (channel, ts). Returns: ts -> address."""
        wanted = list(dict.fromkeys(messages))[-most:]
        found = ((ts, self.permalink(client, channel, ts)) for channel, ts in wanted)
        return {ts: url for ts, url in found if url}

    def may_see(self, client: WebClient, team: str, channel: str, user: str) -> bool:
        """Whether someone can read a channel: they are a member, or it is public and they no guest of the workspace.

        No when Slack does not tell.
        """

        def ask() -> bool:
            public = is_public(client.conversations_info(channel=channel).data)
            if public and not self.person(client, team, user).is_guest:
                return True
            return is_member(client.conversations_members(channel=channel, limit=MEMBERS_PAGE).data, user)

        return self.recall(("sees", channel, user), ask, False)

    def recall(self, key: tuple[str, ...], ask: Callable[[], T], otherwise: T) -> T:
        """What is known, else what Slack says; ``otherwise`` when it says nothing."""
        with self.lock:
            at, known = self.kept.get(key, (0.0, None))
        if known is not None and monotonic() - at < KEPT_S:
            return cast("T", known)
        try:
            told = ask()
        except NOT_REACHED as error:
            log.warning("Slack was not asked about a %s: %s", key[0], refusal(error))
            return otherwise
        with self.lock:
            self.kept.pop(key, None)
            while len(self.kept) >= KEPT_MOST:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = (monotonic(), told)
        return told
