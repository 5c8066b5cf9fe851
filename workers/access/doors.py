"""The policy, for all that shows or does something: buttons, commands, tabs, programs with a token. Slack says who
somebody is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workers.access.policy import ALONE, Asker, Audience, asker_named
from workers.access.sources import Allowed, shows_line
from workers.access.views import Access, readable
from workers.contracts import RequestLog
from workers.errors import ChatRefused
from workers.ports import Belonging, Chats
from workers.sources.connections.known_deploys import hidden_repositories


def shows_all(source: str, service: str) -> bool:
    """There is no policy."""
    del source, service
    return True


DIRECT = "D"
"""How the ids of direct messages begin."""


@dataclass(frozen=True)
class Doors:
    """Asked before anything is shown or done. ``chats``: the doors to Slack, which says who is in which group."""

    access: Access
    chats: Chats

    @property
    def closed(self) -> bool:
        """Whether there is a policy."""
        return self.access.policy is not None

    def allowed(self, team: str, user: str, channel: str = "") -> Allowed | None:
        """All that a person of Slack may have shown in a channel, or alone; None: everything.

        Raises: ChatBusy, ChatUnavailable: Slack does not say who they are.
        """
        if not self.closed:
            return None
        asker = Asker(user, team, self.belonging(team, user))
        shared = bool(channel) and not channel.startswith(DIRECT)
        return self.access.allowed(asker, self.audience(team, channel) if shared else ALONE)

    def shows_told(self, team: str, channel: str) -> Callable[[str, str], bool]:
        """Asked with a source (``deploys:told``, ``alerts:told``) and a service: whether all who read a channel may be
        shown what hooks told of it. Raises: as `allowed`.
        """
        if not self.closed:
            return shows_all
        allowed = self.access.allowed(Asker(nobody=True), self.audience(team, channel))
        if allowed is None:
            return shows_all
        shown, settings = allowed.sources, replace(self.access.settings, shown=allowed.sources)
        hidden = {name.casefold() for name in hidden_repositories(settings)}
        return lambda source, service: source in shown and service.casefold() not in hidden

    def allowed_program(self, name: str) -> Allowed | None:
        """All that may be shown to who has a token for a name, ``TEAM/USER`` or any other. Raises: as `allowed`."""
        if not self.closed:
            return None
        asker = asker_named(name)
        return self.access.allowed(replace(asker, belonging=self.belonging(asker.team, asker.user)), ALONE)

    def audience(self, team: str, channel: str) -> Audience:
        """Everyone who reads a channel. Raises: as `allowed`."""
        return Audience(channel, team, self.has_outsiders(team, channel))

    def has_outsiders(self, team: str, channel: str) -> bool:
        """Whether people of other companies may be in a channel; yes where Slack does not say. Raises: as `allowed`."""
        try:
            return self.chats(team).has_outsiders(channel)
        except ChatRefused:
            return True

    def belonging(self, team: str, user: str) -> Belonging:
        """The groups of a person; none where Slack does not say. Raises: as `allowed`."""
        try:
            return self.chats(team).belonging(user) if team and user else Belonging()
        except ChatRefused:
            return Belonging()

    def may_read(self, log: RequestLog, team: str, user: str, channel: str = "") -> bool:
        """Whether all that a request rests on may be shown to a person, in a channel or alone. Raises: as `allowed`."""
        return not self.closed or readable(log, self.allowed(team, user, channel))

    def shows_line(self, allowed: Allowed | None, tool: str, line: str) -> bool:
        """Whether a line on a tool's source may be shown."""
        return shows_line(self.access.settings, allowed, tool, line)
