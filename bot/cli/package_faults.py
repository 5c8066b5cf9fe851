"""What an installed package brings and cannot be used, beside the entries that are read with the configuration."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import get_args

from bot.cli.commands import COMMANDS
from bot.parse.command_words import CORE_SUBCOMMANDS
from workers.errors import ConfigError
from workers.ports import BackgroundTask
from workers.settings.contributions import Kind, find_contributions
from workers.settings.entry_points import find_points

TAKEN: Mapping[str, Collection[str]] = {"commands": COMMANDS, "subcommands": CORE_SUBCOMMANDS}
"""Names that the core has itself, by kind."""


def find_faults(package: str) -> Iterator[str]:
    """A sentence each. The modules are imported.

    Args:
        package: its name and version.
    """
    kinds = {f"oracle.{kind}": kind for kind in get_args(Kind)}
    for point in dict(find_points(tuple(sys.path))).get(package, ()):
        if point.group in kinds and (fault := fault_of(package, kinds[point.group], point)):
            yield f"{point.group}: {fault}"


def fault_of(package: str, kind: Kind, point: EntryPoint) -> str:
    """Why one thing cannot be used; empty when it can."""
    one = next(found for found in find_contributions(kind) if found.name == point.name)
    owner = "Oracle" if point.name.split()[0] in TAKEN.get(kind, ()) else one.family
    if owner != package:
        return f"{owner} has {point.name!r} already: rename it"
    try:
        found = one.load()
    except ConfigError as error:
        return str(error).removeprefix(f"{package}: ")
    if kind == "tasks" and not isinstance(found, BackgroundTask):
        return f"{point.name}: {point.value} is no workers.ports.BackgroundTask"
    return "" if callable(found) or kind == "tasks" else f"{point.name}: {point.value} is no function"
