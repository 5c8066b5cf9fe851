"""Agents, tools and settings of installed packages: what entry points of the groups ``oracle.…`` name.

A package that cannot be used is left out whole, with a sentence that says why; all others go on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pydantic import ValidationError

from workers.errors import ConfigError
from workers.settings.contributions import Kind
from workers.settings.entry_points import find_points, load_module
from workers.settings.mistakes import describe_errors, place_of, suggest
from workers.settings.schema import AgentEntry, Core, Section, ToolEntry
from workers.settings.slices import own_sections

ENTRIES: Mapping[str, type[Section]] = {"agents": AgentEntry, "tools": ToolEntry}
SETTINGS = "settings"
CONTRIBUTED = get_args(Kind)
"""What `workers.settings.contributions` finds: imported when it is used, not read with the configuration."""
GROUPS = {f"oracle.{kind}": kind for kind in (*ENTRIES, SETTINGS, *CONTRIBUTED)}
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
    known = find_points(tuple(sys.path))
    return tuple(read_family(*one, read) for one in known if any(point.group in GROUPS for point in one[1]))


def read_family(package: str, points: Sequence[EntryPoint], read: ReadLayer) -> Family:
    """One package; its modules are imported."""
    named = {kind: tuple(p.name for p in points if p.group == group) for group, kind in GROUPS.items()}
    names = {kind: found for kind, found in named.items() if found}
    family = Family(package, names)
    try:
        check_groups(points)
        for point in points:
            if GROUPS[point.group] == SETTINGS:
                family.sections[point.name] = read_section(point)
            elif GROUPS[point.group] in ENTRIES:
                add_entry(family, point, read)
    except ConfigError as error:
        return Family(package, names, failure="; ".join(error.problems))
    return family


def check_groups(points: Iterable[EntryPoint]) -> None:
    """Raises: ConfigError: a package misspells a group, and what it brings there would be ignored silently."""
    if unknown := sorted({point.group for point in points} - GROUPS.keys()):
        raise ConfigError(*(f"{group}: unknown group of entry points{suggest(group, GROUPS)}" for group in unknown))


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
        found, values = error.errors(include_url=False), {kind: {point.name: entry}}

        def place(key: str) -> str:
            known = place_of(key, family.origin)
            return f"{folder.name}/{kind}.yaml" if known == family.package else known

        problems += describe_errors(found, ENTRIES[kind], f"{kind}.{point.name}", place, values)
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
