"""A part of the workers' door to Slack: channels, their earlier messages, pins, and what people are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_sdk import WebClient

from workers.delivery.slack_calls import call
from workers.delivery.slack_payloads import is_own
from workers.errors import ChatRefused, ChatUnavailable
from workers.language.slack_text import encodable, text_at
from workers.ports import ChannelInfo, History, Place

DONE = frozenset({"already_pinned", "no_pin", "not_pinned"})
NOBODY = frozenset({"user_not_found", "bot_not_found", "user_not_visible", "missing_scope"})


class ChannelCalls:
    """Implements these methods of `workers.ports.Chat`; each raises as `workers.delivery.slack_calls.translated`."""

    client: WebClient

    def identity(self) -> tuple[str, str]:
        """Our bot id and user id."""
        raise NotImplementedError

    def about(self, channel: str) -> ChannelInfo:
        """A channel's name, topic and purpose, and whether the app is a member."""
        method = "conversations.info"
        found = call(self.client, method, params={"channel": channel}).get("channel")
        if not isinstance(found, dict):
            raise ChatUnavailable(f"{method}: Slack's answer holds no channel")
        return ChannelInfo(
            name=text_at(found, "name"),
            topic=text_at(found.get("topic"), "value"),
            purpose=text_at(found.get("purpose"), "value"),
            is_member=found.get("is_member") is True,
            is_archived=found.get("is_archived") is True,
            is_private=found.get("is_private") is True,
        )

    def join(self, channel: str) -> None:
        """Become a member of a public channel."""
        call(self.client, "conversations.join", params={"channel": channel})

    def pin(self, place: Place, ts: str, *, pinned: bool = True) -> None:
        """Pin a message, or take its pin away; one that is so already is no error."""
        params = {"channel": place.channel, "timestamp": ts}
        try:
            call(self.client, "pins.add" if pinned else "pins.remove", params=params)
        except ChatRefused as error:
            if error.code not in DONE:
                raise

    def page(self, place: Place, *, after_ts: str = "", before_ts: str = "", most: int) -> History:
        """A page of messages, the first one of a thread left out.

        Args:
            place: a channel, whose newest messages come first; or a thread, whose oldest replies do.
            after_ts: only what came after this one.
            before_ts: only what came before this one.
            most: as many, or fewer where Slack allows fewer.
        """
        method = "conversations.replies" if place.thread_ts else "conversations.history"
        params: dict[str, Any] = {"channel": place.channel, "limit": most}
        given = {"ts": place.thread_ts, "oldest": after_ts, "latest": before_ts}
        params |= {key: value for key, value in given.items() if value}
        answer = call(self.client, method, params=params)
        found = answer.get("messages")
        if not isinstance(found, list):
            raise ChatUnavailable(f"{method}: Slack's answer holds no messages")
        ours = self.identity()
        raws = [raw for raw in found if isinstance(raw, Mapping) and raw.get("ts") != place.thread_ts]
        messages = tuple(whereabouts(raw) if is_own(raw, ours) else raw for raw in raws)
        return History(messages, more=answer.get("has_more") is True and bool(messages))

    def called(self, user: str) -> tuple[str, str]:
        """What people call someone, or an app, and their IANA zone; each empty when Slack does not know."""
        is_app = user.startswith("B")
        method, key = ("bots.info", "bot") if is_app else ("users.info", "user")
        try:
            found = call(self.client, method, params={key: encodable(user)}).get(key)
        except ChatRefused as error:
            if error.code in NOBODY:
                return "", ""
            raise
        profile = found.get("profile") if isinstance(found, dict) else None
        shown = text_at(profile, "display_name"), text_at(found, "real_name"), text_at(found, "name")
        return next((" ".join(name.split()) for name in shown if name.strip()), ""), text_at(found, "tz")


def whereabouts(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a message of our own only where it stands, and that a thread hangs on it."""
    return {"type": "own", "ts": message.get("ts"), "reply_count": message.get("reply_count")}
