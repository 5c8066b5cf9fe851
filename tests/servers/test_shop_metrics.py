"""The demo team's metrics in a real Prometheus: levels before and after, and what its own rules say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from examples.shop.build import build_demo
from examples.shop.fault import draw_fault
from tests.scenario.conftest import NOW

pytestmark = pytest.mark.servers

P95 = "histogram_quantile(0.95, sum by (le) (rate({}_bucket{{endpoint='{}'}}[15m])))"


def ask(address: str, promql: str, at: datetime) -> list[dict[str, Any]]:
    answer = httpx.get(f"{address}/api/v1/query", params={"query": promql, "time": at.timestamp()}, timeout=30)
    return answer.raise_for_status().json()["data"]["result"]


def value(address: str, promql: str, at: datetime) -> float:
    (one,) = ask(address, promql, at)
    return float(one["value"][1])


def alerts_by_rules(address: str, rules: Path, at: datetime) -> set[str]:
    """The alerts whose expressions hold."""
    groups = yaml.safe_load(rules.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"] for group in groups for rule in group["rules"] if ask(address, rule["expr"], at)}


def seed_of(kind: str) -> int:
    return next(seed for seed in range(200) if draw_fault(seed).kind == kind)


def test_the_default_fault(demo_prometheus: str, built_demo: Path) -> None:
    address, rules, fault = demo_prometheus, built_demo / "demo" / "rules.yml", draw_fault(0)
    minute = fault.deploy_minute + fault.onset_minutes
    yesterday = NOW.replace(hour=0, minute=0, second=0) - timedelta(days=1)
    before, after = yesterday + timedelta(minutes=minute - 5), yesterday + timedelta(minutes=minute + 40)
    http = P95.format("http_request_duration_seconds", fault.endpoint)
    assert 0.19 < value(address, http, before) < 0.23
    assert 1.7 < value(address, http, after) < 2.0
    database = P95.format("db_query_duration_seconds", fault.endpoint)
    assert 0.016 < value(address, database, before) < 0.020
    assert 0.21 < value(address, database, after) < 0.25
    hits = (
        f"sum(rate(cache_requests_total{{endpoint='{fault.endpoint}',result='hit'}}[15m]))"
        f" / sum(rate(cache_requests_total{{endpoint='{fault.endpoint}'}}[15m]))"
    )
    assert value(address, hits, before) == pytest.approx(0.9, abs=0.03)
    assert value(address, hits, after) == pytest.approx(0.03, abs=0.01)
    assert alerts_by_rules(address, rules, before) == set()
    assert alerts_by_rules(address, rules, after) == {"SearchLatencyHigh"}


def test_alerts_are_those_that_the_rules_call_for(prometheus: Callable[..., str], tmp_path: Path) -> None:
    demo = build_demo(tmp_path / "demo", datetime.now(UTC) - timedelta(hours=1), seed_of("retry_storm"))
    address = prometheus(demo.openmetrics)
    firing = ask(address, "ALERTS{alertstate='firing'}", demo.built_at)
    assert len(firing) >= 2
    for at in (demo.onset + timedelta(minutes=20), demo.built_at):
        assert alerts_by_rules(address, demo.rules, at) == {alert["metric"]["alertname"] for alert in firing}
    assert alerts_by_rules(address, demo.rules, demo.onset - timedelta(minutes=3)) == set()
    for alert in firing:
        assert alert["metric"]["service"] == "shop"
        assert alert["metric"]["severity"] in {"page", "ticket"}
