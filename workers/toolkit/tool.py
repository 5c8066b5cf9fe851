"""What a tool is, and what its file is given to build it from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from workers.contracts import AlertEvent, Deploy, Landscape, RequestLog, ToolOutput
from workers.ports import ToolContext, ToolSpec
from workers.settings.load import Settings
from workers.store.database import Database

T = TypeVar("T")


class ToolArgs(BaseModel):
    """Base of every tool's arguments: strict names, immutable."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class NoOptions(BaseModel):
    """Options in ``config/tools.yaml`` of a tool that has none."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


@dataclass(frozen=True)
class Tool:
    """One tool. Its file in ``workers/tools``, or in ``tools`` of an agent's folder, has
    ``build(options, resources) -> Tool``, or ``build_NAME`` for each tool of a family.

    ``run`` takes checked arguments and returns a `ToolOutput`; it raises only `ToolError`s. ``ping`` returns one
    line on the health of the backend or raises `ToolUnavailable`. ``landscape`` returns the names it knows; of tools
    with the same one, one is asked. ``refresh`` brings what the tool keeps (an index) up to date, yielding one line a
    source and whether that went well. ``prepare`` loads what calls need (modules, indexes, connections). It is run
    before every call, whose time limit begins after it, and takes milliseconds when nothing is to load; calls that
    come while it runs wait for it instead of running it again.
    ``check`` raises `ToolArgumentError` for checked arguments that would be refused when it runs, without running.
    ``propose``: of a tool that changes something: what a call would change, as `ToolOutput.proposals`. It runs in
    place of ``run``, which is called when a person has confirmed, with the arguments of the proposal. Without it the
    tool is denied. ``personal``: its results are one user's, and are not shared by the cache.
    ``purpose``: see `ports.ToolSpec`. ``source``: what it reads, in a person's words, and ``key``: what of
    ``oracle.yaml`` connects that; `oracle check` says both.
    ``refuse`` turns the sentence on wrong arguments into the tool's documented JSON object.
    ``entry``: the entry of ``config/tools.yaml`` that it comes from, where that makes several. ``spec``: what is told
    of it where that comes from elsewhere and may change; None while nothing is known.
    """

    name: str
    description: str
    access: Literal["read", "write"]
    args: type[ToolArgs]
    run: Callable[[Any, ToolContext], ToolOutput]
    ping: Callable[[], str] | None = None
    landscape: Callable[[ToolContext], Landscape] | None = None
    refresh: Callable[[], Iterator[tuple[str, bool]]] | None = None
    prepare: Callable[[], None] | None = None
    check: Callable[[Any], None] | None = None
    refuse: Callable[[str], dict[str, Any]] | None = None
    purpose: str = "look further"
    propose: Callable[[Any, ToolContext], ToolOutput] | None = None
    personal: bool = False
    entry: str = ""
    source: str = ""
    key: str = ""
    spec: Callable[[], ToolSpec | None] | None = None

    def told(self) -> ToolSpec | None:
        """It as a planner sees it; None while nothing is known of it."""
        if self.spec is not None:
            return self.spec()
        return ToolSpec(self.name, self.description, schema_of(self.args), self.purpose)


@lru_cache(512)
def schema_of(args: type[ToolArgs]) -> Mapping[str, Any]:
    """What arguments have to look like, as JSON Schema; it is told with every question."""
    return args.model_json_schema()


def untold(start: datetime, end: datetime) -> tuple[AlertEvent, ...]:
    """Nobody told of alerts."""
    del start, end
    return ()


def undeployed(start: datetime, end: datetime) -> tuple[Deploy, ...]:
    """Nobody told of deploys."""
    del start, end
    return ()


class Opened:
    """What several read of a deployment, each opened once."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.found: dict[Callable[[Settings], Any], Any] = {}

    def open(self, connect: Callable[[Settings], T], settings: Settings) -> T:
        """What a function connects to, opened by the one that asks first; what fails to open is tried again."""
        with self.lock:
            if connect not in self.found:
                self.found[connect] = connect(settings)
            found: T = self.found[connect]
            return found


@dataclass(frozen=True)
class Resources:
    """What a tool may be built from. The functions take a span's start and end, and list oldest first.

    ``deploys``: those to the deployment's own environment that are known; ``deploys_anywhere``: those to any.
    ``alerts``: those that were told of and fired in the span. ``database``: the deployment's own, None where there is
    none. ``load``: the log of an earlier request. ``opened``: what several tools read, see `shared`.
    """

    settings: Settings
    deploys: Callable[[datetime, datetime], tuple[Deploy, ...]]
    alerts: Callable[[datetime, datetime], tuple[AlertEvent, ...]] = untold
    deploys_anywhere: Callable[[datetime, datetime], tuple[Deploy, ...]] = undeployed
    database: Database | None = None
    load: Callable[[str], RequestLog] | None = None
    opened: Opened = field(default_factory=Opened, repr=False, compare=False)

    def shared(self, connect: Callable[[Settings], T]) -> T:
        """What tools read in common, see `Opened.open`."""
        return self.opened.open(connect, self.settings)
