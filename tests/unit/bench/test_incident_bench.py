"""The bench of incident summaries runs the command and counts what the judge says."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import bench.incidents

QUIET = '{"title": "Planning", "severity": "", "status": {"state": "none", "text": "", "ts": []}, "next_update": null'
LISTS = "impact known tried hypotheses ruled_out decisions action_items open_questions timeline".split()


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A command in the place of the real one, so that the bench is tested apart from what it measures."""
    file = folder / "oracle"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(bench.incidents, "ORACLE", str(file))


def test_what_is_missing_is_told_of_the_tuned_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, f"echo '{QUIET}, " + ", ".join(f'"{name}": []' for name in LISTS) + "}'")
    bench.incidents.main(["--name", "game-day", "--show"])
    printed = capsys.readouterr().out
    assert "| all | tune | 2 cuts | 0/1 | 0/0 | 0 | 0 | 0 |" in printed
    assert "- decision (1, decisions/known/action_items): missing" in printed


def test_the_held_half_says_numbers_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, "echo '{}'")
    bench.incidents.main(["--name", "report-links", "--show"])
    printed = capsys.readouterr().out
    assert "| all | held | 4 cuts | 0/" in printed
    assert all(line.startswith("|") for line in printed.splitlines())


def test_a_command_that_fails_scores_nothing_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, "echo no such channel >&2; exit 2")
    bench.incidents.main(["--name", "game-day"])
    printed = capsys.readouterr()
    assert "ended with 2: no such channel" in printed.err
    assert "| all | tune | 2 cuts | 0/1 |" in printed.out


def test_the_command_gets_the_channel_and_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(tmp_path, monkeypatch, f'echo "$@" >> {tmp_path}/said; grep -c \'"ts"\' "$2" > /dev/null && echo "{{}}"')
    bench.incidents.main(["--name", "game-day"])
    first, last = (tmp_path / "said").read_text(encoding="utf-8").splitlines()
    assert first.split()[0] == last.split()[0] == "summarize"
    assert first.split()[1].endswith("inc-simulation-friday.json")
    assert first.split()[2:4] == ["--json", "--until"]
    assert last.split()[2:] == ["--json"]
