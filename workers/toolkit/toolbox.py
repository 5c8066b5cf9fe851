"""All tools of a deployment behind the Toolbox port."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from workers.contracts import Landscape, Scalar, ToolOutput
from workers.errors import ToolArgumentError, ToolError
from workers.ports import Limits, ToolContext, ToolSpec
from workers.settings.load import Settings
from workers.settings.schema import ToolEntry
from workers.toolkit.arguments import check_arguments
from workers.toolkit.cache import Cache
from workers.toolkit.clock import SystemClock
from workers.toolkit.landscape import Deploys, LandscapeReader
from workers.toolkit.redaction import Redactor, build_redactor
from workers.toolkit.registry import BuiltTools, build_tools
from workers.toolkit.tool import Resources, Tool
from workers.toolkit.tool_call import CallSession, Wrapped, worth_keeping

if TYPE_CHECKING:
    from workers.toolkit.redis_cache import SharedCache


class WrappedTools(Mapping[str, Wrapped]):
    """Tools with the limits of their entries, by name; looking one up builds it, where that is still to be done."""

    def __init__(self, tools: Mapping[str, Tool], entries: Mapping[str, ToolEntry]) -> None:
        self.tools, self.entries = tools, entries

    def __getitem__(self, name: str) -> Wrapped:
        tool = self.tools[name]
        entry = self.entries.get(tool.entry or name)
        return Wrapped(tool, entry.timeout_ms, entry.cache_ttl_s) if entry else Wrapped(tool)

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def ready(self) -> tuple[Tool, ...]:
        """Those that are built; whatever names its source's things, or keeps an index, is."""
        return self.tools.ready if isinstance(self.tools, BuiltTools) else tuple(self.tools.values())


class WrappedToolbox:
    """Implements `workers.ports.Toolbox`. One a process: its cache and landscapes are shared by all requests."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        settings: Settings,
        *,
        deploys: Deploys,
        redactor: Redactor | None = None,
        cache: Cache[ToolOutput] | None = None,
        clock_ms: Callable[[], float] = SystemClock.monotonic_ms,
    ) -> None:
        self.settings = settings
        self.tools = WrappedTools(tools, settings.tree.tools)
        self.redactor = redactor or build_redactor(settings)
        self.clock_ms = clock_ms
        self.cache = cache or Cache(worth_keeping, clock_ms)
        self.landscapes = LandscapeReader(deploys, self.redactor, clock_ms)

    def open(self, context: ToolContext, limits: Limits) -> CallSession:
        """Start the tool budget of one request."""
        return CallSession(
            self.tools, context, limits, cache=self.cache, redactor=self.redactor, monotonic_ms=self.clock_ms
        )

    def landscape(self, context: ToolContext) -> Landscape:
        """The real names in the sources that the agent may use; in all of them when the agent is not known yet.

        Those in operations data are an operations agent's: others may look at its state, and name none of it.
        """
        agent, entries = self.settings.tree.agents.get(context.agent), self.settings.tree.tools
        foreign = {name for name, entry in entries.items() if agent and entry.needs and entry.needs != agent.needs}
        usable = set(agent.tools) - foreign if agent else set(self.tools)
        return self.landscapes.read([tool for tool in self.tools.ready() if tool.name in usable], context)

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        """The agent's tools, in its order."""
        known = (self.tools[name].tool.told() for name in limits.tools if name in self.tools)
        return tuple(spec for spec in known if spec is not None)

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        """What is wrong with a tool's arguments, by their form and by the tool's own check."""
        if name not in self.tools:
            return f"there is no tool {name!r}"
        tool = self.tools[name].tool
        try:
            checked = check_arguments(tool, args)
            if tool.check is not None:
                tool.check(checked)
        except ToolArgumentError as error:
            return str(error)
        return ""

    def refresh(self) -> Iterator[tuple[str, str, bool]]:
        """Bring every index up to date; a first look at a large repository takes longer than any tool may.

        Yields: the tool, a line on one of its sources, and whether it went well.
        """
        for tool in self.tools.ready():
            try:
                for line, ok in tool.refresh() if tool.refresh else ():
                    yield tool.name, self.redactor.text(line), ok
            except ToolError as error:
                yield tool.name, self.redactor.text(str(error)), False


def build_toolbox(
    resources: Resources, redactor: Redactor | None = None, unmet: Collection[str] = ()
) -> WrappedToolbox:
    """The toolbox of everything configured. ``unmet``: needs, as `build_tools` takes them.

    Raises:
        ConfigError: with one sentence a mistake.
    """
    settings = resources.settings
    return WrappedToolbox(
        build_tools(resources, unmet),
        settings,
        deploys=resources.deploys,
        redactor=redactor,
        cache=shared_cache(settings) if settings.core.redis_url else None,
    )


def shared_cache(settings: Settings) -> SharedCache:
    """The cache of all processes of a deployment: those with the same configuration and folder."""
    from workers.toolkit.redis_cache import SharedCache  # noqa: PLC0415 - redis is large, and often there is none

    shown = sorted(settings.shown) if settings.shown is not None else None
    same = (settings.tree.model_dump_json(), str(settings.home.resolve()), shown)
    space = hashlib.sha256(repr(same).encode()).hexdigest()[:16]
    return SharedCache(settings.core.redis_url, space, worth_keeping, SystemClock.monotonic_ms)
