"""Families of this project that are slices: what only they use lies in the folder of their agent.

Their sections of ``oracle.yaml`` are read without the rest of them, which few processes need. `oracle --help` looks for
slices too: what checks the configuration is not imported here.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "workers.agents"
FOLDER = Path(__file__).resolve().parents[1] / "agents"
SECTIONS = "sections"
"""The file of a family with a mapping ``SECTIONS``: key of ``oracle.yaml`` -> the type of its value."""
SOURCES = "SOURCES"
"""Another mapping in it: kind of sources, as a policy names it -> `workers.settings.source_kinds.SourceKind`."""


@cache
def own_sections() -> dict[str, Any]:
    """Each key of ``oracle.yaml`` that a slice brings, and the type of its value."""
    return {key: kind for module in section_modules() for key, kind in module.SECTIONS.items()}


@cache
def own_source_kinds() -> dict[str, Any]:
    """Each kind of sources that a slice brings, as `workers.settings.source_kinds.SourceKind`."""
    return {kind: found for module in section_modules() for kind, found in getattr(module, SOURCES, {}).items()}


def section_modules() -> list[ModuleType]:
    """The module of sections of each slice, without the rest of it."""
    files = sorted(FOLDER.glob(f"*/{SECTIONS}.py"))
    return [load_alone(f"{PACKAGE}.{file.parent.name}.{SECTIONS}", file) for file in files]


def find_own_tools(module: str) -> str:
    """The whole name of a module of tools in a slice; empty when none has one of that name."""
    named = re.fullmatch(r"[a-z][a-z0-9_]*", module)
    found = next(iter(sorted(FOLDER.glob(f"*/tools/{module}.py"))), None) if named else None
    return f"{PACKAGE}.{found.parents[1].name}.tools.{module}" if found else ""


def load_alone(name: str, file: Path) -> ModuleType:
    """A module by its name, without the package that it lies in; whoever imports it later gets the same one."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
