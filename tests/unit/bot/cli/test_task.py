"""``oracle task``: a background task that a family brings, run once by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
import typer

from bot.cli import task as command
from workers.errors import ConfigError
from workers.ports import BackgroundTask


def flow(database: Any, settings: Any) -> Iterable[tuple[str, bool]]:
    del settings
    with database.engine.connect():
        yield "the tide comes", True
        yield "the buoy is gone", False


TASKS = {
    "tide": BackgroundTask(every_s=lambda settings: 7, run=flow),
    "ebb": BackgroundTask(every_s=lambda settings: None, run=flow),
}


@pytest.fixture(autouse=True)
def _tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.entrypoints.background_tasks.find_tasks", lambda: TASKS)
    monkeypatch.setattr(command, "find_tasks", lambda: TASKS)


@pytest.mark.usefixtures("home")
def test_they_are_listed_with_how_often_they_are_run_here(capsys: pytest.CaptureFixture[str]) -> None:
    command.task(json_out=True)
    told = json.loads(capsys.readouterr().out)
    assert told == [{"name": "tide", "every_s": 7.0}, {"name": "ebb", "every_s": None}]
    command.task()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1)[1].strip() for line in lines] == ["every 7 s", "has nothing to do here"]


@pytest.mark.usefixtures("home")
def test_one_is_run_once_and_fails_when_a_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        command.task("tide")
    assert capsys.readouterr().out.splitlines() == ["✓  the tide comes", "✗  the buoy is gone"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("name", "why"), [("tie", "no background task 'tie'; did you mean tide?"), ("ebb", "ebb has nothing to do here")]
)
def test_what_cannot_be_run_is_told(name: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        command.task(name)
