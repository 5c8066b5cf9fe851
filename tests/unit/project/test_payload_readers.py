"""What Slack sent is read in one place; a listener that takes a payload again is noticed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.settings.load import ROOT

PLACES = ("bot/app.py", "bot/listeners", "bot/middleware", "bot/transport", "bot/views", "workers/incidents")
OBJECTS = ("dict[str, Any]", "Mapping[str, Any]")
OURS = {"context", "view"}
"""Objects that do not come from Slack: what Bolt's middleware left for the listeners, and a window that is shown."""


def objects_taken(source: str) -> Iterator[tuple[str, str]]:
    """Each function that takes an object of any shape, and what it calls that."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = function.args
        for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            if one.annotation and ast.unparse(one.annotation).startswith(OBJECTS):
                yield function.name, one.arg


def files_in(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


@pytest.mark.parametrize("place", PLACES)
def test_nothing_behind_the_readers_takes_a_payload(place: str) -> None:
    files = files_in(ROOT / place)
    assert files
    found = [(file.name, *taken) for file in files for taken in objects_taken(file.read_text())]
    assert [one for one in found if one[-1] not in OURS] == []


def test_a_listener_that_takes_a_payload_is_noticed() -> None:
    listener = "def hear(body: dict[str, Any], context: BoltContext, *, event: Mapping[str, Any] | None): ..."
    assert list(objects_taken(listener)) == [("hear", "body"), ("hear", "event")]
