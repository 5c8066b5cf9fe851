"""What families bring beside agents, tools and settings: commands, parts of the demo, background tasks, tables, routes.

A slice names them in its file ``contributions.py``, an installed package by entry points of the groups ``oracle.KIND``.
The core finds them here and imports one when it is used.

commands: a function as Typer takes it. Returns: text to print, an exit code, or None. Raises: `ConfigError` for what is
asked wrongly, `OracleError` for what cannot be done.
demo: ``build(home, now, seed)`` puts the part of a demo team into ORACLE_HOME. Returns: keys of ``oracle.yaml``.
subcommands: of the app's command in Slack. The name is what people type, ``remember TEXT``; after a name of one word
nothing may follow. ``do(called)`` returns the `workers.ports.Post` that one person sees, by ``called.database``,
``called.owner``, ``called.command`` and ``called.clean_rest``: what followed, without secrets.
routes: ``add(router, serving)`` adds to the HTTP API under ``/api``, which puts who calls into ``request.state.user``.
The names of all are the title of the API.
resources: ``open(serving)`` returns `workers.ports.ServedTexts`, which are read over MCP.
``serving`` is a `workers.toolkit.serving.Serving`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from workers.errors import ConfigError
from workers.settings.entry_points import find_points, load_module
from workers.settings.slices import FOLDER, PACKAGE, load_alone

Kind = Literal["commands", "subcommands", "demo", "tasks", "routes", "resources"]
"""What a package may bring; a slice brings ``tables`` too, for `workers.store.all_tables`."""
logger = logging.getLogger(__name__)
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
        """The thing itself. Raises: ConfigError: there is none, or its module cannot be imported."""
        path, _, attribute = self.target.partition(":")
        where = f"{self.family}: {self.name}: "
        try:
            module = load_module(path)
        except ConfigError as error:
            raise ConfigError(f"{where}{error}") from error
        if module is None:
            raise ConfigError(f"{where}there is no Python module {path!r}")
        if not hasattr(module, attribute):
            raise ConfigError(f"{where}the module {path} has no {attribute!r}")
        return getattr(module, attribute)


def find_contributions(kind: Kind) -> tuple[Contribution, ...]:
    """All of a kind: those of slices first, then those of installed packages whose names are free."""
    found = {one.name: one for one in own_contributions().get(kind, ())}
    for package, points in find_points(tuple(sys.path)):
        for point in points:
            if point.group == f"oracle.{kind}":
                found.setdefault(point.name, Contribution(point.name, point.value, f"Of {package}.", package))
    return tuple(found.values())


def load_usable(contributed: Iterable[Contribution]) -> Iterator[tuple[Contribution, Any]]:
    """Those that can be loaded; the log tells of others."""
    for one in contributed:
        try:
            found = one.load()
        except Exception as error:  # noqa: BLE001 - whatever code of a package raises
            logger.warning("%s of %s cannot be loaded: %s", one.name, one.family, error)
        else:
            yield one, found


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
