"""Where families are found: folders of this project, and entry points of installed packages. No model is loaded."""

from __future__ import annotations

import importlib.util
import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType

PACKAGE = "workers.agents"
FOLDER = Path(__file__).resolve().parents[1] / "agents"
SETTINGS = "settings"
CONTRIBUTED = ("commands", "tasks", "tables", "routes", "panels")
"""What `workers.settings.contributions` finds: imported when it is used, not read with the configuration."""
GROUPS = {f"oracle.{kind}": kind for kind in ("agents", "tools", SETTINGS, *CONTRIBUTED)}
MARK = "[oracle."
"""In a file of entry points; others are not parsed, as that takes some 50 ms for two hundred packages."""


@lru_cache(maxsize=8)
def find_points(path: tuple[str, ...]) -> tuple[tuple[str, tuple[EntryPoint, ...]], ...]:
    """Packages in the folders of a path, by name and version, with their entry points; of one name the first."""
    found: dict[str, tuple[str, tuple[EntryPoint, ...]]] = {}
    for package in distributions(path=list(path)):
        if MARK in (package.read_text("entry_points.txt") or "") and package.name not in found:
            points = tuple(point for point in package.entry_points if point.group in GROUPS)
            found[package.name] = (f"{package.name} {package.version}", points)
    return tuple(sorted(found[name] for name in found if found[name][1]))


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
