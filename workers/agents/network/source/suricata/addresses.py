"""Addresses as 16 bytes that sort as addresses do: IPv4 as mapped into IPv6, so that every prefix is one range."""

from __future__ import annotations

import socket
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

MAPPED = bytes(10) + b"\xff\xff"
ANYWHERE = b""
"""In place of a host: all of them."""


def pack(text: str) -> bytes:
    """An address as 16 bytes. Raises: ValueError: it is none."""
    try:
        if ":" not in text:
            return MAPPED + socket.inet_pton(socket.AF_INET, text)
        return socket.inet_pton(socket.AF_INET6, text.partition("%")[0])
    except (OSError, UnicodeError) as error:
        raise ValueError(f"{text[:60]!r} is no IP address") from error


def unpack(packed: bytes) -> str:
    """The address as it is written."""
    if packed.startswith(MAPPED):
        return socket.inet_ntop(socket.AF_INET, packed[12:])
    return socket.inet_ntop(socket.AF_INET6, packed)


def read_network(text: str) -> IPv4Network | IPv6Network:
    """An address or a prefix, host bits dropped. Raises: ValueError: it is neither."""
    return ip_network(text.strip(), strict=False)


def bounds(network: IPv4Network | IPv6Network) -> tuple[bytes, bytes]:
    """The first and the last address of a prefix, packed."""
    return pack(str(network[0])), pack(str(network[-1]))


def is_private(packed: bytes) -> bool:
    """Whether an address is one of somebody's own network."""
    return ip_address(unpack(packed)).is_private
