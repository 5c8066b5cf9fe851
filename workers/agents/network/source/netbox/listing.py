"""Lists of NetBox's objects: by name, in a site, in a prefix, with a MAC; and what was changed in a span."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_interface

from workers.agents.network.source.chosen_parts import chosen_and_left, parts_of
from workers.agents.network.source.netbox.client import NetboxClient, Page, Params
from workers.agents.network.source.netbox.identity import TYPES, owner_of, records
from workers.agents.network.source.netbox.record import KINDS, Record, number_at
from workers.errors import ToolArgumentError

Query = dict[str, str | int | tuple[str | int, ...]]
HELD = frozenset({"name", "site", "role", "status", "tenant", "words"})
FILTERS = {
    "address": frozenset({"name", "within", "device", "role", "status", "tenant", "words"}),
    "prefix": HELD | {"within", "vlan"},
    "device": HELD | {"within", "mac", "rack", "vlan"},
    "virtual_machine": HELD,
    "interface": frozenset({"name", "device", "site", "mac", "vlan", "words"}),
    "site": frozenset({"name", "status", "tenant", "words"}),
    "rack": frozenset({"name", "site", "status", "tenant", "words"}),
    "vlan": HELD | {"vlan"},
}
"""What each kind can be asked for by: NetBox ignores a filter that it does not know, and would tell of all objects."""
NAMED_BY = dict.fromkeys(FILTERS, "name") | {"address": "dns_name", "prefix": "q"}
"""The field that an object is named by."""
DIMENSIONS = ("site", "rack", "tenant", "role")
"""Kinds of objects that others are chosen by, by name or slug."""


@dataclass(frozen=True)
class Wanted:
    """Which objects. Empty parts let all through. ``within``: an address or a prefix. ``site``, ``rack``, ``tenant``,
    ``role``, ``status``: names or slugs between commas, any of them; none of those with a ``!``. ``vlan``: its number;
    ``words``: what stands in what is recorded, in any order.
    """

    kind: str
    name: str = ""
    within: str = ""
    site: str = ""
    device: str = ""
    mac: str = ""
    role: str = ""
    status: str = ""
    tenant: str = ""
    rack: str = ""
    vlan: str = ""
    words: str = ""

    @property
    def given(self) -> set[str]:
        """The parts that are not empty, beside the kind."""
        return {part for part, value in vars(self).items() if value and part != "kind"}


@dataclass(frozen=True)
class Listing:
    """``count``: how many there are, ``records`` may be fewer; ``page``: where a person sees them; ``unknown``: a name
    in the question that NetBox has not; ``left``: words that stand in nothing.
    """

    records: tuple[Record, ...]
    count: int
    page: str
    unknown: str = ""
    unknown_kind: str = "site"
    left: tuple[str, ...] = ()


def list_objects(client: NetboxClient, wanted: Wanted, most: int) -> Listing:
    """Objects of one kind. Raises: ToolUnavailable; ToolArgumentError: the kind cannot be asked for by that."""
    path = KINDS[wanted.kind].path
    check_parts(wanted)
    if wanted.kind == "device" and wanted.within:
        return devices_within(client, wanted, most)
    params: Query = {}
    for kind in DIMENSIONS:
        known, unknown = choose(client, kind, getattr(wanted, kind))
        if unknown:
            return Listing((), 0, f"{client.address}/{KINDS[kind].path}/", unknown=unknown, unknown_kind=kind)
        params |= known
    params |= within_params(wanted)
    params |= signed("status", [part.lower() for part in parts_of(wanted.status)])
    if wanted.vlan:
        params |= vlan_params(client, wanted)
    if wanted.device:
        params["device"] = wanted.device
    if wanted.mac:
        params["mac_address"] = wanted.mac
    if wanted.words:
        return holding(client, wanted, params, most)
    if not wanted.name:
        return as_listing(client, wanted.kind, client.list(path, params, most), params)
    if wanted.kind == "vlan" and wanted.name.isdecimal():
        return as_listing(client, wanted.kind, client.list(path, {**params, "vid": wanted.name}, most), params)
    field_name = NAMED_BY[wanted.kind]
    for how in ("ie", "ic"):  # its whole name, else a part of it, in any case
        key = f"{field_name}__{how}" if field_name != "q" else "q"
        named = {**params, key: wanted.name}
        page = client.list(path, named, most)
        if page.count:
            return as_listing(client, wanted.kind, page, named)
    return Listing((), 0, page_of(client, path, params))


def check_parts(wanted: Wanted) -> None:
    """Raises: ToolArgumentError: the kind cannot be asked for by that."""
    given = wanted.given
    odd = given - FILTERS[wanted.kind] or (given - {"within"} if wanted.kind == "device" and wanted.within else set())
    if odd:
        said = ", ".join("address" if part == "within" else part for part in sorted(odd))
        raise ToolArgumentError(f"objects of kind {wanted.kind} cannot be looked for by {said} here; leave it out")


def signed(key: str, parts: list[str]) -> Query:
    """A filter for any of some values, and one for none of those with a ``!``."""
    chosen, left = chosen_and_left(parts)
    found: Query = {key: tuple(chosen)} if chosen else {}
    return {**found, f"{key}__n": tuple(left)} if left else found


def choose(client: NetboxClient, kind: str, said: str) -> tuple[Query, str]:
    """The filter for some sites, racks, tenants or roles; and the first name that NetBox has not."""
    found = list[str]()
    for part in parts_of(said):
        name = part.lstrip("!")
        one = find_one(client, kind, name)
        if one is None:
            return {}, name
        found.append(f"{part[: len(part) - len(name)]}{one.id}")
    return signed(f"{kind}_id", found), ""


def vlan_params(client: NetboxClient, wanted: Wanted) -> Query:
    """How each kind is asked for what is in a VLAN: devices by their interfaces."""
    if wanted.vlan.isdecimal():
        by = {"vlan": "vid", "prefix": "vlan_vid"}.get(wanted.kind, "vlan")
        chosen: Query = {by: wanted.vlan}
    else:
        named = tuple(int(raw["id"]) for raw in client.list(KINDS["vlan"].path, {"name__ie": wanted.vlan}).objects)
        chosen = {"id" if wanted.kind == "vlan" else "vlan_id": named or (0,)}
    if wanted.kind != "device":
        return chosen
    page = client.list(KINDS["interface"].path, chosen)
    return {"id": tuple(sorted({number_at(raw, "device") for raw in page.objects})) or (0,)}


def holding(client: NetboxClient, wanted: Wanted, params: Params, most: int) -> Listing:
    """The objects in whose record some words stand, also with an s at their end; words that stand in none of those
    that are chosen otherwise are ``left``.
    """
    named = {f"{NAMED_BY[wanted.kind]}__ie": wanted.name} if wanted.name else {}
    page = client.list(KINDS[wanted.kind].path, {**params, **named})
    found, left = [(text_of(r), r) for r in records(client, wanted.kind, page)], list[str]()
    for word in wanted.words.lower().split():
        pattern = re.compile(rf"\b{re.escape(word.removesuffix('s'))}s?\b")
        having = [pair for pair in found if pattern.search(pair[0])]
        found, left = having or found, left if having else [*left, word]
    chosen = [record for _, record in found] if params or named or len(left) < len(wanted.words.split()) else []
    place = page_of(client, KINDS[wanted.kind].path, params)
    return Listing(tuple(chosen[:most]), len(chosen), place, left=tuple(left))


def text_of(record: Record) -> str:
    """All that is known of an object, in lower case, and words apart."""
    return re.sub(r"[-_]", " ", " ".join((*record.facts.values(), str(record.raw.get("comments", "")))).lower())


def within_params(wanted: Wanted) -> Query:
    """How each kind is asked for what lies in, or around, an address or a prefix."""
    if not wanted.within:
        return {}
    if wanted.kind == "address":
        return {"parent": wanted.within} if "/" in wanted.within else {"address": wanted.within}
    if wanted.kind == "prefix":
        return {"within_include": wanted.within} if "/" in wanted.within else {"contains": wanted.within}
    return {}


def devices_within(client: NetboxClient, wanted: Wanted, most: int) -> Listing:
    """The devices and virtual machines that have an address in a prefix, each once."""
    path, params = KINDS["address"].path, {"parent": wanted.within}
    page = client.list(path, params)
    owners: dict[tuple[str, int], Record] = {}
    for address in records(client, "address", page):
        kind, number = owner_of(address)
        if number:
            known = {"name": address.facts.get("device", ""), "address": address.facts.get("address", "")}
            place = f"{client.address}/{KINDS[kind].path}/{number}/"
            owners.setdefault((kind, number), Record(kind, number, place, known))
    found = tuple(owners.values())
    return Listing(found[:most], len(found), page_of(client, path, params))


def find_one(client: NetboxClient, kind: str, name: str) -> Record | None:
    """A site, rack, tenant or role by its name or slug, in any case."""
    for how in ("name__ie", "slug") if kind != "rack" else ("name__ie",):
        wanted = name if how != "slug" else name.lower()
        if found := client.list(KINDS[kind].path, {how: wanted}, 1).objects:
            return records(client, kind, Page(found, 1))[0]
    return None


def networks_of(client: NetboxClient, said: str) -> tuple[str, ...]:
    """Addresses or prefixes of what is named.

    Args:
        said: ``own``, all prefixes that are recorded; a device or virtual machine; or conditions that all hold,
            ``site:Denver+role:Camera``, each a kind and a name.

    Raises: ToolArgumentError: NetBox has nothing of this name.
    """
    if said == "own":
        page = client.list(KINDS["prefix"].path)
        return tuple(p for r in records(client, "prefix", page) if (p := r.facts.get("prefix")))
    wanted = dict(part.partition(":")[::2] for part in said.split("+")) if ":" in said else {"name": said}
    if set(wanted) == {"site"}:
        site = find_one(client, "site", wanted["site"])
        return prefixes_of(client, site) if site else nothing_named(said)
    if set(wanted) == {"vlan"}:
        return tuple(
            r.facts["prefix"] for r in list_objects(client, Wanted("prefix", vlan=wanted["vlan"]), 100).records
        )
    found = list[str]()
    for kind in ("device", "virtual_machine"):
        if set(wanted) <= FILTERS[kind]:
            some = list_objects(client, Wanted(kind, **wanted), client.section.most).records
            exact = [r for r in some if r.facts.get("name", "").lower() == wanted.get("name", "").lower()]
            for owner in exact if "name" in wanted else some:
                found += addresses_of(client, owner) if "name" in wanted else [owner.facts.get("primary", "")]
    if not found and "name" in wanted and (named := named_address(client, wanted["name"])):
        found = [named]
    addresses = tuple(dict.fromkeys(a.partition("/")[0] for a in found if a))
    return addresses or nothing_named(said)


def named_address(client: NetboxClient, name: str) -> str:
    """The address that has a DNS name; empty when none has."""
    page = client.list(KINDS["address"].path, {"dns_name__ie": name}, 1)
    return next((r.facts.get("address", "").partition("/")[0] for r in records(client, "address", page)), "")


def nothing_named(said: str) -> tuple[str, ...]:
    """Raises: ToolArgumentError: always."""
    raise ToolArgumentError(f"NetBox has no address of {said.replace('+', ', ').replace(':', ' ')}")


def addresses_of(client: NetboxClient, owner: Record, most: int = 50) -> tuple[str, ...]:
    """The addresses of a device or virtual machine, without their masks."""
    page = client.list(KINDS["address"].path, {f"{owner.kind}_id": owner.id}, most)
    found = (r.facts.get("address", "") for r in records(client, "address", page))
    return tuple(str(ip_interface(a).ip) for a in found if a)


def prefixes_of(client: NetboxClient, site: Record, most: int = 100) -> tuple[str, ...]:
    """The prefixes of a site."""
    page = client.list(KINDS["prefix"].path, {"site_id": site.id}, most)
    return tuple(p for r in records(client, "prefix", page) if (p := r.facts.get("prefix")))


def list_changed(client: NetboxClient, since: datetime, until: datetime, kind: str, number: int, most: int) -> Listing:
    """Changes in a span, newest first; of one object when it is named."""
    params: dict[str, str | int] = {"time_after": since.isoformat(), "time_before": until.isoformat()}
    if kind:
        params["changed_object_type"] = TYPES[kind]
    if number:
        params["changed_object_id"] = number
    page = client.list_changes(params, most)
    return Listing(tuple(records(client, "change", page)), page.count, page_of(client, KINDS["change"].path, params))


def as_listing(client: NetboxClient, kind: str, page: Page, params: Params) -> Listing:
    """A page of the API as a listing."""
    return Listing(tuple(records(client, kind, page)), page.count, page_of(client, KINDS[kind].path, params))


def page_of(client: NetboxClient, path: str, params: Params) -> str:
    """The page on which a person sees the same objects."""
    return str(client.http.build_request("GET", f"{client.address}/{path}/", params=params).url)


def list_names(client: NetboxClient, kind: str, most: int) -> tuple[str, ...]:
    """What objects of a kind are called."""
    fact = {"prefix": "prefix", "address": "dns_name"}.get(kind, "name")
    page = client.list(KINDS[kind].path, {"fields": f"id,{fact}"}, most)
    return tuple(dict.fromkeys(str(raw[fact]) for raw in page.objects if raw.get(fact)))
