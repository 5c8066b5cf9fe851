"""One request's evidence, as tools return it: a latency incident."""

from __future__ import annotations

from datetime import UTC, datetime

from workers.contracts import Evidence, Fact
from workers.grounding.value_format import Voice

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
VOICE = Voice(NOW, "UTC")


def time(text: str) -> Fact:
    return Fact(value=f"2026-11-20T{text}+00:00", unit="time")


def metric(key: str, title: str, entity: str, before: float, after: float, peak: float, onset: str) -> Evidence:
    def seconds(value: float) -> Fact:
        return Fact(value=value, unit="s", entity=entity)

    return Evidence(
        id=key,
        kind="metric",
        title=f"{title} of {entity}",
        locator=f"{title}{{endpoint={entity}}}",
        facts={
            "metric": Fact(value=title, entity=entity),
            "endpoint": Fact(value=entity, entity=entity),
            "baseline": seconds(before),
            "current": seconds(after),
            "peak": seconds(peak),
            "peak_at": time("15:20:00"),
            "onset_at": time(onset),
            "change_pct": Fact(value=(after - before) / before * 100, unit="percent", entity=entity),
            "direction": Fact(value="rose" if after > before else "fell"),
        },
    )


CODE = "\n".join(
    [
        "def cache_key(request):",
        '    """Key of a request in the cache."""',
        "    parts = [request.path, request.query]",
        "    parts.append(str(request.received_at))",
        '    return "|".join(parts)',
    ]
)

EVIDENCE = {
    e.id: e
    for e in (
        metric("E1", "p95 latency", "/api/search", 0.210, 1.87, 1.9, "14:06:00"),
        metric("E2", "p95 latency", "/api/checkout", 0.120, 0.121, 0.13, "10:00:00"),
        metric("E3", "database p95 latency", "/api/search", 0.018, 0.240, 0.25, "14:05:00"),
        Evidence(
            id="E4",
            kind="deploy",
            title="deploy shop v1.42.0",
            locator="deploys/shop/v1.42.0",
            facts={
                "service": Fact(value="shop"),
                "version": Fact(value="v1.42.0", entity="shop"),
                "commit": Fact(value="4f2c1ab9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f", unit="commit", entity="shop"),
                "at": time("14:04:00"),
            },
        ),
        Evidence(
            id="E5",
            kind="code",
            title="cache_key",
            locator="search/cache.py:12-16",
            url="https://example.org/shop/blob/4f2c1ab/search/cache.py#L12-L16",
            excerpt=CODE,
            facts={
                "path": Fact(value="search/cache.py", unit="path"),
                "lines": Fact(value="search/cache.py:12-16", unit="lines"),
                "start_line": Fact(value=12, unit="line"),
                "end_line": Fact(value=16, unit="line"),
                "symbol": Fact(value="cache_key"),
            },
        ),
        Evidence(
            id="E6",
            kind="alert",
            title="SearchLatencyHigh",
            locator="ALERTS{alertname=SearchLatencyHigh}",
            facts={"name": Fact(value="SearchLatencyHigh"), "state": Fact(value="firing"), "since": time("14:11:00")},
        ),
        Evidence(
            id="E7",
            kind="doc",
            title="Search latency",
            locator="docs/runbooks/search.md#cache-misconfiguration",
            excerpt="Keys that never repeat and a short TTL send every query to the database.",
            facts={
                "title": Fact(value="Search latency"),
                "heading": Fact(value="Cache misconfiguration"),
                "step_1": Fact(value="Check the cache key."),
            },
        ),
    )
}
