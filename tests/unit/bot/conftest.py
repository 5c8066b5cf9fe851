"""A Bolt app on an ledger in memory, and a Web API beside it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from slack_bolt import App, BoltRequest, BoltResponse

from bot.app import build_app
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import SECRET, MemoryInbox, as_form, as_json, signed, stand_in
from tests.support.tables import sqlite_tables
from workers.contracts import Landscape
from workers.settings.load import Settings, load_settings
from workers.store.request_logs import SqlStore, open_store
from workers.telemetry.service_metrics import ServiceMetrics


@dataclass
class Bot:
    """An app, and everything around it."""

    settings: Settings
    calls: list[tuple[str, dict[str, Any]]]
    ledger: MemoryInbox = field(default_factory=MemoryInbox)
    rung: list[str] = field(default_factory=list)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    ring: Callable[[str], None] | None = None
    queued: list[tuple[str, str, str, int]] = field(default_factory=list)
    store: SqlStore = field(init=False)

    def __post_init__(self) -> None:
        self.settings.home.mkdir(exist_ok=True)
        if not (path := self.settings.home / "oracle.db").exists():
            sqlite_tables(path)
        self.store = open_store(self.settings.database_url, unchanged)
        landscape = Landscape(labels={"endpoint": ("/api/zones",)}, repositories=("shop",))
        self.app: App = build_app(
            self.settings,
            self.ledger,  # type: ignore[arg-type]
            self.store,
            self.ring or self.rung.append,
            metrics=self.metrics,
            landscape=lambda: landscape,
            queued=lambda *place: self.queued.append(place),
        )

    def send(self, body: dict[str, Any], **how: Any) -> BoltResponse:
        """Deliver a signed request."""
        raw, content_type = as_json(body) if body.get("type") == "event_callback" else as_form(body)
        return self.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, content_type, **how))))

    @property
    def counted(self) -> list[str]:
        """The lines of all counters above zero."""
        lines = self.metrics.render().decode().splitlines()
        return [line for line in lines if not line.startswith("#") and not line.endswith(" 0.0")]


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Bot]:
    level = logging.getLogger("slack_bolt").level
    with stand_in() as (address, calls):
        slack = {"bot_token": "xoxb-test", "signing_secret": SECRET, "api_url": address}
        overrides = {f"oracle.slack.{key}": value for key, value in slack.items()}
        limits = {"oracle.limits.question_chars": 100}
        yield Bot(load_settings({**overrides, **limits}, home=tmp_path / "home"), calls)
    logging.getLogger("slack_bolt").setLevel(level)
