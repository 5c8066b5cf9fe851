"""Agents, tools and settings of installed packages: what entry points of the groups ``oracle.…`` name.

A package that cannot be used is left out whole, with a sentence that says why; all others go on.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from workers.errors import ConfigError
from workers.settings.discovery import GROUPS, SETTINGS, find_points
from workers.settings.schema import AgentEntry, Core, Section, ToolEntry
from workers.settings.slices import own_sections

ENTRIES: Mapping[str, type[Section]] = {"agents": AgentEntry, "tools": ToolEntry}
MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
OWN = "oracle-on-call"
"""This project, as a package."""

ReadLayer = Callable[[Path, str, dict[str, str], list[str]], dict[str, Any]]
"""`workers.settings.load.read_layer`."""


@dataclass(frozen=True)
class Family:
    """What an installed package brings.

    ``package``: its name and version. ``names``: agents, tools and settings by kind. ``entries``: kind -> name -> an
    entry as in ``agents.yaml`` or ``tools.yaml``. ``sections``: key of ``oracle.yaml`` -> its model. ``origin``: dotted
    key -> file and line. ``failure``: why it is left out, empty when it is used.
    """

    package: str
    names: Mapping[str, tuple[str, ...]]
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    sections: dict[str, type[Section]] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    failure: str = ""

    @property
    def line(self) -> str:
        """What it brings, or why it is left out."""
        brought = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in self.names.items())
        return f"left out: {self.failure}" if self.failure else brought


def find_families(read: ReadLayer) -> tuple[Family, ...]:
    """Those of all packages on the path of this process, by the name of the package."""
    return tuple(read_family(package, points, read) for package, points in find_points(tuple(sys.path)))


def read_family(package: str, points: Sequence[EntryPoint], read: ReadLayer) -> Family:
    """One package; its modules are imported."""
    named = {kind: tuple(p.name for p in points if p.group == group) for group, kind in GROUPS.items()}
    names = {kind: found for kind, found in named.items() if found}
    family = Family(package, names)
    try:
        for point in points:
            if GROUPS[point.group] == SETTINGS:
                family.sections[point.name] = read_section(point)
            elif GROUPS[point.group] in ENTRIES:
                add_entry(family, point, read)
    except ConfigError as error:
        return Family(package, names, failure="; ".join(error.problems))
    return family


def read_section(point: EntryPoint) -> type[Section]:
    """The model of a section. Raises: ConfigError: it is none."""
    module = import_named(point)
    model = getattr(module, point.attr, None) if point.attr else None
    if not (isinstance(model, type) and issubclass(model, Section)):
        raise ConfigError(f"{point.group}: {point.value} is no subclass of workers.settings.schema.Section")
    return model


def add_entry(family: Family, point: EntryPoint, read: ReadLayer) -> None:
    """Read the entry of an agent or a tool from the file in the folder of its module.

    Raises:
        ConfigError: the module cannot be imported, or the entry is wrong.
    """
    kind = GROUPS[point.group]
    module, problems = import_named(point), list[str]()
    if point.attr:
        raise ConfigError(f"{point.group}: {point.value} names something in a module; it has to be the module itself")
    if kind == "agents" and not hasattr(module, "__path__"):
        raise ConfigError(f"{point.group}: {point.value} is no package: a folder with __init__.py, the plans beside it")
    folder = folder_of(module)
    family.origin[f"{kind}.{point.name}"] = family.package
    written = read(folder / f"{kind}.yaml", kind, family.origin, problems)
    unnamed = [name for name in written if name not in family.names[kind]]
    problems += [f"{folder.name}/{kind}.yaml: {name} is no entry point of {point.group}" for name in unnamed]
    entry = {"module": point.value} | (written.get(point.name) or {})
    try:
        ENTRIES[kind].model_validate(entry)
    except ValidationError as error:
        problems += [
            f"{folder.name}/{kind}.yaml: {'.'.join(map(str, (point.name, *wrong['loc'])))}: {wrong['msg']}"
            for wrong in error.errors(include_url=False)
        ]
    if problems:
        raise ConfigError(*problems)
    family.entries.setdefault(kind, {})[point.name] = entry


def import_named(point: EntryPoint) -> ModuleType:
    """The module of an entry point. Raises: ConfigError: there is none, or it cannot be imported."""
    named = EntryPoint.pattern.match(point.value)
    module = load_module(point.module) if named else None
    if module is None:
        raise ConfigError(f"{point.group}: {point.name}: there is no Python module {point.value!r}")
    return module


def folder_of(module: ModuleType) -> Path:
    """Where a module or a package lies."""
    return Path(module.__file__).parent if module.__file__ else Path(next(iter(module.__path__)))


def load_module(path: str) -> ModuleType | None:
    """Import a module; None: there is none of that name. Raises: ConfigError: it cannot be imported."""
    if not MODULE.fullmatch(path):
        return None
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise ConfigError(f"{path} cannot be imported ({error})") from error
    except (ImportError, SyntaxError) as error:
        raise ConfigError(f"{path} cannot be imported ({error})") from error
    except (Exception, SystemExit) as error:  # whatever code of others raises, the rest goes on
        raise ConfigError(f"{path} cannot be imported ({type(error).__name__}: {error})") from error


# --- in the configuration ----------------------------------------------------------------------------------------


def add_families(merged: dict[str, Any], origin: dict[str, str], families: Iterable[Family]) -> list[str]:
    """Put their entries beside those of this project. Returns: a sentence for each name that two packages bring."""
    owners = {(kind, name): OWN for kind in ENTRIES for name in merged[kind]}
    owners |= {(SETTINGS, name): OWN for name in (*Core.model_fields, *own_sections())}
    problems: list[str] = []
    for family in families:
        for kind, names in () if family.failure else family.names.items():
            for name in names:
                owner = owners.setdefault((kind, name), family.package)
                if owner != family.package:
                    problems.append(
                        f"oracle.{kind}: {owner} and {family.package} both bring {name!r}: "
                        "one of them has to rename it, or to go"
                    )
        for kind, entries in family.entries.items():
            merged[kind].update(entries)
        origin.update(family.origin)
    return problems


def leave_out(merged: dict[str, Any], families: Iterable[Family]) -> None:
    """Take away what the configuration says of packages that are left out: entries without a module, and their names in
    those of others."""
    for family in families:
        if not family.failure:
            continue
        for kind in ENTRIES:
            gone = {name for name in family.names.get(kind, ()) if not names_module(merged[kind].get(name))}
            for name in gone:
                merged[kind].pop(name, None)
            others = "agents" if kind == "tools" else "tools"
            for entry in merged[others].values():
                if isinstance(entry, dict) and isinstance(entry.get(kind), list):
                    entry[kind] = [name for name in entry[kind] if name not in gone]
        for name in family.names.get(SETTINGS, ()):
            merged["oracle"].pop(name, None)


def names_module(entry: object) -> bool:
    """Whether an entry of the configuration says by itself where its module lies."""
    return isinstance(entry, dict) and "module" in entry
