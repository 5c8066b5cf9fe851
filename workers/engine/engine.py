"""What all stages of a question share: agents, tools, reasoners, the store, the clock, and who is told of progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from workers.contracts import Question, RequestLog
from workers.engine.route import Agent
from workers.ports import (
    Clock,
    Likely,
    Reasoners,
    Standing,
    Store,
    Toolbox,
    Visibility,
    not_interrupted,
    nothing_likely,
)

Progress = Callable[[str, object], None]


def no_progress(event: str, detail: object) -> None:
    """Progress that nobody watches."""
    del event, detail


def none_kept(key: str, since: datetime) -> None:
    """No answer is kept."""
    del key, since


def stranger(question: Question) -> Standing:
    """Nobody says who asks, nor who reads the answer."""
    del question
    return Standing()


def sees_everything(engine: Engine, question: Question) -> Engine:
    """There is no policy."""
    del question
    return engine


def unheard(log: RequestLog) -> None:
    """A finished request that nobody counts."""
    del log


@dataclass(frozen=True)
class Engine(ABC):
    """Everything a question passes through; `workers.engine.run.Pipeline` leads it.

    ``fallback_agent``, ``likely``: see `workers.engine.policy.Policy`. ``confirm_within``: how long a proposed change
    can be confirmed. ``tones``: channel -> how answers are worded there. ``find_kept``: the request whose answer was
    kept under a key, when its question came after a moment (aware).
    ``standing``: who asks, and who reads the answer. ``view``: this engine as those two may see it; what they may not
    see does not exist in it. ``visibility``: what of earlier requests may be shown to them, and who reads a change.
    """

    agents: Mapping[str, Agent]
    default_agent: str
    toolbox: Toolbox
    reasoners: Reasoners
    store: Store
    clock: Clock
    fallback_agent: str = ""
    likely: Likely = nothing_likely
    confirm_within: timedelta = timedelta(hours=1)
    tones: Mapping[str, str] = field(default_factory=dict)
    find_kept: Callable[[str, datetime], RequestLog | None] = none_kept
    on_done: Callable[[RequestLog], None] = unheard
    progress: Progress = no_progress
    check: Callable[[], None] = not_interrupted
    standing: Callable[[Question], Standing] = stranger
    view: Callable[[Engine, Question], Engine] = sees_everything
    visibility: Visibility = field(default_factory=Visibility)

    def seen(self, log: RequestLog) -> RequestLog:
        """A log with the sources that it may rest on."""
        return log.model_copy(update={"view": self.visibility.rests_on(log)})

    @abstractmethod
    def ask(self, question: Question) -> RequestLog:
        """Answer one question and store its log."""
