"""One default demo for all tests that only look at it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.shop.build import Demo, build_demo

NOW = datetime(2026, 3, 11, 12, 0, 20, tzinfo=UTC)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return build_demo(tmp_path_factory.mktemp("demo") / "demo", NOW)


@pytest.fixture(scope="session")
def samples(demo: Demo) -> dict[str, list[tuple[int, float]]]:
    """The metrics file as ``name{labels}`` -> [(time, value)], read without any library."""
    out: dict[str, list[tuple[int, float]]] = {}
    with Path(demo.openmetrics).open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                series, value, time = line.rsplit(" ", 2)
                out.setdefault(series, []).append((int(time), float(value)))
    return out
