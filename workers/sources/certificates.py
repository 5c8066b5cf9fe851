"""Whose certificates a client of HTTP trusts."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


def trusted(address: str, ca_file: str = "") -> ssl.SSLContext:
    """What a client of a server needs. Over plain HTTP nobody signs: reading who may takes longer than a question.

    Args:
        address: of the server.
        ca_file: who signs its certificate; empty: everybody that `certifi` knows.
    """
    if ca_file:
        return ssl.create_default_context(cafile=ca_file)
    if address.lower().startswith("http://"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, should the server lead elsewhere
    return known_authorities()


@cache
def known_authorities() -> ssl.SSLContext:
    """Everybody that `certifi` knows, read once for all clients."""
    return httpx.create_ssl_context(trust_env=False)
