"""Addresses of web pages: which may be asked for at all, in one spelling."""

from __future__ import annotations

import ipaddress
import re

import httpx

from workers.errors import ToolArgumentError

LONGEST = 2_000
SCHEME_PORTS = {"https": 443, "http": 80}
NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|\d+)")


def read_web_address(address: str) -> httpx.URL:
    """The ``https://…`` or ``http://…`` address of a page, without its fragment.

    Raises:
        ToolArgumentError: it is none, holds a user or a password, or writes its host in a form that hides an address:
            ``2130706433``, ``0x7f.1``, ``0177.0.0.1``.
    """
    plain = address.strip()
    if not plain or len(plain) > LONGEST:
        raise ToolArgumentError(
            f"url is {'empty' if not plain else 'too long'}; give a page such as https://example.org/"
        )
    if not plain.isprintable() or any(c.isspace() or c == "\\" for c in plain):
        raise ToolArgumentError("url holds a blank, a backslash or a character that no address has")
    try:
        url = httpx.URL(plain)
        host = url.raw_host.decode("ascii").lower()
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise ToolArgumentError(f"url cannot be read: {str(error)[:150]}") from error
    if url.scheme not in SCHEME_PORTS or not host:
        raise ToolArgumentError("url must begin with https:// or http:// and a host")
    if url.userinfo:
        raise ToolArgumentError("url holds a user or a password; only pages that anyone may read are fetched")
    return url.copy_with(host=plain_host(host), fragment=None)


def plain_host(host: str) -> str:
    """A host without the dot that may close it. Raises: ToolArgumentError: it is a number in disguise."""
    name = host.removesuffix(".")
    last = name.rpartition(".")[2]
    if ":" not in name and NUMBER.fullmatch(last):
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError as error:
            raise ToolArgumentError(f"{host} writes an address in an unusual form; write it as 192.0.2.1") from error
    if not name or "%" in name:
        raise ToolArgumentError("url must begin with https:// or http:// and a host")
    return name


def port_of(url: httpx.URL) -> int:
    """The port that a page is asked for at."""
    return url.port or SCHEME_PORTS[url.scheme]


def origin_of(url: httpx.URL) -> str:
    """Scheme, host and port: whom robots.txt speaks for."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
