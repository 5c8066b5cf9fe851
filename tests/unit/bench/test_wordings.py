"""Each table of wordings has its reader, and a table that is wrong is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import wordings


def test_each_table_has_a_reader() -> None:
    files = {path.stem for path in wordings.FOLDER.glob("*.yaml")}
    assert set(wordings.READERS) == files


def test_what_is_taken_for_something_else_is_counted_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "operations: [how many deployments are unhealthy]\nresearch: [which deployments are degraded]\n"
    (tmp_path / "operations_side.yaml").write_text(table, encoding="utf-8")
    monkeypatch.setattr(wordings, "FOLDER", tmp_path)
    wordings.main(["operations_side", "--show"])
    said = capsys.readouterr().out
    assert "| operations_side | 1 | 2 |" in said
    assert "research, taken for operations: which deployments are degraded" in said
