"""Which of several definitions with one name a use most likely means."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePosixPath

from workers.language.tokens import joined
from workers.sources.code.class_lineage import Lineage
from workers.sources.code.definition_lookup import DefinitionPlace
from workers.sources.code.import_statements import NAMED, SAME_PACKAGE, Imports, Module, leads_to
from workers.sources.code.node_roles import Role
from workers.sources.code.syntax_occurrences import Occurrence
from workers.sources.code.syntax_tree import Definition
from workers.sources.code.variable_types import BUILTIN, VariableTypes

OWN = frozenset({"self", "this", "cls", "super", "super()", "Self", "base", "parent", "static", "@"})
ABOVE = frozenset({"super", "super()", "base", "parent"})
IMPLICIT = frozenset({"java", "kotlin", "csharp", "ruby", "cpp", "swift", "scala", "php", "groovy", "dart"})
"""Languages in which a method is called inside its class without anything before it."""
HELD = frozenset({"method", "constant"})
LITERAL = re.compile(r"[rbfu]{0,2}[\"'`]|[\[{]")
EVERYDAY = re.compile(r"[a-z]+")


class Certainty(IntEnum):
    """How sure it is that a use means a definition."""

    NONE = 0
    POSSIBLE = 1
    LIKELY = 2
    SURE = 3


@dataclass(frozen=True)
class UsingFile:
    """The file of a use: its lines, imports and definitions."""

    path: str
    language: str
    lines: Sequence[str]
    imports: Imports
    definitions: Sequence[Definition]
    types: VariableTypes
    lineage: Lineage


def meant_by(
    use: Occurrence, file: UsingFile, places: Sequence[DefinitionPlace]
) -> tuple[Certainty, list[DefinitionPlace]]:
    """The definitions that a use may mean, all equally sure; none when it means something else."""
    graded = [(grade(use, file, place, places), place) for place in places]
    best = max((g for g, _ in graded), default=Certainty.NONE)
    meant = [place for g, place in graded if g == best] if best else []
    if use.role is Role.MEMBER and best >= Certainty.LIKELY and len(meant) > 1:
        near = [reach(use, file, place) for place in meant]
        meant = [place for place, n in zip(meant, near, strict=True) if n == max(near)]
    return best, meant


def reach(use: Occurrence, file: UsingFile, place: DefinitionPlace) -> int:
    """How surely the class of a definition is the one that its name means in a file: 0 nothing says so, 4 it is."""
    if place.path == file.path:
        return 4
    names = file.imports.names
    said = {place.owner, last_name(use.receiver)} | file.types.of(last_name(use.receiver), use.scope)
    found = [leads_to(names[name], place.path, file.language, place.container) for name in said & names.keys()]
    together = PurePosixPath(place.path).parent == PurePosixPath(file.path).parent
    return max([*found, int(file.language in SAME_PACKAGE and together)])


def grade(use: Occurrence, file: UsingFile, place: DefinitionPlace, places: Sequence[DefinitionPlace]) -> Certainty:
    """How surely a use means one definition."""
    if use.role is Role.MEMBER:
        return member(use, file, place, places)
    if place.container and place.kind == "method" and use.role is not Role.IMPORT and file.language not in IMPLICIT:
        return Certainty.NONE
    if place.container and place.kind in HELD and place.path == file.path:
        return inside(use, file, place)
    found = file.imports.names.get(place.name)
    if found is not None and (use.role is Role.IMPORT or place.path != file.path):
        return imported(found, file, place)
    if use.role is Role.IMPORT:
        return through_import(file, place)
    return plain(file, place, places)


def through_import(file: UsingFile, place: DefinitionPlace) -> Certainty:
    """A name in an import under which it is not known afterwards: ``from m import name as other``."""
    members = [m for m in file.imports.names.values() if m.member == place.name]
    return max((imported(m, file, place) for m in members), default=Certainty.NONE)


def inside(use: Occurrence, file: UsingFile, place: DefinitionPlace) -> Certainty:
    """Something of a class, used in its file without a receiver."""
    if file.language in IMPLICIT or place.kind == "constant":
        return Certainty.SURE if class_at(file, use.line) == place.owner else Certainty.POSSIBLE
    return Certainty.NONE


def imported(module: Module, file: UsingFile, place: DefinitionPlace) -> Certainty:
    """A name that is imported."""
    if module.member not in {"", "default", place.name}:
        return Certainty.NONE
    found = leads_to(module, place.path, file.language, place.container)
    if not found and not module.member:  # ``import a.b``: the name is the module itself
        found = leads_to(Module(module.parts[:-1], module.rooted), place.path, file.language)
    return Certainty.SURE if found == 4 else Certainty.LIKELY if found else Certainty.NONE


def plain(file: UsingFile, place: DefinitionPlace, places: Sequence[DefinitionPlace]) -> Certainty:
    """A name without receiver and import."""
    if place.path == file.path:
        return Certainty.SURE
    if any(p.path == file.path and not p.container for p in places):
        return Certainty.NONE
    together = PurePosixPath(place.path).parent == PurePosixPath(file.path).parent
    if file.language in SAME_PACKAGE and together:
        return Certainty.SURE if not place.container else Certainty.POSSIBLE
    if any(leads_to(m, place.path, file.language, place.container) for m in file.imports.wild):
        return Certainty.LIKELY
    if file.language in NAMED:
        return Certainty.NONE
    return Certainty.LIKELY if len({p.path for p in places}) == 1 or together else Certainty.POSSIBLE


def member(use: Occurrence, file: UsingFile, place: DefinitionPlace, places: Sequence[DefinitionPlace]) -> Certainty:
    """A name behind a receiver."""
    receiver = use.receiver.removesuffix("?").removesuffix("!")
    if not place.container:
        return of_module(receiver, file, place)
    last = last_name(receiver)
    if receiver in OWN:
        return of_own_class(use, file, place, places)
    types = file.types.of(last, use.scope) | {last}
    if place.owner in types:
        return Certainty.SURE
    owners = {p.owner for p in places}
    if LITERAL.match(receiver) or types & BUILTIN or types & owners:
        return Certainty.NONE
    nearest = [first_of(file.lineage.of(one), owners) for one in sorted(types) if one[:1].isupper()]
    if any(nearest):
        return Certainty.SURE if place.owner in nearest else Certainty.NONE
    if receiver in file.imports.names and not receiver[:1].isupper():
        return Certainty.NONE  # of a module, and not of an object
    name, owner = joined(last), joined(place.owner)
    if len(name) >= 4 and (owner.endswith(name) or name.endswith(owner)):
        return Certainty.LIKELY
    alone = len({(p.path, p.container) for p in places}) == 1
    return Certainty.LIKELY if alone and not EVERYDAY.fullmatch(place.name) else Certainty.POSSIBLE


def of_module(receiver: str, file: UsingFile, place: DefinitionPlace) -> Certainty:
    """A thing at the top of a module, behind the module's name."""
    module = file.imports.names.get(receiver) or file.imports.names.get(re.split(r"\.|::", receiver)[0])
    parts = tuple(p for p in re.split(r"\.|::|\\", receiver) if p not in {"crate", "self", "super", ""})
    if module is not None:
        whole = (*module.parts, *filter(None, [module.member]))
        found = leads_to(Module(whole, module.rooted), place.path, file.language)
        if not found and module.member in {"", "default"}:
            found = leads_to(Module(module.parts, module.rooted), place.path, file.language)
        return Certainty.SURE if found == 4 else Certainty.LIKELY if found else Certainty.NONE
    if file.language in NAMED - {"rust"} or not parts:
        return Certainty.NONE
    return Certainty.LIKELY if leads_to(Module(parts), place.path, file.language) else Certainty.NONE


def of_own_class(
    use: Occurrence, file: UsingFile, place: DefinitionPlace, places: Sequence[DefinitionPlace]
) -> Certainty:
    """Behind ``self`` or ``super``: of the nearest class that has it, from the one around the use upwards."""
    here = class_at(file, use.line)
    line = file.lineage.of(here)[use.receiver in ABOVE :] if here else ()
    first = first_of(line, {p.owner for p in places})
    if first:
        return Certainty.SURE if place.owner == first else Certainty.NONE
    return Certainty.POSSIBLE


def first_of(names: Sequence[str], wanted: Set[str]) -> str:
    """The first name that is wanted; empty when none is."""
    return next((name for name in names if name in wanted), "")


def class_at(file: UsingFile, line: int) -> str:
    """The innermost class around a line, or the receiver of the method there; empty when there is none."""
    around = [d for d in file.definitions if d.start <= line <= d.end]
    inner = [d for d in around if d.kind in {"class", "type"}]
    return min(inner, key=lambda d: d.end - d.start).name if inner else ""


def last_name(receiver: str) -> str:
    """``self._client`` -> ``_client``, ``Client(a).b()`` -> ``b``."""
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>|[?!*&@()]|\b(?:new|await) ", "", receiver[-300:])
    return re.split(r"\.|::|->", bare)[-1].strip()
