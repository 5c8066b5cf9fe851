"""What servers said of their tools, kept under ORACLE_HOME/mcp between starts: no start waits for a server.

Beside what a tool is now stands what it was when it was first seen: a server that changes a description or a schema
later, once people trust it, is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp_types import Tool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.contracts import Moment
from workers.sources.mcp.connection import Listing
from workers.sources.mcp.tool_schema import DESCRIPTION_CHARS, safe_description, safe_schema

ABOUT_CHARS = 4 * DESCRIPTION_CHARS


class ToolVersion(BaseModel):
    """A tool as a server described it once, made safe. ``fingerprint``: of all it said, as it said it.

    ``writes``: whether it says that the tool changes something; None when it does not say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fingerprint: str
    seen_at: Moment
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    writes: bool | None = None


class KeptTool(BaseModel):
    """A tool when it was first seen and as it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: ToolVersion
    now: ToolVersion

    @property
    def changed(self) -> bool:
        """Whether it is another one than at first."""
        return self.first.fingerprint != self.now.fingerprint


class KeptServer(BaseModel):
    """One server: who it says it is, when its tools were last read, and those of them that are allowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: str = ""
    protocol: str = ""
    read_at: Moment | None = None
    tools: dict[str, KeptTool] = Field(default_factory=dict)

    @property
    def changed(self) -> tuple[str, ...]:
        """The tools that changed since they were first seen."""
        return tuple(name for name, tool in self.tools.items() if tool.changed)


class KeptTools:
    """The file of one server; other processes may write it too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp = 0.0
        self.kept = KeptServer()

    def read(self) -> KeptServer:
        """What is known, nothing when there is no file or none that can be read."""
        try:
            stamp = self.path.stat().st_mtime_ns
            if stamp != self.stamp:
                self.kept = KeptServer.model_validate_json(self.path.read_text("utf-8"))
                self.stamp = stamp
        except FileNotFoundError:
            self.kept, self.stamp = KeptServer(), 0.0
        except (OSError, ValidationError):
            self.kept = KeptServer()
        return self.kept

    def renew(self, listing: Listing, allowed: Collection[str]) -> KeptServer:
        """Note what a server says now. A tool that is gone is forgotten once it is no longer allowed, not before.

        Raises:
            OSError: the file cannot be written.
        """
        before = self.read()
        tools = {name: tool for name, tool in before.tools.items() if name in allowed}
        for tool in listing.tools:
            if tool.name in allowed:
                now = version_of(tool)
                known = tools.get(tool.name)
                if known is not None and known.now.fingerprint == now.fingerprint:
                    continue
                tools[tool.name] = KeptTool(first=known.first if known else now, now=now)
        kept = KeptServer(server=listing.server, protocol=listing.protocol, read_at=datetime.now(UTC), tools=tools)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(f".{os.getpid()}.new")
        beside.write_text(kept.model_dump_json(indent=1), "utf-8")
        beside.replace(self.path)
        return self.read()


def version_of(tool: Tool) -> ToolVersion:
    """A tool as it is described now."""
    said = tool.model_dump(mode="json", by_alias=True, include={"description", "input_schema", "annotations", "title"})
    marks = tool.annotations
    hint = marks.read_only_hint if marks else None
    destructive = marks.destructive_hint if marks else None
    return ToolVersion(
        fingerprint=hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest(),
        seen_at=datetime.now(UTC),
        description=safe_description(tool.description or tool.title or "", ABOUT_CHARS),
        input_schema=safe_schema(tool.input_schema),
        writes=None if hint is None and destructive is None else bool(hint is False or (destructive and not hint)),
    )
