"""A stand-in for NetBox: objects of the same office in the shapes of its REST API, with paging, filters and tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_interface, ip_network
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from examples.network.office import build_office

DEMO_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105 - of the stand-in
VERSION = "4.7.3"
Raw = dict[str, Any]


def nested(raw: Raw, *keys: str) -> Any:
    """A value inside objects; None when one is missing."""
    value: Any = raw
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def inside(raw: Raw, prefix: str) -> bool:
    """Whether an address lies in a prefix."""
    net = ip_network(prefix, strict=False)
    own = ip_interface(str(raw["address"])).ip
    return own.version == net.version and own in net


def around(raw: Raw, address: str) -> bool:
    """Whether a prefix contains an address or a prefix."""
    own, other = ip_network(str(raw["prefix"])), ip_network(address, strict=False)
    return own.version == other.version and other.subnet_of(own)  # type: ignore[arg-type]


def within(raw: Raw, prefix: str) -> bool:
    """Whether a prefix lies in another, or is it."""
    own, other = ip_network(str(raw["prefix"])), ip_network(prefix, strict=False)
    return own.version == other.version and own.subnet_of(other)  # type: ignore[arg-type]


def same(*keys: str) -> Callable[[Raw, str], bool]:
    """A filter by a value inside."""
    return lambda raw, wanted: str(nested(raw, *keys)).lower() == wanted.lower()


def has_site(raw: Raw, wanted: str) -> bool:
    """A filter by the site, or the site that a prefix is scoped to."""
    found = nested(raw, "site", "id") or (nested(raw, "scope", "id") if raw.get("scope_type") == "dcim.site" else None)
    return str(found) == wanted


def at_or(later: bool) -> Callable[[Raw, str], bool]:
    """A filter by time."""

    def compare(raw: Raw, wanted: str) -> bool:
        own, other = datetime.fromisoformat(str(raw["time"])), datetime.fromisoformat(wanted)
        return own >= other if later else own <= other

    return compare


FILTERS: Mapping[str, Callable[[Raw, str], bool]] = {
    "id": same("id"),
    "address": lambda raw, wanted: str(raw.get("address", "")).partition("/")[0] == wanted.partition("/")[0],
    "parent": inside,
    "contains": around,
    "within_include": within,
    "prefix": same("prefix"),
    "object_type": same("object_type"),
    "object_id": same("object_id"),
    "rack_id": same("rack", "id"),
    "tenant_id": same("tenant", "id"),
    "role_id": same("role", "id"),
    "vlan": same("untagged_vlan", "vid"),
    "vlan_vid": same("vlan", "vid"),
    "vlan_id": lambda raw, wanted: wanted in {str(nested(raw, "vlan", "id")), str(nested(raw, "untagged_vlan", "id"))},
    "site_id": has_site,
    "device_id": lambda raw, wanted: (
        wanted in {str(nested(raw, "device", "id")), str(nested(raw, "assigned_object", "device", "id"))}
    ),
    "virtual_machine_id": same("assigned_object", "virtual_machine", "id"),
    "device": same("device", "name"),
    "name__ie": same("name"),
    "name__ic": lambda raw, wanted: wanted.lower() in str(raw.get("name", "")).lower(),
    "dns_name__ie": same("dns_name"),
    "dns_name__ic": lambda raw, wanted: wanted.lower() in str(raw.get("dns_name", "")).lower(),
    "q": lambda raw, wanted: wanted.lower() in json.dumps(raw).lower(),
    "slug": same("slug"),
    "vid": same("vid"),
    "mac_address": same("mac_address"),
    "role": same("role", "slug"),
    "tenant": same("tenant", "slug"),
    "status": same("status", "value"),
    "changed_object_type": same("changed_object_type"),
    "changed_object_id": same("changed_object_id"),
    "time_after": at_or(later=True),
    "time_before": at_or(later=False),
}


def passes(raw: Raw, key: str, said: list[str]) -> bool:
    """Whether an object has one of some values; with ``__n`` at the end of the key, none of them."""
    name = key.removesuffix("__n")
    return any(FILTERS[name](raw, one) for one in said) != (name != key)


class Office(BaseHTTPRequestHandler):
    """Answers GET; the class made for a server holds its token and objects."""

    token = ""
    objects: Mapping[str, list[Raw]] = {}
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """One request."""
        url = urlsplit(self.path)
        params = parse_qs(url.query)
        path = url.path.strip("/").removeprefix("api/")
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if not url.path.startswith("/api/"):
            self.reply(200, {"detail": "the page of an object would stand here"})
        elif token != self.token or scheme != ("Bearer" if token.startswith("nbt_") else "Token"):
            self.reply(403, {"detail": "Invalid token"})
        elif path == "status":
            self.reply(200, {"netbox-version": VERSION})
        elif path in self.objects:
            self.list(path, params)
        else:
            self.one(path)

    def one(self, path: str) -> None:
        """One object by its id."""
        folder, _, number = path.rpartition("/")
        found = next((raw for raw in self.objects.get(folder, []) if str(raw["id"]) == number), None)
        if found is None:
            self.reply(404, {"detail": "Not found."})
        else:
            self.reply(200, found)

    def list(self, path: str, params: Raw) -> None:
        """A page of objects that pass the filters."""
        limit, offset = (int(params.pop(key, [start])[-1]) for key, start in (("limit", 50), ("offset", 0)))
        fields, ordering = (params.pop(key, [""])[-1] for key in ("fields", "ordering"))
        unknown = [key for key in params if key.removesuffix("__n") not in FILTERS]
        if unknown:
            self.reply(400, {key: ["Unknown filter field"] for key in unknown})
            return
        try:
            found = [raw for raw in self.objects[path] if all(passes(raw, key, said) for key, said in params.items())]
        except (KeyError, ValueError):
            self.reply(400, {"detail": "a filter that does not fit"})
            return
        if ordering:
            found.sort(key=lambda raw: str(raw[ordering.lstrip("-")]), reverse=ordering.startswith("-"))
        part = found[offset : offset + limit]
        if fields:
            part = [{key: raw[key] for key in fields.split(",") if key in raw} for raw in part]
        more = offset + limit < len(found)
        after = urlencode({**params, "limit": limit, "offset": offset + limit}, doseq=True)
        base = f"http://{self.headers['Host']}/api/{path}/"
        self.reply(
            200, {"count": len(found), "next": f"{base}?{after}" if more else None, "previous": None, "results": part}
        )

    def reply(self, status: int, body: Any) -> None:
        """Send JSON."""
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


class Server(ThreadingHTTPServer):
    """One whose clients may go away before they have their answer."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nobody is told: who asked is gone."""


def at_once(path: str) -> None:
    """Nothing is waited for."""
    del path


@contextmanager
def serve_netbox(
    port: int = 0,
    token: str = DEMO_TOKEN,
    now: datetime | None = None,
    wait: Callable[[str], None] = at_once,
    objects: Mapping[str, list[Raw]] | None = None,
) -> Iterator[str]:
    """Serve the office's NetBox on 127.0.0.1 until the end.

    Args:
        port: 0 is a free one.
        token: that requests must carry; one of version 2 begins with ``nbt_``.
        now: what the times of changes lie before; now, when it is not given.
        wait: called with the path before each answer, for a server that is slow.
        objects: by path, in place of the office's.

    Yields: its address.
    """
    served = build_office(now or datetime.now(UTC)) if objects is None else objects

    class Own(Office):
        def do_GET(self) -> None:
            wait(self.path)
            super().do_GET()

    Own.token, Own.objects = token, served
    server = Server(("127.0.0.1", port), Own)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="netbox", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
