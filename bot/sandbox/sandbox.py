"""The parts of one running sandbox, in one place for the handlers."""

from dataclasses import dataclass, field

from bot.sandbox.calls import CallLog
from bot.sandbox.config import SandboxConfig
from bot.sandbox.deliveries import Deliveries, Door, Reply
from bot.sandbox.errors import Refused
from bot.sandbox.faults import Faults
from bot.sandbox.grants import Grants, Team
from bot.sandbox.http_door import HttpDoor
from bot.sandbox.page_stream import PageStream
from bot.sandbox.rates import Rates
from bot.sandbox.scopes import EVERY_SCOPE
from bot.sandbox.seed import seed_team
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.state import Channel, Json, State
from bot.sandbox.triggers import Triggers

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
