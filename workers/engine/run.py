"""The way of one question: plan -> execute -> synthesize. Each stage takes and returns a `RequestLog`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from workers.contracts import Question, RequestLog
from workers.engine.execute_stage import execute_stage
from workers.engine.plan_stage import plan_stage
from workers.engine.route import Agent
from workers.engine.stage_context import timed
from workers.engine.synthesize_stage import synthesize_stage
from workers.errors import StoreUnavailable
from workers.ports import Clock, Likely, Reasoners, Store, Toolbox, not_interrupted, nothing_likely

Progress = Callable[[str, object], None]


def no_progress(event: str, detail: object) -> None:
    """Progress that nobody watches."""
    del event, detail


def none_kept(key: str, since: datetime) -> None:
    """No answer is kept."""
    del key, since


def unheard(log: RequestLog) -> None:
    """A finished request that nobody counts."""
    del log


@dataclass(frozen=True)
class Engine:
    """Everything a question passes through. Built by `workers.bootstrap.build_engine` alone.

    ``fallback_agent``, ``likely``: see `workers.engine.policy.Policy`. ``confirm_within``: how long a proposed change
    can be confirmed. ``tones``: channel -> how answers are worded there. ``find_kept``: the request whose answer was
    kept under a key, when its question came after a moment (aware).
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

    def ask(self, question: Question) -> RequestLog:
        """Answer one question and store its log; an answer that cannot be stored is still given, and says so."""
        started = self.clock.monotonic_ms()
        log = plan_stage(self, RequestLog(request_id=question.request_id, question=question))
        if log.answer is None:
            log = execute_stage(self, log)
            log = synthesize_stage(self, log)
        log = timed(log, "total", self.clock.monotonic_ms() - started)
        try:
            self.store.save(log)
        except StoreUnavailable as error:
            log = unstored(log, error)
        self.on_done(log)
        return log

    def plan_only(self, question: Question) -> RequestLog:
        """Route, intent and plan; nothing is executed."""
        return plan_stage(self, RequestLog(request_id=question.request_id, question=question))


def unstored(log: RequestLog, error: StoreUnavailable) -> RequestLog:
    """The answer with a line above it: it cannot be shown again."""
    if log.answer is None:
        return log
    lost = f"This answer could not be stored ({error}); it cannot be shown again or continued."
    banner = " ".join(line for line in (lost, log.answer.banner) if line)
    return log.model_copy(update={"answer": log.answer.model_copy(update={"banner": banner})})
