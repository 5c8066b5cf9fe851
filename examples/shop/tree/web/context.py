"""Which endpoint the current thread is serving, for the labels of what happens below it."""

from __future__ import annotations

from contextvars import ContextVar

endpoint: ContextVar[str] = ContextVar("endpoint", default="none")
