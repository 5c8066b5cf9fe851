"""Who is asked about devices, virtual machines and sites: their tenant, and the contacts that are assigned to them."""

from __future__ import annotations

from dataclasses import replace

from workers.agents.network.source.netbox.client import NetboxClient, Params
from workers.agents.network.source.netbox.identity import TYPES, records
from workers.agents.network.source.netbox.listing import FILTERS, Listing, Wanted, list_objects
from workers.agents.network.source.netbox.record import KINDS, Record, number_at

OWNED = ("device", "virtual_machine", "site")


def list_owned(client: NetboxClient, wanted: Wanted, most: int) -> Listing:
    """Objects that pass, each with its ``contacts``, an owner before others. Raises: as `list_objects`."""
    given = wanted.given
    found = Listing((), 0, f"{client.address}/tenancy/contacts/")
    kinds = [kind for kind in OWNED if given <= FILTERS[kind]]
    if given - {"words"} == {"site"}:
        kinds, wanted = ["site"], replace(wanted, site="", name=wanted.site)
    for kind in kinds:
        if found.records and (kind == "site" or wanted.name):
            break
        some = list_objects(client, replace(wanted, kind=kind), most)
        both = (*found.records, *some.records)
        found = some if some.unknown else replace(some, records=both, count=found.count + some.count)
        if some.unknown:
            break
    return replace(found, records=tuple(with_contacts(client, list(found.records))))


def with_contacts(client: NetboxClient, owned: list[Record]) -> list[Record]:
    """Objects with the contacts that are assigned to them, and how those are reached."""
    told: list[Record] = []
    for kind in dict.fromkeys(record.kind for record in owned):
        some = [record for record in owned if record.kind == kind]
        of_them: Params = {"object_type": TYPES[kind], "object_id": tuple(record.id for record in some)}
        raw = client.list(KINDS["assignment"].path, of_them).objects
        ids = tuple({number_at(one, "contact") for one in raw})
        people = (
            {p.id: p for p in records(client, "contact", client.list(KINDS["contact"].path, {"id": ids}))}
            if ids
            else {}
        )
        for record in some:
            mine = sorted((one for one in raw if one.get("object_id") == record.id), key=rank)
            names = [person_words(people.get(number_at(one, "contact")), one) for one in mine]
            told.append(replace(record, facts={**record.facts, **({"contacts": "; ".join(names)} if names else {})}))
    return told


def rank(assignment: dict[str, object]) -> tuple[bool, bool]:
    """Owners come first, then those of the first priority."""
    role, priority = (str(assignment.get(key)).lower() for key in ("role", "priority"))
    return "owner" not in role, "primary" not in priority


def person_words(person: Record | None, assignment: dict[str, object]) -> str:
    """``Ann Lee (Owner, +49 30 1234, ann@example.org)``."""
    role = assignment.get("role")
    what = str(role.get("display") or role.get("name")) if isinstance(role, dict) else ""
    known = person.facts if person else {}
    more = [part for part in (what, known.get("phone", ""), known.get("email", "")) if part]
    name, reach = known.get("name", "somebody"), ", ".join(more)
    return f"{name} ({reach})" if reach else name
