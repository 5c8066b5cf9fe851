"""Rate limits of the Web API: a token bucket a method, and for posts one a channel.

Source: docs.slack.dev/apis/web-api/rate-limits; tiers as the reference names them for each method.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_TIER_1 = 1
_TIER_2 = 20
_TIER_3 = 50
_TIER_4 = 100

PER_MINUTE: dict[str, int] = {
    "apps.uninstall": _TIER_1,
    "auth.revoke": _TIER_3,
    "bots.info": _TIER_3,
    "chat.update": _TIER_3,
    "chat.delete": _TIER_3,
    "chat.postEphemeral": _TIER_4,
    "chat.startStream": _TIER_2,
    "chat.appendStream": _TIER_4,
    "chat.stopStream": _TIER_2,
    "conversations.history": _TIER_3,
    "conversations.replies": _TIER_3,
    "conversations.info": _TIER_3,
    "conversations.list": _TIER_2,
    "conversations.members": _TIER_4,
    "conversations.open": _TIER_3,
    "conversations.join": _TIER_3,
    "bookmarks.add": _TIER_2,
    "bookmarks.edit": _TIER_2,
    "bookmarks.list": _TIER_3,
    "bookmarks.remove": _TIER_2,
    "conversations.archive": _TIER_2,
    "conversations.create": _TIER_2,
    "conversations.invite": _TIER_3,
    "conversations.kick": _TIER_3,
    "conversations.leave": _TIER_3,
    "conversations.rename": _TIER_2,
    "conversations.setPurpose": _TIER_2,
    "conversations.setTopic": _TIER_2,
    "conversations.unarchive": _TIER_2,
    "usergroups.list": _TIER_2,
    "users.conversations": _TIER_3,
    "users.info": _TIER_4,
    "users.list": _TIER_2,
    "users.lookupByEmail": _TIER_3,
    "team.info": _TIER_3,
    "reactions.add": _TIER_3,
    "reactions.remove": _TIER_2,
    "reactions.get": _TIER_3,
    "pins.add": _TIER_2,
    "pins.remove": _TIER_2,
    "pins.list": _TIER_2,
    "files.getUploadURLExternal": _TIER_4,
    "files.completeUploadExternal": _TIER_4,
    "files.info": _TIER_4,
    "files.delete": _TIER_3,
    "views.open": _TIER_4,
    "views.push": _TIER_4,
    "views.update": _TIER_4,
    "views.publish": _TIER_4,
    "agents.sessions.setStatus": _TIER_3,
    "agents.sessions.rename": _TIER_3,
    "assistant.threads.setTitle": _TIER_4,
    "assistant.threads.setSuggestedPrompts": _TIER_4,
}
POST = "chat.postMessage"
LONGEST_PAGE = 999
DISTRIBUTED: dict[str, int] = {"conversations.history": 1, "conversations.replies": 1}
"""Calls a minute of an app that is distributed commercially and stands in no Marketplace."""
DISTRIBUTED_PAGE = 15


@dataclass
class _Bucket:
    tokens: float
    filled_at: float


@dataclass
class Rates:
    """`per_minute` of None for a method lifts its limit; posts: `post_per_second` after `post_burst`, each channel.

    `longest_page`: of messages in a channel's history or a thread; `ahead_s`: how far its clock is before `clock`.
    """

    per_minute: dict[str, float | None] = field(default_factory=lambda: dict(PER_MINUTE))
    post_per_second: float | None = 1.0
    post_burst: float = 10.0
    longest_page: int = LONGEST_PAGE
    ahead_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _buckets: dict[tuple[str, str], _Bucket] = field(default_factory=dict)

    def take(self, method: str, channel: str = "") -> int:
        """Returns: 0 when the call may go on, else the whole seconds to wait (`Retry-After`)."""
        if method == POST:
            if self.post_per_second is None:
                return 0
            return self._take((method, channel), self.post_per_second, self.post_burst)
        limit = self.per_minute.get(method)
        return 0 if limit is None else self._take((method, ""), limit / 60, limit)

    def of_app(self, *, distributed: bool) -> None:
        """Slack's own limits: of an app of one team or of the Marketplace, or of one that is distributed otherwise."""
        self.per_minute = dict(PER_MINUTE | (DISTRIBUTED if distributed else {}))
        self.longest_page = DISTRIBUTED_PAGE if distributed else LONGEST_PAGE
        self.post_per_second, self.post_burst = 1.0, 10.0

    def reset(self) -> None:
        """Fills every bucket."""
        self._buckets.clear()

    def _take(self, key: tuple[str, str], per_second: float, capacity: float) -> int:
        now = self.clock() + self.ahead_s
        bucket = self._buckets.setdefault(key, _Bucket(capacity, now))
        bucket.tokens = min(capacity, bucket.tokens + (now - bucket.filled_at) * per_second)
        bucket.filled_at = now
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return 0
        return max(1, math.ceil((1 - bucket.tokens) / per_second)) if per_second else 60
