"""Which entities an argument means: ids and names between commas, or all of an area, a floor or a kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workers.contracts import EntityInfo
from workers.errors import ToolArgumentError
from workers.language.nearest_names import ranked_names

NEAR = 5


def find_entities(known: Mapping[str, EntityInfo], named: str) -> list[EntityInfo]:
    """The entities of a list of ids or names.

    Raises:
        ToolArgumentError: one is not there, with the nearest; or one name stands for several, with their ids.
    """
    found: dict[str, EntityInfo] = {}
    for name in filter(None, (part.strip() for part in named.split(","))):
        meant = (
            [known[name]]
            if name in known
            else [e for e in known.values() if name.lower() in {n.lower() for n in (e.name, *e.aliases)}]
        )
        if not meant:
            near = ranked_names(name, (n for e in known.values() for n in (e.name, e.id)), NEAR)
            raise ToolArgumentError(f"nothing in the home that Assist may see is called {name!r}", near)
        if len(meant) > 1:
            ids = tuple(e.id for e in meant)
            raise ToolArgumentError(f"{name!r} stands for several: {', '.join(ids)}; give the id", ids)
        found[meant[0].id] = meant[0]
    return list(found.values())


def narrow(entities: Iterable[EntityInfo], **wanted: str) -> list[EntityInfo]:
    """Those with all of these: ``area``, ``floor``, ``domain``, ``device_class``; an empty one is any.

    Raises:
        ToolArgumentError: no entity has such a value at all.
    """
    kept = list(entities)
    for key, value in wanted.items():
        if not value:
            continue
        there = {str(getattr(e, key)) for e in kept} - {""}
        fitting = [e for e in kept if value.lower() in {v.lower() for v in values_of(e, key)}]
        if not fitting:
            raise ToolArgumentError(
                f"nothing has the {key.replace('_', ' ')} {value!r}", ranked_names(value, sorted(there), NEAR)
            )
        kept = fitting
    return kept


def values_of(entity: EntityInfo, key: str) -> tuple[str, ...]:
    """A field of an entity, with its other names."""
    return (str(getattr(entity, key)), *getattr(entity, f"{key}_aliases", ()))
