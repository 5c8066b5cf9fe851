"""The entities that a request means. Floors narrow before areas, areas before kinds, kinds before names.

Several things of one name are a question back, and words that fit nothing are never passed over when something is to
be changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.home.language.phrases import bases_of
from workers.agents.home.language.request import Found, HomeRequest, Target
from workers.agents.home.language.vocabulary import ACTION_DOMAINS, MEASURED, STATE_KINDS, SWITCHED, kinds_of
from workers.contracts import EntityInfo


def find_targets(request: HomeRequest, entities: Sequence[EntityInfo], chosen: str = "") -> Found:
    """What is meant.

    Args:
        request: what is asked.
        entities: of the home.
        chosen: the entity that somebody chose when several fitted.
    """
    changes = request.kind == "change"
    allowed = kinds_for(request)
    ids: dict[str, None] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    for target in request.targets:
        one = find_one(target, entities, allowed, single=changes or request.kind == "since", asks=changes)
        for name, candidates in one.ambiguous.items():
            picked = [c for c in candidates if c == chosen]
            ids.update(dict.fromkeys(picked))
            if not picked:
                ambiguous[name] = candidates
        ids.update(dict.fromkeys(one.ids))
        unknown.extend(one.unknown)
    for target in request.excepted:
        left_out = left_out_by(target, entities)
        for gone in left_out.ids:
            ids.pop(gone, None)
        unknown.extend(left_out.unknown)
    return Found(tuple(ids), ambiguous, tuple(dict.fromkeys(unknown)))


def left_out_by(target: Target, entities: Sequence[EntityInfo]) -> Found:
    """What a part of a sentence leaves out: of a place all that is there."""
    if target.names or target.nouns or target.words:
        return find_one(target, entities, frozenset(), single=False)
    return Found(tuple(e.id for e in entities if (target.areas or target.floors) and placed(e, target)))


def kinds_for(request: HomeRequest) -> frozenset[str]:
    """Kinds of entities that can be what is asked; empty: any."""
    if request.kind == "change":
        return ACTION_DOMAINS.get(request.action, frozenset())
    return STATE_KINDS.get(request.state, frozenset())


def find_one(
    target: Target, entities: Sequence[EntityInfo], allowed: frozenset[str], *, single: bool, asks: bool = False
) -> Found:
    """The entities of one part of a sentence.

    Args:
        target: the part.
        entities: of the home.
        allowed: kinds of entities that can be meant; empty: any.
        single: whether a name that fits several things has to be asked back.
        asks: whether a kind that fits several things has to be, where one is meant.
    """
    here = [e for e in entities if placed(e, target)]
    if target.names:
        return by_name(target, here, entities, allowed, single=single)
    able = [e for e in here if able_to(e, allowed)]
    if target.nouns:
        alike = of_kinds(here, target.nouns)
        able = [e for e in alike if able_to(e, allowed)] or ([] if single else alike)
        if not single and MEASURED.intersection(target.nouns):
            able = of_rooms(target, [e for e in able if e.domain == "sensor"] or able)
        if (
            not target.words
            and asks
            and target.one
            and not target.whole
            and len(able) > 1
            and not (target.areas or target.floors)
        ):
            said = target.nouns[0]
            called = [e for e in able if set(bases_of(said)) <= set(bases_of(e.name))]
            return Found(ambiguous={said: tuple(e.id for e in called)}) if len(called) > 1 else found_in(called or able)
        if not target.words:
            lacks = " in ".join(filter(None, (target.nouns[0], " and ".join((*target.areas, *target.floors)))))
            return Found(tuple(e.id for e in able), unknown=() if able else (lacks,))
    if target.words:
        return by_words(target, able, single=single)
    if target.whole or not allowed:
        able = [e for e in able if e.domain in SWITCHED or (allowed and not allowed & SWITCHED)]
    places = (*target.areas, *target.floors)
    return Found(tuple(e.id for e in able), unknown=() if able else places)


def found_in(entities: Sequence[EntityInfo]) -> Found:
    """Those; of several, one is meant."""
    ids = tuple(e.id for e in entities)
    return Found(ids) if len(ids) == 1 else Found(ambiguous={"that": ids})


def of_rooms(target: Target, sensors: list[EntityInfo]) -> list[EntityInfo]:
    """Sensors of rooms: where one is named after its room, not those of things in it; of rooms, none outside."""
    if not (target.areas or target.floors or target.rooms):
        return sensors
    after = {e.id for e in sensors if set(bases_of(e.area)[:1]) & set(bases_of(e.name))}
    own = {e.area for e in sensors if e.id in after}
    kept = [e for e in sensors if e.id in after or e.area not in own]
    floors = any(e.floor for e in kept)
    return [e for e in kept if e.area and (e.floor or not floors)] if target.rooms else kept


def able_to(entity: EntityInfo, allowed: frozenset[str]) -> bool:
    """Whether an entity is of one of the kinds; of any when there are none."""
    return not allowed or any(fits(entity, kind) for kind in allowed)


def placed(entity: EntityInfo, target: Target) -> bool:
    """Whether an entity is where a target is."""
    if not target.areas and not target.floors:
        return True
    return entity.area in target.areas or (bool(target.floors) and entity.floor in target.floors and not target.areas)


def of_kinds(entities: Sequence[EntityInfo], nouns: Sequence[str]) -> list[EntityInfo]:
    """What all nouns stand for together ("smoke sensors"); where nothing is, what any of them does."""
    fitting = [{e.id for e in entities if any(fits(e, kind) for kind in kinds_of(noun))} for noun in nouns]
    ids = set.intersection(*fitting) or set.union(*fitting)
    return [e for e in entities if e.id in ids]


def fits(entity: EntityInfo, kind: str) -> bool:
    """Whether an entity is of a kind: a domain, or a domain and a device class."""
    domain, _, device_class = kind.partition(".")
    if device_class.startswith("-"):
        return domain == entity.domain and device_class[1:] != entity.device_class
    return domain in {"*", entity.domain} and device_class in {"", entity.device_class}


def by_name(
    target: Target,
    here: Sequence[EntityInfo],
    entities: Sequence[EntityInfo],
    allowed: frozenset[str],
    *,
    single: bool,
) -> Found:
    """Entities that are called by name: in the place that is named, and able to do what is asked, where some are."""
    ids: list[str] = []
    ambiguous: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    for name, called in target.names:
        meant = [e for e in here if e.id in called]
        if not meant:
            others = [e for e in entities if e.id in called]
            unknown.append(f"{name} in {' and '.join((*target.areas, *target.floors))}" if others else name)
            continue
        able = [e for e in meant if able_to(e, allowed)] or parts_of(meant, here, allowed) or meant
        if single and len(able) > 1 and not target.whole:
            ambiguous[name] = tuple(e.id for e in able)
        else:
            ids.extend(e.id for e in able)
    if target.words:
        unknown.extend(words_outside(target, [e for e in entities if e.id in ids or not ids]))
    return Found(tuple(ids), ambiguous, tuple(unknown))


def parts_of(meant: Sequence[EntityInfo], here: Sequence[EntityInfo], allowed: frozenset[str]) -> list[EntityInfo]:
    """What stands for a thing in some respect: the contact of a door that is a lock says whether it is open."""
    names = [set(bases_of(e.name)) for e in meant]
    senses = [e for e in here if allowed and e.domain == "binary_sensor" and able_to(e, allowed)]
    return [e for e in senses if any(name < set(bases_of(e.name)) for name in names)]


def words_outside(target: Target, meant: Sequence[EntityInfo]) -> list[str]:
    """Words of a target that no name of what is meant holds."""
    known = {s for e in meant for name in (e.name, *e.aliases) for s in bases_of(name)}
    return [word for word in target.words if not set(bases_of(word)) <= known]


def by_words(target: Target, able: Sequence[EntityInfo], *, single: bool) -> Found:
    """Entities whose names hold all words of a target that are in no whole name."""
    wanted = {s for word in target.words for s in bases_of(word)}
    meant = [e for e in able if any(wanted <= set(bases_of(name)) for name in (e.name, *e.aliases))]
    phrase = " ".join((*target.words, *target.nouns))
    if not meant:
        return Found(unknown=(phrase,))
    if single and len(meant) > 1 and not target.whole:
        return Found(ambiguous={phrase: tuple(e.id for e in meant)})
    return Found(tuple(e.id for e in meant))
