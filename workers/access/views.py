"""What each request sees: the engine of its asker and of who reads its answer, built once for all who see the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Generic, TypeVar

from workers.access.policy import (
    Asker,
    Audience,
    Policy,
    asker_of_question,
    audience_of_question,
)
from workers.access.sources import Allowed, allowed_to, policy_of
from workers.contracts import Question, RequestLog
from workers.ports import Belonging
from workers.settings.load import Settings

T = TypeVar("T")
MOST_VIEWS = 16
"""So many are kept; each has the indexes open that it read of."""


@dataclass(frozen=True)
class Access:
    """The policy of a deployment, asked at every door. ``policy``: None where there is none."""

    settings: Settings
    policy: Policy | None

    def allowed(self, asker: Asker, audience: Audience) -> Allowed | None:
        """All that may be shown; None: everything, as there is no policy, or the asker has its files."""
        if self.policy is None or asker.local:
            return None
        return allowed_to(self.policy, self.settings, asker, audience)

    def allowed_for(self, question: Question, belonging: Belonging, *, outside: bool = False) -> Allowed | None:
        """The same for the answer of a question."""
        audience = replace(audience_of_question(question), outside=outside)
        return self.allowed(asker_of_question(question, belonging), audience)


def access_of(settings: Settings) -> Access:
    """The policy of a configuration."""
    return Access(settings, policy_of(settings))


def readable(log: RequestLog, allowed: Allowed | None) -> bool:
    """Whether all that a request may rest on may be shown; what was found before there was a policy may not."""
    return allowed is None or (log.view is not None and set(log.view) <= allowed.sources)


class Views(Generic[T]):
    """What was built for each set of allowed things; the one not used for longest goes first."""

    def __init__(self, build: Callable[[Allowed], T]) -> None:
        self.build = build
        self.lock = Lock()
        self.kept: OrderedDict[str, T] = OrderedDict()

    def of(self, allowed: Allowed) -> T:
        """The one of these things. Raises: whatever building it raises."""
        with self.lock:
            if allowed.key not in self.kept:
                self.kept[allowed.key] = self.build(allowed)
                while len(self.kept) > MOST_VIEWS:
                    self.kept.popitem(last=False)
            self.kept.move_to_end(allowed.key)
            return self.kept[allowed.key]
