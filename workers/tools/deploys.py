"""deploys: the last deploys before a moment, and the commits that each brought."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workers.contracts import ToolOutput, rfc3339
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_clones import connected_repositories
from workers.sources.connections.open_sources import open_code_sources
from workers.sources.evidence.commit_range_result import Wanted
from workers.sources.evidence.deployed_changes_result import find_deliveries, show_deliveries, undeployed
from workers.sources.history.time_span import read_span
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs


class DeploysArgs(ToolArgs):
    """Which deploys."""

    services: str = Field(
        "", max_length=500, description="names of services, between commas; empty: those deployed the day before"
    )
    until: str = Field("", max_length=60, description="RFC 3339, such as when something began; empty: now")
    since: str = Field("", max_length=60, description="RFC 3339: commits from here on, where no deploy is known")
    environment: str = Field("", max_length=100, description="another environment than the configured one")
    query: str = Field("", max_length=2_000, description="what went wrong, in words: commits near to it come first")
    k: int = Field(8, ge=1, le=40, description="how many commits at most")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    repositories = connected_repositories(resources.settings, resources.deploys_anywhere)
    shelf = resources.shared(open_code_sources)

    def run(args: DeploysArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data`` as `workers.tools.repo` has it, with ``"deploys"``. Raises: ToolError."""
        since, until = read_span(args.since, args.until, context.now)
        opened, problems = open_all(shelf) if shelf.sources else ((), ())
        known = repositories.known(context.now).deploys
        where = args.environment or resources.settings.core.environment
        wanted = Wanted(args.query, "", args.k, context.now, opened, problems, known, where)
        services = [s.strip() for s in args.services.split(",") if s.strip()]
        found, (missing, nearest) = find_deliveries(services, until, wanted), undeployed(services, wanted)
        if not found and (missing or args.environment or services or not opened):
            reason = missing or f"no deploy to {where} is known up to {rfc3339(until)}"
            nearest = nearest or nearest_names([where], sorted({d.environment for d in known}))
            return ToolOutput(status="empty", reason=reason, nearest=nearest)
        output = show_deliveries(found, since, until, wanted)
        return output.model_copy(
            update={"reason": "; ".join(filter(None, [output.reason, missing])), "nearest": nearest}
        )

    return Tool(
        name="deploys",
        purpose="see what went out before",
        description="The last three deploys of each service before a moment, with the commits that each brought (those "
        "between the commit that ran before and the deployed one, not those of the time between), what each diff can "
        "do, and rollbacks. Use it before you blame the newest deploy. Reads only.",
        access="read",
        args=DeploysArgs,
        run=run,
    )
