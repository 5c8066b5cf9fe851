"""The files of an invented incident: a deploy that makes a call in a loop, and one after it that only moves code."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 3, 4, 9, tzinfo=UTC)
ONSET = 62
"""Minutes after the beginning."""
CULPRIT, DECOY, STYLE = "a" * 40, "b" * 40, "c" * 40

LOOPED = """--- a/services/quote/build.py
+++ b/services/quote/build.py
@@ -10,4 +10,6 @@ def build_quote(basket):
-    prices = price_client.fetch_many([line.sku for line in basket])
-    return Quote(prices)
+    prices = []
+    for line in basket:
+        prices.append(price_client.fetch_one(line.sku))
+    return Quote(prices)
"""
MOVED = """--- a/services/quote/views.py
+++ b/services/quote/views.py
@@ -3,3 +3,5 @@ def show(request):
-    basket = Basket.load(request)
-    return render(basket)
+    return render(load_basket(request))
+
+def load_basket(request):
+    return Basket.load(request)
"""


def at(minute: float) -> str:
    """A moment of the incident's day, as files write it."""
    return (BEGIN + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")


def log_pattern(text: str, count: int, grown: int | None = None, mood: str = "negative") -> dict[str, Any]:
    """Lines of one shape that the quote service logged."""
    delta = f"+{count if grown is None else grown}"
    return {"signature": text, "service": "quote", "count": count, "delta_vs_baseline": delta, "sentiment": mood}


def call_span(name: str, parent: str, service: str, operation: str, ms: int) -> dict[str, Any]:
    """One call of a trace."""
    ids = {"trace_id": "t", "span_id": name, "parent_id": parent or None}
    return ids | {"service": service, "name": operation, "start": at(ONSET + 1), "duration_ms": ms}


def commit(sha: str, minute: float, title: str, file: str, diff: str) -> dict[str, Any]:
    """A commit of one file."""
    return {"sha": sha, "timestamp": at(minute), "message": title, "files_changed": [file], "diff": diff}


def deploy(sha: str, minute: float, version: str = "1") -> dict[str, Any]:
    """A deploy of the quote service."""
    return {"timestamp": at(minute), "service": "quote", "commit_sha": sha, "version": version}


def write_incident(folder: Path, **changes: Any) -> Path:
    """Write the files into a folder; ``changes``: other contents by the name of a file, None leaves one out."""
    latency = [(m, 120.0 + m % 7 if m < ONSET else 2_400.0) for m in range(90)]
    fetched = [(m, 3.0 + m % 2 * 0.1 if m < ONSET else 41.0) for m in range(90)]
    traffic = [(m, 300.0 + m % 5) for m in range(90)]
    rows = ["timestamp,service,metric,value"]
    for service, metric, samples in (
        ("quote", "http_server_duration_p99_ms", latency),
        ("price", "requests_per_quote", fetched),
        ("shopfront", "requests_per_sec", traffic),
    ):
        rows += [f"{at(m)},{service},{metric},{value}" for m, value in samples]
    files: dict[str, Any] = {
        "alert": {
            "service": "quote",
            "metric": "http_server_duration_p99_ms",
            "summary": "quote p99 latency above 800 ms",
            "fired_at": at(ONSET + 4),
        },
        "metrics": "\n".join(rows),
        "patterns": [
            log_pattern("slow: price fetch_one took <N> ms", 900),
            log_pattern("quote built", 4_000, grown=12, mood="neutral"),
        ],
        "traces": [
            call_span("1", "", "shopfront", "GET /quote", 2_500),
            call_span("2", "1", "quote", "build_quote", 2_400),
            call_span("3", "2", "price", "fetch_one", 60),
        ],
        "commits": [
            commit(CULPRIT, 40, "refactor: build quotes line by line", "services/quote/build.py", LOOPED),
            commit(DECOY, 55, "refactor: extract load_basket", "services/quote/views.py", MOVED),
            commit(STYLE, 57, "docs: explain quotes", "docs/quotes.md", "+Quotes are built from prices.\n"),
        ],
        "deploys": [deploy(CULPRIT, 45, "1.4.0"), deploy(DECOY, 61, "1.4.1")],
        "flags": [],
    } | changes
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            (folder / f"{name}{'.csv' if name == 'metrics' else '.json'}").write_text(text, encoding="utf-8")
    return folder
