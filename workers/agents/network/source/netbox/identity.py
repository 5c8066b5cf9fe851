"""What an address is: its own record, the device behind it, the prefixes around it, and its last change."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TypeVar

from workers.agents.network.source.netbox.client import NetboxClient, NoSuchPath, Page, Params
from workers.agents.network.source.netbox.record import KINDS, Record, number_at, read_record
from workers.errors import ToolUnavailable


@dataclass(frozen=True)
class Identity:
    """All that is known of an address. ``addresses``: its own records, several in several VRFs; ``prefixes``: those it
    lies in, the nearest first; ``owner``: the device or virtual machine of the first record; ``change``: the last one
    of the record or its owner. ``unavailable``: why some of it is not known.
    """

    addresses: tuple[Record, ...]
    prefixes: tuple[Record, ...]
    owner: Record | None = None
    interface: Record | None = None
    change: Record | None = None
    unavailable: tuple[str, ...] = ()


def identify(client: NetboxClient, address: str) -> Identity:
    """Look an address up, within the time of one request. What belongs together is asked for side by side.

    Raises: ToolUnavailable.
    """
    end, failures = time.monotonic() + client.section.timeout_ms / 1000, list[str]()
    around = client.threads.submit(client.list, KINDS["prefix"].path, {"contains": address}, 50)
    addresses = records(client, "address", client.list(KINDS["address"].path, {"address": address}, 20))
    if not addresses:
        return Identity((), tuple(sorted(records(client, "prefix", around.result()), key=nearness)))
    addresses.sort(key=lambda record: "device" not in record.facts)
    first = addresses[0]
    owner_kind, owner_id = owner_of(first)
    asked: dict[str, Callable[[], Record | None]] = {}
    if owner_id:
        asked["owner"] = lambda: read_one(client, owner_kind, owner_id)
        asked["owner_changed"] = lambda: last_change(client, Record(owner_kind, owner_id, "", {}))
    if first.raw.get("assigned_object_type") == "dcim.interface":
        asked["interface"] = lambda: read_one(client, "interface", number_at(first.raw, "assigned_object"))
    asked["changed"] = lambda: last_change(client, first)
    running = {name: client.threads.submit(ask) for name, ask in asked.items()}
    page = settled(around, end, "prefixes", failures)
    found = {name: settled(future, end, name.replace("_", " "), failures) for name, future in running.items()}
    changes = [c for name in ("changed", "owner_changed") if (c := found.get(name))]
    return Identity(
        tuple(addresses),
        tuple(sorted(records(client, "prefix", page), key=nearness)) if page else (),
        owner=found.get("owner"),
        interface=found.get("interface"),
        change=max(changes, key=lambda c: c.facts.get("changed_at", ""), default=None),
        unavailable=tuple(failures),
    )


T = TypeVar("T")


def settled(future: Future[T], end: float, what: str, failures: list[str]) -> T | None:
    """What a request came to by ``end``; of one that failed, why, among the failures: the rest is told without it."""
    try:
        return future.result(max(end - time.monotonic(), 0))
    except TimeoutError:
        failures.append(f"{what} of the address: NetBox did not answer in time")
        return None
    except ToolUnavailable as error:
        failures.append(f"{what} of the address: {error}")
        return None


def records(client: NetboxClient, kind: str, page: Page) -> list[Record]:
    """The objects of a page as records."""
    return [read_record(kind, raw, client.address) for raw in page.objects]


def nearness(prefix: Record) -> int:
    """The smallest prefix comes first."""
    try:
        return -ip_network(prefix.facts.get("prefix", ""), strict=False).prefixlen
    except ValueError:
        return 0


def owner_of(address: Record) -> tuple[str, int]:
    """The kind and the id of what an address is assigned to; 0 when it is to nothing."""
    for kind, place in (("device", "assigned_object.device"), ("virtual_machine", "assigned_object.virtual_machine")):
        if number := number_at(address.raw, place):
            return kind, number
    return "device", 0


def read_one(client: NetboxClient, kind: str, number: int) -> Record | None:
    """One object by its id; None: it is gone, or may not be seen."""
    try:
        return read_record(kind, client.get(f"{KINDS[kind].path}/{number}"), client.address)
    except NoSuchPath:
        return None


TYPES = {
    "address": "ipam.ipaddress",
    "prefix": "ipam.prefix",
    "device": "dcim.device",
    "virtual_machine": "virtualization.virtualmachine",
    "interface": "dcim.interface",
    "site": "dcim.site",
    "vlan": "ipam.vlan",
}
"""Kinds -> what changes call them."""


def last_change(client: NetboxClient, record: Record) -> Record | None:
    """The last change of an object that NetBox still keeps."""
    of_it: Params = {"changed_object_type": TYPES[record.kind], "changed_object_id": record.id}
    try:
        page = client.list_changes(of_it, 1)
    except NoSuchPath:
        return None
    return next(iter(records(client, "change", page)), None)
