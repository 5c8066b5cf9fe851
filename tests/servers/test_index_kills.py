"""Writers of an index are killed; readers never notice, and the next run completes."""

from __future__ import annotations

from pathlib import Path

from bench.index.kills import MOMENTS, run

KILLS = 14


def test_killed_writers_harm_nobody(tmp_path: Path) -> None:
    found = run(tmp_path, KILLS)
    assert found["next runs that completed"] == KILLS
    assert {name: n for name, n in found.items() if name.startswith("failed") and n} == {}
    assert found["other writers that failed"] == 0
    assert found["empty"] == found["unequal"] == found["files left behind"] == 0
    assert found["asked"] > KILLS
    assert found["compared"] > 0
    chosen = [m for m in MOMENTS if not m.startswith("any")]
    assert all(found[f"killed: {m}"] == KILLS // len(MOMENTS) for m in chosen)
