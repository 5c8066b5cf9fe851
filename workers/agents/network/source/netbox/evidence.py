"""What NetBox holds, as evidence: every value a named fact, each item with its page."""

from __future__ import annotations

from datetime import datetime

from workers.agents.network.source.netbox.identity import Identity
from workers.agents.network.source.netbox.listing import Listing
from workers.agents.network.source.netbox.record import Record
from workers.contracts import Evidence, Fact

TIMES = frozenset({"updated", "changed_at"})
NUMBERS = frozenset({"device_count", "prefix_count"})
NAMED_BY = ("name", "address", "prefix", "interface", "site", "vlan", "what")


def fact_of(name: str, value: str, entity: str) -> Fact:
    """A text as a fact: moments and counts with their units."""
    if name in TIMES:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return Fact(value=value, entity=entity)
        return Fact(value=value, unit="time", entity=entity)
    if name in NUMBERS and value.isdecimal():
        return Fact(value=int(value), unit="count", entity=entity)
    return Fact(value=value, entity=entity)


def record_evidence(record: Record) -> Evidence:
    """One object."""
    name = next((record.facts[key] for key in NAMED_BY if key in record.facts), str(record.id))
    facts = {key: fact_of(key, value, name) for key, value in record.facts.items()}
    said = "; ".join(f"{key}: {value}" for key, value in record.facts.items())
    title = f"{record.kind.replace('_', ' ').capitalize()} {name}"
    return Evidence(
        kind="row",
        title=title[:200],
        locator=record.locator,
        url=record.page or None,
        excerpt=said[:1_000],
        facts=facts,
    )


def count_evidence(found: Listing, kind: str, facts: dict[str, Fact]) -> Evidence:
    """How many objects there are, and how many of them are listed."""
    counts = {
        "count": Fact(value=found.count, unit="count", entity=kind),
        "listed": Fact(value=len(found.records), unit="count", entity=kind),
    }
    title = f"{found.count} × {kind} in NetBox"
    return Evidence(kind="row", title=title, locator=found.page, url=found.page, facts={**counts, **facts})


def identity_evidence(found: Identity, address: str) -> tuple[Evidence, ...]:
    """What an address is: its record with what its device, interface and prefix add, then those themselves.

    Of an address without a record, the prefixes around it alone, with `address` as ``unassigned``.
    """
    if not found.addresses:
        return tuple(
            (e := record_evidence(p)).model_copy(update={"facts": {**e.facts, "unassigned": Fact(value=address)}})
            for p in found.prefixes[:3]
        )
    own, *others = (record_evidence(record) for record in found.addresses)
    added: dict[str, Fact] = {
        "ip": Fact(value=address, entity=address),
        "records": count(len(found.addresses), address),
    }
    if found.owner:
        keys = ("site", "location", "rack", "cluster", "model", "manufacturer", "platform")
        owner = found.owner.facts
        added |= {key: Fact(value=owner[key], entity=address) for key in keys if key in owner}
        added |= {f"device_{key}": Fact(value=owner[key], entity=address) for key in ("role", "status") if key in owner}
        added |= {"tenant": Fact(value=owner["tenant"], entity=address)} if "tenant" in owner else {}
    if found.interface and "vlan" in found.interface.facts:
        added["vlan"] = Fact(value=found.interface.facts["vlan"], entity=address)
    if found.prefixes:
        around = found.prefixes[0].facts
        added |= {"prefix": Fact(value=around.get("prefix", ""), entity=address)}
        for key in ("vlan", "site", "tenant"):
            if key in around and key not in added:
                added[key] = Fact(value=around[key], entity=address)
    first = own.model_copy(update={"facts": {**added, **own.facts}})
    around_it = (found.owner, found.interface, *found.prefixes[:1], found.change)
    return (first, *(record_evidence(r) for r in around_it if r), *others)


def count(number: int, entity: str) -> Fact:
    """A count."""
    return Fact(value=number, unit="count", entity=entity)
