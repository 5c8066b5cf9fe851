"""What many tests read from the same files is read once a process: the machine's certificates."""

from __future__ import annotations

from functools import lru_cache

from httpx._transports import default as http_transports


def read_certificates_once() -> None:
    """From now on: most of making a client of httpx is reading them, for addresses without TLS as well."""
    http_transports.create_ssl_context = lru_cache(8)(http_transports.create_ssl_context)
