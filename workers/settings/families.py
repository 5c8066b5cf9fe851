"""What a family brings to the configuration: sections of ``oracle.yaml``, in a file beside its agent.

It is read without the rest of the family, which few processes need.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workers.errors import ConfigError
from workers.settings.schema import Core

PACKAGE = "workers.agents"
SECTIONS = "sections"
"""The file of a family with a mapping ``SECTIONS``: key of ``oracle.yaml`` -> the type of its value."""


def find_package(module: str) -> Path | None:
    """The folder of a Python package, which is not imported for that; None: there is no such package."""
    try:
        found = importlib.util.find_spec(module) if re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", module) else None
    except (ImportError, ValueError):
        return None
    places = (found.submodule_search_locations or ()) if found else ()
    return next(map(Path, places), None)


def find_families(modules: Iterable[str]) -> dict[str, Path]:
    """The package of each family and its folder: those of ``workers/agents``, then those that agents name."""
    home = find_package(PACKAGE)
    shipped = sorted(f.parent.name for f in home.glob("*/__init__.py")) if home else []
    names = dict.fromkeys((*(f"{PACKAGE}.{name}" for name in shipped), *modules))
    return {name: folder for name in names if (folder := find_package(name))}


def take_sections(oracle: dict[str, Any], families: Mapping[str, Path]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The families' sections by their keys, which are taken out of what ``oracle.yaml`` holds; a section that is not
    there has its defaults. Also what is wrong with them, as pydantic's errors.
    """
    found: dict[str, Any] = {}
    wrong: list[dict[str, Any]] = []
    for key, kind in list_sections(families):
        if key in found or key in Core.model_fields:
            wrong.append({"loc": ("oracle", key), "type": "taken", "msg": "two families have a section of this name"})
            continue
        try:
            found[key] = read_by(kind).validate_python(oracle.pop(key)) if key in oracle else kind()
        except ValidationError as error:
            wrong += [{**e, "loc": ("oracle", key, *e["loc"])} for e in error.errors(include_url=False)]
    return found, wrong


@cache
def read_by(kind: Any) -> TypeAdapter[Any]:
    """What reads a value of a type; it is costly to build."""
    return TypeAdapter(kind)


def list_sections(families: Mapping[str, Path]) -> Iterator[tuple[str, Any]]:
    """Each key of ``oracle.yaml`` that a family brings, and the type of its value."""
    for name, folder in families.items():
        if (folder / f"{SECTIONS}.py").is_file():
            yield from getattr(load_alone(f"{name}.{SECTIONS}", folder / f"{SECTIONS}.py"), "SECTIONS", {}).items()


def load_alone(name: str, file: Path) -> ModuleType:
    """A module by its name, without the package that it lies in; whoever imports it later gets the same one.

    Raises:
        ConfigError: it cannot be imported.
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{file} cannot be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError) as error:
        del sys.modules[name]
        raise ConfigError(f"{file} cannot be imported ({error})") from error
    return module
