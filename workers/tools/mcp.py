"""Tools of MCP servers: one entry of ``config/tools.yaml`` is one server, each tool it allows a tool here.

What a server says of itself is data of others: its descriptions are shown as its own, bounded and without orders; its
schemas are made safe; a tool that changes something is proposed to a person and never called by a model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import structlog
from pydantic import ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from workers.contracts import Proposal, ToolOutput
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.ports import ToolContext, ToolSpec
from workers.settings.schema import ToolEntry
from workers.sources.mcp.connection import Connection
from workers.sources.mcp.kept_tools import KeptServer, KeptTools, ToolVersion
from workers.sources.mcp.result_evidence import output_of, read_result
from workers.sources.mcp.server_options import ServerOptions
from workers.sources.mcp.tool_schema import ANYTHING, read_arguments
from workers.toolkit.deadlines import run_within
from workers.toolkit.error_guard import guarded
from workers.toolkit.redaction import build_redactor
from workers.toolkit.tool import Resources, Tool, ToolArgs

LOG = structlog.get_logger(__name__)
FRESH = timedelta(hours=1)
"""What was read of a server in this time is not read again by a refresh."""
REFRESH_MS = 5_000.0
"""So long a refresh waits for a server; questions may wait for the refresh."""
DEFAULT_CALL_S = 15.0
EXPECTED = "_expected"
"""In the arguments of a proposal: the fingerprint of the tool that was proposed."""


def build_served(name: str, entry: ToolEntry, resources: Resources) -> tuple[Tool, ...]:
    """All tools of a server, without asking it.

    Args:
        name: of the entry.
        entry: whose `ServerOptions` say how the server is reached.
        resources: of the deployment.

    Raises:
        pydantic.ValidationError: an option is unknown or out of range.
    """
    server = Server(name, entry, resources)
    return tuple(
        ServedTool(server, own, tool, writes=tool in entry.writes).tool() for own, tool in entry.names(name).items()
    )


class Server:
    """One server: the connection, what is known of its tools, and what may be sent."""

    def __init__(self, name: str, entry: ToolEntry, resources: Resources) -> None:
        options = ServerOptions.model_validate(dict(entry.options))
        folder = resources.settings.home / "mcp"
        self.name, self.options = name, options
        self.allowed = (*entry.tools, *entry.writes)
        self.call_s = entry.timeout_ms / 1000 if entry.timeout_ms else DEFAULT_CALL_S
        self.kept = KeptTools(folder / f"{name}.json")
        self.connection = Connection(name, options, folder / f"{name}.log")
        self.redactor = build_redactor(resources.settings)
        self.lock = Lock()
        self.listed: object = None

    def prepare(self) -> None:
        """Connect, and note what the server says of its tools now. Raises: ToolUnavailable."""
        with self.lock:
            listing = self.connection.open()
            if listing is self.listed:
                return
            before = self.kept.read()
            try:
                kept = self.kept.renew(listing, self.allowed)
            except OSError as error:
                raise ToolUnavailable(f"{self.kept.path} cannot be written ({error.strerror})") from error
            self.listed = listing
        for tool in set(kept.changed) - set(before.changed):
            LOG.warning("mcp_tool_changed", server=self.name, tool=tool, pinned=self.options.pin)

    def ping(self) -> str:
        """Ask the server. Returns: who it is and which tools it has. Raises: ToolUnavailable."""
        self.prepare()
        return describe(self.kept.read(), self.allowed, pinned=self.options.pin)

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Read which tools there are, unless that was done a while ago. Yields: a line, and whether all is well."""
        kept, why = self.kept.read(), ""
        if kept.read_at is None or datetime.now(UTC) - kept.read_at > FRESH:
            try:
                failed = run_within(lambda: guarded(self.name, self.prepare), REFRESH_MS)
                why = failed.reason if failed else ""
            except TimeoutError:
                why = f"it did not answer within {REFRESH_MS / 1000:.0f} s"
        yield why or describe(self.kept.read(), self.allowed, pinned=self.options.pin), not why

    def version(self, tool: str) -> ToolVersion | None:
        """The tool as it may be used: as it is, or as it was at first where that is pinned; None: never seen."""
        known = self.kept.read().tools.get(tool)
        if known is None:
            return None
        return known.first if self.options.pin else known.now

    def outgoing(self, tool: str, args: ToolArgs) -> dict[str, Any]:
        """Arguments as they are sent: without secrets, and no more than `ServerOptions.argument_chars` of them.

        Raises:
            ToolArgumentError: they are too long.
        """
        given = {k: v for k, v in args.model_dump().items() if k != EXPECTED}
        arguments: dict[str, Any] = self.redactor.value(given)
        most = self.options.argument_chars
        if (size := len(json.dumps(arguments, ensure_ascii=False, default=str))) > most:
            raise ToolArgumentError(
                f"{self.name}: {tool}: the arguments have {size:,} characters; {most:,} may be sent"
            )
        return arguments


def describe(kept: KeptServer, allowed: tuple[str, ...], *, pinned: bool) -> str:
    """Who a server is, how many of the allowed tools it has, which it lacks and which have changed."""
    missing = [tool for tool in allowed if tool not in kept.tools]
    parts = [f"{kept.server or 'a server without a name'}, protocol {kept.protocol}"]
    parts.append(f"{len(allowed) - len(missing)} of {len(allowed)} tools")
    if missing:
        parts.append(f"it has no {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}")
    if kept.changed:
        said = "refused, for they changed" if pinned else "changed"
        parts.append(f"{said} since they were first seen: {', '.join(kept.changed[:5])}")
    return "; ".join(parts)


class ServedTool:
    """One tool of a server."""

    def __init__(self, server: Server, own: str, name: str, *, writes: bool) -> None:
        self.server, self.own, self.name, self.writes = server, own, name, writes

    def tool(self) -> Tool:
        """It as the house has tools."""
        return Tool(
            name=self.own,
            source=self.server.name,
            purpose=f"ask {self.server.name}",
            description=f"{self.name} of the MCP server {self.server.name}.",
            access="write" if self.writes else "read",
            args=arguments_model(self),
            run=self.run,
            ping=self.server.ping,
            refresh=self.server.refresh if self.name == self.server.allowed[0] else None,
            prepare=self.server.prepare,
            propose=self.propose if self.writes else None,
            entry=self.server.name,
            spec=self.spec,
        )

    def spec(self) -> ToolSpec | None:
        """What a model is told: the server's own words, marked as such."""
        version = self.server.version(self.name)
        if version is None:
            return None
        waits = "A person has to confirm each call. " if self.writes else ""
        about = f"{waits}A tool of the server {self.server.name}, in its own words: {version.description or 'none'}"
        return ToolSpec(self.own, about, version.input_schema or ANYTHING, f"ask {self.server.name}")

    def schema(self) -> Mapping[str, Any]:
        """Of its arguments; anything while the server was never asked."""
        version = self.server.version(self.name)
        return version.input_schema if version and version.input_schema else ANYTHING

    def run(self, args: ToolArgs, context: ToolContext) -> ToolOutput:
        """Call it.

        Returns: as `sources.mcp.result_evidence.output_of`.

        Raises:
            ToolArgumentError: the arguments do not fit, or are too long.
            ToolDenied: it is another tool than was seen, or says that it changes something and is not listed so.
            ToolUnavailable: the server is away, late, or speaks nonsense.
        """
        del context
        self.server.prepare()
        self.permit(args)
        arguments = self.fitting(self.server.outgoing(self.name, args))
        result = self.server.connection.call(self.name, arguments, self.server.call_s)
        read = read_result(result)
        if result.is_error:
            said = " ".join(read.text.split())[:500] or "no reason"
            raise ToolArgumentError(f"{self.server.name}: {self.name} failed and says: {said}")
        return output_of(self.server.name, self.name, arguments, read, self.server.options.result_chars)

    def permit(self, args: ToolArgs) -> None:
        """Whether it may be called. Raises: ToolDenied, ToolUnavailable."""
        server, version = self.server, self.server.version(self.name)
        if version is None:
            raise ToolUnavailable(f"the MCP server {server.name} has no tool named {self.name}")
        known = server.kept.read().tools[self.name]
        if server.options.pin and known.changed:
            raise ToolDenied(
                f"{server.name}: {self.name} is described otherwise than when it was first seen, on "
                f"{known.first.seen_at:%Y-%m-%d}; look at {server.kept.path}, and delete it to accept that"
            )
        expected = args.model_dump().get(EXPECTED)
        if expected is not None and expected != version.fingerprint:
            raise ToolDenied(f"{server.name}: {self.name} was described otherwise when this call was proposed")
        if version.writes and not self.writes:
            raise ToolDenied(
                f"{server.name}: {self.name} says that it changes something; list it under writes in config/tools.yaml"
            )

    def fitting(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as the schema wants them, which may be newer than the one they were checked by before.

        Raises:
            ToolArgumentError: they do not fit.
        """
        try:
            return read_arguments(self.schema(), arguments)
        except ValueError as error:
            raise ToolArgumentError(f"{self.own}: {error}") from error

    def propose(self, args: ToolArgs, context: ToolContext) -> ToolOutput:
        """The call, for a person to see and confirm. Raises: as `run`."""
        del context
        self.permit(args)
        arguments = self.fitting(self.server.outgoing(self.name, args))
        version = self.server.version(self.name)
        proposal = Proposal(
            tool=self.own,
            args=arguments | {EXPECTED: version.fingerprint if version else ""},
            title=f"Call {self.name} of the MCP server {self.server.name}",
            preview=json.dumps(arguments, ensure_ascii=False, indent=1),
        )
        summary = f"{self.server.name}: {self.name} waits for a person to confirm it"
        return ToolOutput(summary=summary, proposals=(proposal,))


def arguments_model(served: ServedTool) -> type[ToolArgs]:
    """The arguments of a tool of others: whatever fits its schema as it is now."""

    class ServedArgs(ToolArgs):
        """Arguments by the server's schema."""

        model_config = ConfigDict(frozen=True, extra="allow")

        @model_validator(mode="before")
        @classmethod
        def by_schema(cls, given: Any) -> Any:
            """Raises: PydanticCustomError: they do not fit."""
            plain = {k: v for k, v in given.items() if k != EXPECTED}
            try:
                read = read_arguments(served.schema(), plain)
            except ValueError as error:
                raise PydanticCustomError("schema", "{why}", {"why": str(error)}) from error
            return read | {k: v for k, v in given.items() if k == EXPECTED}

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            """The server's, made safe."""
            return dict(served.schema())

    return ServedArgs
