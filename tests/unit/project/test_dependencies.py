"""What the program imports is what installing it brings, and nothing that only tests need."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[3]
PROGRAM = ("bot", "slack_sandbox", "workers", "examples")
TRAINING = frozenset(
    {"train_injected_instructions.py", "train_secret_names.py", "train_speech_acts.py", "train_told_secrets.py"}
)
"""Run by developers alone, whose tools it may need; what it writes is part of the program."""

TOP = re.compile(r"^([A-Za-z_]\w*)(?:/|\.py,|\.[^/,]*so,)", re.MULTILINE)
"""The first part of a path in a distribution's list of files."""
NAMED = re.compile(r"\b(?:from|import)\s+([A-Za-z_]\w*)")


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


def suppliers() -> dict[str, set[str]]:
    """The distributions on this machine that bring a package, by its name."""
    out: dict[str, set[str]] = defaultdict(set)
    for found in distributions():
        for package in set(TOP.findall(found.read_text("RECORD") or "")):
            out[package].add(plain(found.metadata["Name"]))
    return out


def imports(path: Path) -> Iterator[str]:
    """The packages that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_every_import_is_brought_by_the_installation() -> None:
    """Reading every file as Python takes seconds: those alone are that name something else after `import` or `from`."""
    files = [file for folder in PROGRAM for file in (ROOT / folder).rglob("*.py") if "tree" not in file.parts]
    named = {file: set(NAMED.findall(file.read_text(encoding="utf-8"))) for file in files if file.name not in TRAINING}
    own = brought("oracle-on-call", frozenset({"encoder", "postgresql", "providers"}), set())
    known = suppliers()
    foreign = {package for package, names in known.items() if not names & own} - set(PROGRAM)
    assert {"pytest", "hypothesis"} <= foreign
    assert {"pydantic", "sqlalchemy", "litellm"} <= set().union(*named.values()) & known.keys() - foreign
    missing = {
        f"{file.relative_to(ROOT)}: {package}"
        for file, names in named.items()
        if names & foreign
        for package in {*imports(file)} & foreign
    }
    assert missing == set(), "imported, but only the tests' requirements bring it"
