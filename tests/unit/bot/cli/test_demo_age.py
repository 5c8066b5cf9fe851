"""When `oracle up` builds its demo again."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.cli import up
from workers.settings.load import Settings, load_settings
from workers.sources.metrics.sample_store import write_store

BUILT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of a demo that was built at `BUILT`, with samples of the 24 hours that follow."""
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path))
    mark = tmp_path / "config" / "oracle.yaml"
    mark.parent.mkdir()
    mark.write_text(f"environment: demo\nsamples: {tmp_path / 'samples'}\n")
    os.utime(mark, (BUILT.timestamp(), BUILT.timestamp()))
    ends = BUILT + timedelta(hours=24)
    moments = np.array([BUILT.timestamp() * 1000, ends.timestamp() * 1000], dtype=np.int64)
    write_store(tmp_path / "samples", [("up", {}, moments, np.ones(2))])
    return load_settings()


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        (timedelta(minutes=20), False),
        (timedelta(hours=11), False),
        (timedelta(hours=13), True),
        (timedelta(hours=15, minutes=1), True),
        (timedelta(days=7), True),
    ],
)
def test_a_demo_is_built_again_before_its_samples_end(settings: Settings, after: timedelta, wanted: bool) -> None:
    assert up.needs_demo(settings, BUILT + after) is wanted


def test_a_demo_of_the_day_before_is_built_again(settings: Settings) -> None:
    """Its bad deploy was no longer yesterday."""
    mark = settings.home / "config" / "oracle.yaml"
    evening = (BUILT + timedelta(hours=14, minutes=50)).timestamp()
    os.utime(mark, (evening, evening))
    moments = np.array([(evening + 86_400) * 1000], dtype=np.int64)
    write_store(settings.home / "samples", [("up", {}, moments, np.ones(1))])
    assert not up.needs_demo(settings, BUILT + timedelta(hours=14, minutes=55))
    assert up.needs_demo(settings, BUILT + timedelta(hours=15, minutes=5))


def test_a_running_demo_is_renewed_only_when_it_ages(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[datetime] = []
    monkeypatch.setattr(up, "build_demo", lambda _home, now, _seed: built.append(now))
    monkeypatch.setattr(up, "needs_demo", lambda _settings, _now: False)
    assert up.renew_demo(settings) == up.DEMO_CHECKED_S
    assert not built
    monkeypatch.setattr(up, "needs_demo", lambda _settings, _now: True)
    assert up.renew_demo(settings) == up.DEMO_CHECKED_S
    assert len(built) == 1
