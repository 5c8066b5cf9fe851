"""Ways to make a program that fetches pages reach what it must not, and what came of each.

A public site and a private server both listen on loopback. Whatever is connected to ends at the public site when it is
the public site's address, and at the private server when it is any other: one connection that is not refused shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import httpcore

from tests.support.web_site import WebSite, run_web_site
from workers.errors import ToolError
from workers.sources.web.address_rules import AddressRules
from workers.sources.web.guarded_transport import resolve_name
from workers.sources.web.page_fetch import FetchLimits, PageFetcher

PUBLIC = "93.184.215.14"
LOOPBACK = """
127.0.0.1 127.1 127.0.1 127.255.255.254 127.0.0.1. 0 0.0.0.0 2130706433 0x7f000001 0x7F.1 0x7f.0x0.0x0.0x1 0177.0.0.1
017700000001 0177.1 00000177.0.0.1 127.000.000.001 localhost LOCALHOST localhost. ①②⑦.⓪.⓪.① 127。0。0。1 １２７.0.0.1
ⓛocalhost
""".split()
PRIVATE = """
10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 167772161 0x0a000001 012.0.0.1 100.64.0.1
100.127.255.255 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1
255.255.255.255
""".split()
METADATA = """
169.254.169.254 2852039166 0xA9FEA9FE 0251.0376.0251.0376 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192
[fd00:ec2::254] [::ffff:169.254.169.254]
""".split()
IPV6 = """
[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::127.0.0.1] [::ffff:0:127.0.0.1]
[64:ff9b::7f00:1] [64:ff9b::a00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::1]
[2001:0:4136:e378:8000:63bf:80ff:fffe] [fe80::1] [fe80::1%25lo] [fec0::1] [fc00::1] [fd12:3456::1] [ff02::1]
[2001:db8::1] [100::1] [3fff::1] [5f00::1]
""".split()
DISGUISED = (
    "http://example.org@127.0.0.1:{port}/",
    "http://example.org:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.org/",
    "http://127.0.0.1:{port}?@example.org/",
    "http://user:secret@public.example:{port}/",
    "http://example.org\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@example.org/",
    "http://127.0.0.1:{port}%2f@example.org/",
    "http:// 127.0.0.1:{port}/",
    "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1:{port}\r\nHost: example.org/",
    "//127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "HTTP://127.0.0.1:{port}/",
)
OTHER_SCHEMES = (
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_x",
    "dict://127.0.0.1:{port}/x",
    "ws://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "data:text/html,x",
    "jar:http://127.0.0.1:{port}/!/",
    "javascript:1",
)
ODD_PORTS = ("http://public.example:22/", "http://public.example:25/", "https://public.example:6379/")
NAMES: dict[str, list[str]] = {
    "private.example": ["10.1.2.3"],
    "loop.example": ["127.0.0.1"],
    "loop6.example": ["::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
    "both.example": [PUBLIC, "10.1.2.3"],
    "both6.example": [PUBLIC, "fd00::1"],
    "zone.example": ["fe80::1%lo"],
    "127.0.0.1.nip.example": ["127.0.0.1"],
    "xn--bcher-kva.example": ["192.168.1.1"],
}
"""What names resolve to, whoever asks."""
STATUSES = (301, 302, 303, 307, 308)


@dataclass
class World:
    """Both servers, the fetcher that is attacked, and the names that were resolved."""

    site: WebSite
    secret: WebSite
    fetcher: PageFetcher = field(init=False)
    resolved: list[str] = field(default_factory=list)

    def resolve(self, host: str, port: int) -> list[str]:
        """Stands in for DNS: names of the table, the public site's, and names that change after the first answer."""
        self.resolved.append(host)
        if host.startswith("rebinding"):
            return [PUBLIC] if self.resolved.count(host) == 1 else ["127.0.0.1"]
        if host == "public.example":
            return [PUBLIC]
        return NAMES.get(host) or resolve_name(host, port)


@dataclass(frozen=True)
class Attack:
    """One way. ``url`` is what a caller asks for."""

    kind: str
    url: str


@contextmanager
def run_world() -> Iterator[World]:
    """Both servers, and a fetcher that may use their ports and no address of theirs."""
    with run_web_site() as site, run_web_site() as secret:
        secret.pages["/"] = b"<html><body><p>secret</p></body></html>"
        real = httpcore.SyncBackend.connect_tcp

        def connect(self: Any, host: str, port: int, *args: Any, **more: Any) -> Any:
            return real(self, "127.0.0.1", site.port if host == PUBLIC else secret.port, *args, **more)

        rules = AddressRules(frozenset({80, 443, site.port, secret.port}))
        world = World(site, secret)
        world.fetcher = PageFetcher(rules, FetchLimits(pause_s=0, total_s=20), resolve=world.resolve)
        with patch.object(httpcore.SyncBackend, "connect_tcp", connect):
            yield world


def attacks(world: World) -> list[Attack]:
    """All ways; the public site is made to answer as they need it."""
    port = world.secret.port
    hosts = {"loopback": LOOPBACK, "private": PRIVATE, "metadata": METADATA, "IPv6": IPV6, "name": list(NAMES)}
    found = [Attack(kind, f"http://{host}:{port}/") for kind, group in hosts.items() for host in group]
    found += [Attack("disguise", url.format(port=port)) for url in DISGUISED]
    found += [Attack("scheme", url.format(port=port)) for url in OTHER_SCHEMES]
    found += [Attack("port", url) for url in ODD_PORTS]
    found += [Attack("rebinding", f"http://rebinding{n}.example:{port}/") for n in range(3)]
    return found + redirects(world)


def redirects(world: World) -> list[Attack]:
    """Redirects of the public site, and its robots.txt that is one."""
    port = world.secret.port
    targets = [f"http://{host}:{port}/" for host in ("127.0.0.1", "2130706433", "[::1]", "0x7f.1", "169.254.169.254")]
    targets += [f"http://loop.example:{port}/", f"//127.0.0.1:{port}/", "file:///etc/passwd", f"\\\\127.0.0.1:{port}\\"]
    targets += [f"http://public.example@127.0.0.1:{port}/", f"http://rebinding-later.example:{port}/"]
    ways = [(302, target) for target in targets] + [(status, targets[0]) for status in STATUSES]
    out = []
    for number, (status, target) in enumerate(ways):
        world.site.pages[f"/{number}"] = (status, {"location": target}, b"")
        out.append(Attack("redirect", f"http://public.example:{world.site.port}/{number}"))
    world.site.pages["/chain"] = (302, {"location": "/chain2"}, b"")
    world.site.pages["/chain2"] = (302, {"location": "/0"}, b"")
    out.append(Attack("redirect", f"http://public.example:{world.site.port}/chain"))
    return out


def outcome(world: World, attack: Attack) -> tuple[str, bool]:
    """How one attack ended, in words, and whether the private server was touched."""
    before = world.secret.touched
    try:
        page = world.fetcher.fetch(attack.url)
    except ToolError as error:
        said = str(error)
    else:
        said = f"fetched {page.url}"
    return said, world.secret.touched > before
