"""No pattern of the product takes long on a long text, whatever of its own parts the text is made of."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.pattern_costs import is_slow, too_slow
from workers.settings.load import ROOT

LONGEST = 160
"""Characters of a pattern that a reader takes in at once."""


@pytest.fixture(scope="module")
def patterns() -> list[tuple[str, str, int, str]]:
    """Each pattern's module, name and length, and what it is slow on, if anything.

    In a process of its own, which alone loads the whole program.
    """
    command = [sys.executable, "-m", "tests.support.pattern_costs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [(module, name, length, slow) for module, name, length, slow in json.loads(done.stdout)]


def test_every_pattern_is_linear(patterns: list[tuple[str, str, int, str]]) -> None:
    """A quadratic one takes sixteen times as long for four times the text."""
    assert {f"{module}.{name}": slow for module, name, _, slow in patterns if slow} == {}


def test_patterns_are_found_wherever_they_are_kept(patterns: list[tuple[str, str, int, str]]) -> None:
    names = {f"{module}.{name}" for module, name, _, _ in patterns}
    assert {"workers.language.injected_instructions.SHAPES", "workers.toolkit.redaction.VENDORS"} <= names
    assert len(names) > 500


def test_no_pattern_of_incidents_is_long(patterns: list[tuple[str, str, int, str]]) -> None:
    """What people say is told by a classifier; patterns are of forms alone."""
    long = {
        f"{module}.{name}"
        for module, name, length, _ in patterns
        if module.startswith("workers.incidents") and length > LONGEST
    }
    assert long == set()


@pytest.fixture
def limited_time() -> Iterator[None]:
    """What takes too long is stopped."""
    before = signal.signal(signal.SIGPROF, too_slow)
    yield
    signal.signal(signal.SIGPROF, before)


def test_a_quadratic_pattern_is_found(limited_time: None) -> None:
    assert is_slow(re.compile(r"(?:so )*bad"), {"search"})
    assert not is_slow(re.compile(r"so bad"), {"search"})
