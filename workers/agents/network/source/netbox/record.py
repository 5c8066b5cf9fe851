"""What NetBox holds as records: a kind, a page that a person can open, and what is known of it, a text a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workers.agents.network.source.netbox.client import Raw


@dataclass(frozen=True)
class Kind:
    """A kind of object. ``path``: in the API, and of its pages. ``facts``: name -> where it stands in the object, the
    first place that holds something; of an object in it what it displays.
    """

    path: str
    facts: Mapping[str, tuple[str, ...]]


OWNED = {"tenant": ("tenant",), "description": ("description",), "updated": ("last_updated",)}
KINDS = {
    "address": Kind(
        "ipam/ip-addresses",
        {
            "address": ("address",),
            "status": ("status.label",),
            "role": ("role.label",),
            "dns_name": ("dns_name",),
            "vrf": ("vrf",),
            "interface": ("assigned_object.name",),
            "device": ("assigned_object.device", "assigned_object.virtual_machine"),
            **OWNED,
        },
    ),
    "prefix": Kind(
        "ipam/prefixes",
        {
            "prefix": ("prefix",),
            "status": ("status.label",),
            "role": ("role",),
            "site": ("site", "scope"),
            "vlan": ("vlan",),
            "vrf": ("vrf",),
            **OWNED,
        },
    ),
    "device": Kind(
        "dcim/devices",
        {
            "name": ("name", "display"),
            "status": ("status.label",),
            "role": ("role", "device_role"),
            "manufacturer": ("device_type.manufacturer",),
            "model": ("device_type.model",),
            "site": ("site",),
            "location": ("location",),
            "rack": ("rack",),
            "position": ("position",),
            "serial": ("serial",),
            "platform": ("platform",),
            "primary": ("primary_ip",),
            **OWNED,
        },
    ),
    "virtual_machine": Kind(
        "virtualization/virtual-machines",
        {
            "name": ("name",),
            "status": ("status.label",),
            "role": ("role",),
            "cluster": ("cluster",),
            "site": ("site",),
            "platform": ("platform",),
            "primary": ("primary_ip",),
            **OWNED,
        },
    ),
    "interface": Kind(
        "dcim/interfaces",
        {
            "interface": ("name",),
            "device": ("device",),
            "type": ("type.label",),
            "mac": ("mac_address", "primary_mac_address"),
            "vlan": ("untagged_vlan",),
            "mode": ("mode.label",),
            **OWNED,
        },
    ),
    "site": Kind(
        "dcim/sites",
        {
            "site": ("name",),
            "status": ("status.label",),
            "region": ("region",),
            "facility": ("facility",),
            "device_count": ("device_count",),
            "prefix_count": ("prefix_count",),
            **OWNED,
        },
    ),
    "vlan": Kind(
        "ipam/vlans",
        {
            "vlan": ("name",),
            "vid": ("vid",),
            "status": ("status.label",),
            "site": ("site", "group"),
            "role": ("role",),
            **OWNED,
        },
    ),
    "rack": Kind("dcim/racks", {"rack": ("name",), "site": ("site",), "status": ("status.label",), **OWNED}),
    "role": Kind("dcim/device-roles", {"name": ("name",)}),
    "tenant": Kind("tenancy/tenants", {"name": ("name",), "description": ("description",)}),
    "contact": Kind(
        "tenancy/contacts",
        {"name": ("name",), "title": ("title",), "phone": ("phone",), "email": ("email",)},
    ),
    "assignment": Kind(
        "tenancy/contact-assignments", {"contact": ("contact",), "role": ("role",), "priority": ("priority.value",)}
    ),
    "change": Kind(
        "core/changelog",
        {
            "changed_at": ("time",),
            "by": ("user_name", "user"),
            "action": ("action.label",),
            "what": ("changed_object", "object_repr"),
            "of_type": ("changed_object_type",),
        },
    ),
}
"""Kinds of objects by what a question calls them. The path of changes is that of their pages."""


@dataclass(frozen=True)
class Record:
    """One object. ``facts``: what is known, as texts; ``page``: where a person sees it; ``raw``: as it was sent."""

    kind: str
    id: int
    page: str
    facts: Mapping[str, str]
    raw: Raw = field(repr=False, compare=False, default_factory=dict)

    @property
    def locator(self) -> str:
        """What it is called in evidence."""
        return f"netbox://{KINDS[self.kind].path}/{self.id}"


def read_record(kind: str, raw: Raw, address: str) -> Record:
    """An object as a record.

    Args:
        kind: one of `KINDS`.
        raw: as NetBox sends it.
        address: NetBox's own, for its page.
    """
    number = raw["id"] if isinstance(raw.get("id"), int) else 0
    known = {name: found for name, places in KINDS[kind].facts.items() if (found := first_text(raw, places))}
    return Record(kind, number, f"{address}/{KINDS[kind].path}/{number}/", known, raw)


def first_text(raw: Raw, places: tuple[str, ...]) -> str:
    """The first place that holds something."""
    return next((found for place in places if (found := text_at(raw, place))), "")


def text_at(raw: Raw, place: str) -> str:
    """What stands at a place such as ``status.label``; empty when there is nothing."""
    value: Any = raw
    for key in place.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        value = value.get("display") or value.get("name")
    return str(value)[:500] if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def number_at(raw: Raw, place: str) -> int:
    """The id that stands at a place such as ``assigned_object.device``; 0 when there is none."""
    value: Any = raw
    for key in place.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    found = value.get("id") if isinstance(value, dict) else value
    return found if isinstance(found, int) and not isinstance(found, bool) else 0
