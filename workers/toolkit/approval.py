"""Tools that write wait for a person."""

from __future__ import annotations

from workers.toolkit.tool import Tool


def refuse_write(tool: Tool) -> str | None:
    """Why a writing tool is denied, or None for one that reads."""
    if tool.access == "read":
        return None
    return f"{tool.name} changes something, so a person has to confirm it first"
