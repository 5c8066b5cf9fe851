"""The workers' only door to Slack, behind the Chat port.

A call is one HTTP request, never repeated here: whoever calls knows whether a repeat would show twice.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from slack_sdk import WebClient

from workers.delivery.slack_calls import TIMEOUT_S, call, make_client, send_file
from workers.delivery.slack_channels import ChannelCalls
from workers.delivery.slack_payloads import (
    content,
    is_read,
    is_shared,
    key_of,
    mark,
    messages_in,
    needed_text,
    said_in,
    session,
    stream_start,
)
from workers.errors import ChatBusy, ChatError, ChatRefused, ChatUnavailable, ConfigError
from workers.language.payload_values import encodable
from workers.ports import Belonging, Chunk, Document, Picture, Place, Post, Recipient, SessionStatus, ThreadMessage
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import is_own

QUICK_TIMEOUT_S = 2
LONGEST_PAUSE_S = 1.5
PAGE, NEWEST, MAX_PAGES, THREAD_PAGES = 200, 200, 100, 10
ALT_CHARS, TITLE_CHARS = 1_000, 250
READY_POLLS_S = (0.1, 0.2, 0.3, 0.6, 0.8)
"""Slack reads and shares an uploaded file in the background; until it did, no block may show it."""
T = TypeVar("T")
KNOWN_S = 60.0
"""So old at most is what decides who may see what."""
ZONES, ZONE_TTL_S, NO_ZONE_TTL_S = 1_000, 3_600.0, 60.0


def as_given(value: Any) -> Any:
    """Nothing is taken out."""
    return value


def no_pace(channel: str, lossy: bool) -> float:
    """Post at once."""
    del channel, lossy
    return 0.0


class SlackChat(ChannelCalls):
    """Implements `workers.ports.Chat` over Slack's Web API. Threads may share it.

    Args:
        token: the bot's.
        api_url: another server than Slack's, up to and with ``/api/``; empty for Slack.
        pace: seconds to wait before a post in a channel, by its id and whether the post is lossy; up to 1.5 s are
            slept, none for a lossy one; more is a ChatBusy.
        sleep: waits that many seconds.
        monotonic: seconds that only ever go forward.
        clean: any JSON value -> the same without secrets: what is posted, whoever wrote it.

    Raises:
        ConfigError: the token or the address cannot be one.
    """

    def __init__(
        self,
        token: str,
        api_url: str = "",
        pace: Callable[[str, bool], float] = no_pace,
        *,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        clean: Callable[[Any], Any] = as_given,
    ) -> None:
        address = api_url or WebClient.BASE_URL
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ConfigError("slack.bot_token: empty, or holds characters that no token has")
        if not re.match(r"https?://[^/]", address):
            raise ConfigError(f"slack.api_url: {address!r} is not an http(s) address")
        self.client = make_client(token, address, TIMEOUT_S)
        self.quick = make_client(token, address, QUICK_TIMEOUT_S)
        self.pace, self.sleep, self.monotonic, self.clean = pace, sleep, monotonic, clean
        self.ours: tuple[str, str] | None = None
        self.home = ""
        self.zones: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self.lock = threading.Lock()
        self.known: OrderedDict[str, tuple[object, float]] = OrderedDict()

    # --- messages ---------------------------------------------------------------------------------------------

    def post(self, place: Place, post: Post, key: str, *, lossy: bool = False) -> str:
        """Post one message, marked with ``key`` in its metadata. Never tries twice.

        Returns: its ts.

        Raises:
            ChatBusy: before anything was sent when the channel's pace asks for more than 1.5 s, or for any when lossy.
            ChatUnavailable, ChatRefused: see `translated`.
            StoreUnavailable: the pace cannot be told.
        """
        self.await_turn(place, lossy=lossy)
        body = {
            **content(place.channel, self.cleaned(post), key),
            "mrkdwn": False,
            "unfurl_links": False,
            "unfurl_media": False,
        }
        if place.thread_ts:
            body["thread_ts"] = place.thread_ts
        return needed_text(call(self.client, "chat.postMessage", body=body), "ts", "chat.postMessage")

    def whisper(self, place: Place, user: str, post: Post) -> None:
        """Tell one person something in a channel or thread, which nobody else there reads."""
        body = {**content(place.channel, self.cleaned(post), ""), "user": user}
        if place.thread_ts:
            body["thread_ts"] = place.thread_ts
        call(self.client, "chat.postEphemeral", body=body)

    def cleaned(self, post: Post) -> Post:
        """What may stand in a channel."""
        return Post(self.clean(post.text), tuple(self.clean(list(post.blocks))))

    def await_turn(self, place: Place, *, lossy: bool) -> None:
        """Keep a channel's pace. Raises: ChatBusy: it asks for more than 1.5 s, or for any when lossy."""
        wait_s = self.pace(place.channel, lossy)
        if wait_s > (0 if lossy else LONGEST_PAUSE_S):
            raise ChatBusy(f"too many messages for {place.channel}: the next in {wait_s:.1f} s", wait_s)
        if wait_s > 0:
            self.sleep(wait_s)

    def find(self, place: Place, key: str) -> str | None:
        """The ts of our own message that is marked with ``key`` in the thread, or among the channel's newest 200."""
        ours = self.identity()
        for message in self.messages(place):
            if is_own(message, ours) and key_of(message) == key and message.text("ts"):
                return message.text("ts")
        return None

    def thread(self, place: Place, before_ts: str, most: int) -> tuple[ThreadMessage, ...]:
        """What was said in a thread before a message: by people and other apps, and our own answers and questions.

        Of a thread of more than 2,000 messages, the first 2,000 count.

        Returns: the newest ``most`` of them, oldest first. Below what an app posted, such as an alert, that is the
            first one, however long the thread is.
        """
        if not place.thread_ts or most < 1 or before_ts == place.thread_ts:
            return ()
        earlier = self.messages(place, before_ts=before_ts, pages=THREAD_PAGES)
        found = tuple(said_in(earlier, self.identity(), before_ts).values())
        is_below_app = len(found) > most and found[0].app and found[0].ts == place.thread_ts
        return (found[0], *found[len(found) - most + 1 :]) if is_below_app else found[-most:]

    def permalink(self, place: Place, ts: str) -> str:
        """The address of a message. Raises: as in `translated`."""
        method = "chat.getPermalink"
        return needed_text(
            call(self.client, method, params={"channel": place.channel, "message_ts": ts}), "permalink", method
        )

    def update(self, place: Place, ts: str, post: Post, key: str = "") -> None:
        """Replace what a message says; ``key`` keeps its mark."""
        post = self.cleaned(post)
        body = {**content(place.channel, post, key), "ts": ts, "blocks": list(post.blocks)}
        call(self.client, "chat.update", body=body)

    def identity(self) -> tuple[str, str]:
        """Our bot id and user id, asked for once."""
        if self.ours is None:
            me = call(self.client, "auth.test")
            self.home = me.text("team_id")
            self.ours = me.text("bot_id"), needed_text(me, "user_id", "auth.test")
        return self.ours

    def team(self) -> str:
        """The id of the workspace. Raises: as in `translated`."""
        self.identity()
        return needed_text(Fields({"team_id": self.home}), "team_id", "auth.test")

    def messages(self, place: Place, *, before_ts: str = "", pages: int = 0) -> Iterator[Fields]:
        """A thread's messages, oldest first; a channel's newest.

        Args:
            place: the thread or channel.
            before_ts: only those before this one.
            pages: stop after so many; 0 reads all.

        Raises:
            ChatUnavailable: as in `translated`, or they have no end.
        """
        method = "conversations.replies" if place.thread_ts else "conversations.history"
        params: dict[str, Any] = {"channel": place.channel, "limit": PAGE, "include_all_metadata": True}
        if place.thread_ts:
            params["ts"] = place.thread_ts
        if before_ts:
            params["latest"] = before_ts
        seen = 0
        for _ in range(pages or MAX_PAGES):
            page = call(self.client, method, params=params)
            found = messages_in(page, method)
            yield from found
            seen += len(found)
            cursor = page.text("response_metadata", "next_cursor")
            if not cursor or (not place.thread_ts and seen >= NEWEST):
                return
            params = {**params, "cursor": cursor}
        if not pages:
            raise ChatUnavailable(f"{method}: no end after {MAX_PAGES} pages")

    # --- what is under way ------------------------------------------------------------------------------------

    def start_stream(self, place: Place, recipient: Recipient, chunks: Sequence[Chunk]) -> str:
        """Begin a plan that grows; waits for nothing, as a lossy post. Returns: its ts. Raises: as `post`."""
        self.await_turn(place, lossy=True)
        method = "chat.startStream"
        body = stream_start(place, recipient, self.clean(list(chunks)))
        return needed_text(call(self.client, method, body=body), "ts", method)

    def append_stream(self, place: Place, ts: str, chunks: Sequence[Chunk]) -> None:
        """Let it grow. Raises: ChatRefused: among others `message_not_in_streaming_state` and `stopped_by_user`."""
        body = {"channel": place.channel, "ts": ts, "chunks": self.clean(list(chunks))}
        call(self.client, "chat.appendStream", body=body)

    def stop_stream(self, place: Place, ts: str, chunks: Sequence[Chunk], key: str) -> None:
        """Its last part; from now on its metadata holds ``key``. Raises: as `append_stream`."""
        body: dict[str, Any] = {"channel": place.channel, "ts": ts, "metadata": mark(key)}
        if chunks:
            body["chunks"] = self.clean(list(chunks))
        call(self.client, "chat.stopStream", body=body)

    def set_status(self, place: Place, status: str) -> None:
        """What the app is doing, below the thread. Raises: as in `translated`, after 2 s at most."""
        body = {"channel_id": place.channel, "thread_ts": place.thread_ts, "status": status}
        call(self.quick, "assistant.threads.setStatus", body=body)

    def set_session(self, place: Place, status: SessionStatus, title: str = "", initiator: str = "") -> None:
        """Where the agent session of a thread stands. Raises: as in `translated`, after 2 s at most."""
        call(self.quick, "agents.sessions.setStatus", body=session(place, status, self.clean(title), initiator))

    # --- pictures ---------------------------------------------------------------------------------------------

    def upload(self, picture: Picture) -> str:
        """Store a picture for use in a message; shared with nobody until a block shows it.

        Returns: its file id.

        Raises:
            ChatUnavailable: as in `translated`, or Slack had not read the file after 2 s.
        """
        ticket = self.store(picture.name, picture.png, encodable(self.clean(picture.alt))[:ALT_CHARS])
        done = self.complete(ticket, self.clean(picture.title or picture.name))
        if not is_read(done):
            self.await_file(ticket, is_read)
        return ticket

    def share(self, place: Place, document: Document, comment: str) -> None:
        """Post a text as a file in a thread; Slack does so in the background, and this waits until it stands.

        Raises:
            ChatUnavailable: as `post`, or it did not stand after 2 s; `holds` tells later whether it does.
        """
        self.await_turn(place, lossy=False)
        ticket = self.store(document.name, self.clean(document.text).encode())
        thread = {"thread_ts": place.thread_ts} if place.thread_ts else {}
        where = {"channel_id": place.channel, "initial_comment": comment, **thread}
        done = self.complete(ticket, self.clean(document.title), **where)
        if not is_shared(done):
            self.await_file(ticket, is_shared)

    def holds(self, place: Place, name: str) -> bool:
        """Whether a thread holds a file of ours with that name. Raises: as in `translated`."""
        ours = self.identity()
        own = (message for message in self.messages(place) if is_own(message, ours))
        return any(file.text("name") == name for message in own for file in message.objects("files"))

    def store(self, name: str, data: bytes, alt: str = "") -> str:
        """Send a file's bytes to Slack. Returns: its id."""
        method = "files.getUploadURLExternal"
        wanted = {"filename": encodable(name), "length": len(data), "alt_txt": alt or None}
        ticket = call(self.client, method, params=wanted)
        send_file(self.client, needed_text(ticket, "upload_url", method), data)
        return needed_text(ticket, "file_id", method)

    def complete(self, file_id: str, title: str, **where: str) -> Fields:
        """End an upload; shared with nobody unless told where. Returns: the file."""
        files = json.dumps([{"id": file_id, "title": title[:TITLE_CHARS]}])
        done = call(self.client, "files.completeUploadExternal", params={"files": files, **where})
        return next(iter(done.objects("files")), Fields(None))

    def await_file(self, file_id: str, ready: Callable[[Fields], bool]) -> None:
        """Until Slack is done with a file. Raises: ChatUnavailable: it takes more than 2 s."""
        for pause_s in READY_POLLS_S:
            self.sleep(pause_s)
            try:
                known = call(self.client, "files.info", params={"file": file_id}).inner("file")
            except ChatRefused as error:
                if error.code != "file_not_found":  # not known there yet
                    raise
                continue
            if ready(known):
                return
        raise ChatUnavailable(f"files.info: Slack is not done with the file after {sum(READY_POLLS_S):.0f} s")

    # --- people -----------------------------------------------------------------------------------------------

    def direct(self, user: str) -> str:
        """The channel of the direct messages with a person. Raises: as in `translated`."""
        method = "conversations.open"
        opened = call(self.client, method, params={"users": encodable(user)})
        return needed_text(opened.inner("channel"), "id", method)

    def timezone(self, user: str) -> str:
        """The IANA name of a person's zone; empty when it cannot be told within 2 s. Remembered for an hour."""
        if not user:
            return ""
        with self.lock:
            zone, until = self.zones.get(user, ("", -math.inf))
        if self.monotonic() < until:
            return zone
        zone = self.ask_zone(user)
        with self.lock:
            self.zones[user] = zone, self.monotonic() + (ZONE_TTL_S if zone else NO_ZONE_TTL_S)
            self.zones.move_to_end(user)
            while len(self.zones) > ZONES:
                self.zones.popitem(last=False)
        return zone

    def belonging(self, user: str) -> Belonging:
        """As `ChannelCalls.belonging`, at most `KNOWN_S` old."""
        return self.recall(f"user {user}", lambda: super(SlackChat, self).belonging(user))

    def user_groups(self) -> Mapping[str, frozenset[str]]:
        """As `ChannelCalls.user_groups`, at most `KNOWN_S` old: Slack takes twenty such calls a minute."""
        return self.recall("groups", super().user_groups)

    def has_outsiders(self, channel: str) -> bool:
        """Whether people of other companies are in a channel, as Slack said at most `KNOWN_S` ago."""
        return self.recall(f"channel {channel}", lambda: self.about(channel).is_shared)

    def recall(self, key: str, ask: Callable[[], T]) -> T:
        """What Slack said a moment ago, else what it says now. Raises: ChatError."""
        with self.lock:
            found, until = self.known.get(key, (None, -math.inf))
        if self.monotonic() < until:
            return cast("T", found)
        said = ask()
        with self.lock:
            self.known[key] = said, self.monotonic() + KNOWN_S
            self.known.move_to_end(key)
            while len(self.known) > ZONES:
                self.known.popitem(last=False)
        return said

    def ask_zone(self, user: str) -> str:
        """Slack's word on it, when it is a zone; empty on any failure."""
        try:
            zone = call(self.quick, "users.info", params={"user": encodable(user)}).text("user", "tz")
            return ZoneInfo(zone).key if zone else ""
        except (ChatError, ZoneInfoNotFoundError, ValueError, OSError):
            return ""
