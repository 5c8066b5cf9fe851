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
    (tmp_path / "incident_lead.yaml").write_text("Maya: [got the con]\nnobody: [stepping in as ic]\n", encoding="utf-8")
    monkeypatch.setattr(wordings, "FOLDER", tmp_path)
    wordings.main(["incident_lead", "--show"])
    said = capsys.readouterr().out
    assert "| incident_lead | 1 | 2 |" in said
    assert "nobody, taken for Maya: stepping in as ic" in said
