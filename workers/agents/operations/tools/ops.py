"""The eight tools over the context database. They read only; `source.evidence` lists what they say."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pydantic import Field
from sqlalchemy import func, select

from workers.agents.operations.sections import data_address
from workers.agents.operations.source.active_incidents import get_active_incidents
from workers.agents.operations.source.database import check_tables, open_reading
from workers.agents.operations.source.deployments import get_deployment_status
from workers.agents.operations.source.evidence import DESCRIBE
from workers.agents.operations.source.latency_trends import get_latency_trends
from workers.agents.operations.source.quality_summary import get_quality_summary
from workers.agents.operations.source.reader import Found, Reader, answer, refused
from workers.agents.operations.source.recent_requests import get_recent_requests
from workers.agents.operations.source.request_detail import get_request_detail
from workers.agents.operations.source.request_volume import get_request_volume
from workers.agents.operations.source.tables import backends, deployments, models, requests, tiers, users
from workers.agents.operations.source.user_context import get_user_context
from workers.contracts import Landscape, ToolOutput, rfc3339
from workers.errors import ConfigError, StoreUnavailable, ToolUnavailable
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST_NAMES = 500
NAMED = {"model": models, "backend": backends, "deployment": deployments, "tier": tiers, "user": users}
NONE = "no operations data are connected: run oracle load, or set context.url (CONTEXT_DATABASE_URL)"
TIMES = "RFC 3339, now, today, yesterday, N hours ago, N days ago"
Query = Callable[..., Found]


def text(default: str = "", about: str = "") -> Any:
    """An argument that is text."""
    return Field(default, max_length=300, description=about or None)


class IncidentArgs(ToolArgs):
    """Which incidents."""

    target_type: str = text(about="deployment, model or backend")
    target_id: str = text(about="id of the deployment, model or backend")


class StatusArgs(ToolArgs):
    """Which deployments."""

    model_id: str = text()
    backend_id: str = text()
    status: str = text(about="healthy, degraded or down")


class RecentArgs(ToolArgs):
    """Which requests."""

    user_id: str = text()
    user_tier: str = text(about="premium, standard or budget")
    deployment_id: str = text(about="model/backend")
    model_id: str = text()
    backend_id: str = text()
    status: str = text(about="success, error or timeout")
    since: str = text("24 hours ago", TIMES)
    until: str = text(about=f"{TIMES}; empty is now")
    limit: int = Field(50, description="1 to 500")


class DetailArgs(ToolArgs):
    """Which request."""

    request_id: str = Field(max_length=300)


class UserArgs(ToolArgs):
    """Which user."""

    user_id: str = Field(max_length=300)


class TrendArgs(ToolArgs):
    """Whose latency, when, how fine."""

    deployment_id: str = text(about="model/backend")
    model_id: str = text()
    backend_id: str = text()
    since: str = text("24 hours ago", TIMES)
    until: str = text("now", TIMES)
    granularity: str = text("hour", "hour or day")


class QualityArgs(ToolArgs):
    """Whose scores, when."""

    model_id: str = text()
    task_type: str = text()
    since: str = text("7 days ago", TIMES)
    until: str = text(about=f"{TIMES}; empty is now")


class VolumeArgs(ToolArgs):
    """How requests are counted."""

    group_by: str = text("tier", "tier, model, backend or deployment")
    since: str = text("7 days ago", TIMES)
    until: str = text(about=f"{TIMES}; empty is now")
    granularity: str = text("day", "day or hour")


def build_get_active_incidents(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Active incidents with their targets and how long they last; none is an answer too. Ask it first."
    return make(get_active_incidents, about, IncidentArgs, options, resources)


def build_get_deployment_status(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = (
        "Health of deployments by their last report: status, latency p50 and p95, error and timeout rate, queue, time "
        "to first token, tokens per second; stale ones are marked; worst first, with totals."
    )
    return make(get_deployment_status, about, StatusArgs, options, resources)


def build_get_recent_requests(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Single requests of a window, newest first, by user, tier, deployment, model, backend or status."
    return make(get_recent_requests, about, RecentArgs, options, resources)


def build_get_request_detail(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Everything about one request by its id: routing decision, quality score, the incident it falls into."
    return make(get_request_detail, about, DetailArgs, options, resources)


def build_get_user_context(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "A user's tier, latency target, daily budget and what was used of it today."
    return make(get_user_context, about, UserArgs, options, resources)


def build_get_latency_trends(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Latency p50 and p95, requests and error rate of each deployment by hour or day, with what rose most."
    return make(get_latency_trends, about, TrendArgs, options, resources)


def build_get_quality_summary(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "Quality scores (0 to 1) by model and task type: average, lowest, highest, number; lowest average first."
    return make(get_quality_summary, about, QualityArgs, options, resources)


def build_get_request_volume(options: dict[str, Any], resources: Resources) -> Tool:
    """Raises: pydantic.ValidationError: an option is unknown."""
    about = "How many requests and what they cost, by tier, model, backend or deployment, over days or hours."
    return make(get_request_volume, about, VolumeArgs, options, resources)


def make(query: Query, about: str, args: type[ToolArgs], options: dict[str, Any], resources: Resources) -> Tool:
    """A tool of a query, which gives it its name."""
    NoOptions.model_validate(options)
    return Tool(
        name=query.__name__,
        source="operations data",
        key="context.url",
        description=about,
        access="read",
        args=args,
        run=lambda given, context: run(query, given, context, resources),
        ping=lambda: ping(resources),
        landscape=names_at(data_address(resources.settings)),
        refuse=lambda sentence: refused(sentence, "INVALID_PARAMETER").data,
    )


def run(query: Query, args: ToolArgs, context: ToolContext, resources: Resources) -> ToolOutput:
    """Answer one call.

    Returns: ``data`` as the query documents it, or ``{error, message, code}``.
    """
    address, given = data_address(resources.settings), args.model_dump()
    if not address:
        return failed(refused(NONE, "DATABASE_ERROR"))
    try:
        reader = Reader(open_reading(address), context.now, read_zone(context.timezone))
    except ConfigError as error:
        return failed(refused(str(error), "DATABASE_ERROR"))
    found, nearest = answer(lambda: query(reader, **given))
    if found.data.get("error"):
        return failed(found, nearest)
    evidence = DESCRIBE[query.__name__](found, context.now, given)
    if not evidence:
        reason = "there is nothing in this window" + (f" for {said(given)}" if said(given) else "")
        return ToolOutput(status="empty", data=found.data, reason=reason)
    return ToolOutput(summary=evidence[0].excerpt, data=found.data, evidence=evidence)


def said(given: dict[str, Any]) -> str:
    """The filters of a call in words."""
    times = {"since", "until", "limit", "granularity", "group_by"}
    return ", ".join(f"{name} {value}" for name, value in given.items() if value and name not in times)


def failed(found: Found, nearest: tuple[str, ...] = ()) -> ToolOutput:
    """An error as an output: what does not exist is empty, everything else is a failure."""
    status = "empty" if found.data["code"] == "NOT_FOUND" else "error"
    return ToolOutput(status=status, data=found.data, reason=found.data["message"], nearest=nearest)


def ping(resources: Resources) -> str:
    """One line on the database. Raises: ToolUnavailable: it cannot be read, or tables are missing."""
    address = data_address(resources.settings)
    if not address:
        return "no operations data are connected"
    try:
        database = open_reading(address)
        check_tables(database)
        with database.begin() as connection:
            count, newest = connection.execute(select(func.count(), func.max(requests.c.created_at))).one()
    except StoreUnavailable as error:
        raise ToolUnavailable(str(error)) from error
    return f"reads {database.address}, {count:,} requests" + (f", the newest of {rfc3339(newest)}" if newest else "")


@lru_cache(maxsize=8)
def names_at(address: str) -> Callable[[ToolContext], Landscape]:
    """What reads the names in a database: the same for all tools of the family, so that they are read once."""

    def landscape(context: ToolContext) -> Landscape:
        """The names of models, backends, deployments, tiers and users; none when no database is connected."""
        del context
        if not address:
            return Landscape()
        labels: dict[str, tuple[str, ...]] = {}
        try:
            with open_reading(address).begin() as connection:
                for label, table in NAMED.items():
                    query = select(table.c.id).order_by(table.c.id).limit(MOST_NAMES)
                    labels[label] = tuple(connection.execute(query).scalars())
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error
        return Landscape(labels={label: names for label, names in labels.items() if names})

    return landscape
