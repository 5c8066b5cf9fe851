"""Serves a sandbox with uvicorn, so that connections can be dropped from inside."""

import asyncio
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from slack_sandbox.app import build_sandbox
from slack_sandbox.config import SandboxConfig


class TransportProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with the connection's transport in the request's state."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keeps the transport for handlers that drop the connection."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


def listen(host: str, port: int) -> socket.socket:
    """Returns: a bound socket; `port` 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio then sends small answers at once
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(1024)
    listener.set_inheritable(False)
    return listener


def make_server(config: SandboxConfig) -> uvicorn.Server:
    """Returns: a server for a fresh sandbox; `serve(sockets=[listen(…)])` runs it."""
    return uvicorn.Server(
        uvicorn.Config(
            build_sandbox(config),
            http=TransportProtocol,
            ws="websockets-sansio",
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
    )
