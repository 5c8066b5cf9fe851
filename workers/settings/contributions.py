"""What families bring beside agents, tools and settings: commands, background tasks, tables, routes, panels of Home.

A slice names them in its file ``contributions.py``, an installed package by entry points of the groups ``oracle.KIND``.
The core finds them here and imports one when it is used.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from workers.settings.discovery import FOLDER, PACKAGE, find_points, load_alone

Kind = Literal["commands", "tasks", "tables", "routes", "panels"]
DECLARATIONS = "contributions"
"""The file of a slice with a mapping ``CONTRIBUTIONS``: kind -> name -> ("module:attribute", one line)."""


@dataclass(frozen=True)
class Contribution:
    """One thing that a family brings.

    ``name``: by which people or the core call it. ``target``: "module:attribute". ``summary``: one line for people.
    ``family``: the folder of the slice, or the name and version of the package.
    """

    name: str
    target: str
    summary: str
    family: str

    def load(self) -> Any:
        """The thing itself. Raises: ImportError, AttributeError."""
        module, _, attribute = self.target.partition(":")
        return getattr(importlib.import_module(module), attribute)


def find_contributions(kind: Kind) -> tuple[Contribution, ...]:
    """All of a kind: those of slices first, then those of installed packages whose names are free."""
    found = {one.name: one for one in own_contributions().get(kind, ())}
    for package, points in find_points(tuple(sys.path)):
        for point in points:
            if point.group == f"oracle.{kind}":
                found.setdefault(point.name, Contribution(point.name, point.value, f"Of {package}.", package))
    return tuple(found.values())


@cache
def own_contributions() -> Mapping[str, tuple[Contribution, ...]]:
    """Those of the slices of this project, by kind; only their declarations are read."""
    found: dict[str, tuple[Contribution, ...]] = {}
    for file in sorted(FOLDER.glob(f"*/{DECLARATIONS}.py")):
        family = file.parent.name
        declared = load_alone(f"{PACKAGE}.{family}.{DECLARATIONS}", file).CONTRIBUTIONS
        for kind, named in declared.items():
            made = tuple(Contribution(name, target, line, family) for name, (target, line) in named.items())
            found[kind] = (*found.get(kind, ()), *made)
    return found
