"""Short-lived permissions: trigger ids, which open views, and response URLs, which answer an interaction."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from slack_sandbox.errors import Refused

_TRIGGER_LIFE_S = 3.0
_RESPONSE_LIFE_S = 1800.0
_RESPONSE_USES = 5


@dataclass
class _Trigger:
    user: str
    issued_at: float
    channel: str = ""
    used: bool = False


@dataclass
class ResponseGrant:
    """Where a response URL answers: a channel, for one user, to one message (`message_ts` may be empty)."""

    channel: str
    user: str
    message_ts: str
    thread_ts: str
    issued_at: float
    uses: int = 0


@dataclass
class Triggers:
    """What was issued and still lives."""

    clock: Callable[[], float] = time.monotonic
    _triggers: dict[str, _Trigger] = field(default_factory=dict)
    _grants: dict[str, ResponseGrant] = field(default_factory=dict)

    def issue_trigger(self, user: str, channel: str = "") -> str:
        """Returns: a trigger id for 3 s and one view; `channel` is where the user was."""
        now = self.clock()
        trigger_id = f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**9)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = _Trigger(user, now, channel)
        return trigger_id

    def use_trigger(self, trigger_id: str) -> str:
        """Returns: the user who pressed.

        Raises:
            Refused: invalid_trigger_id, expired_trigger_id, exchanged_trigger_id.
        """
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if self.clock() - trigger.issued_at > _TRIGGER_LIFE_S:
            raise Refused("expired_trigger_id")
        trigger.used = True
        return trigger.user

    def channel_of(self, trigger_id: str) -> str:
        """Returns: where the user was, "" when that is unknown."""
        trigger = self._triggers.get(trigger_id)
        return trigger.channel if trigger else ""

    def issue_response(self, channel: str, user: str, *, message_ts: str = "", thread_ts: str = "") -> str:
        """Returns: the token of a response URL, good for 5 uses in 30 minutes."""
        token = secrets.token_urlsafe(24)
        self._grants[token] = ResponseGrant(channel, user, message_ts, thread_ts, self.clock())
        return token

    def use_response(self, token: str) -> ResponseGrant:
        """Returns: what the URL may answer.

        Raises:
            Refused: invalid_url, expired_url, used_url.
        """
        grant = self._grants.get(token)
        if grant is None:
            raise Refused("invalid_url")
        if self.clock() - grant.issued_at > _RESPONSE_LIFE_S:
            raise Refused("expired_url")
        if grant.uses >= _RESPONSE_USES:
            raise Refused("used_url")
        grant.uses += 1
        return grant
