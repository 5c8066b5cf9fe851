"""Kinds of sources as a policy names them: which there are in a configuration, and settings without some of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from workers.settings.load import Settings
from workers.settings.schema import Section


def as_it_is(settings: Settings) -> Settings:
    """What opens the source asks `Settings.shows` itself."""
    return settings


@dataclass(frozen=True)
class SourceKind:
    """One kind. ``names``: of its sources, connected ones at least; ``narrow``: settings whose ``shown`` is set ->
    settings in which a source of this kind that is not shown is not connected.
    """

    names: Callable[[Settings], tuple[str, ...]]
    narrow: Callable[[Settings], Settings] = as_it_is


def without_section(settings: Settings, key: str) -> Settings:
    """Settings in which a family's section says nothing."""
    sections = settings.tree.sections
    if key not in sections:
        return settings
    found = sections[key]
    empty = type(found)() if isinstance(found, Section | tuple | str) else found
    return with_section(settings, key, empty)


def with_section(settings: Settings, key: str, value: object) -> Settings:
    """Settings with another section of a family."""
    tree = settings.tree
    return replace(settings, tree=tree.model_copy(update={"sections": {**tree.sections, key: value}}))
