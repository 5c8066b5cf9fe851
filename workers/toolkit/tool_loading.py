"""Loading what a tool works with: its modules, indexes and connections. That is no part of the time of its calls."""

from __future__ import annotations

from workers.contracts import ToolOutput
from workers.toolkit.deadlines import run_within
from workers.toolkit.error_guard import guarded
from workers.toolkit.tool import Tool

PREPARE_MS = 60_000.0
"""How long a call waits for its tool to be loaded: a large repository that was never indexed takes longer."""


def prepare(tool: Tool) -> str:
    """Load what a tool needs for its calls; when all is loaded this takes milliseconds.

    Returns: why it cannot be called yet. Empty when it can, and when loading failed: the call itself tells of that.
    """
    load = tool.prepare
    if load is None:
        return ""

    def work() -> ToolOutput:
        load()
        return ToolOutput()

    try:
        run_within(lambda: guarded(tool.name, work), PREPARE_MS)
    except TimeoutError:
        return f"{tool.name} was not loaded within {PREPARE_MS / 1000:.0f} s; loading goes on, so ask again later"
    return ""
