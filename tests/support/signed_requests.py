"""The Bolt app on a real ledger, spoken to by signed requests, and a Web API that notes what it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from slack_bolt import App, BoltRequest, BoltResponse
from sqlalchemy import select

from bot.app import build_app
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import as_form, as_json, mention, signed, wait_for
from workers.contracts import Answer, Claim, Landscape, RequestLog
from workers.requests.ledger import Ledger
from workers.settings.load import Settings
from workers.store.database import Database
from workers.store.request_jobs import Job
from workers.store.request_logs import SqlStore
from workers.store.tables import feedback, jobs
from workers.telemetry.service_metrics import ServiceMetrics

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LANDSCAPE = Landscape(labels={"endpoint": ("/api/zones",)}, repositories=("shop",), documents=("Zones runbook",))
THREAD = "1763733600.000100"


@dataclass(repr=False)
class Front:
    """The app and everything around it. ``calls``: what Slack was told; ``answers``: what it says, by method."""

    settings: Settings
    database: Database
    calls: list[tuple[str, dict[str, Any]]]
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    rung: list[str] = field(default_factory=list)
    queued: list[tuple[Any, ...]] = field(default_factory=list)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)

    def __post_init__(self) -> None:
        core = self.settings.core
        anyone = core.slack.clarified_by == "anyone"
        self.ledger = Ledger(self.database, core.worker, asking=core.limits, anyone=anyone)
        self.store = SqlStore(self.database, unchanged)
        self.app: App = build_app(
            self.settings,
            self.ledger,
            self.store,
            self.rung.append,
            metrics=self.metrics,
            landscape=lambda: LANDSCAPE,
            queued=lambda *place: self.queued.append(place),
        )

    def __repr__(self) -> str:
        return "Front()"

    def send(self, body: dict[str, Any], **how: Any) -> BoltResponse:
        """Deliver a signed request."""
        raw, content_type = as_json(body) if body.get("type") == "event_callback" else as_form(body)
        return self.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, content_type, **how))))

    def take(self, body: dict[str, Any], **how: Any) -> BoltResponse:
        """Deliver a request that is acknowledged."""
        response = self.send(body, **how)
        assert response.status == 200, response.body
        return response

    def asked(self, body: dict[str, Any] | None = None) -> str:
        """Ask something, in a channel when no body is given. Returns: the request's id, once a worker was rung."""
        before = len(self.rung)
        self.take(body or mention())
        return str(wait_for(lambda: self.rung[before:])[0])

    def told(self, method: str, number: int = 0) -> dict[str, Any]:
        """The arguments of the n-th call of a method, as soon as it was made."""
        found: dict[str, Any] = wait_for(lambda: [a for m, a in list(self.calls) if m == method][number:])[0]
        return found

    def errors(self, response: BoltResponse) -> dict[str, str]:
        """What a window says is wrong."""
        body = json.loads(response.body)
        assert body["response_action"] == "errors"
        found: dict[str, str] = body["errors"]
        return found

    def jobs(self) -> list[Any]:
        """All requests, oldest first."""
        with self.database.begin() as connection:
            return list(connection.execute(select(jobs).order_by(jobs.c.accepted_at)).mappings())

    def questions(self) -> list[str]:
        """What was accepted, oldest first."""
        return [job["question"]["text"] for job in self.jobs()]

    def feedback(self) -> list[tuple[str, str, str, str]]:
        """Request, person, verdict and reason of all feedback."""
        columns = (feedback.c.request_id, feedback.c.user, feedback.c.verdict, feedback.c.reason)
        with self.database.begin() as connection:
            return [tuple(row) for row in connection.execute(select(*columns))]

    def claim(self, request_id: str) -> Job:
        """Take the lease of a request."""
        job = self.ledger.claim(request_id)
        assert job is not None
        return job

    def answer(self, request_id: str) -> RequestLog:
        """What a worker does: the answer stands, and its log is stored."""
        job = self.claim(request_id)
        claim = Claim(template="It was the deploy.", text="It was the deploy.")
        log = RequestLog(request_id=request_id, question=job.question, answer=Answer(headline=claim))
        self.store.save(log)
        self.ledger.finish(job, "done")
        return log

    def wait(self, request_id: str) -> None:
        """What a worker does with an unclear question."""
        self.ledger.finish(self.claim(request_id), "waiting")
