"""Ports of this machine that servers of a command listen on."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def is_free(host: str, port: int) -> bool:
    """Whether a server can listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def free_port(wanted: int = 0) -> int:
    """The wanted port, or a free one when it is taken or 0."""
    if wanted and is_free(LOOPBACK, wanted):
        return wanted
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])
