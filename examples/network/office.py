"""The objects of the office's NetBox, as its REST API sends them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

Raw = dict[str, Any]


def brief(kind: str, number: int, name: str, **more: Any) -> Raw:
    """An object as it stands inside others."""
    return {"id": number, "url": f"/api/{kind}/{number}/", "display": name, "name": name, **more}


def slugged(kind: str, number: int, name: str) -> Raw:
    """A brief object with a slug."""
    return brief(kind, number, name, slug=name.lower().replace(" ", "-"), description="")


AMS, BER = slugged("dcim/sites", 1, "AMS Office"), slugged("dcim/sites", 2, "BER Warehouse")
IT, OPS = slugged("tenancy/tenants", 1, "Office IT"), slugged("tenancy/tenants", 2, "Warehouse")
ROLES = {
    n: slugged("dcim/device-roles", i, n) for i, n in enumerate(("Workstation", "Server", "Access Switch", "Router"), 1)
}
VLANS = {
    30: brief("ipam/vlans", 1, "clients", vid=30, display="clients (30)"),
    80: brief("ipam/vlans", 2, "servers", vid=80, display="servers (80)"),
}
ACTIVE = {"value": "active", "label": "Active"}

DEVICES: tuple[tuple[Any, ...], ...] = (
    (
        1,
        "ws-lena",
        "Workstation",
        "OptiPlex 7010",
        "Dell",
        AMS,
        IT,
        (("eno1", "52:54:00:0A:03:04", 30, "10.2.3.4/24"),),
    ),
    (
        2,
        "ws-marco",
        "Workstation",
        "OptiPlex 7010",
        "Dell",
        AMS,
        IT,
        (("eno1", "52:54:00:0A:03:11", 30, "10.2.3.17/24"),),
    ),
    (3, "build01", "Server", "PowerEdge R650", "Dell", AMS, IT, (("eth0", "52:54:00:0A:08:14", 80, "10.2.8.20/24"),)),
    (4, "dns01", "Server", "PowerEdge R650", "Dell", AMS, IT, (("eth0", "52:54:00:0A:08:35", 80, "10.2.8.53/24"),)),
    (
        5,
        "ams-sw-1",
        "Access Switch",
        "C9200L-48T",
        "Cisco",
        AMS,
        IT,
        (("Vlan30", "52:54:00:0A:03:01", 30, "10.2.3.1/24"),),
    ),
    (
        6,
        "ber-rtr-1",
        "Router",
        "MX204",
        "Juniper",
        BER,
        OPS,
        (("xe-0/1/0", "52:54:00:14:00:01", None, "10.20.0.1/16"),),
    ),
)
"""Id, name, role, model, maker, site, tenant, and interfaces: name, MAC, VLAN, address."""
PREFIXES: tuple[tuple[Any, ...], ...] = (
    (1, "10.2.0.0/16", AMS, None, IT, "office"),
    (2, "10.2.3.0/24", AMS, 30, IT, "clients of the office"),
    (3, "10.2.8.0/24", AMS, 80, IT, "servers of the office"),
    (4, "10.20.0.0/16", BER, None, OPS, "warehouse"),
)
CHANGES: tuple[tuple[Any, ...], ...] = (
    (3, "priya", "update", "dcim.device", 1, "ws-lena"),
    (5, "priya", "update", "ipam.ipaddress", 1, "10.2.3.4/24"),
    (30, "mara", "create", "ipam.prefix", 4, "10.20.0.0/16"),
    (31, "mara", "create", "dcim.device", 6, "ber-rtr-1"),
)


def build_office(now: datetime) -> dict[str, list[Raw]]:
    """Path -> objects; changes lie before ``now``."""
    owned = {"created": stamp(now - timedelta(days=400)), "last_updated": stamp(now - timedelta(days=20)), "tags": []}
    devices, interfaces, addresses = [], [], []
    for number, name, role, model, maker, site, tenant, ports in DEVICES:
        own = brief("dcim/devices", number, name)
        for interface, mac, vid, address in ports:
            port = {**brief("dcim/interfaces", number, interface), "device": own}
            interfaces.append({**port, **port_facts(mac, vid), **owned})
            addresses.append({**address_facts(number, address, port, tenant), **owned})
        kind = {
            "id": number,
            "display": model,
            "model": model,
            "manufacturer": slugged("dcim/manufacturers", number, maker),
        }
        primary = brief("ipam/ip-addresses", number, ports[0][3], address=ports[0][3])
        about = {"role": ROLES[role], "device_type": kind, "site": site, "tenant": tenant, "status": ACTIVE}
        none = {"platform": None, "location": None, "rack": None, "description": ""}
        devices.append({**own, **about, **none, "primary_ip": primary, "primary_ip4": primary, **owned})
    prefixes = [{**prefix_facts(*row), **owned} for row in PREFIXES]
    return {
        "dcim/sites": [
            {**s, "status": ACTIVE, "region": None, "facility": "", **counts(s), **owned} for s in (AMS, BER)
        ],
        "dcim/devices": devices,
        "dcim/interfaces": interfaces,
        "ipam/ip-addresses": addresses,
        "ipam/prefixes": prefixes,
        "ipam/vlans": [
            {**v, "site": AMS, "status": ACTIVE, "role": None, "tenant": IT, "description": "", **owned}
            for v in VLANS.values()
        ],
        "virtualization/virtual-machines": [],
        "core/object-changes": [change(i, now, *row) for i, row in enumerate(CHANGES, 1)],
    }


def stamp(moment: datetime) -> str:
    """A moment as NetBox writes it."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def port_facts(mac: str, vid: int | None) -> Raw:
    """What an interface has beside its name."""
    vlan = VLANS[vid] if vid else None
    mode = {"value": "access", "label": "Access"} if vid else None
    kind = {"value": "1000base-t", "label": "1000BASE-T (1GE)"}
    return {"type": kind, "enabled": True, "mac_address": mac, "mode": mode, "untagged_vlan": vlan, "description": ""}


def address_facts(number: int, address: str, port: Raw, tenant: Raw) -> Raw:
    """An address on an interface."""
    about = {"family": {"value": 4, "label": "IPv4"}, "vrf": None, "status": ACTIVE, "role": None, "tenant": tenant}
    assigned = {"assigned_object_type": "dcim.interface", "assigned_object_id": number, "assigned_object": port}
    own = {"id": number, "url": f"/api/ipam/ip-addresses/{number}/", "display": address, "address": address}
    return {**own, **about, **assigned, "nat_inside": None, "dns_name": "", "description": ""}


def prefix_facts(number: int, prefix: str, site: Raw, vid: int | None, tenant: Raw, description: str) -> Raw:
    """A prefix of a site."""
    scope = {"scope_type": "dcim.site", "scope_id": site["id"], "scope": site}
    own = {"id": number, "url": f"/api/ipam/prefixes/{number}/", "display": prefix, "prefix": prefix}
    about = {"family": {"value": 4, "label": "IPv4"}, "vrf": None, "vlan": VLANS[vid] if vid else None, "role": None}
    return {**own, **about, **scope, "tenant": tenant, "status": ACTIVE, "description": description}


def counts(site: Raw) -> Raw:
    """How much a site has."""
    devices = sum(row[5]["id"] == site["id"] for row in DEVICES)
    return {
        "device_count": devices,
        "prefix_count": sum(row[2]["id"] == site["id"] for row in PREFIXES),
        "tenant": None,
    }


def change(number: int, now: datetime, hours: float, user: str, action: str, kind: str, of: int, what: str) -> Raw:
    """An entry of the log of changes."""
    label = {"create": "Created", "update": "Updated", "delete": "Deleted"}[action]
    return {
        "id": number,
        "url": f"/api/core/object-changes/{number}/",
        "display": f"{kind} {what} {action}d by {user}",
        "time": stamp(now - timedelta(hours=hours)),
        "user_name": user,
        "action": {"value": action, "label": label},
        "changed_object_type": kind,
        "changed_object_id": of,
        "changed_object": {"id": of, "display": what, "url": ""},
    }
