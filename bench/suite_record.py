"""A pytest plugin that notes where the time of a run goes: ``bench.suite`` adds its notes up.

Each process writes one file of JSON lines into the folder that ``SUITE_RECORD`` names, rows of
``[kind, name, wall seconds, processor seconds]``: ``import`` of a test file, ``fixture`` for its setup, ``setup``,
``call`` and ``teardown`` of a test (a test's setup holds that of its fixtures). In two kinds the third value is MiB:
``memory`` (of a process, at its peak) and ``grown`` (by how much a process was larger after a test than before it).
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROWS: list[tuple[str, str, float, float]] = []
RECORD_FOLDER_VARIABLE = "SUITE_RECORD"


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def note_time(kind: str, name: str) -> Iterator[None]:
    """Adds one row when the block ends."""
    wall, processor = time.perf_counter(), processor_seconds()
    try:
        yield
    finally:
        ROWS.append((kind, name, time.perf_counter() - wall, processor_seconds() - processor))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[Any]:
    """The import of a test file."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    with note_time("import", collector.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    """The setup of one fixture, without those that it asks for."""
    with note_time("fixture", fixturedef.argname):
        return (yield)


def resident_mib() -> float:
    """Of this process, now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """A test from setup to teardown."""
    before = resident_mib()
    try:
        return (yield)
    finally:
        ROWS.append(("grown", item.nodeid, resident_mib() - before, 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[Any]:
    """Before a test."""
    with note_time("setup", item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """A test."""
    with note_time("call", item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[Any]:
    """After a test."""
    with note_time("teardown", item.nodeid):
        return (yield)


def pytest_sessionfinish() -> None:
    """Writes the rows."""
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ROWS.append(("memory", os.environ.get("PYTEST_XDIST_WORKER", "main"), peak_mib, 0.0))
    folder = Path(os.environ[RECORD_FOLDER_VARIABLE])
    (folder / f"{os.getpid()}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
