"""The HTTP client for a server at an address: bounded answers, no compression, redirects within its origin alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import httpx2

from workers.sources.mcp.server_options import ServerOptions

MOST_BYTES = 8_000_000
"""Of one response."""
PLAIN = frozenset({"", "identity"})


class BoundedStream(httpx2.AsyncByteStream):
    """The body of a response that ends with an error after `MOST_BYTES`."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self.inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Its parts. Raises: httpx2.ReadError: there are too many bytes."""
        left = MOST_BYTES
        async for part in self.inner:
            left -= len(part)
            if left < 0:
                raise httpx2.ReadError(f"it sent more than {MOST_BYTES // 1_000_000} MB at once")
            yield part

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self.inner.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Asks for plain bodies and bounds them: a compressed one may hold a thousand times what is read."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. Raises: httpx2.ReadError: the answer is compressed all the same."""
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "").strip().lower() not in PLAIN:
            await response.aclose()
            raise httpx2.ReadError("it sent a compressed answer, which was not asked for")
        response.stream = BoundedStream(cast("httpx2.AsyncByteStream", response.stream))
        return response


def open_client(options: ServerOptions, read_s: float) -> httpx2.AsyncClient:
    """A client with the entry's headers, which goes through no proxy.

    Args:
        options: of the entry.
        read_s: how long a response may be silent.
    """
    headers = {name: value for name, value in options.headers.items() if value}
    timeout = httpx2.Timeout(options.connect_s, read=read_s)
    return httpx2.AsyncClient(headers=headers, timeout=timeout, transport=BoundedTransport(), trust_env=False)
