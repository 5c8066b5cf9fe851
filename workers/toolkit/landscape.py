"""The names that exist in every source, gathered side by side. A source that fails contributes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import structlog

from workers.contracts import Deploy, Landscape, ToolOutput
from workers.errors import StoreUnavailable
from workers.ports import ToolContext
from workers.toolkit.cache import Cache
from workers.toolkit.deadlines import run_within
from workers.toolkit.error_guard import guarded
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Tool
from workers.toolkit.tool_loading import PREPARE_MS, prepare

LOG = structlog.get_logger(__name__)
TTL_S = 30
DEPLOYS_SINCE = timedelta(days=30)
Deploys = Callable[[datetime, datetime], tuple[Deploy, ...]]


class LandscapeReader:
    """Reads the landscapes of tools, each kept for `TTL_S`; one that was late is not waited for again in that time."""

    def __init__(
        self, deploys: Deploys, redactor: Redactor, monotonic_ms: Callable[[], float], timeout_ms: float = 10_000
    ) -> None:
        self.deploys = deploys
        self.redactor = redactor
        self.monotonic_ms = monotonic_ms
        self.timeout_ms = timeout_ms
        self.late_at_ms: dict[object, float] = {}
        # None stands for a tool that failed: asked again at the next question.
        self.cache: Cache[Landscape | None] = Cache(lambda part: part is not None, monotonic_ms, max_entries=64)

    def read(self, tools: Sequence[Tool], context: ToolContext) -> Landscape:
        """All names of these tools, those that several share read once.

        Deploys up to ``context.now``, from the table or else from the tools.
        """
        shared: dict[object, Tool] = {}
        for tool in tools:
            if tool.landscape:
                shared.setdefault(tool.landscape, tool)
        named = list(shared.values())
        merged = Landscape()
        if named:
            with ThreadPoolExecutor(max_workers=len(named), thread_name_prefix="landscape") as pool:
                for part in pool.map(lambda tool: self.read_one(tool, context), named):
                    merged = merged.merged(part or Landscape())
        deploys = {(d.service, d.version, d.at): d for d in self.known_deploys(context) or merged.deploys}
        past = sorted((d for d in deploys.values() if d.at <= context.now), key=lambda d: d.at)
        return merged.model_copy(update={"deploys": tuple(past)})

    def read_one(self, tool: Tool, context: ToolContext) -> Landscape | None:
        """One tool's names, or None when it failed; of one that was late, that it was."""
        read = tool.landscape
        if read is None:
            return None
        if self.monotonic_ms() - self.late_at_ms.get(read, -math.inf) < TTL_S * 1_000:
            return Landscape(late=(tool.name,))  # it was waited for a moment ago; who asks next does not wait again

        def make() -> Landscape | None:
            if why := prepare(tool, self.monotonic_ms):
                LOG.warning("landscape_failed", tool=tool.name, reason=why)
                return None
            names = run_within(lambda: guarded(tool.name, lambda: read(context)), self.timeout_ms)
            if isinstance(names, ToolOutput):
                LOG.warning("landscape_failed", tool=tool.name, reason=names.reason)
                return None
            return self.redactor.message(names)

        user = context.user if tool.personal else ""
        key = (read, context.now.timestamp() // TTL_S, context.timezone, context.team, user)
        try:
            return self.cache.fetch(key, TTL_S, make, PREPARE_MS + self.timeout_ms)[0]
        except TimeoutError:
            LOG.warning("landscape_failed", tool=tool.name, reason=f"no answer within {self.timeout_ms:.0f} ms")
            self.late_at_ms[read] = self.monotonic_ms()
            return Landscape(late=(tool.name,))

    def known_deploys(self, context: ToolContext) -> tuple[Deploy, ...]:
        """What the deploys table holds for the last `DEPLOYS_SINCE`."""
        try:
            return self.deploys(context.now - DEPLOYS_SINCE, context.now)
        except StoreUnavailable as error:
            LOG.warning("landscape_failed", tool="deploys", reason=str(error))
            return ()
