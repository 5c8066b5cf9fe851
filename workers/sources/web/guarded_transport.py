"""The network as pages are fetched over it: a name is resolved once, its addresses are checked, and one of these is
connected to, whatever asks and however often it was redirected.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

from workers.errors import ToolDenied
from workers.sources.web.address_rules import AddressRules
from workers.sources.web.addresses import SCHEME_PORTS, port_of

Resolve = Callable[[str, int], list[str]]
CONNECTIONS, KEEP_S = 8, 15.0
DEADLINE: ContextVar[float] = ContextVar("deadline")
"""When the request under way ends, of `time.monotonic`. Its reads are many, each with a time limit of its own."""


@contextmanager
def ends_within(seconds: float) -> Iterator[float]:
    """Requests made inside end together, after so many seconds. Yields: when, of `time.monotonic`."""
    end = min(time.monotonic() + seconds, DEADLINE.get(float("inf")))
    mark = DEADLINE.set(end)
    try:
        yield end
    finally:
        DEADLINE.reset(mark)


def left_of(timeout: float | None, error: type[Exception]) -> float:
    """A time limit, cut to what is left of the request. Raises: ``error``: nothing is."""
    left = DEADLINE.get(float("inf")) - time.monotonic()
    if left <= 0:
        raise error("the time for it is over")
    return min(left, timeout if timeout is not None else 60.0)


def resolve_name(host: str, port: int) -> list[str]:
    """The IP addresses of a host. Raises: httpcore.ConnectError: it has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host} has no address") from error
    return list(dict.fromkeys(str(row[4][0]) for row in found))


class TimedStream(httpcore.NetworkStream):
    """A connection whose every read and write ends with the request."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self.stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What comes next."""
        return self.stream.read(max_bytes, left_of(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send."""
        self.stream.write(buffer, left_of(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """End it."""
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same, encrypted; the certificate is checked against the name that was asked for."""
        left = left_of(timeout, httpcore.ConnectTimeout)
        return TimedStream(self.stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """What the connection knows of itself."""
        return self.stream.get_extra_info(info)


class GuardedNetwork(httpcore.NetworkBackend):
    """Connects to checked addresses only.

    Args:
        rules: which may be reached.
        resolve: host and port -> its IP addresses.
    """

    def __init__(self, rules: AddressRules, resolve: Resolve = resolve_name) -> None:
        self.rules, self.resolve = rules, resolve
        self.network = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of a host that answers.

        Raises:
            ToolDenied: its port or one of its addresses may not be reached.
            httpcore.ConnectError, httpcore.ConnectTimeout: it has none, or none answers.
        """
        refuse(self.rules.refuse_port(host, port))
        addresses = self.resolve(host, port)
        for address in addresses:
            refuse(self.rules.refuse_address(host, port, address))
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            left = left_of(timeout, httpcore.ConnectTimeout)
            try:
                return TimedStream(self.network.connect_tcp(address, port, left, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class GuardedTransport(httpx.HTTPTransport):
    """What `httpx` sends requests over.

    Args:
        rules: which hosts, ports and addresses may be reached.
        proxy: the address of one that connects in our place, and then has to check addresses in our place; names are
            not resolved here. Empty: none, whatever the environment says.
        resolve: see `GuardedNetwork`.
    """

    def __init__(self, rules: AddressRules, proxy: str = "", resolve: Resolve = resolve_name) -> None:
        certificates = httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=certificates, trust_env=False, proxy=proxy or None)
        self.rules, self.proxied = rules, bool(proxy)
        if not proxy:
            self._pool.close()
            self._pool = httpcore.ConnectionPool(
                ssl_context=certificates,
                max_connections=CONNECTIONS,
                max_keepalive_connections=CONNECTIONS,
                keepalive_expiry=KEEP_S,
                network_backend=GuardedNetwork(rules, resolve),
            )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises: ToolDenied: its address may not be reached; httpx.TransportError."""
        url = request.url
        if url.scheme not in SCHEME_PORTS or url.userinfo:
            raise ToolDenied("only http and https pages without a password are fetched")
        host, port = url.raw_host.decode("ascii").lower(), port_of(url)
        refuse(self.rules.refuse_port(host, port))
        if self.proxied and is_literal(host):
            refuse(self.rules.refuse_address(host, port, host))
        return super().handle_request(request)


def is_literal(host: str) -> bool:
    """Whether a host is an IP address or could be read as one."""
    return ":" in host or host.rpartition(".")[2][:1].isdigit()


def refuse(why: str) -> None:
    """Raises: ToolDenied: there is a reason."""
    if why:
        raise ToolDenied(f"{why}; allow_hosts and allow_networks say what else may be read")
