"""``config/tools.yaml`` -> tools. Every mistake is named with its file and key, and all of them at once."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from workers.errors import ConfigError
from workers.settings.families import find_families
from workers.settings.load import Settings
from workers.settings.schema import ToolEntry
from workers.toolkit.tool import Resources, Tool

PACKAGE = "workers.tools"
Build = Callable[[dict[str, Any], Resources], Tool]
BuildSeveral = Callable[[str, ToolEntry, Resources], tuple[Tool, ...]]
"""``build_served`` of a module whose entry stands for the tools of a server."""


def build_tools(resources: Resources) -> dict[str, Tool]:
    """Every enabled tool by its name, in the order of the configuration.

    Raises:
        ConfigError: with one sentence a mistake: a module that is missing or has no ``build``, a tool of another name
            than its entry, wrong options.
    """
    tools: dict[str, Tool] = {}
    problems: list[str] = []
    for name, entry in resources.settings.tree.tools.items():
        if not entry.on:
            continue
        try:
            tools |= {tool.name: tool for tool in build_entry(name, entry, resources)}
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(*problems)
    return tools


def build_entry(name: str, entry: ToolEntry, resources: Resources) -> tuple[Tool, ...]:
    """The tool of an entry, or those of the server that it names. Raises: ConfigError."""
    settings = resources.settings
    module = find_module(settings, name, entry.module)
    several: BuildSeveral | None = getattr(module, "build_served", None)
    try:
        if several is not None:
            return several(name, entry, resources)
        tool = find_build(settings, name, module, entry)(dict(entry.options), resources)
    except ValidationError as error:
        raise ConfigError(*(describe(settings, name, dict(e)) for e in error.errors(include_url=False))) from error
    if tool.name != name:
        place = settings.where(f"tools.{name}")
        raise ConfigError(f"{place}: {name}: module {entry.module!r} builds the tool {tool.name!r}, not {name!r}")
    return (tool,)


def find_module(settings: Settings, name: str, module: str) -> ModuleType:
    """A module in workers/tools, else among the tools of a family.

    Raises:
        ConfigError: there is none, or it cannot be imported.
    """
    place = f"{settings.where(f'tools.{name}.module')}: {name}.module"
    if re.fullmatch(r"[a-z][a-z0-9_]*", module):
        if importlib.util.find_spec(f"{PACKAGE}.{module}"):
            return load(f"{PACKAGE}.{module}", place, module)
        for family, folder in find_families(agent.module for agent in settings.tree.agents.values()).items():
            if (folder / "tools" / f"{module}.py").is_file():
                return load(f"{family}.tools.{module}", place, module)
    raise ConfigError(f"{place}: there is no workers/tools/{module}.py")


def find_build(settings: Settings, name: str, found: ModuleType, entry: ToolEntry) -> Build:
    """The function of a module that builds a tool: ``build_NAME`` in a family, else ``build``.

    Raises:
        ConfigError: there is no such function, or the entry names tools of a server.
    """
    module, place = entry.module, f"{settings.where(f'tools.{name}.module')}: {name}.module"
    if entry.tools or entry.writes:
        raise ConfigError(f"{place}: workers/tools/{module}.py makes one tool; tools and writes go with module: mcp")
    build = getattr(found, f"build_{name}", None) or getattr(found, "build", None)
    if not callable(build):
        raise ConfigError(f"{place}: workers/tools/{module}.py has no build(options, resources)")
    return build  # type: ignore[no-any-return]


def load(path: str, place: str, module: str) -> ModuleType:
    """Import a module. Raises: ConfigError: a package that it needs is not installed."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{place}: workers/tools/{module}.py needs the package {error.name!r}") from error


def describe(settings: Settings, name: str, error: dict[str, Any]) -> str:
    """One of pydantic's errors on a tool's options as a sentence with file, line and key."""
    key = ".".join(["options", *(str(part) for part in error["loc"])])
    message = {"extra_forbidden": "unknown key", "missing": "is required"}.get(error["type"], str(error["msg"]))
    return f"{settings.where(f'tools.{name}.{key}')}: {name}.{key}: {message}"
