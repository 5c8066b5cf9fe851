"""netbox_read: what NetBox knows of addresses, devices, prefixes, sites, interfaces, VLANs, and what was changed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import ip_address
from typing import Any, Literal

from pydantic import Field

from workers.agents.network.sections import NetboxSection
from workers.agents.network.source.chosen_parts import facts_of_each
from workers.agents.network.source.netbox import listing
from workers.agents.network.source.netbox.client import NetboxClient
from workers.agents.network.source.netbox.contacts import list_owned
from workers.agents.network.source.netbox.evidence import count_evidence, identity_evidence, record_evidence
from workers.agents.network.source.netbox.identity import identify
from workers.agents.network.source.netbox.listing import Listing, Wanted
from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import NotConnected, ToolArgumentError, ToolUnavailable
from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

UNCONNECTED = "no NetBox is connected: set netbox.url and netbox.token in oracle.yaml (NETBOX_URL, NETBOX_TOKEN)"
NAMES = {
    f"netbox_{kind}": kind
    for kind in ("site", "device", "virtual_machine", "prefix", "vlan", "rack", "role", "tenant", "address")
}
"""Labels of the landscape -> kinds of objects."""
MOST_NAMES = 2_000
NAMES_S = 300.0
TIME = "RFC 3339, now, today, yesterday, N hours ago, N days ago"


ANY = ", any of those between commas; a ! before one leaves it out"


def text(about: str, default: str = "") -> Any:
    """An argument that is text."""
    return Field(default, max_length=200, description=about)


class NetboxArgs(ToolArgs):
    """Which objects."""

    object: Literal[
        "address", "prefix", "device", "virtual_machine", "interface", "site", "rack", "vlan", "contact", "change"
    ] = Field(
        description="kind of object; address with one IP address tells all that is known of it, its device included; "
        "contact tells who is asked about devices, virtual machines or a site"
    )
    name: str = text("name of the object, whole or a part; of a change, of the device that was changed")
    address: str = text("IP address or prefix that the object has, lies in, or is")
    site: str = text(f"names or slugs of sites{ANY}")
    device: str = text("name of the device that an interface or an address belongs to")
    mac: str = text("MAC address of an interface")
    role: str = text(f"names or slugs of roles{ANY}")
    status: str = text(f"status: active, planned, offline …{ANY}")
    tenant: str = text(f"names or slugs of tenants{ANY}")
    rack: str = text(f"names of racks{ANY}")
    vlan: str = text("number of a VLAN that it is in")
    words: str = text("words that stand in what is recorded of it")
    group_by: Literal["", "site", "role", "tenant", "rack", "status", "model"] = Field(
        "", description="count objects by this"
    )
    at_least: int = Field(0, ge=0, description="with group_by: only values with so many objects")
    at_most: int = Field(0, ge=0, description="with group_by: only values with no more objects; 0 is any number")
    since: str = text(f"of changes: {TIME}", "24 hours ago")
    until: str = text(f"of changes: {TIME}; empty is now")
    limit: int = Field(20, ge=1, le=200, description="how many objects at most")


class Netbox:
    """The connection, and the names that it knew last."""

    def __init__(self, settings: Settings) -> None:
        section = settings.section(NetboxSection)
        self.client = NetboxClient(section) if section.url else None
        self.names: Landscape = Landscape()
        self.named_at = float("-inf")

    def connected(self) -> NetboxClient:
        """The client. Raises: ToolUnavailable: there is none."""
        if self.client is None:
            raise NotConnected(UNCONNECTED)
        return self.client

    def ping(self) -> str:
        """Its version. Raises: ToolUnavailable."""
        return f"NetBox {self.connected().version()} at {self.connected().address}"

    def landscape(self, context: ToolContext) -> Landscape:
        """Names of sites, devices, prefixes and VLANs; those of before while it does not answer."""
        del context
        if self.client is None or time.monotonic() - self.named_at < NAMES_S:
            return self.names
        client = self.client
        try:
            with ThreadPoolExecutor(max_workers=len(NAMES)) as pool:
                read = pool.map(lambda kind: listing.list_names(client, kind, MOST_NAMES), NAMES.values())
                found = dict(zip(NAMES, read, strict=True))
        except ToolUnavailable:
            if not self.names.labels:
                raise  # it is asked again at the next question
            return self.names
        self.names, self.named_at = Landscape(labels=found), time.monotonic()
        return self.names

    def read(self, args: NetboxArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "rows"}``, each row the facts of an object. Raises: ToolError."""
        client = self.connected()
        if args.object == "change":
            return self.changes(client, args, context)
        if args.object == "address" and args.address and "/" not in args.address:
            return told_identity(client, args.address)
        given = args.model_dump(include=set(Wanted.__dataclass_fields__))
        wanted = Wanted(kind=args.object, within=args.address, **given)
        if args.object == "contact":
            return told_listing(list_owned(client, wanted, args.limit), args, {})
        found = listing.list_objects(client, wanted, client.section.most if compared(args) else args.limit)
        if not found.count and args.object == "device" and args.name:
            found = listing.list_objects(client, replace(wanted, kind="virtual_machine"), args.limit)
            if not found.count and (address := listing.named_address(client, args.name)):
                return told_identity(client, address)
        return told_listing(found, args, {**extra_facts(client, found, args), **counts_by(found, args)})

    def changes(self, client: NetboxClient, args: NetboxArgs, context: ToolContext) -> ToolOutput:
        """What was changed in a span, of everything or of a device."""
        zone = read_zone(context.timezone)
        moments = [read_typed_time(said, context.now, zone) for said in (args.since, args.until or "now")]
        since, until = moments
        if since is None or until is None or since >= until:
            raise ToolArgumentError(f"since, until: {args.since!r}, {args.until!r} are no span; write {TIME}")
        kind, number = "", 0
        if args.name or args.site:
            kind = "device" if args.name else "site"
            wanted = args.name or args.site
            named = listing.list_objects(client, Wanted(kind=kind, name=wanted), 10)
            names = [record.facts.get("name" if kind == "device" else "site", "") for record in named.records]
            exact = [r for r, n in zip(named.records, names, strict=True) if n.lower() == wanted.lower()]
            if len(exact) != 1:
                return ToolOutput(status="empty", reason=f"NetBox has no {kind} {wanted}", nearest=tuple(names))
            number = exact[0].id
        found = listing.list_changed(client, since, until, kind, number, args.limit)
        span = {
            "span_start": Fact(value=since.isoformat(), unit="time"),
            "span_end": Fact(value=until.isoformat(), unit="time"),
        }
        return told_listing(found, args, span)


def extra_facts(client: NetboxClient, found: Listing, args: NetboxArgs) -> dict[str, Fact]:
    """Of one device its addresses, of one site its prefixes: what else is asked for by them."""
    if len(found.records) != 1 or not args.name:
        return {}
    only = found.records[0]
    if only.kind in {"device", "virtual_machine"} and (addresses := listing.addresses_of(client, only)):
        return {"addresses": Fact(value=", ".join(addresses), entity=only.facts.get("name", ""))}
    if only.kind == "site" and (prefixes := listing.prefixes_of(client, only)):
        return {"prefixes": Fact(value=", ".join(prefixes), entity=only.facts.get("site", ""))}
    return {}


def compared(args: NetboxArgs) -> str:
    """What objects are counted by: what is asked for, or that of which several values are named; empty when neither."""
    if args.group_by:
        return args.group_by
    several = (d for d in ("site", "role", "tenant", "rack", "status") if getattr(args, d).replace("!", "").count(","))
    return next((d for d in several if "!" not in getattr(args, d)), "")


def counts_by(found: Listing, args: NetboxArgs) -> dict[str, Fact]:
    """How many there are of each value of the dimension that is compared."""
    by = compared(args)
    counts = Counter(record.facts.get(by, "") for record in found.records if by)
    fitting = [
        (n, c) for n, c in counts.most_common() if c >= args.at_least and (not args.at_most or c <= args.at_most)
    ]
    bounded = args.at_least or args.at_most
    return {
        **({"groups": Fact(value=len(fitting), unit="count", entity=by)} if bounded else {}),
        **facts_of_each((name or "none", number) for name, number in fitting[:10]),
    }


def told_identity(client: NetboxClient, address: str) -> ToolOutput:
    """All that is known of an address; of one that NetBox has not, the prefix it lies in."""
    found = identify(client, address)
    rows = identity_evidence(found, address)
    data = {"count": len(found.addresses), "rows": as_rows(rows), "unavailable": list(found.unavailable)}
    if not rows:
        return ToolOutput(
            status="empty", reason=f"NetBox has neither {address} nor a prefix that contains it", data=data
        )
    return ToolOutput(summary=rows[0].title, data=data, evidence=rows)


def told_listing(found: Listing, args: NetboxArgs, facts: dict[str, Fact]) -> ToolOutput:
    """The count first, then the objects."""
    if found.unknown:
        return unknown(found.unknown, found.unknown_kind)
    rows = tuple(record_evidence(record) for record in found.records)
    if not rows:
        if args.name and not args.words:
            return unknown(args.name, args.object)
        where = ", ".join(f"{k} {v}" for k, v in args.model_dump().items() if v and k in SHOWN)
        if args.object == "change":
            return ToolOutput(status="empty", reason=f"NetBox recorded no change since {args.since}")
        return ToolOutput(status="empty", reason=f"NetBox has no {args.object}{f' with {where}' if where else ''}")
    if len(rows) == 1 and not args.words and "span_start" not in facts and (facts or args.name):
        rows = (rows[0].model_copy(update={"facts": {**rows[0].facts, **facts}}),)
        return ToolOutput(summary=rows[0].title, data={"count": 1, "rows": as_rows(rows)}, evidence=rows)
    asked = {
        f"of_{k}": Fact(value=str(v).replace("!", "not "))
        for k, v in args.model_dump().items()
        if v and k in SHOWN | {"name", "at_least", "at_most"}
    }
    if "of_words" in asked:
        used = " ".join(word for word in args.words.split() if word.lower() not in found.left)
        asked = asked | {"of_words": Fact(value=used)} if used else {k: v for k, v in asked.items() if k != "of_words"}
        facts = facts | ({"left": Fact(value=", ".join(found.left))} if found.left else {})
    first = count_evidence(found, args.object, {**facts, **asked})
    return ToolOutput(
        summary=f"{found.count} × {args.object}",
        data={"count": found.count, "rows": as_rows(rows)},
        evidence=(first, *rows),
    )


SHOWN = frozenset({"address", "site", "device", "mac", "role", "status", "tenant", "rack", "vlan", "words"})


def unknown(name: str, kind: str) -> ToolOutput:
    """NetBox has nothing of this name."""
    return ToolOutput(status="empty", reason=f"NetBox has no {kind} named {name!r}")


def as_rows(rows: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Evidence as plain JSON, with the page of each."""
    return [{**{name: fact.value for name, fact in r.facts.items()}, "url": r.url} for r in rows]


def check(args: NetboxArgs) -> None:
    """Raises: ToolArgumentError: an address is none."""
    try:
        if args.object == "address" and args.address and "/" not in args.address:
            ip_address(args.address)
    except ValueError as error:
        raise ToolArgumentError(f"address: {args.address!r} is no IP address") from error


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    netbox = resources.shared(Netbox)
    read: Callable[[NetboxArgs, ToolContext], ToolOutput] = netbox.read
    return Tool(
        name="netbox_read",
        source="NetBox",
        key="netbox.url",
        purpose="look into NetBox",
        description=(
            "What NetBox records: addresses (one address: its device, interface, prefix, site, VLAN, tenant and last "
            "change), prefixes, devices, interfaces, sites, VLANs, and who changed what in a span. It is what was "
            "planned and entered, not what was measured. Reads only."
        ),
        access="read",
        args=NetboxArgs,
        run=read,
        ping=netbox.ping,
        landscape=netbox.landscape,
        check=check,
    )
