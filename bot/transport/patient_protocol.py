"""HTTP whose requests must arrive in time: whoever sends one slower than that is told so, and the connection closed.

Otherwise anybody could keep any number of connections open by a byte now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVES_S = 30.0
"""From the first byte of a connection, or of the next request on it, to the last of the request."""
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
ARRIVING = {h11.IDLE, h11.SEND_BODY}


class PatientProtocol(H11Protocol):
    """uvicorn's protocol with an end to its patience. ``slow``: is told of each connection that was closed."""

    arrives_s = ARRIVES_S
    slow: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Somebody is there, who may never say anything."""
        super().connection_made(transport)
        self.await_request()

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        super().data_received(data)
        if self.conn.their_state in ARRIVING:
            self.await_request()
        else:
            self.forget_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self.forget_request()
        super().connection_lost(exc)

    def await_request(self) -> None:
        """Begin to wait; more bytes of the same request win no time."""
        if self.patience is None:
            self.patience = self.loop.call_later(self.arrives_s, self.give_up)

    def forget_request(self) -> None:
        """It is there."""
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None

    def give_up(self) -> None:
        """Close the connection."""
        self.patience = None
        if self.transport.is_closing():
            return
        self.slow()
        if self.cycle is None or not self.cycle.response_started:
            self.transport.write(TOO_SLOW)
        self.transport.close()


def told_of_slow(slow: Callable[[], None]) -> type[PatientProtocol]:
    """The protocol that tells somebody."""
    return type("ToldProtocol", (PatientProtocol,), {"slow": staticmethod(slow)})
