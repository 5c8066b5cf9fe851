"""The only constructor: settings -> engine. Whatever does I/O can be replaced by keyword."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from workers.contracts import Deploy, Landscape, Question, RequestLog
from workers.engine.route import Agent
from workers.engine.run import Engine, Progress, silent
from workers.engine.validate import RULES
from workers.errors import ConfigError, ToolError
from workers.grounding.value_format import Voice
from workers.incidents.summary.model import ChannelMessage, Summary
from workers.incidents.summary.summarizer import Scribe, Worded, no_scribe
from workers.ports import Clock, Errand, Limits, Reasoner, Reasoners, Thinking, Toolbox, ToolContext, undisturbed
from workers.reasoning.model.prompts import PromptBook
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import Settings
from workers.settings.schema import AgentEntry
from workers.sources.connections.open_sources import code_sources
from workers.sources.git import open_repository, tags
from workers.store.alerts import list_alerts
from workers.store.deploys import list_deploys
from workers.store.request_logs import SqlStore, open_store
from workers.store.spending import SqlPurse
from workers.telemetry.json_logs import configure_logs, log_request
from workers.telemetry.request_metrics import AgentMetrics
from workers.toolkit.clock import SystemClock
from workers.toolkit.redaction import Redactor, build_redactor
from workers.toolkit.tool import Resources
from workers.toolkit.toolbox import ToolRack, build_rack

MONTH = timedelta(days=30)
NO_CONTEXT = (
    "I have no operations data to answer from: load them with `oracle load`, or name their database in `context.url` "
    "of oracle.yaml."
)


@dataclass(frozen=True)
class Oracle:
    """A built deployment: the engine and what else the command line speaks to."""

    settings: Settings
    engine: Engine
    rack: ToolRack
    store: SqlStore
    metrics: AgentMetrics
    thinkers: Thinkers
    close: Callable[[], None]


def build_engine(
    settings: Settings,
    *,
    clock: Clock | None = None,
    toolbox: Toolbox | None = None,
    reasoners: Reasoners | None = None,
    progress: Progress = silent,
) -> Oracle:
    """Build everything, or refuse with every mistake named.

    Raises:
        ConfigError: configuration that cannot work, with file and key.
        StoreUnavailable: the database cannot be reached.
    """
    redactor = build_redactor(settings)
    close_logs = configure_logs(redact=redactor.value, file=log_file(settings))
    agents = build_agents(settings)
    store = open_store(settings.database_url, redactor.message)
    resources = Resources(
        settings=settings,
        deploys=partial(known_deploys, store, settings, environment=settings.core.environment),
        alerts=partial(list_alerts, store.database),
        deploys_anywhere=partial(known_deploys, store, settings, environment=None),
    )
    rack = build_rack(resources, redactor)
    metrics = AgentMetrics()
    thinkers = build_thinkers(settings, store, redactor)

    def finished(log: RequestLog) -> None:
        metrics.record(log)
        log_request(log, settings.core.log_user_text)

    engine = Engine(
        agents=agents,
        default_agent=settings.core.default_agent,
        toolbox=toolbox or rack,
        reasoners=reasoners or thinkers.open,
        store=store,
        clock=clock or SystemClock(),
        on_done=finished,
        progress=progress,
    )

    def close() -> None:
        thinkers.close()
        store.database.close()
        close_logs()

    return Oracle(settings, engine, rack, store, metrics, thinkers, close)


@dataclass(frozen=True)
class Thinkers:
    """Who thinks about requests, and who words summaries. ``ping``: role -> a line on its model; empty without one."""

    open: Reasoners
    ping: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    scribe: Scribe = no_scribe
    close: Callable[[], None] = undisturbed


def build_thinkers(settings: Settings, store: SqlStore, redactor: Redactor) -> Thinkers:
    """The rules, or a language model with the rules behind it. Raises: ConfigError: a prompt or its pin is wrong."""
    models = settings.tree.models

    def rules(thinking: Thinking) -> RulesReasoner:
        return RulesReasoner(
            settings.tree.patterns,
            thinking.agent,
            thinking.limits.max_steps,
            names=partial(all_names, thinking),
            tools=thinking.limits.tools,
        )

    if not models.thinks:
        return Thinkers(rules)
    from workers.incidents.channel.model_summary import write_summary  # noqa: PLC0415 - as above
    from workers.reasoning.fallback import FallbackReasoner  # noqa: PLC0415 - as above
    from workers.reasoning.model.model_client import ModelDoor  # noqa: PLC0415 - as above
    from workers.reasoning.model.reasoner import ClaudeReasoner  # noqa: PLC0415 - as above
    from workers.reasoning.model.structured_call import Asking  # noqa: PLC0415 - the SDK takes a second that the rules don't need

    door, book = ModelDoor(models, redactor.value), PromptBook(pins=models.prompts)
    purse = SqlPurse(store.database, models.budget)

    def open_reasoner(thinking: Thinking) -> Reasoner:
        return FallbackReasoner(ClaudeReasoner(thinking, models, door, book, purse), rules(thinking))

    def write(name: str, messages: Sequence[ChannelMessage], plain: Summary, voice: Voice) -> Worded:
        asking = Asking(Errand(Question(request_id=name, text="", received_at=voice.now)), models, door, book, purse)
        return write_summary(asking, book, messages, plain, voice)

    ping: dict[str, Callable[[], str]] = {role: partial(door.ping, role) for role in models.roles}
    return Thinkers(open_reasoner, ping, Scribe(models.roles["synthesis"].model, write), door.close)


def all_names(thinking: Thinking) -> Landscape:
    """The names in all sources, not only in those of the agent that was tried first."""
    question = thinking.question
    everyone = ToolContext(question.request_id, "", question.received_at, question.timezone, question.team)
    return thinking.toolbox.landscape(everyone)


def log_file(settings: Settings) -> Path:
    """Where the JSON lines go."""
    return Path(settings.core.log_file) if settings.core.log_file else settings.home / "oracle.jsonl"


def known_deploys(
    store: SqlStore, settings: Settings, start: datetime, end: datetime, *, environment: str | None
) -> tuple[Deploy, ...]:
    """Deploys of the table to an environment, to any when None; the tags of a repository for a service of which the
    deployment's own environment has none in the last month.
    """
    own, since = settings.core.environment, end - MONTH
    recorded = list_deploys(store.database, min(start, since), end, environment)
    told = {d.service for d in recorded if d.at >= since and d.environment == own}
    tagged = tagged_deploys(settings, told) if environment in {None, own} else ()
    return tuple(sorted((d for d in (*recorded, *tagged) if start <= d.at <= end), key=lambda d: d.at))


def tagged_deploys(settings: Settings, told: Collection[str]) -> tuple[Deploy, ...]:
    """One deploy a tag, for services that nobody told of; a repository that cannot be read has none."""
    found: list[Deploy] = []
    for source in code_sources(settings):
        service = source.name
        if service in told:
            continue
        try:
            repository = open_repository(source.path)
            found.extend(
                Deploy(
                    service=service,
                    version=tag.name,
                    commit=tag.commit,
                    at=tag.at,
                    source="git tag",
                    environment=settings.core.environment,
                )
                for tag in tags(repository)
            )
        except ToolError:
            continue
    return tuple(found)


def build_agents(settings: Settings) -> dict[str, Agent]:
    """Agents with their limits, and what they lack. Raises: ConfigError: a validator that does not exist."""
    problems = [
        f"{settings.where(f'agents.{name}.validators')}: {name}.validators: no validator named {rule!r}; "
        f"known are {', '.join(RULES)}"
        for name, entry in settings.tree.agents.items()
        for rule in entry.validators
        if rule not in RULES
    ]
    if problems:
        raise ConfigError(*problems)
    connected = bool(settings.context_url)
    dry = () if connected else tuple(name for name, tool in settings.tree.tools.items() if tool.needs == "context")
    return {
        name: replace(
            build_agent(name, entry, dry), lacks=NO_CONTEXT if entry.needs == "context" and not connected else ""
        )
        for name, entry in settings.tree.agents.items()
    }


def build_agent(name: str, entry: AgentEntry, dry: Collection[str] = ()) -> Agent:
    """One agent from its entry, without tools that have no data; one that needs those data keeps them."""
    limits = Limits(
        tools=entry.tools if entry.needs else tuple(tool for tool in entry.tools if tool not in dry),
        max_tool_calls=entry.max_tool_calls,
        overflow=entry.overflow,
        tool_timeout_ms=entry.tool_timeout_ms,
        tools_total_ms=entry.tools_total_ms,
        parallel=entry.parallel,
        refine=entry.refine,
        max_steps=entry.max_steps,
        validators=entry.validators,
        replan=entry.replan,
        work=entry.work,
        max_turns=entry.max_turns,
        evidence_tokens=entry.evidence_tokens,
    )
    return Agent(name=name, task=entry.task, description=entry.description, limits=limits)
