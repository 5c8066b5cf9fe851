"""A real Alertmanager tells the hook of an alert: that it fires, then that it is resolved."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from fastapi import FastAPI

from bot.transport.hooks import add_hooks
from tests.support.real_servers import READY_S, free_port, need, wait_ready
from tests.support.slack_payloads import served, wait_for
from tests.support.tables import sqlite_tables
from workers.contracts import AlertEvent, rfc3339
from workers.settings.load import ROOT, load_settings
from workers.store.alerts import list_alerts
from workers.store.database import Database, open_database

pytestmark = pytest.mark.servers
TOKEN = "correct horse battery"
NOW = datetime.now(UTC).replace(microsecond=0)
LABELS = {"alertname": "SearchLatencyHigh", "service": "shop", "severity": "page"}
NOTES = {"summary": "p95 is 1.9 s", "runbook_url": "https://wiki.example/search"}


def receiver(url: str) -> dict[str, Any]:
    """The receiver that docs/hooks.md shows, with another address and token."""
    page = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    shown: dict[str, Any] = next(yaml.safe_load(b) for b in blocks if b.startswith("receivers:"))
    (found,) = shown["receivers"]
    (webhook,) = found["webhook_configs"]
    assert webhook["url"].endswith("/hooks/alertmanager")
    assert webhook["http_config"]["authorization"].keys() == {"credentials_file"}
    webhook["url"] = url
    webhook["http_config"]["authorization"] = {"credentials": TOKEN}
    return dict(found)


@contextmanager
def run_alertmanager(folder: Path, hook: str, group_by: str = "...") -> Iterator[str]:
    """An Alertmanager that tells one address of everything at once. Yields: its address."""
    (program,) = need("prometheus-alertmanager" if shutil.which("prometheus-alertmanager") else "alertmanager")
    folder.mkdir()
    config, port = folder / "alertmanager.yml", free_port()
    told = receiver(hook)
    route = {"receiver": told["name"], "group_by": [group_by], "group_wait": "0s", "group_interval": "1s"}
    config.write_text(yaml.safe_dump({"route": {**route, "repeat_interval": "1s"}, "receivers": [told]}))
    address = f"127.0.0.1:{port}"
    command = [
        program,
        f"--config.file={config}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address={address}",
        "--cluster.listen-address=",
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            wait_ready(f"http://{address}/-/ready", process, folder / "log")
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(READY_S)


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = open_database(sqlite_tables(home / "oracle.db"))
    yield opened
    opened.close()


def fire(alertmanager: str, more: dict[str, str] | None = None, **times: str) -> None:
    """What Prometheus sends."""
    labels = {**LABELS, **(more or {})}
    alert = {"labels": labels, "annotations": NOTES, "generatorURL": "http://prometheus.example/graph", **times}
    httpx.post(f"{alertmanager}/api/v2/alerts", json=[alert]).raise_for_status()


def test_an_alert_fires_and_is_resolved(home: Path, tmp_path: Path, database: Database) -> None:
    start = NOW - timedelta(minutes=5)

    def told() -> tuple[AlertEvent, ...]:
        return list_alerts(database, start, NOW + timedelta(hours=1))

    web = FastAPI()
    add_hooks(web, load_settings({"oracle.hooks.token": TOKEN}, home=home), database)
    with (
        served(web) as address,
        run_alertmanager(tmp_path / "alertmanager", f"{address}/hooks/alertmanager") as alertmanager,
    ):
        fire(alertmanager, startsAt=rfc3339(start))
        (alert,) = wait_for(told)
        assert (alert.name, alert.state, alert.starts_at, alert.ends_at) == (LABELS["alertname"], "firing", start, None)
        assert alert.labels == {"service": "shop", "severity": "page"}
        assert (alert.summary, alert.runbook_url) == (NOTES["summary"], NOTES["runbook_url"])
        fire(alertmanager, startsAt=rfc3339(start), endsAt=rfc3339(NOW))
        (resolved,) = wait_for(lambda: [a for a in told() if a.state == "resolved"])
        assert (resolved.fingerprint, resolved.starts_at) == (alert.fingerprint, start)
        assert resolved.ends_at == NOW
        assert len(told()) == 1
