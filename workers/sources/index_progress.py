"""How many files of how many an index under way has read, told to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Heard = Callable[[int, int], None]
"""Told how many files were read, of how many."""
_listener: ContextVar[Heard | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Heard) -> Iterator[None]:
    """Let someone hear what is told in this thread until the end of the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: int, total: int) -> None:
    """Say how far it is; nobody may be there to hear it."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total)
