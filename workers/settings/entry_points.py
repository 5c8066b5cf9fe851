"""Entry points of the groups ``oracle.…`` that installed packages have, and the modules that they name."""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from importlib.metadata import EntryPoint, distributions
from types import ModuleType

from workers.errors import ConfigError

MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
GROUPS = "oracle."
MARK = f"[{GROUPS}"
"""In a file of entry points; others are not parsed, as that takes some 50 ms for two hundred packages."""


@lru_cache(maxsize=8)
def find_points(path: tuple[str, ...]) -> tuple[tuple[str, tuple[EntryPoint, ...]], ...]:
    """Packages in the folders of a path, by name and version, with their entry points; of one name the first.

    None of them is imported.
    """
    found: dict[str, tuple[str, tuple[EntryPoint, ...]]] = {}
    for package in distributions(path=list(path)):
        if MARK in (package.read_text("entry_points.txt") or "") and package.name not in found:
            points = tuple(point for point in package.entry_points if point.group.startswith(GROUPS))
            found[package.name] = (f"{package.name} {package.version}", points)
    return tuple(sorted(found.values()))


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
