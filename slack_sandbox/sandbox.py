"""The parts of one running sandbox, in one place for the handlers."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from slack_sandbox.call_log import CallLog
from slack_sandbox.config import SandboxConfig
from slack_sandbox.errors import Refused
from slack_sandbox.event_deliveries import Deliveries, Door, Reply
from slack_sandbox.faults import Faults
from slack_sandbox.http_delivery import HttpDoor
from slack_sandbox.rate_limits import Rates
from slack_sandbox.scopes import EVERY_SCOPE
from slack_sandbox.seed import seed_team
from slack_sandbox.socket_mode import SocketMode
from slack_sandbox.state import Channel, Json, State
from slack_sandbox.tokens import Grants, Team
from slack_sandbox.trigger_ids import Triggers


@dataclass
class PageStream:
    """One queue for every open page, with the user who looks at it."""

    queues: dict["asyncio.Queue[Json]", str] = field(default_factory=dict)

    def open(self, user: str) -> "asyncio.Queue[Json]":
        """Returns: a queue that gets what this user may see from now on; `close` it."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self.queues[queue] = user
        return queue

    def close(self, queue: "asyncio.Queue[Json]") -> None:
        """Stops the updates of one page."""
        self.queues.pop(queue, None)

    def send(self, kind: str, to: Collection[str], **fields: object) -> None:
        """Tells the pages of these users: `{"type": kind, …}`."""
        if self.queues:
            update: Json = {"type": kind, **fields}
            for queue, user in self.queues.items():
                if user in to:
                    queue.put_nowait(update)


_VERIFICATION_TOKEN = "sandbox-verification-token"  # noqa: S105  # deprecated by Slack and checked by nobody


@dataclass
class Sandbox:
    """One team, its app's doors, and what tests may change."""

    config: SandboxConfig
    state: State
    socket: SocketMode
    http: HttpDoor
    deliveries: Deliveries
    grants: Grants
    token: str = _VERIFICATION_TOKEN
    page: PageStream = field(default_factory=PageStream)
    faults: Faults = field(default_factory=Faults)
    rates: Rates = field(default_factory=Rates)
    calls: CallLog = field(default_factory=CallLog)
    triggers: Triggers = field(default_factory=Triggers)

    def door(self, kind: str) -> Door:
        """Returns: the way that payloads of this kind go."""
        return self.http if kind in self.http.urls else self.socket

    async def deliver(self, kind: str, payload: Json) -> Reply:
        """Sends a command or an interaction and waits for the app's answer."""
        return await self.door(kind).deliver(kind, payload)

    def person(self, name: object, default: str) -> str:
        """Returns: the id of the user with this id or handle, `default` when no name is given.

        Raises:
            Refused: user_not_found.
        """
        if not name:
            return default
        user = self.state.user_named(str(name))
        if user is None:
            raise Refused("user_not_found")
        return user.id

    def channel(self, name: str) -> Channel:
        """Returns: a channel by id or name, or a user's direct message channel by the user's id.

        Raises:
            Refused: channel_not_found.
        """
        channel = self.state.channel_named(name) if name else None
        if channel is None and name in self.state.users and name != self.state.bot_user:
            channel = self.state.im_with(name)
        if channel is None:
            raise Refused("channel_not_found")
        return channel

    def app_channel(self, channel_id: str) -> Channel:
        """Returns: a channel by its id alone, as far as the app may know of it.

        Raises:
            Refused: channel_not_found, also for private channels that the bot is not in.
        """
        channel = self.state.channels.get(channel_id)
        if channel is None:
            raise Refused("channel_not_found")
        if channel.is_private and self.state.bot_user not in channel.members:
            raise Refused("channel_not_found")
        return channel

    def member_channel(self, channel_id: str) -> Channel:
        """Returns: a channel, by its id, that the bot is a member of; it may be archived.

        Raises:
            Refused: channel_not_found, not_in_channel.
        """
        channel = self.app_channel(channel_id)
        if self.state.bot_user not in channel.members:
            raise Refused("not_in_channel")
        return channel

    def joined_channel(self, channel_id: str) -> Channel:
        """Returns: a channel, by its id, that the bot is a member of and that lasts.

        Raises:
            Refused: channel_not_found, is_archived, not_in_channel.
        """
        if self.app_channel(channel_id).is_archived:
            raise Refused("is_archived")
        return self.member_channel(channel_id)


def make_sandbox(config: SandboxConfig) -> Sandbox:
    """Returns: a fresh team, with doors as the configuration names them."""
    state = seed_team(config)
    urls = {
        "events_api": config.events_url,
        "interactive": config.interactivity_url,
        "slash_commands": config.commands_url,
    }
    http = HttpDoor({kind: url for kind, url in urls.items() if url}, config.signing_secret, config.ack_timeout_s)
    socket = SocketMode(state.app_id, config.ack_timeout_s)
    door: Door = http if config.events_url else socket
    deliveries = Deliveries(state, door, _VERIFICATION_TOKEN, config.retry_delays_s)
    grants = Grants(Team(state.team_id, state.team_name, state.team_domain))
    grants.issue(grants.home, config.scopes or EVERY_SCOPE, state.me, config.bot_token)
    return Sandbox(config, state, socket, http, deliveries, grants)
