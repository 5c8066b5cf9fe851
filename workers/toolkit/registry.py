"""``config/tools.yaml`` -> tools. Every mistake is named with its file and key, and all of them at once."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from threading import RLock
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ValidationError

from workers.errors import ConfigError, OracleError
from workers.settings.entry_points import MODULE, load_module
from workers.settings.load import Settings, shipped_places
from workers.settings.mistakes import describe_errors
from workers.settings.schema import ToolEntry
from workers.settings.slices import find_own_tools
from workers.toolkit.tool import Resources, Tool

PACKAGE = "workers.tools"
Build = Callable[[dict[str, Any], Resources], Tool]
BuildSeveral = Callable[[str, ToolEntry, Resources], tuple[Tool, ...]]
"""``build_served`` of a module whose entry stands for the tools of a server."""


class BuiltTools(Mapping[str, Tool]):
    """Every enabled tool by its name, in the order of the configuration; each is built when it is first looked up."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        entries = resources.settings.tree.tools
        self.entries = {own: name for name, entry in entries.items() if entry.on for own in entry.names(name)}
        self.built: dict[str, Tool] = {}
        self.lock = RLock()

    def __getitem__(self, name: str) -> Tool:
        """Raises: KeyError: there is none. ConfigError: as `build_entry`."""
        with self.lock:
            if name not in self.built:
                entry = self.entries[name]
                made = build_entry(entry, self.resources.settings.tree.tools[entry], self.resources)
                self.built |= {tool.name: tool for tool in made}
            return self.built[name]

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def ready(self) -> tuple[Tool, ...]:
        """Those that are built: every one that names what its source has, or keeps an index, is from the start."""
        with self.lock:
            return tuple(self.built[name] for name in self.entries if name in self.built)


def build_tools(resources: Resources, unmet: Collection[str] = ()) -> BuiltTools:
    """Every enabled tool; built now are those that a question reads before any is called, and those whose entry
    somebody wrote, so that their mistakes are told at once. The others, as they are shipped, wait for their first call.

    Args:
        resources: what they are built from.
        unmet: names of needs; what has no data has nothing to read.

    Raises:
        ConfigError: with one sentence a mistake: a module that is missing or has no ``build``, a tool of another name
            than its entry, wrong options.
    """
    settings, tools = resources.settings, BuiltTools(resources)
    shipped = shipped_places()
    written = {key.split(".")[1] for key, place in settings.origin.items() if is_written(key, place, shipped)}
    problems: list[str] = []
    for own, name in tools.entries.items():
        if settings.tree.tools[name].starts(unmet) or name in written:
            try:
                tools[own]
            except ConfigError as error:
                problems.extend(error.problems)
    if problems:
        raise ConfigError(*dict.fromkeys(problems))
    return tools


def is_written(key: str, place: str, shipped: str) -> bool:
    """Whether a value of a tool's entry comes from elsewhere than the files of this project."""
    return key.startswith("tools.") and (not place.startswith(shipped) or place.endswith(")"))


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
        options = getattr(module, error.title, None)  # the model is named after its class, which the module has
        model = options if isinstance(options, type) and issubclass(options, BaseModel) else None
        found = error.errors(include_url=False)
        raise ConfigError(*describe_errors(found, model, f"tools.{name}.options", settings.where, {})) from error
    except OracleError:
        raise
    except Exception as error:
        place = f"{settings.where(f'tools.{name}')}: {name}"
        raise ConfigError(f"{place}: its build raised {type(error).__name__}: {error}") from error
    if tool.name != name:
        place = settings.where(f"tools.{name}")
        raise ConfigError(f"{place}: {name}: module {entry.module!r} builds the tool {tool.name!r}, not {name!r}")
    return (tool,)


def find_module(settings: Settings, name: str, module: str) -> ModuleType:
    """A module in workers/tools, else in the tools of a slice, else the importable one of that name.

    Raises:
        ConfigError: there is none, or it cannot be imported.
    """
    place = f"{settings.where(f'tools.{name}.module')}: {name}.module"
    if own := f"{PACKAGE}.{module}" if is_own(module) else find_own_tools(module):
        return load(own, place)
    try:
        found = load_module(module)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from error
    if found is None:
        dotted = "." in module and MODULE.fullmatch(module)
        raise ConfigError(f"{place}: there is no {f'Python package {module!r}' if dotted else file_of(module)}")
    return found


def is_own(module: str) -> bool:
    """Whether it is one of workers/tools."""
    found = re.fullmatch(r"[a-z][a-z0-9_]*", module)
    return found is not None and importlib.util.find_spec(f"{PACKAGE}.{module}") is not None


def file_of(module: str) -> str:
    """Where a module of workers/tools stands."""
    return f"workers/tools/{module}.py"


def find_build(settings: Settings, name: str, found: ModuleType, entry: ToolEntry) -> Build:
    """The function of a module that builds a tool: ``build_NAME`` in a family, else ``build``.

    Raises:
        ConfigError: there is no such function, or the entry names tools of a server.
    """
    place = f"{settings.where(f'tools.{name}.module')}: {name}.module"
    shown = file_of(entry.module) if is_own(entry.module) else entry.module
    if entry.tools or entry.writes:
        raise ConfigError(f"{place}: {shown} makes one tool; tools and writes go with module: mcp")
    build = getattr(found, f"build_{name}", None) or getattr(found, "build", None)
    if not callable(build):
        raise ConfigError(f"{place}: {shown} has no build(options, resources)")
    return build  # type: ignore[no-any-return]


def load(path: str, place: str) -> ModuleType:
    """Import a module. Raises: ConfigError: a package that it needs is not installed."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        raise ConfigError(f"{place}: {path.replace('.', '/')}.py needs the package {error.name!r}") from error
