"""Lists of NetBox's objects: by name, in a site, in a prefix, with a MAC; and what was changed in a span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_interface

from workers.agents.network.source.netbox.client import NetboxClient, Page
from workers.agents.network.source.netbox.identity import TYPES, owner_of, records
from workers.agents.network.source.netbox.record import KINDS, Record
from workers.errors import ToolArgumentError

FILTERS = {
    "address": frozenset({"name", "within", "device", "role", "status", "tenant"}),
    "prefix": frozenset({"name", "within", "site", "role", "status", "tenant"}),
    "device": frozenset({"name", "within", "site", "mac", "role", "status", "tenant"}),
    "interface": frozenset({"name", "device", "site", "mac"}),
    "site": frozenset({"name", "status", "tenant"}),
    "vlan": frozenset({"name", "site", "role", "status", "tenant"}),
}
"""What each kind can be asked for by: NetBox ignores a filter that it does not know, and would tell of all objects."""
NAMED_BY = {"device": "name", "site": "name", "vlan": "name", "interface": "name", "address": "dns_name"}
"""The field that an object is named by."""


@dataclass(frozen=True)
class Wanted:
    """Which objects. Empty parts let all through. ``within``: an address or a prefix; ``site``: a name or a slug."""

    kind: str
    name: str = ""
    within: str = ""
    site: str = ""
    device: str = ""
    mac: str = ""
    role: str = ""
    status: str = ""
    tenant: str = ""


PARTS = ("name", "within", "site", "device", "mac", "role", "status", "tenant")


@dataclass(frozen=True)
class Listing:
    """``count``: how many there are, ``records`` may be fewer; ``page``: where a person sees them; ``unknown``: a name
    in the question that NetBox has not.
    """

    records: tuple[Record, ...]
    count: int
    page: str
    unknown: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)


def list_objects(client: NetboxClient, wanted: Wanted, most: int) -> Listing:
    """Objects of one kind. Raises: ToolUnavailable; ToolArgumentError: the kind cannot be asked for by that."""
    path = KINDS[wanted.kind].path
    given = {part for part in PARTS if getattr(wanted, part)}
    odd = given - FILTERS[wanted.kind] or (given - {"within"} if wanted.kind == "device" and wanted.within else set())
    if odd:
        said = ", ".join("address" if part == "within" else part for part in sorted(odd))
        raise ToolArgumentError(f"objects of kind {wanted.kind} cannot be looked for by {said} here; leave it out")
    params: dict[str, str | int] = {}
    if wanted.site:
        site = find_site(client, wanted.site)
        if site is None:
            return Listing((), 0, f"{client.address}/dcim/sites/", unknown=wanted.site)
        params["site_id"] = site.id
    if wanted.kind == "device" and wanted.within:
        return devices_within(client, wanted, params, most)
    params |= within_params(wanted)
    params |= {key: str(value) for key in ("role", "status", "tenant") if (value := getattr(wanted, key))}
    if wanted.device:
        params["device"] = wanted.device
    if wanted.mac:
        params["mac_address"] = wanted.mac
    if not wanted.name:
        return as_listing(client, wanted.kind, client.list(path, params, most), params)
    if wanted.kind == "vlan" and wanted.name.isdecimal():
        return as_listing(client, wanted.kind, client.list(path, {**params, "vid": wanted.name}, most), params)
    field_name = NAMED_BY.get(wanted.kind, "q")
    for how in ("ie", "ic"):  # its whole name, else a part of it, in any case
        key = f"{field_name}__{how}" if field_name != "q" else "q"
        named: dict[str, str | int] = {**params, key: wanted.name}
        page = client.list(path, named, most)
        if page.count:
            return as_listing(client, wanted.kind, page, named)
    return Listing((), 0, page_of(client, path, params))


def within_params(wanted: Wanted) -> dict[str, str | int]:
    """How each kind is asked for what lies in, or around, an address or a prefix."""
    if not wanted.within:
        return {}
    if wanted.kind == "address":
        return {"parent": wanted.within} if "/" in wanted.within else {"address": wanted.within}
    if wanted.kind == "prefix":
        return {"within_include": wanted.within} if "/" in wanted.within else {"contains": wanted.within}
    return {}


def devices_within(client: NetboxClient, wanted: Wanted, params: dict[str, str | int], most: int) -> Listing:
    """The devices and virtual machines that have an address in a prefix, each once."""
    page = client.list(KINDS["address"].path, {"parent": wanted.within})
    owners: dict[tuple[str, int], Record] = {}
    for address in records(client, "address", page):
        kind, number = owner_of(address)
        if number:
            known = {"name": address.facts.get("device", ""), "address": address.facts.get("address", "")}
            place = f"{client.address}/{KINDS[kind].path}/{number}/"
            owners.setdefault((kind, number), Record(kind, number, place, known))
    found = tuple(owners.values())
    return Listing(
        found[:most], len(found), page_of(client, KINDS["address"].path, {**params, "parent": wanted.within})
    )


def find_site(client: NetboxClient, name: str) -> Record | None:
    """A site by its name or slug, in any case."""
    for how in ("name__ie", "slug"):
        wanted = name if how != "slug" else name.lower()
        if found := client.list(KINDS["site"].path, {how: wanted}, 1).objects:
            return records(client, "site", Page(found, 1))[0]
    return None


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


def as_listing(client: NetboxClient, kind: str, page: Page, params: dict[str, str | int]) -> Listing:
    """A page of the API as a listing."""
    return Listing(tuple(records(client, kind, page)), page.count, page_of(client, KINDS[kind].path, params))


def page_of(client: NetboxClient, path: str, params: dict[str, str | int]) -> str:
    """The page on which a person sees the same objects."""
    return str(client.http.build_request("GET", f"{client.address}/{path}/", params=params).url)


def list_names(client: NetboxClient, kind: str, most: int) -> tuple[str, ...]:
    """What objects of a kind are called."""
    fact = "prefix" if kind == "prefix" else "name"
    page = client.list(KINDS[kind].path, {"fields": f"id,{fact}"}, most)
    return tuple(dict.fromkeys(str(raw[fact]) for raw in page.objects if raw.get(fact)))
