"""Which tools an agent may call, and how often in one request."""

from __future__ import annotations

import threading

import structlog

from workers.ports import Limits

LOG = structlog.get_logger(__name__)


class CallBudget:
    """The allowlist and the number of calls of one request. Refused calls are not counted."""

    def __init__(self, agent: str, limits: Limits) -> None:
        self.agent = agent
        self.limits = limits
        self.lock = threading.Lock()
        self.used = 0

    def refuse(self, name: str) -> str | None:
        """Count one call.

        Returns: why it is denied, or None. With ``overflow: log`` a call over the limit is logged and let through.
        """
        if name not in self.limits.tools:
            allowed = ", ".join(self.limits.tools) or "none"
            return f"agent {self.agent!r} may not use {name!r}; it may use: {allowed}"
        with self.lock:
            if self.used < self.limits.max_tool_calls:
                self.used += 1
                return None
            if self.limits.overflow == "stop":
                return f"the limit of {self.limits.max_tool_calls} tool calls for one question is reached"
            self.used += 1
            LOG.warning("tool_budget_exceeded", agent=self.agent, tool=name, calls=self.used)
            return None
