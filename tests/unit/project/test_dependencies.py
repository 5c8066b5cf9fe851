"""What the program imports is what installing it brings, and nothing that only tests need."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
PROGRAM = ("bot", "slack_sandbox", "workers", "examples")
TRAINING = frozenset({"train_speech_acts.py", "train_told_secrets.py"})
"""Run by developers alone, whose tools it may need; what it writes is part of the program."""


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


def imports(path: Path) -> Iterator[str]:
    """The packages that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_every_import_is_brought_by_the_installation() -> None:
    files = [file for folder in PROGRAM for file in (ROOT / folder).rglob("*.py") if "tree" not in file.parts]
    files = [file for file in files if file.name not in TRAINING]
    modules = {module for file in files for module in imports(file)} - set(PROGRAM)
    known = packages_distributions()
    imported = {plain(name) for module in modules for name in known.get(module, ())}
    assert imported
    missing = imported - brought("oracle-on-call", frozenset({"postgresql", "providers"}), set())
    assert not missing, "imported, but only the tests' requirements bring it"
