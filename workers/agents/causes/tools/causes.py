"""candidate_causes: what may have caused what moved, or the incident whose files are connected, and what did not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from workers.agents.causes.evidence.verdict_evidence import connected_evidence, verdict_evidence
from workers.agents.causes.sections import incident_folder
from workers.agents.causes.source.bundle import calls_of, read_bundle
from workers.agents.causes.source.connected_incident import (
    Begun,
    connected_symptoms,
    measured_beginning,
    moment,
    seen_beginning,
)
from workers.agents.causes.source.incident import Flag, Incident, LogPattern, Notice, Series
from workers.agents.causes.source.log_patterns import mined_patterns
from workers.agents.causes.source.triage.batch import has_batch
from workers.agents.causes.source.verdict import Verdict, reach_verdict, weigh
from workers.contracts import Evidence, FlagChange, Landscape, ToolOutput
from workers.errors import ConfigError, NotConnected, ToolArgumentError, ToolUnavailable
from workers.language.environment_names import is_elsewhere
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.sources.cluster.cluster_sources import ClusterSources
from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_clones import NO_REPOSITORY, connected_repositories
from workers.sources.connections.open_sources import open_code_sources
from workers.sources.evidence.commit_range_result import Wanted
from workers.sources.evidence.deployed_changes_result import find_deliveries, show_deliveries, undeployed
from workers.sources.flags.flag_sources import FlagSources
from workers.sources.history.time_span import read_span
from workers.sources.logs.log_sources import open_log_sources
from workers.sources.metrics.analysis import Analysis, analyse
from workers.sources.metrics.metrics_source import catalogue_options, open_server
from workers.sources.metrics.onset import Change
from workers.sources.metrics.query_string import AlertQuery, MetricQuery, parse_query
from workers.sources.metrics.service_series import service_series
from workers.sources.traces.backend import Search
from workers.sources.traces.span import Span
from workers.sources.traces.trace_source import connect
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST_TRACES = 40
WEIGHED = 20
"""So many commits of each deploy are weighed."""
MARGIN, BEFORE, AFTER = timedelta(minutes=2), timedelta(hours=3), timedelta(minutes=30)
"""How exactly an onset is known, and how long before and after it is looked."""
T = TypeVar("T")
UNCONNECTED = "no files of an incident are connected: oracle ask --bundle FOLDER (docs/causes.md)"


class CauseArgs(ToolArgs):
    """What is asked. Of the files of an incident only the question counts."""

    question: str = Field("", max_length=2_000, description="the question or what went wrong, in words")
    metric: str = Field(
        "",
        max_length=1_000,
        description="what moved, as metrics_query takes it: metric=latency_p95 window=6h endpoint=/api/search",
    )
    service: str = Field("", max_length=200, description="name of the service that it is of, where that is known")
    since: str = Field("", max_length=60, description="RFC 3339: commits from here on, where no deploy is known")
    until: str = Field("", max_length=60, description="RFC 3339: deploys up to here, where nothing moved; empty: now")
    k: int = Field(6, ge=1, le=20, description="how many commits at most")


class IncidentFiles:
    """The incident of a folder, read once."""

    def __init__(self, settings: Settings) -> None:
        self.folder = incident_folder(settings)

    @cached_property
    def incident(self) -> Incident:
        """Raises: ToolUnavailable: no folder is named, or it cannot be read."""
        if not self.folder:
            raise NotConnected(UNCONNECTED)
        try:
            return read_bundle(Path(self.folder))
        except ConfigError as error:
            raise ToolUnavailable(str(error)) from error

    @cached_property
    def verdict(self) -> Verdict:
        """What caused it. Raises: ToolUnavailable."""
        return reach_verdict(self.incident)

    def ping(self) -> str:
        """What was read. Raises: ToolUnavailable."""
        found = self.incident
        return f"{len(found.commits)} commits, {len(found.releases)} deploys, {len(found.series)} series"

    def landscape(self, context: ToolContext) -> Landscape:
        """The services that the files of one incident name; none for those of several alerts."""
        del context
        if not self.folder or has_batch(Path(self.folder)):
            return Landscape()
        return Landscape(labels={"service": tuple(sorted(self.incident.services))})

    def run(self, args: CauseArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data`` as `verdict_data`."""
        del args, context
        return told(self.verdict, verdict_evidence(self.verdict), self.incident.unread)


class ConnectedSources:
    """The metrics, repositories, deploys and logs of a team, weighed for what moved."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.repositories = connected_repositories(resources.settings, resources.deploys_anywhere)
        self.shelf = resources.shared(open_code_sources)
        self.logs = open_log_sources(resources.settings)
        self.flags = FlagSources(resources.settings, resources.database)
        self.cluster = ClusterSources(resources.settings)
        self.traces = connect(resources.settings.core.traces)

    def run(self, args: CauseArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data`` as `verdict_data` where something moved; else as ``deploys`` has it. Raises: ToolError."""
        since, until = read_span(args.since, args.until, context.now)
        opened, problems = open_all(self.shelf) if self.shelf.sources else ([], ())
        lost, unmeasured = [*problems], list[str]()
        analysis = self.measured(args, context, unmeasured)
        moved = analysis.culprit or analysis.main if analysis else None
        change = moved.reading.change if moved and moved.reading.moved else None
        if not opened and change is None:
            return ToolOutput(status="empty", reason="; ".join([NO_REPOSITORY, *unmeasured]))
        service = args.service or service_of(analysis) or asked_service(args)
        around = read(lambda: self.around(service, change, context), lost)
        begun = self.begun(args.question, service, analysis, change, around, context)
        until = min(moment(begun.onset) + MARGIN, context.now) if begun else until
        service = begun.service if begun and begun.service else service
        known = self.repositories.known(context.now)
        wanted = Wanted(args.question, "", WEIGHED, context.now, opened, (), known.deploys, self.where)
        deliveries = find_deliveries([service] if service else [], until, wanted)
        if service and not deliveries:  # its label may be spelled otherwise than in deploys
            deliveries = find_deliveries([], until, wanted)
            lost += filter(None, [undeployed([service], wanted)[0]])
        services = {d.deploy.deploy.service for d in deliveries}
        service = service or (next(iter(services)) if len(services) == 1 else "")  # nothing else was deployed
        if begun is None:
            output = show_deliveries(deliveries, since, until, replace(wanted, k=args.k))
            why = "; ".join(unmeasured) or ("it did not move" if analysis else "no metric is given")
            summary = f"nothing was weighed: {why}; {output.summary or output.reason}"
            return output.model_copy(
                update={"data": {**output.data, "unavailable": lost}, "reason": why, "summary": summary}
            )
        spans = read(lambda: self.spans(service, until, context), lost)
        if concerned := {service, *begun.services, *reached(service, spans)} - {"", *services}:
            more = find_deliveries(sorted(concerned), until, wanted)
            known_at = {(d.deploy.deploy.service, d.deploy.deploy.at) for d in deliveries}
            more = [d for d in more if (d.deploy.deploy.service, d.deploy.deploy.at) not in known_at]
            deliveries = sorted((*deliveries, *more), key=lambda d: d.deploy.deploy.at, reverse=True)
        deployed = {d.deploy.deploy.service for d in deliveries}
        verdict = weigh(
            connected_symptoms(
                args.question,
                replace(begun, service=service),
                deliveries,
                later=[d for d in wanted.deploys if d.service in {*deployed, service} and until < d.at <= ended(begun)],
                patterns=read(lambda: self.patterns(until, context), lost),
                flags=read(lambda: self.changed_flags(moment(begun.onset), lost), lost),
                notices=read(lambda: self.notices(moment(begun.onset), service, lost), lost),
                spans=spans,
            )
        )
        return told(verdict, connected_evidence(verdict, deliveries, args.k), tuple(lost))

    def begun(
        self,
        question: str,
        service: str,
        analysis: Analysis | None,
        change: Change | None,
        around: Sequence[Series],
        context: ToolContext,
    ) -> Begun | None:
        """What moved: the metric that is asked about, else what is measured of the service; None when nothing did."""
        if analysis is not None and change is not None:
            return measured_beginning(service, analysis, change, around)
        return seen_beginning(question, service, around, context.now.timestamp())

    def around(self, service: str, change: Change | None, context: ToolContext) -> tuple[Series, ...]:
        """Every metric by service, for some hours before a change and a while after it; of now without one.

        Raises: ToolUnavailable.
        """
        core = self.resources.settings.core
        if not (core.prometheus.url or core.samples):
            return ()
        end = min(moment(change.at) + AFTER, context.now) if change else context.now
        budget = catalogue_options(self.resources.settings).budget_ms / 1_000
        server = self.resources.shared(open_server)
        found = service_series(server, service, (end - BEFORE).timestamp(), end.timestamp(), budget)
        return tuple(Series(s.service, s.metric, s.times.tolist(), s.values.tolist()) for s in found)

    def spans(self, service: str, onset: datetime, context: ToolContext) -> tuple[Span, ...]:
        """Spans of a service's requests around an onset, and of those that failed. Raises: ToolUnavailable."""
        if self.traces is None:
            return ()
        since, until = onset - AFTER, min(onset + AFTER, context.now)
        asked = [Search(since, until, errors_only=True, limit=MOST_TRACES)]
        asked += [Search(since, until, service=service, limit=MOST_TRACES)] if service else []
        return tuple({s.key: s for search in asked for s in self.traces.search(search).spans}.values())

    @property
    def where(self) -> str:
        """The environment that questions are about."""
        return self.resources.settings.core.environment

    def measured(self, args: CauseArgs, context: ToolContext, lost: list[str]) -> Analysis | None:
        """The metric that is asked about; None when there is none, and why under ``lost`` where one was asked for.

        Raises: ToolArgumentError: it is no query.
        """
        core = self.resources.settings.core
        if not args.metric.strip() or not (core.prometheus.url or core.samples):
            return None
        query = parse_query(args.metric)
        if isinstance(query, AlertQuery):
            raise ToolArgumentError("metric: give metric=NAME, not alert=NAME")
        budget = catalogue_options(self.resources.settings).budget_ms / 1_000
        try:
            server = self.resources.shared(open_server)
            found = analyse(query, server, context.now, self.resources.deploys, budget)
        except (ToolUnavailable, ToolArgumentError) as error:
            lost.append(str(error))
            return None
        if not isinstance(found, Analysis):
            lost.append(found.reason)
            return None
        return found

    def patterns(self, moment: datetime, context: ToolContext) -> tuple[LogPattern, ...]:
        """The log patterns that grew at a moment. Raises: ToolUnavailable."""
        return mined_patterns(self.logs, moment - MARGIN, min(moment + AFTER, context.now)) if self.logs else ()

    def changed_flags(self, onset: datetime, lost: list[str]) -> tuple[Flag, ...]:
        """The flags of this environment that were changed before an onset. Raises: ToolUnavailable."""
        if not self.flags.is_connected:
            return ()
        found = self.flags.read(onset - BEFORE, onset + MARGIN)[0]
        lost += found.notes
        own = (c for c in found.changes if not is_elsewhere(c.environment, self.where))
        return tuple(Flag(c.flag, c.service, said_of(c), c.at) for c in own)

    def notices(self, onset: datetime, service: str, lost: list[str]) -> tuple[Notice, ...]:
        """What the cluster warned of before an onset, of a service's own workload and of nodes.

        Raises: ToolUnavailable.
        """
        if not self.cluster.sources:
            return ()
        found = self.cluster.read(onset - BEFORE, onset + MARGIN)
        lost += found.notes
        own = (e for e in found.events if e.kind == "Node" or (service and service.lower() in e.workload.lower()))
        return tuple(
            Notice(f"{e.kind} {e.name}", f"{e.reason}: {e.message}"[:300], "warning", e.first_at, is_event=True)
            for e in own
            if e.warning and not self.cluster.is_elsewhere(e)
        )


def ended(begun: Begun) -> datetime:
    """When what moved came back, with a margin; its onset where it has not."""
    return moment(begun.onset if begun.ended is None else begun.ended) + MARGIN


def asked_service(args: CauseArgs) -> str:
    """The service that a query filters by; empty when it names none, or is no query of a metric."""
    query = parse_query(args.metric) if args.metric.strip() else None
    return dict(query.labels).get("service", "") if isinstance(query, MetricQuery) else ""


def reached(service: str, spans: Sequence[Span]) -> set[str]:
    """The services that requests of one come to, directly or over others."""
    calls, found = calls_of(spans), {service}
    while more := {callee for caller, callee in calls if caller in found} - found:
        found |= more
    return found


def read(source: Callable[[], tuple[T, ...]], lost: list[str]) -> tuple[T, ...]:
    """What a source gives; nothing where it does not answer, and then why under ``lost``."""
    try:
        return source()
    except ToolUnavailable as error:
        lost.append(str(error))
        return ()


def said_of(change: FlagChange) -> str:
    """What was done with a flag."""
    return f"{change.before} → {change.after}" if change.before or change.after else change.change


def service_of(analysis: Analysis | None) -> str:
    """The service that a metric is filtered by, or that carries it; empty when none is known."""
    if analysis is None:
        return ""
    applied = dict((analysis.culprit or analysis.main).resolved.applied)
    return applied.get("service", "")


def told(verdict: Verdict, evidence: tuple[Evidence, ...], lost: tuple[str, ...] = ()) -> ToolOutput:
    """A verdict as output."""
    cause = verdict.cause
    named = f"{cause.name[:7]} “{cause.title[:60]}”" if cause and cause.kind == "commit" else cause and cause.title[:80]
    said = f"likeliest {cause.kind}: {named}" if cause else "nothing explains it"
    data = verdict_data(verdict) | ({"unavailable": list(lost)} if lost else {})
    return ToolOutput(summary=f"{said}; {len(verdict.candidates)} candidates weighed", data=data, evidence=evidence)


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """``{"commit", "cause", "confidence", "first_service", "candidates", "unread"}``."""
    cause = verdict.cause
    return {
        "commit": verdict.commit,
        "cause": {"kind": cause.kind, "name": cause.name, "title": cause.title} if cause else None,
        "confidence": round(verdict.confidence, 2),
        "first_service": verdict.symptoms.first,
        "candidates": [
            {"kind": c.kind, "name": c.name, "score": round(c.score, 2), "reasons": [r.text for r in c.reasons]}
            for c in verdict.candidates[:8]
        ],
        "unread": list(verdict.symptoms.incident.unread),
    }


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    files = resources.shared(IncidentFiles)
    sources = files if files.folder else ConnectedSources(resources)
    return Tool(
        name="candidate_causes",
        source="files of an incident",
        key="bundle",
        purpose="weigh what may have caused it",
        description="Candidates for the cause of what moved, or of the incident whose files are connected: commits of "
        "the last three deploys before the onset and what their diffs can do, flags, traffic, something outside, what "
        "carries the services, data; each with what speaks for and against it. Reads only.",
        access="read",
        args=CauseArgs,
        run=sources.run,
        ping=files.ping if files.folder else None,
        landscape=files.landscape if files.folder else None,
    )
