"""What the program imports is what installing it brings, and nothing that only tests need."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

PROGRAM = """
import json, sys
before = set(sys.modules)
import bot.cli, bot.cli.ask, bot.cli.commands, bot.cli.processes, bot.cli.up
import slack_sandbox.app, workers.entrypoints.tasks
print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before})))
"""
OURS = {"bot", "workers"}
WITHOUT = {"attrs"}
"""Rich uses it where it is, and does without."""


def plain(name: str) -> str:
    """A distribution's name as it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def brought(name: str, extras: frozenset[str], found: set[tuple[str, frozenset[str]]]) -> set[str]:
    """All distributions that installing one brings, on this machine."""
    if (name, extras) in found:
        return set()
    found.add((name, extras))
    out = {plain(name)}
    try:
        requires = distribution(name).requires or ()
    except PackageNotFoundError:
        return out
    for line in requires:
        need = Requirement(line)
        wanted = need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        if wanted:
            out |= brought(need.name, frozenset(need.extras), found)
    return out


def test_every_import_is_brought_by_the_installation() -> None:
    root = Path(__file__).parents[3]
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=root).stdout
    known = packages_distributions()
    imported = {plain(name) for module in json.loads(said) for name in known.get(module, ()) if module not in OURS}
    installed = brought("oracle-on-call", frozenset(), set())
    assert imported
    assert imported - installed - WITHOUT == set(), "imported, but only the tests' requirements bring it"
