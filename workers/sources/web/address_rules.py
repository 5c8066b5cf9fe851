"""Which hosts, ports and IP addresses may be reached: the public ones, and what the configuration adds."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = frozenset({80, 443, 8080, 8443})

# The special-purpose registries of IANA, whole blocks: nothing in them is a public web server.
CLOSED = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24"
            " 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15"
            " 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
            # within 2000::/3: Teredo and its neighbours, documentation, 6to4
            " 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"
        ).split(),
    )
)
GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
"""All public IPv6 addresses lie here; so none that maps, translates or tunnels an IPv4 address is one."""

# What clouds tell machines of themselves, credentials too. Some of it lies at public addresses.
METADATA = tuple(
    map(
        ipaddress.ip_network,
        "169.254.0.0/16 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::/32 fe80::/10".split(),
    )
)


@dataclass(frozen=True)
class AddressRules:
    """What may be reached beside public addresses at ``ports``.

    ``hosts``: names whose addresses may be private, ``HOST`` at any of the ports or ``HOST:PORT`` at that one;
    ``*.HOST`` is every name below it. ``networks``: private ranges that any name may lead to; those that clouds keep
    their metadata in are reached in no other way.
    """

    ports: frozenset[int] = PORTS
    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    def refuse_port(self, host: str, port: int) -> str:
        """Why a port is not asked at; empty when it is."""
        if port in self.ports or self.names(host, port):
            return ""
        return f"port {port} of {host} is not one that pages are fetched from"

    def refuse_address(self, host: str, port: int, address: str) -> str:
        """Why an address that a host has is not connected to; empty when it is. It is not shown: it may be secret."""
        why = f"{host} lies at a private address"
        try:
            found = ipaddress.ip_address(address)
        except ValueError:  # a zone, as fe80::1%eth0 has, or no address at all
            return why
        if any(found in network for network in self.networks):
            return ""
        if any(found in network for network in METADATA):
            return why
        return "" if is_public(found) or self.names(host, port) else why

    def names(self, host: str, port: int) -> bool:
        """Whether the configuration names a host, at this port."""
        parts = host.lower().split(".")
        below = [f"*.{'.'.join(parts[i:])}" for i in range(1, len(parts))]
        known = [host.lower(), *below]
        usual = port in self.ports
        return any((usual and name in self.hosts) or f"{bracketed(name)}:{port}" in self.hosts for name in known)


def bracketed(host: str) -> str:
    """A host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def is_public(address: Address) -> bool:
    """Whether an address belongs to a server anywhere on the internet."""
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_6:
        return False
    return not any(address in network for network in CLOSED)


def make_rules(ports: Iterable[int], hosts: Iterable[str], networks: Iterable[str]) -> AddressRules:
    """Rules from the words of a configuration. Raises: ValueError: a network or a host cannot be read."""
    named = frozenset(host.strip().lower() for host in hosts)
    for host in named:
        if not host or "/" in host or "@" in host:
            raise ValueError(f"{host!r} is no host; write wiki.example.com, *.example.com or 127.0.0.1:8080")
    return AddressRules(frozenset(ports), named, tuple(ipaddress.ip_network(n, strict=False) for n in networks))
