"""Files and folders that the configuration names, and those of them that do not exist."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workers.settings.load import Settings
from workers.settings.schema import NAMES_PATHS, DocumentSource, Section
from workers.settings.section_models import sections_model

PATHS = frozenset(
    "path paths files samples ca_file cert_file key_file bearer_token_file".split(),
)
"""Keys that hold a path, or several, in any section; others say so by `NAMES_PATHS`."""


def missing_paths(settings: Settings) -> dict[str, str]:
    """Each configured path that does not exist -> a sentence with file, line and key."""
    found: dict[str, str] = {}
    sections, own = (("", settings.core), *settings.tree.sections.items()), sections_model().model_fields
    named = {name for name, field in own.items() if NAMES_PATHS in field.metadata}
    for key, path in (pair for name, section in sections for pair in named_paths(section, name, name in named)):
        whole = Path(path).expanduser()
        if whole.exists() or glob.glob(str(whole), recursive=True):  # noqa: PTH207 - the pattern may be absolute
            continue
        looked = "" if whole.is_absolute() else f" in {Path.cwd()}"
        place = settings.where(f"oracle.{key}")
        found.setdefault(path, f"{place}: {key}: {path} does not exist{looked}: correct the path, or take it out")
    return found


def named_paths(value: Any, key: str, named: bool) -> Iterator[tuple[str, str]]:
    """Dotted key and path, of a section and all below it, but for what is made when it is written.

    ``named``: texts here are paths.
    """
    if isinstance(value, Section) and value.MADE:
        return
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            if not (name == "path" and isinstance(value, DocumentSource) and value.repository):
                here = name in PATHS or NAMES_PATHS in field.metadata
                yield from named_paths(getattr(value, name), f"{key}.{name}".lstrip("."), here)
    elif isinstance(value, tuple):
        for i, one in enumerate(value):
            yield from named_paths(one, f"{key}.{i}", named)
    elif isinstance(value, str) and value and named:
        yield key, value


def tells_of(line: str, missing: Mapping[str, str]) -> bool:
    """Whether a line is about a path that is known not to exist."""
    return any(path in line or str(Path(path).expanduser().resolve()) in line for path in missing)
