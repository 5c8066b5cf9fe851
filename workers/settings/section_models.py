"""The sections of ``oracle.yaml`` that slices bring, as models."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import Field, create_model

from workers.settings.schema import Core, Section, Tree
from workers.settings.slices import own_sections


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
