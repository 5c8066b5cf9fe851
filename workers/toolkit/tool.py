"""What a tool is, and what its file is given to build it from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from workers.contracts import Deploy, Landscape, ToolOutput
from workers.ports import ToolContext
from workers.settings import Settings


class ToolArgs(BaseModel):
    """Base of every tool's arguments: strict names, immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Tool:
    """One tool. Its file in ``workers/tools`` has ``build(options, resources) -> Tool``.

    ``run`` takes checked arguments and returns a `ToolOutput`; it raises only `ToolError`s. ``ping`` returns one
    line on the health of the backend or raises `ToolUnavailable`. ``landscape`` returns the names it knows.
    ``refresh`` brings what the tool keeps (an index) up to date, yielding one line a source.
    """

    name: str
    description: str
    access: Literal["read", "write"]
    args: type[ToolArgs]
    run: Callable[[Any, ToolContext], ToolOutput]
    ping: Callable[[], str] | None = None
    landscape: Callable[[ToolContext], Landscape] | None = None
    refresh: Callable[[], Iterator[str]] | None = None


@dataclass(frozen=True)
class Resources:
    """What a tool may be built from. ``deploys(start, end)`` lists known deploys in a span, oldest first."""

    settings: Settings
    deploys: Callable[[datetime, datetime], tuple[Deploy, ...]]
