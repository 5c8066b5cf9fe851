"""What a real Prometheus holds and figures cannot carry: edges of buckets, copies of a pair, no rules, probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.scenario.conftest import Oracle, oracle

__all__ = ["oracle"]
pytestmark = pytest.mark.servers

STEP_S, SPAN_S = 60, 30 * 3_600
NOW = int(datetime.now(UTC).timestamp()) // STEP_S * STEP_S
MOMENTS = range(NOW - SPAN_S, NOW, STEP_S)


def lines(name: str, labels: str, value: Callable[[int], float]) -> Iterator[str]:
    yield from (f"{name}{{{labels}}} {value(at)} {at}" for at in MOMENTS)


def grown(at: int, rate: float) -> float:
    return round((at - MOMENTS[0]) * rate, 3)


def histogram(name: str, labels: str, bounds: tuple[float, ...], took: float, rate: float) -> Iterator[str]:
    """All requests take the same time."""
    yield f"# TYPE {name} histogram"
    for bound in bounds:
        share = rate if took <= bound else 0.0
        yield from lines(f"{name}_bucket", f'{labels},le="{bound}"', lambda at, share=share: grown(at, share))
    yield from lines(f"{name}_bucket", f'{labels},le="+Inf"', lambda at: grown(at, rate))
    yield from lines(f"{name}_count", labels, lambda at: grown(at, rate))
    yield from lines(f"{name}_sum", labels, lambda at: grown(at, rate * took))


def fails(at: int) -> int:
    """A probe that fails every other minute, all the time."""
    return at // STEP_S % 2


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits") / "samples.txt"
    text = [
        *histogram("http_request_duration_seconds", 'path="/pay",app="till"', (2.0, 4.0, 8.0), 0.25, 5.0),
        "# TYPE http_requests counter",
        *(
            line
            for who in ("left", "right")
            for line in lines(
                "http_requests_total", f'path="/pay",code="200",ha_replica="{who}"', lambda at: grown(at, 5)
            )
        ),
        "# TYPE probe_success gauge",
        *lines("probe_success", 'job="outside",instance="https://till.example/pay"', lambda at: 1 - fails(at)),
        *lines("probe_success", 'job="outside",instance="https://till.example/help"', lambda at: 1),
        "# EOF",
    ]
    path.write_text("\n".join(text) + "\n")
    return path


@pytest.fixture
def answer(oracle: Oracle, samples: Path, prometheus: Callable[..., str], tmp_path: Path) -> Callable[[str], str]:
    address, now = prometheus(samples), datetime.fromtimestamp(NOW - STEP_S, UTC).isoformat()

    def ask(question: str) -> str:
        ran = oracle("ask", question, "--json", "--now", now, "--prometheus", address, home=tmp_path)
        assert ran.code == 0, ran.err
        return str(ran.json["answer"]["headline"]["text"])

    return ask


def test_figures_are_told_as_far_as_the_data_carry_them(answer: Callable[[str], str]) -> None:
    said = answer("what is the p95 latency of /pay?")
    assert "below 2 s; the buckets tell no more; the mean is 250 ms" in said
    assert "steady" not in said
    said = answer("how many requests per second does /pay get?")
    assert "5/s" in said
    assert "10/s" not in said
    assert "ha_replica left, right" in said
    assert "has no alert rules" in answer("which alerts are active?")
    said = answer("is everything ok right now?")
    assert said.startswith("Share of failed probes of https://till.example/pay is")
    assert "no alert rules" in said
    assert "0 alerts" not in said
