"""Files and folders that the configuration names, and those of them that do not exist."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workers.settings.load import Settings
from workers.settings.schema import DocumentSource, Section

PATHS = frozenset(
    "path paths files eve samples bundle ca_file cert_file key_file bearer_token_file".split(),
)
"""Keys that hold a path, or several."""


def missing_paths(settings: Settings) -> dict[str, str]:
    """Each configured path that does not exist -> a sentence with file, line and key."""
    found: dict[str, str] = {}
    sections = (("", settings.core), *settings.tree.sections.items())
    for key, path in (pair for name, section in sections for pair in named_paths(section, name)):
        whole = Path(path).expanduser()
        if whole.exists() or glob.glob(str(whole), recursive=True):  # noqa: PTH207 - the pattern may be absolute
            continue
        looked = "" if whole.is_absolute() else f" in {Path.cwd()}"
        place = settings.where(f"oracle.{key}")
        found.setdefault(path, f"{place}: {key}: {path} does not exist{looked}: correct the path, or take it out")
    return found


def named_paths(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Dotted key and path, of a section and all below it, but for what is made when it is written."""
    if isinstance(value, Section) and value.MADE:
        return
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if not (name == "path" and isinstance(value, DocumentSource) and value.repository):
                yield from named_paths(getattr(value, name), f"{key}.{name}".lstrip("."))
    elif isinstance(value, tuple):
        for i, one in enumerate(value):
            yield from named_paths(one, f"{key}.{i}")
    elif isinstance(value, str) and value and PATHS & set(key.split(".")[-2:]):
        yield key, value


def tells_of(line: str, missing: Mapping[str, str]) -> bool:
    """Whether a line is about a path that is known not to exist."""
    return any(path in line or str(Path(path).expanduser().resolve()) in line for path in missing)
