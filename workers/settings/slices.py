"""Families of this project that are slices: what only they use lies in the folder of their agent.

Their sections of ``oracle.yaml`` are read without the rest of them, which few processes need.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pydantic import Field, create_model

from workers.settings.discovery import FOLDER, PACKAGE, load_alone
from workers.settings.schema import Core, Section, Tree

SECTIONS = "sections"
"""The file of a family with a mapping ``SECTIONS``: key of ``oracle.yaml`` -> the type of its value."""


@cache
def own_sections() -> dict[str, Any]:
    """Each key of ``oracle.yaml`` that a slice brings, and the type of its value."""
    return {
        key: kind
        for file in sorted(FOLDER.glob(f"*/{SECTIONS}.py"))
        for key, kind in load_alone(f"{PACKAGE}.{file.parent.name}.{SECTIONS}", file).SECTIONS.items()
    }


@cache
def sections_model() -> type[Section]:
    """All of them as one section; a key that is not there has its default."""
    return create_model("Sections", __base__=Section, **own_fields())


@cache
def known_keys() -> type[Tree]:
    """All files with the sections where people write them, to tell in a mistake which keys there are."""
    core: Any = create_model("Core", __base__=Core, **own_fields())
    return create_model("Tree", __base__=Tree, oracle=(core, Field(default_factory=core)))


def own_fields() -> dict[str, Any]:
    """The fields of a model that has the sections."""
    return {key: (kind, Field(default_factory=kind)) for key, kind in own_sections().items()}


def find_own_tools(module: str) -> str:
    """The whole name of a module of tools in a slice; empty when none has one of that name."""
    named = re.fullmatch(r"[a-z][a-z0-9_]*", module)
    found = next(iter(sorted(FOLDER.glob(f"*/tools/{module}.py"))), None) if named else None
    return f"{PACKAGE}.{found.parents[1].name}.tools.{module}" if found else ""
