"""Metrics from a server that speaks the Prometheus HTTP API.

Source: https://prometheus.io/docs/prometheus/latest/querying/api/
"""

from __future__ import annotations

import json
import re
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

import httpx
import numpy as np

from workers.errors import ToolUnavailable
from workers.metrics.backend import Alert, Floats, Frame, Grid, Series
from workers.metrics.embedded import DEFAULT_INTERVAL_S, age
from workers.metrics.template import duration

MAX_BYTES = 16_000_000
LONG_QUERY = 1_500  # characters; longer ones go as a form
KEEP_S = 60.0  # how long lists of names are kept
INTERVALS = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 180.0, 300.0, 600.0)
LOOK_BACK = "10m"
T = TypeVar("T")


class PrometheusBackend:
    """A `Backend` over HTTP. A path in the address is kept; credentials in it are used and never shown.

    Args:
        url: the server's address.
        headers: sent with every request.
        timeout_ms: for one request.
        transport: stands in for the network.
    """

    name = "prometheus"
    parallel = 8

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        timeout_ms: int = 700,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ToolUnavailable(f"prometheus.url {url!r} is not a URL") from error
        if address.scheme not in {"http", "https"} or not address.host:
            raise ToolUnavailable(f"prometheus.url {url!r} is not an http:// or https:// address")
        self.shown = str(address.copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")
        self.timeout_ms = timeout_ms
        self.client = httpx.Client(
            base_url=str(address.copy_with(query=None, fragment=None)).rstrip("/") + "/",
            headers={"Accept": "application/json", **(headers or {})},
            timeout=timeout_ms / 1000,
            transport=transport,
            limits=httpx.Limits(max_connections=2 * self.parallel, max_keepalive_connections=2 * self.parallel),
        )
        self.close = weakref.finalize(self, self.client.close)  # tools are never closed; connections are
        self.lock = threading.Lock()
        self.kept: dict[Hashable, tuple[float, Any]] = {}

    # --- one request ------------------------------------------------------------------------------------------

    def ask(self, path: str, params: Mapping[str, Any]) -> Any:
        """The ``data`` of one API call.

        Raises:
            ToolUnavailable: with one sentence for each way a server can fail.
        """
        deadline = time.monotonic() + self.timeout_ms / 1000
        form = len(str(params.get("query", ""))) > LONG_QUERY
        sent = {"data": params} if form else {"params": params}
        try:
            with self.client.stream("POST" if form else "GET", f"api/v1/{path}", **sent) as response:  # type: ignore[arg-type]
                body = self.read(response, deadline)
        except httpx.TimeoutException as error:
            raise self.slow() from error
        except httpx.HTTPError as error:
            reason = re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
            raise ToolUnavailable(f"prometheus at {self.shown} cannot be reached: {reason}") from error
        return self.understand(response.status_code, body)

    def read(self, response: httpx.Response, deadline: float) -> bytes:
        """The body, within its size and time."""
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > MAX_BYTES:
                raise ToolUnavailable(f"prometheus at {self.shown} answered more than {MAX_BYTES // 10**6} MB")
            if time.monotonic() > deadline:
                raise self.slow()
        return bytes(body)

    def slow(self) -> ToolUnavailable:
        """The error for a server that does not answer in time."""
        return ToolUnavailable(f"prometheus at {self.shown} did not answer within {self.timeout_ms} ms")

    def understand(self, status: int, body: bytes) -> Any:
        """The data of an answer, or the error it stands for."""
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            if status != 200:
                raise ToolUnavailable(f"prometheus at {self.shown} answered {status}") from error
            raise self.nonsense() from error
        if not isinstance(answer, dict) or answer.get("status") not in {"success", "error"}:
            raise ToolUnavailable(f"prometheus at {self.shown} answered {status}") if status != 200 else self.nonsense()
        if answer["status"] == "error":
            why = " ".join(str(answer.get("error") or f"status {status}").split())[:200]
            why = "too many samples" if "too many samples" in why else why
            raise ToolUnavailable(f"prometheus at {self.shown} refused: {why}")
        if status != 200 or "data" not in answer:
            raise self.nonsense()
        return answer["data"]

    def nonsense(self) -> ToolUnavailable:
        """The error for an answer of another kind."""
        return ToolUnavailable(f"prometheus at {self.shown} answered something that is not the Prometheus API")

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """A value asked for at most once a minute."""
        with self.lock:
            at, value = self.kept.get(key, (-KEEP_S, None))
        if time.monotonic() - at < KEEP_S and value is not None:
            return value  # type: ignore[no-any-return]
        made = make()
        with self.lock:
            if len(self.kept) > 2_000:
                self.kept.clear()
            self.kept[key] = (time.monotonic(), made)
        return made

    def words(self, path: str, params: Mapping[str, Any]) -> tuple[str, ...]:
        """A list of names."""
        data = self.ask(path, params)
        if not isinstance(data, list) or not all(isinstance(w, str) for w in data):
            raise self.nonsense()
        return tuple(sorted(data))

    # --- Backend ----------------------------------------------------------------------------------------------

    def names(self) -> frozenset[str]:
        """All metric names, at most a minute old."""
        return self.keep("names", lambda: frozenset(self.words("label/__name__/values", {})))

    def label_names(self, metric: str) -> frozenset[str]:
        """The labels that a metric carries."""
        return self.keep(
            ("labels", metric), lambda: frozenset(self.words("labels", {"match[]": metric})) - {"__name__"}
        )

    def label_values(self, label: str, metrics: tuple[str, ...], start: float, end: float) -> tuple[str, ...]:
        """The values of a label on some metrics in a span, to the hour."""
        first, last = int(start // 3600) * 3600, int(-(-end // 3600)) * 3600
        params = {"match[]": list(metrics), "start": first, "end": last}
        return self.keep(("values", label, metrics, first, last), lambda: self.words(f"label/{label}/values", params))

    def query_range(self, promql: str, grid: Grid) -> Frame:
        """Evaluate an expression on a grid.

        Source: /api/v1/query_range
        """
        data = self.ask("query_range", {"query": promql, "start": grid.start, "end": grid.end, "step": grid.step})
        try:
            if data["resultType"] != "matrix":
                raise self.nonsense()
            return Frame(grid, tuple(s for s in (self.series(row, grid) for row in data["result"]) if s is not None))
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise self.nonsense() from error

    def series(self, row: Mapping[str, Any], grid: Grid) -> Series | None:
        """One result series on the grid; None when it has no finite value."""
        points = row.get("values") or []
        moments = np.array([p[0] for p in points], dtype=np.float64)
        numbers: Floats = np.array([float(p[1]) for p in points], dtype=np.float64)
        places = np.round((moments - grid.start) / grid.step).astype(np.int64)
        values = np.full((grid.end - grid.start) // grid.step + 1, np.nan)
        finite = np.isfinite(numbers)
        values[places[finite]] = numbers[finite]
        return Series({str(k): str(v) for k, v in row["metric"].items()}, values) if finite.any() else None

    def instant(self, promql: str, at: float) -> dict[tuple[tuple[str, str], ...], float]:
        """Evaluate an expression once: labels -> finite value.

        Source: /api/v1/query
        """
        data = self.ask("query", {"query": promql, "time": at})
        try:
            rows = {tuple(sorted(r["metric"].items())): float(r["value"][1]) for r in data["result"]}
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise self.nonsense() from error
        return {k: v for k, v in rows.items() if np.isfinite(v)}

    def cadence(self, selector: str, start: float, end: float) -> tuple[float | None, float]:
        """Newest sample in the span and the usual time between samples."""
        newest, interval = self.cadence_at(selector, f"timestamp({selector})", end)
        if newest is not None and newest >= start:
            return newest, interval
        step = max(int((end - start) / 200), 60)
        grid = Grid(int(end) - int((end - start) // step) * step, int(end), step)
        frame = self.query_range(f"max(count_over_time({selector}[{duration(step)}]))", grid)
        found = [float(frame.times[np.isfinite(s.values)][-1]) for s in frame.series]
        if not found:
            return None, DEFAULT_INTERVAL_S
        exact = f"max_over_time(timestamp({selector})[{duration(step)}:15s])"
        newest = self.cadence_at(selector, exact, found[0])[0] or found[0]
        return newest, self.cadence_at(selector, f"timestamp({selector})", newest)[1]

    def cadence_at(self, selector: str, newest: str, at: float) -> tuple[float | None, float]:
        """Newest sample at one moment, and the time between the samples before it, in one request."""
        both = (
            f'label_replace(max({newest}), "of", "newest", "", "") or '
            f'label_replace(max(count_over_time({selector}[{LOOK_BACK}])), "of", "count", "", "")'
        )
        found = {dict(k).get("of"): v for k, v in self.instant(both, at).items()}
        count = found.get("count", 0.0)
        interval = min(INTERVALS, key=lambda s: abs(np.log(s * count / 600))) if count else DEFAULT_INTERVAL_S
        return found.get("newest"), interval

    def live_alerts(self) -> tuple[Alert, ...]:
        """Alerts of this moment from the rules, else from the list of active ones; empty when neither is served."""
        for path, read in (("rules", read_rules), ("alerts", read_alerts)):
            try:
                return self.keep(path, lambda path=path, read=read: read(self.ask(path, {})))  # type: ignore[misc]
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise self.nonsense() from error
            except ToolUnavailable:
                continue
        return ()

    def graph_url(self, promql: str, start: float, end: float) -> str | None:
        """The server's graph page."""
        until = datetime.fromtimestamp(end, UTC).strftime("%Y-%m-%d %H:%M:%S")
        page = {"g0.expr": promql, "g0.tab": 0, "g0.range_input": f"{int(end - start)}s", "g0.end_input": until}
        return f"{self.shown}/graph?{urlencode(page)}"

    def ping(self, now: float) -> str:
        """Version and age of the newest sample."""
        build = self.ask("status/buildinfo", {})
        version = build.get("version", "of unknown version") if isinstance(build, dict) else "of unknown version"
        names = self.names()
        if not names:
            return f"prometheus {version} at {self.shown}, no samples yet"
        name = "up" if "up" in names else min(names)
        newest, _ = self.cadence(name, now - 86_400, now)
        seen = f"newest sample of {name} {age(now - newest)}" if newest else f"no sample of {name} in the last 24 h"
        return f"prometheus {version} at {self.shown}, {len(names)} metrics, {seen}"


def read_rules(data: Any) -> tuple[Alert, ...]:
    """Alerting rules with their active alerts; a rule without any is inactive."""
    out: list[Alert] = []
    for group in data["groups"]:
        for rule in group["rules"]:
            if rule.get("type") != "alerting":
                continue
            active = read_alerts({"alerts": rule.get("alerts") or []}, str(rule.get("query", "")))
            out.extend(active or [Alert(str(rule["name"]), "inactive", expr=str(rule.get("query", "")))])
    return tuple(out)


def read_alerts(data: Any, expr: str = "") -> tuple[Alert, ...]:
    """Active alerts. The server tells when the condition became true, not when they began to fire."""
    return tuple(
        Alert(
            name=str(a["labels"]["alertname"]),
            state=str(a["state"]),
            labels={str(k): str(v) for k, v in a["labels"].items() if k != "alertname"},
            active_at=read_moment(str(a["activeAt"])) if a.get("activeAt") else None,
            expr=expr,
        )
        for a in data["alerts"]
    )


def read_moment(text: str) -> float:
    """RFC 3339 with up to nine decimals, as epoch seconds without them."""
    return datetime.fromisoformat(re.sub(r"\.\d+", "", text)).timestamp()
