"""The way of one question: plan -> execute -> synthesize. Each stage takes and returns a `RequestLog`."""

from __future__ import annotations

from workers.contracts import Question, RequestLog
from workers.engine.engine import Engine
from workers.engine.execute_stage import execute_stage
from workers.engine.plan_stage import plan_stage
from workers.engine.stage_context import timed
from workers.engine.synthesize_stage import synthesize_stage
from workers.errors import StoreUnavailable


class Pipeline(Engine):
    """Leads one question through all stages. Built by `workers.bootstrap.build_engine` alone."""

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
