"""Parts of an engine that shows only what may be seen: its store, the sources that its answers rest on, no tools."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from workers.access.change_readers import kept_from, sources_told, targets_of, who_reads
from workers.access.policy import Policy
from workers.access.sources import Allowed, sources_read, tools_by_name
from workers.access.views import readable
from workers.contracts import Landscape, Proposal, RequestLog, Scalar
from workers.errors import RequestNotFound, StoreUnavailable, ToolUnavailable
from workers.ports import Limits, Store, ToolContext, ToolSession, ToolSpec, Visibility
from workers.settings.load import Settings


@dataclass(frozen=True)
class SeenStore:
    """Implements `workers.ports.Store`: what rests on something that may not be seen is not there."""

    store: Store
    allowed: Allowed

    def save(self, log: RequestLog) -> None:
        """Insert or replace the log of one request."""
        self.store.save(log)

    def load(self, request_id: str) -> RequestLog:
        """Read it back. Raises: RequestNotFound."""
        log = self.store.load(request_id)
        if not readable(log, self.allowed):
            raise RequestNotFound(f"no request {request_id}")
        return log


class NoTools:
    """Implements `workers.ports.Toolbox`: there is nothing."""

    tools: Mapping[str, Any] = MappingProxyType({})

    def open(self, context: ToolContext, limits: Limits) -> ToolSession:
        """Nobody is given tools. Raises: ToolUnavailable."""
        del context, limits
        raise ToolUnavailable("no tool may be used here")

    def landscape(self, context: ToolContext) -> Landscape:
        """No names."""
        del context
        return Landscape()

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        """No tools."""
        del limits
        return ()

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        """No tool is there."""
        del args
        return f"there is no tool {name!r}"


class NothingVisible(Visibility):
    """Nothing may be shown: what is told rests on nothing."""

    def rests_on(self, log: RequestLog) -> tuple[str, ...]:
        """No sources."""
        del log
        return ()

    def shows(self, log: RequestLog) -> bool:
        """Nothing of what others found."""
        del log
        return False


@dataclass(frozen=True)
class PolicyVisibility(Visibility):
    """What a policy gives. ``settings``: narrowed to it; ``store``: holds the requests that may be seen."""

    policy: Policy
    settings: Settings
    store: SeenStore
    apart: ClassVar[bool] = True

    def rests_on(self, log: RequestLog) -> tuple[str, ...]:
        """The sources that its tools read, that names were read from, and that the requests before it rest on."""
        tools = {call.name for call in log.tool_calls} | {proposal.tool for proposal in log.proposals}
        usable = log.route.tools_allowed if log.route and log.route.tools_allowed else None
        naming = {own for own, entry in tools_by_name(self.settings) if entry.on and entry.at_start}
        tools |= naming if usable is None else naming & set(usable)
        found = set(sources_read(self.settings, tools, self.settings.shown or ()))
        for request_id in filter(None, (log.question.follows, log.question.again)):
            with suppress(RequestNotFound, StoreUnavailable):
                found |= set(self.store.load(request_id).view or ())
        return tuple(sorted(found | set(log.view or ())))

    def shows(self, log: RequestLog) -> bool:
        """Whether all that it may rest on may be seen."""
        return readable(log, self.store.allowed)

    def check_readers(self, log: RequestLog, proposal: Proposal) -> tuple[str, str]:
        """An answer that is saved tells what it cites; any other change what its request found."""
        targets = targets_of(self.settings, proposal)
        if not targets:
            return "", ""
        saved = proposal.args.get("request_id")
        try:
            about = self.store.load(str(saved)) if saved else log
        except (RequestNotFound, StoreUnavailable) as error:
            return str(error), ""
        cited = {one for claim in about.answer.claims for one in claim.evidence} if saved and about.answer else None
        pieces = [one for one in about.evidence if cited is None or one.id in cited]
        told = sources_told(about, pieces, f"{proposal.title}\n{proposal.preview}")
        return kept_from(self.policy, targets, told), who_reads(self.policy, targets)
