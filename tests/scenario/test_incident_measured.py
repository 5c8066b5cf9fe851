"""A postmortem's impact from a real Prometheus: what was measured, beside what people said of it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.metric_shapes import Text, histogram, times
from tests.support.one_process import House, run_house
from tests.support.real_servers import free_port, run_prometheus
from tests.support.slack_payloads import wait_for
from workers.contracts import Deploy
from workers.incidents.summary.metric_impact_text import NBSP
from workers.store.deploys import record_deploys

SHARE, RATE, NORMAL, SLOW = 0.12, 20.0, 0.2, 1.8
BEGAN_MIN, ENDED_MIN = 26, 8
"""Minutes before now."""
FAILED = re.compile(r"- ([\d,]+) of ([\d,]+) requests of /checkout failed in this time\.")


def past(path: Path, now: int) -> Path:
    """Six hours of a shop whose ``/checkout`` got slow and failed, and came back."""
    t = times(6, 15, now)
    bad = (t > now - BEGAN_MIN * 60) & (t <= now - ENDED_MIN * 60)
    text, rng = Text(), np.random.default_rng(7)
    text.family("http_request_duration_seconds", "histogram")
    for seed, endpoint in enumerate(("/checkout", "/list")):
        level = np.where(bad & (endpoint == "/checkout"), SLOW, NORMAL)
        labels = {"service": "till", "endpoint": endpoint}
        histogram(text, "http_request_duration_seconds", labels, t, np.full(len(t), RATE), level, seed)
    text.family("http_requests", "counter")
    for endpoint in ("/checkout", "/list"):
        count = rng.poisson(RATE * 15, len(t))
        failed = rng.binomial(count, np.where(bad & (endpoint == "/checkout"), SHARE, 0.0005))
        for status, n in (("200", count - failed), ("503", failed)):
            labels = {"service": "till", "endpoint": endpoint, "status": status}
            text.add("http_requests_total", labels, t, np.cumsum(n))
    return text.write(path)


@pytest.fixture(scope="module")
def now() -> int:
    """The end of the past."""
    return int(time.time())


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory, now: int) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prometheus")
    with run_prometheus(folder / "server", past(folder / "past.om", now)) as url:
        yield url


def ended(house: House, *said: str) -> str:
    """An incident that people spoke of and ended. Returns: its postmortem."""
    channel = house.make()
    for text in said:
        house.say(channel, text, user="maya")
    wait_for(lambda: len(house.heard(channel)) == len(said))
    house.work(channel)
    house.type(channel, "resolve", user="maya")
    house.work(channel)
    (path,) = (house.worker.oracle.settings.home / "postmortems").glob("*/*.md")
    return path.read_text()


def settings(url: str) -> dict[str, Any]:
    """A Prometheus, waited for: the machine may be busy."""
    return {
        "oracle.prometheus.url": url,
        "oracle.prometheus.timeout_ms": 10_000,
        "agents.research.tool_timeout_ms": 20_000,
        "agents.research.tools_total_ms": 60_000,
        "tools.metrics_query.options.budget_ms": 20_000,
    }


SAID = (
    "SEV2: checkout is failing, investigating.",
    "Impact: 40% of requests to /checkout fail with 503",
    "found it: the connection pool is exhausted since v2 of till went out",
    "rolled back till, /checkout is back to normal",
)


def test_the_impact_is_what_prometheus_measured_beside_what_people_said(
    prepared_home: Path, prometheus: str, now: int
) -> None:
    with run_house(prepared_home, settings(prometheus)) as house:
        onset = datetime.fromtimestamp(now - BEGAN_MIN * 60, UTC)
        deploy = Deploy(service="till", version="v2", at=onset - timedelta(minutes=2))
        record_deploys(house.database, [deploy], "production")
        text = ended(house, *SAID)
    cells = [cell.strip() for cell in row_of(text, "error ratio of /checkout")]
    assert float(cells[1].removesuffix(" %")) < 0.2
    worst, _, _ = cells[2].partition(" % at ")
    assert 11 <= float(worst) <= 16
    assert float(cells[3].removesuffix(" %")) < 0.2
    first, _, rest = cells[4].partition(" to ")
    assert abs(minute(first) - (onset.hour * 60 + onset.minute)) <= 2
    assert abs(int(rest.partition(", ")[2].removesuffix(" min")) - (BEGAN_MIN - ENDED_MIN)) <= 3
    assert re.search(r"p95 latency of /checkout \| \d+ ms \| [12]\.\d s at", text.replace(NBSP, " "))
    failed, of = (int(n.replace(",", "")) for n in FAILED.search(text).groups())  # type: ignore[union-attr]
    lost = SHARE * RATE * 60 * (BEGAN_MIN - ENDED_MIN)
    assert 0.85 * lost < failed < 1.15 * lost < of
    assert "fail with 503 [[1]](" in text.partition("### As people said it")[2]
    differs = text.partition("### Said and measured differ")[2].partition("\n_To be")[0]
    assert "40% of requests to /checkout" in differs
    assert f"The highest error ratio of /checkout measured was {worst} %, at" in differs
    assert "- **Evidenced:** Found it: the connection pool is exhausted since v2 of till went out" in text
    assert re.search(r"moved \d minutes? after deploy till v2", text)
    assert f"{prometheus}/graph?" in text


def test_metrics_that_cannot_be_reached_stop_no_draft(prepared_home: Path) -> None:
    with run_house(prepared_home, {"oracle.prometheus.url": f"http://127.0.0.1:{free_port()}"}) as house:
        text = ended(house, *SAID)
    measured = text.partition("### Measured")[2].partition("### As people")[0]
    assert measured.strip().startswith("_Not measured:_ error\\_ratio, latency\\_p95, traffic: ")
    assert "cannot be reached" in measured
    assert "- **Hypothesis:** Found it: the connection pool is exhausted" in text


def row_of(text: str, title: str) -> list[str]:
    """The cells of a metric."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {title} |"))
    return row.replace(NBSP, " ").split("|")[1:]


def minute(clock: str) -> int:
    """``09:05`` as minutes of its day."""
    hour, _, rest = clock[-5:].partition(":")
    return int(hour) * 60 + int(rest)
