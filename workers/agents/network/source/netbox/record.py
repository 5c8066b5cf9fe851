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


def facts_at(said: str) -> Mapping[str, tuple[str, ...]]:
    """``name`` stands where it is called so; ``name=place|other`` at the first of those places."""
    parts = (fact.partition("=") for fact in said.split())
    return {name: tuple((places or name).split("|")) for name, _, places in parts}


OWNED = " tenant description updated=last_updated"
STATE = "status=status.label role "
KINDS = {
    "address": Kind(
        "ipam/ip-addresses",
        facts_at(
            "address status=status.label role=role.label dns_name vrf interface=assigned_object.name"
            f" device=assigned_object.device|assigned_object.virtual_machine{OWNED}"
        ),
    ),
    "prefix": Kind("ipam/prefixes", facts_at(f"prefix {STATE}site=site|scope vlan vrf{OWNED}")),
    "device": Kind(
        "dcim/devices",
        facts_at(
            "name=name|display status=status.label role=role|device_role manufacturer=device_type.manufacturer"
            f" model=device_type.model site location rack position serial platform primary=primary_ip{OWNED}"
        ),
    ),
    "virtual_machine": Kind(
        "virtualization/virtual-machines", facts_at(f"name {STATE}cluster site platform primary=primary_ip{OWNED}")
    ),
    "interface": Kind(
        "dcim/interfaces",
        facts_at(
            "interface=name device type=type.label mac=mac_address|primary_mac_address vlan=untagged_vlan"
            f" mode=mode.label{OWNED}"
        ),
    ),
    "site": Kind(
        "dcim/sites",
        facts_at(f"site=name status=status.label region facility device_count prefix_count{OWNED}"),
    ),
    "vlan": Kind("ipam/vlans", facts_at(f"vlan=name vid status=status.label site=site|group role{OWNED}")),
    "rack": Kind("dcim/racks", facts_at(f"rack=name site status=status.label{OWNED}")),
    "role": Kind("dcim/device-roles", facts_at("name")),
    "tenant": Kind("tenancy/tenants", facts_at("name description")),
    "contact": Kind("tenancy/contacts", facts_at("name title phone email")),
    "assignment": Kind("tenancy/contact-assignments", facts_at("contact role priority=priority.value")),
    "change": Kind(
        "core/changelog",
        facts_at(
            "changed_at=time by=user_name|user action=action.label what=changed_object|object_repr"
            " of_type=changed_object_type"
        ),
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
