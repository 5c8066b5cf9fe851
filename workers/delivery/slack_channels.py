"""A part of the workers' door to Slack: channels, their earlier messages, pins, and what people are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_sdk import WebClient

from workers.contracts import Page
from workers.delivery.slack_calls import call
from workers.delivery.slack_payloads import messages_in
from workers.errors import ChatRefused, ChatUnavailable
from workers.language.payload_values import encodable
from workers.ports import Belonging, ChannelInfo, Place
from workers.slack_messages.message import read_page

DONE = frozenset({"already_pinned", "no_pin", "not_pinned"})
SHARED = ("is_ext_shared", "is_pending_ext_shared")
"""What Slack says of a channel in which people of other companies are, or may be soon."""
NO_MEMBER = ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted", "is_bot")
MEMBER_OF = "public_channel,private_channel,mpim,im"
MOST_PAGES = 50
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
        found = call(self.client, method, params={"channel": channel}).inner("channel")
        if not found:
            raise ChatUnavailable(f"{method}: Slack's answer holds no channel")
        return ChannelInfo(
            name=found.text("name"),
            topic=found.text("topic", "value"),
            purpose=found.text("purpose", "value"),
            is_member=found.is_true("is_member"),
            is_archived=found.is_true("is_archived"),
            is_private=found.is_true("is_private"),
            is_shared=any(map(found.is_true, SHARED)),
        )

    def belonging(self, user: str) -> Belonging:
        """The user groups that a person is in, and whether they are a full member of the workspace.

        Nobody's and none, where Slack does not know them or does not let us ask.
        """
        try:
            found = call(self.client, "users.info", params={"user": encodable(user)}).inner("user")
        except ChatRefused:
            return Belonging()
        member = bool(found.text("id")) and not any(map(found.is_true, NO_MEMBER))
        in_them = frozenset(group for group, users in self.user_groups().items() if user in users)
        return Belonging(in_them, member)

    def user_groups(self) -> Mapping[str, frozenset[str]]:
        """The ids of the users of each user group of the workspace, by its id; none where we may not ask."""
        try:
            answer = call(self.client, "usergroups.list", params={"include_users": "true"})
        except ChatRefused:
            return {}
        groups = [one for one in answer.objects("usergroups") if not one.number("date_delete")]
        return {one.text("id"): frozenset(map(str, one.items("users"))) for one in groups}

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

    def page(self, place: Place, *, after_ts: str = "", before_ts: str = "", most: int) -> Page:
        """A page of messages, the first one of a thread left out; of the app's own only where they stand.

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
        others = [one for one in messages_in(answer, method) if one.text("ts") != place.thread_ts]
        return read_page(others, self.identity(), more=answer.is_true("has_more"))

    def conversations(self) -> tuple[tuple[str, bool], ...]:
        """The ids of all channels and direct messages that the app is a member of; the second: whether it is direct."""
        method = "users.conversations"
        found: list[tuple[str, bool]] = []
        params: dict[str, Any] = {"types": MEMBER_OF, "exclude_archived": True, "limit": 200}
        for _ in range(MOST_PAGES):
            page = call(self.client, method, params=params)
            found += [(one.text("id"), one.is_true("is_im")) for one in page.objects("channels") if one.text("id")]
            if not (cursor := page.text("response_metadata", "next_cursor")):
                break
            params = {**params, "cursor": cursor}
        return tuple(found)

    def raw_page(self, place: Place, *, after_ts: str, cursor: str = "", most: int) -> tuple[tuple[Any, ...], str]:
        """A page of message objects as Slack has them, of a channel (newest first) or a thread, and the next cursor."""
        method = "conversations.replies" if place.thread_ts else "conversations.history"
        given = {"ts": place.thread_ts, "oldest": after_ts, "cursor": cursor}
        params: dict[str, Any] = {key: value for key, value in given.items() if value}
        answer = call(self.client, method, params={"channel": place.channel, "limit": most, **params})
        return tuple(answer.items("messages")), answer.text("response_metadata", "next_cursor")

    def called(self, user: str) -> tuple[str, str]:
        """What people call someone, or an app, and their IANA zone; each empty when Slack does not know."""
        is_app = user.startswith("B")
        method, key = ("bots.info", "bot") if is_app else ("users.info", "user")
        try:
            found = call(self.client, method, params={key: encodable(user)}).inner(key)
        except ChatRefused as error:
            if error.code in NOBODY:
                return "", ""
            raise
        shown = found.text("profile", "display_name"), found.text("real_name"), found.text("name")
        return next((" ".join(name.split()) for name in shown if name.strip()), ""), found.text("tz")
