"""netbox-community/netbox-demo-data: its objects for a stand-in or a real NetBox, and what is true of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx

Raw = dict[str, Any]
DUMP = "json/netbox-demo-v3.6.json"
ROUTER = "dmi01-akron-rtr01"
"""A device that the demo gives no address: it gets one, so that an address leads somewhere."""
ROUTER_ADDRESS = "10.112.128.77/28"
UNKNOWN = "10.112.128.78"


def read_dump(folder: Path) -> dict[str, list[Raw]]:
    """Model -> objects, as Django writes them."""
    found: dict[str, list[Raw]] = defaultdict(list)
    for row in json.loads((folder / DUMP).read_text(encoding="utf-8")):
        found[row["model"]].append({"id": row.get("pk"), **row["fields"]})
    return found


def brief(row: Raw | None, name: str = "name") -> Raw | None:
    """An object inside another."""
    return row and {"id": row["id"], "display": row[name], "name": row[name], "slug": row.get("slug", "")}


def label(value: str) -> Raw:
    """A choice."""
    return {"value": value, "label": value.capitalize()}


def served_objects(dump: dict[str, list[Raw]]) -> dict[str, list[Raw]]:
    """The dump in the shapes of the API, as far as the tool reads them."""
    by = {model: {row["id"]: row for row in rows} for model, rows in dump.items()}

    def of(model: str, key: object, name: str = "name") -> Raw | None:
        return brief(by[model].get(key), name)

    port = next(i for i in dump["dcim.interface"] if by["dcim.device"][i["device"]]["name"] == ROUTER)
    router = of("dcim.device", port["device"])
    owned = {"id": 9_000, "display": port["name"], "name": port["name"], "device": router}
    addresses = [{**row, "status": label(row["status"]), "tenant": of("tenancy.tenant", row["tenant"]), "vrf": None,
                  "role": None, "assigned_object": None} for row in dump["ipam.ipaddress"]]  # fmt: skip
    addresses.append({"id": 9_000, "address": ROUTER_ADDRESS, "status": label("active"), "assigned_object": owned,
                      "assigned_object_type": "dcim.interface", "assigned_object_id": port["id"]})  # fmt: skip

    def device(row: Raw) -> Raw:
        kind = by["dcim.devicetype"][row["device_type"]]
        made = {"display": kind["model"], "manufacturer": of("dcim.manufacturer", kind["manufacturer"])}
        return {"id": row["id"], "display": row["name"], "name": row["name"], "device_type": made,
                "role": of("dcim.devicerole", row["role"]), "site": of("dcim.site", row["site"]),
                "tenant": of("tenancy.tenant", row["tenant"]), "status": label(row["status"])}  # fmt: skip

    return {
        "dcim/sites": [{**r, "display": r["name"], "status": label(r["status"]), "region": None,
                        "tenant": of("tenancy.tenant", r["tenant"])} for r in dump["dcim.site"]],
        "dcim/devices": [device(r) for r in dump["dcim.device"] if r["name"]],
        "dcim/interfaces": [{**r, "device": of("dcim.device", r["device"]), "type": label(r["type"]), "mode": None,
                             "untagged_vlan": None} for r in dump["dcim.interface"]],
        "ipam/ip-addresses": addresses,
        "ipam/prefixes": [{**r, "display": r["prefix"], "status": label(r["status"]), "role": None, "vrf": None,
                           "site": of("dcim.site", r["site"]), "vlan": of("ipam.vlan", r["vlan"]),
                           "tenant": of("tenancy.tenant", r["tenant"])} for r in dump["ipam.prefix"]],
        "ipam/vlans": [{**r, "display": f"{r['name']} ({r['vid']})", "status": label(r["status"]), "role": None,
                        "site": of("dcim.site", r["site"]), "tenant": None} for r in dump["ipam.vlan"]],
        "virtualization/virtual-machines": [],
        "core/object-changes": [],
    }  # fmt: skip


def load_demo(dump: dict[str, list[Raw]], url: str, token: str) -> None:
    """Create the demo's objects in an empty NetBox of today's version, by its API."""
    scheme = "Bearer" if token.startswith("nbt_") else "Token"
    http = httpx.Client(base_url=f"{url}/api/", headers={"authorization": f"{scheme} {token}"}, timeout=600)
    ids: dict[tuple[str, Any], int] = {}

    def create(model: str, path: str, make: Any) -> None:
        rows = [(row["id"], body) for row in dump[model] if (body := make(row))]
        for start in range(0, len(rows), 100):
            part = rows[start : start + 100]
            answer = http.post(f"{path}/", json=[body for _, body in part])
            if answer.status_code != httpx.codes.CREATED:
                raise SystemExit(f"{path}: {answer.status_code} {answer.text[:500]}")
            ids.update({(model, old): new["id"] for (old, _), new in zip(part, answer.json(), strict=True)})

    def slugged(row: Raw) -> Raw:
        return {"name": row["name"], "slug": row["slug"]}

    def to(model: str, old: Any) -> int | None:
        return ids.get((model, old))

    create("tenancy.tenant", "tenancy/tenants", slugged)
    create(
        "dcim.site",
        "dcim/sites",
        lambda r: slugged(r) | {"status": r["status"], "tenant": to("tenancy.tenant", r["tenant"])},
    )
    create("dcim.manufacturer", "dcim/manufacturers", slugged)
    create("dcim.devicerole", "dcim/device-roles", slugged)
    create(
        "dcim.devicetype",
        "dcim/device-types",
        lambda r: {"model": r["model"], "slug": r["slug"], "manufacturer": to("dcim.manufacturer", r["manufacturer"])},
    )
    create(
        "ipam.vlan",
        "ipam/vlans",
        lambda r: {"name": r["name"], "vid": r["vid"], "site": to("dcim.site", r["site"]), "status": r["status"]},
    )
    create(
        "ipam.prefix",
        "ipam/prefixes",
        lambda r: (
            {
                "prefix": r["prefix"],
                "status": r["status"],
                "vlan": to("ipam.vlan", r["vlan"]),
                "tenant": to("tenancy.tenant", r["tenant"]),
            }
            | ({"scope_type": "dcim.site", "scope_id": to("dcim.site", r["site"])} if r["site"] else {})
        ),
    )
    create(
        "dcim.device",
        "dcim/devices",
        lambda r: (
            r["name"]
            and {
                "name": r["name"],
                "status": r["status"],
                "site": to("dcim.site", r["site"]),
                "role": to("dcim.devicerole", r["role"]),
                "device_type": to("dcim.devicetype", r["device_type"]),
                "tenant": to("tenancy.tenant", r["tenant"]),
            }
        ),
    )
    names = {row["id"]: row["name"] for row in dump["dcim.device"]}
    create(
        "dcim.interface",
        "dcim/interfaces",
        lambda r: (
            names[r["device"]] == ROUTER
            and {"name": r["name"], "type": "1000base-t", "device": to("dcim.device", r["device"])}
        ),
    )
    create("ipam.ipaddress", "ipam/ip-addresses", lambda r: {"address": r["address"], "status": r["status"]})
    port = next(ids["dcim.interface", i["id"]] for i in dump["dcim.interface"] if names[i["device"]] == ROUTER)
    owned = {"address": ROUTER_ADDRESS, "assigned_object_type": "dcim.interface", "assigned_object_id": port}
    http.post("ipam/ip-addresses/", json=owned).raise_for_status()
    http.close()


def expected(dump: dict[str, list[Raw]]) -> list[tuple[str, tuple[str, ...]]]:
    """Ten questions, each with what the dump itself says its answer holds."""
    sites = {row["id"]: row["name"] for row in dump["dcim.site"]}
    roles = {row["id"]: row["name"] for row in dump["dcim.devicerole"]}
    devices = [row for row in dump["dcim.device"] if row["name"]]
    of_site = Counter(sites[row["site"]] for row in devices)
    busy, akron = of_site.most_common(1)[0][0], "DM-Akron"
    router = next(row for row in devices if row["name"] == ROUTER)
    prefixes = Counter(sites[row["site"]] for row in dump["ipam.prefix"] if row["site"])
    vlans = Counter(sites[row["site"]] for row in dump["ipam.vlan"] if row["site"])

    def nearest(address: str) -> str:
        host = ip_network(address)
        around = [n for row in dump["ipam.prefix"] if host.subnet_of(n := ip_network(row["prefix"]))]  # type: ignore[arg-type]
        return str(max(around, key=lambda n: n.prefixlen))

    ip = ROUTER_ADDRESS.partition("/")[0]
    return [
        (f"What is {ip}, and has it alerted?", (ROUTER, nearest(ip), "No alert")),
        (f"what is {UNKNOWN}", ("no record", nearest(UNKNOWN))),
        ("what is 203.0.113.9?", ("neither 203.0.113.9 nor a prefix",)),
        (f"tell me about {ROUTER}", (ROUTER, akron, roles[router["role"]])),
        (f"which devices are in {busy}?", (f"{of_site[busy]} × device",)),
        (f"which devices are at {akron}", (f"{of_site[akron]} × device", ROUTER)),
        (f"what prefixes does {akron} have", (f"{prefixes[akron]} × prefix",)),
        (f"list the vlans of {akron}", (f"{vlans[akron]} × vlan",)),
        ("which sites do we have", (f"{len(sites)} × site",)),
        (f"which devices live in {nearest(ip)}", ("1 × device", ROUTER)),
    ]
