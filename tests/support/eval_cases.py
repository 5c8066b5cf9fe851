"""A small world and small cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from workers.contracts import Answer, Claim, Evidence, Fact, Gap, Intent, Question, RequestLog, ToolCall

NOW = "2026-11-20T15:00:00Z"

WORLD = """\
name: fleet
now: 2026-11-20T15:00:00Z
repository:
  name: fleet
  permalink: "https://git.example.com/fleet/blob/{commit}/{path}#L{start}-L{end}"
  commits:
    - at: -30d
      author: Ines Moreau
      message: Route planner
      files:
        services/routes.go: |
          package services

          // PlanTimeout limits one plan of a route.
          const PlanTimeout = 4 * time.Second

          func init() { http.HandleFunc("/v1/routes", plan) }
        services/old.go: "package services\\n"
    - at: -26h
      author: Tomás Ferreira
      message: |
        Cache geocodes per request

        Fewer stale places.
      files: {services/geo.go: "package services\\n\\nconst geoCacheTTL = 1 * time.Second\\n"}
      delete: [services/old.go]
      tag: v2.9.1
deploys: [{service: routes, version: v2.9.1, tag: v2.9.1, at: -25h50m}]
documents:
  url: "https://docs.example.com/{path}#{anchor}"
  files:
    runbooks/routes.md: |
      # Routes are slow

      1. Look at geo_cache_hit_ratio. Below 0.5 every plan asks the geocoder.
      2. Roll back the last release of routes.
metrics:
  - {latency: {service: routes, endpoint: /v1/routes}, rate: 20, p50: 0.06, p95: 0.18, errors: 0.001,
     shifts: [{at: -25h48m, p50: 0.3, p95: 1.9}]}
  - {latency: {service: places, endpoint: /v1/places}, rate: 5, p50: 0.02, p95: 0.06}
  - {gauge: geo_cache_hit_ratio, labels: {service: routes}, value: 0.92, noise: 0.01,
     shifts: [{at: -25h48m, value: 0.04}]}
  - {counter: rides_total, labels: {topic: rides}, rate: 140, shifts: [{at: -3h, rate: 0, until: -2h}]}
alerts:
  - {name: RouteLatencyHigh, severity: page, labels: {service: routes}, state: firing, since: -25h40m}
  - {name: RidesStopped, labels: {topic: rides}, state: resolved, since: -175m, until: -2h}
catalogue:
  geo_cache_hit_ratio: {title: geocode cache hit ratio, unit: ratio, worse: down, aliases: [geo cache, cache hit ratio]}
  rides: {unit: /s, of: rides_total, aliases: [ride events]}
"""


def world_with(**changes: Any) -> dict[str, Any]:
    """The world as plain values, some of them replaced; None takes one out."""
    raw: dict[str, Any] = {**yaml.safe_load(WORLD), **changes}
    return {key: value for key, value in raw.items() if value is not None}


def write_suite(folder: Path, cases: str, world: str = WORLD) -> Path:
    """A suite's file with its world beside it."""
    (folder / "worlds").mkdir(parents=True, exist_ok=True)
    (folder / "worlds" / "fleet.yaml").write_text(world, encoding="utf-8")
    path = folder / "cases.yaml"
    path.write_text(cases, encoding="utf-8")
    return path


def latency_evidence() -> Evidence:
    """A latency that rose."""
    facts = {
        "metric": Fact(value="p95 latency", entity="/v1/routes"),
        "metric_name": Fact(value="latency_p95", entity="/v1/routes"),
        "role": Fact(value="latency", entity="/v1/routes"),
        "endpoint": Fact(value="/v1/routes", entity="/v1/routes"),
        "baseline": Fact(value=0.18, unit="s", entity="/v1/routes"),
        "current": Fact(value=1.9, unit="s", entity="/v1/routes"),
        "direction": Fact(value="rose", entity="/v1/routes"),
    }
    excerpt = "p95 latency of /v1/routes: 0.18 s → 1.9 s"
    return Evidence(
        id="E1", kind="metric", title="p95 latency", locator="p95", excerpt=excerpt, facts=facts, step="metric"
    )


def code_evidence() -> Evidence:
    """Lines of code."""
    place = "services/geo.go:10-20"
    facts = {
        "path": Fact(value="services/geo.go", unit="path", entity="services/geo.go"),
        "lines": Fact(value=place, unit="lines", entity="services/geo.go"),
        "start_line": Fact(value=10, unit="line", entity="services/geo.go"),
        "repository": Fact(value="fleet", entity="services/geo.go"),
    }
    return Evidence(id="E2", kind="code", title="geo", locator=place, excerpt="const ttl = 1", facts=facts, step="code")


def answered(*claims: Claim, missing: tuple[Gap, ...] = (), headline: Claim | None = None, **more: Any) -> RequestLog:
    """The log of a request with these claims about metrics."""
    head = headline or Claim(template="Looked at /v1/routes.", text="Looked at /v1/routes.")
    log: dict[str, Any] = {
        "request_id": "abc123",
        "question": Question(request_id="abc123", text="why is /v1/routes slow?", received_at=NOW),
        "intent": Intent(question_type="debug_incident", subjects=("/v1/routes",)),
        "tool_calls": (
            ToolCall(
                name="metrics_query",
                args={"query": "metric=latency_p95 window=24h"},
                start_ms=0,
                end_ms=5,
                status="ok",
                summary="p95 rose",
                step="metric",
            ),
            ToolCall(name="repo_search", args={"query": "ttl", "k": 6}, start_ms=0, end_ms=5, status="ok", step="code"),
        ),
        "evidence": (latency_evidence(), code_evidence()),
        "answer": Answer(headline=head, metrics=claims, missing=missing),
        "grounded": True,
        "timings_ms": {"total": 42.0},
    }
    return RequestLog(**(log | more))
