"""The only constructor: settings -> engine. Whatever does I/O can be replaced by keyword."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from workers.access.engine_parts import NothingVisible, NoTools, PolicyVisibility, SeenStore
from workers.access.policy import Policy
from workers.access.sources import Allowed, narrow
from workers.access.views import Access, Views, access_of, readable
from workers.agents.registry import build_agents, build_likelihood, load_modules, playbook_of, question_types
from workers.contracts import Question, RequestLog
from workers.engine.confirmation import is_change
from workers.engine.engine import Engine, Progress, no_progress, sees_everything
from workers.engine.kept_answers import kept_key
from workers.engine.run import Pipeline
from workers.language.request_routes import OUT_OF_SCOPE, UNSAFE
from workers.language.taught_examples import teach_from
from workers.open_tools import open_log, open_toolbox, open_tools
from workers.ports import (
    AgentModule,
    Clock,
    Errand,
    Likely,
    Reasoner,
    Reasoners,
    ReasoningContext,
    Standing,
    Toolbox,
    nothing_likely,
    unmet_needs,
)
from workers.reasoning.reasoner_access import ModelAccess, ReasonerAccess, Rules
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import Settings
from workers.settings.taught_examples import watch_taught
from workers.store.kept_answers import find_kept, forget_kept, keep_answer
from workers.store.request_logs import SqlStore
from workers.store.spending import SpendingStore
from workers.telemetry.agent_metrics import AgentMetrics
from workers.telemetry.json_logs import log_request, log_turn
from workers.toolkit.clock import SystemClock
from workers.toolkit.redaction import Redactor, build_redactor
from workers.toolkit.toolbox import WrappedToolbox


@dataclass(frozen=True)
class Oracle:
    """A built deployment: the engine and what else the command line speaks to.

    ``toolbox``, and what of ``engine`` is not asked by way of its ``view``, is the whole of it, for who has its files.
    """

    settings: Settings
    engine: Pipeline
    toolbox: WrappedToolbox
    access: Access
    store: SqlStore
    metrics: AgentMetrics
    reasoner_access: ReasonerAccess
    close: Callable[[], None]


def build_engine(
    settings: Settings,
    *,
    clock: Clock | None = None,
    toolbox: Toolbox | None = None,
    reasoners: Reasoners | None = None,
    progress: Progress = no_progress,
) -> Oracle:
    """Build everything, or refuse with every mistake named.

    Raises:
        ConfigError: configuration that cannot work, with file and key.
        StoreUnavailable: the database cannot be reached.
    """
    redactor = build_redactor(settings)
    close_logs = open_log(settings, redactor)
    teach_from(watch_taught(settings.home))
    agents = build_agents(settings)
    modules = {name: agent.module for name, agent in agents.items()}
    tools = open_tools(settings, redactor, unmet_needs(modules.values(), settings))
    store, likely = tools.store, build_likelihood(settings)
    metrics = AgentMetrics(question_types=question_types(modules.values()))
    reasoner_access = build_reasoners(settings, store, redactor, modules, likely)
    access = access_of(settings)

    def finished(log: RequestLog) -> None:
        metrics.record(log)
        log_request(log, settings.core.log_user_text)
        log_turn(log)
        if key := kept_key(log):
            keep_answer(store.database, key, log)
        if is_change(log):
            forget_kept(store.database)

    engine = Pipeline(
        agents=agents,
        default_agent=settings.default_agent,
        toolbox=toolbox or tools.toolbox,
        reasoners=reasoners or reasoner_access.open,
        store=store,
        clock=clock or SystemClock(),
        fallback_agent=settings.core.fallback_agent,
        likely=likely,
        tones=settings.core.slack.tones,
        find_kept=partial(find_kept, store),
        confirm_within=timedelta(minutes=settings.core.limits.confirm_min),
        on_done=finished,
        progress=progress,
    )
    if access.policy is not None:
        seen = SeenEngines(access, engine, redactor, store, reasoner_access if reasoners is None else None, likely)
        engine = replace(engine, view=seen.view)

    def close() -> None:
        reasoner_access.close()
        store.database.close()
        close_logs()

    return Oracle(settings, engine, tools.toolbox, access, store, metrics, reasoner_access, close)


class SeenEngines:
    """The engine as each asker and audience may see it: built from settings in which nothing else exists."""

    def __init__(
        self,
        access: Access,
        whole: Pipeline,
        redactor: Redactor,
        store: SqlStore,
        reasoner_access: ReasonerAccess | None,
        likely: Likely,
    ) -> None:
        self.access, self.whole, self.redactor, self.store = access, whole, redactor, store
        self.reasoner_access, self.likely = reasoner_access, likely
        self.kept: Views[Pipeline] = Views(self.build)

    def view(self, engine: Engine, question: Question) -> Engine:
        """An engine as the asker and the audience of a question may see it.

        Raises: whatever says who they are: ChatError.
        """
        standing = engine.standing(question) if question.source != "cli" else Standing()
        allowed = self.access.allowed_for(question, standing.belonging, outside=standing.outside)
        if allowed is None:
            return replace(engine, view=sees_everything)
        if not allowed.agents:
            return replace(
                engine,
                agents={},
                toolbox=NoTools(),
                store=SeenStore(self.store, allowed),
                visibility=NothingVisible(),
                view=sees_everything,
            )
        return replace(self.kept.of(allowed), progress=engine.progress, check=engine.check, clock=engine.clock)

    def build(self, allowed: Allowed) -> Pipeline:
        """The engine for whom these things alone exist. Raises: ConfigError."""
        settings = narrow(self.access.settings, allowed)
        agents = build_agents(settings)
        modules = {name: agent.module for name, agent in agents.items()}
        store = SeenStore(self.store, allowed)

        def likely(question: Question) -> Mapping[str, float]:
            known = {*agents, UNSAFE, OUT_OF_SCOPE}
            return {name: share for name, share in self.likely(question).items() if name in known}

        rules = partial(open_rules, settings, modules, likely)
        unmet = unmet_needs(modules.values(), settings)
        return replace(
            self.whole,
            agents=agents,
            default_agent=settings.default_agent,
            fallback_agent=settings.core.fallback_agent,
            toolbox=open_toolbox(settings, self.redactor, self.store, store.load, unmet),
            reasoners=self.reasoner_access.over(rules) if self.reasoner_access else self.whole.reasoners,
            store=store,
            likely=likely,
            find_kept=partial(self.find_kept, store),
            visibility=PolicyVisibility(self.access.policy or Policy(()), settings, store),
            view=sees_everything,
        )

    def find_kept(self, store: SeenStore, key: str, since: datetime) -> RequestLog | None:
        """A kept answer that rests on nothing which may not be seen any more."""
        found = self.whole.find_kept(key, since)
        return found if found is not None and readable(found, store.allowed) else None


def open_rules(
    settings: Settings, modules: Mapping[str, AgentModule], likely: Likely, thinking: ReasoningContext
) -> RulesReasoner:
    """The rules of the agent that answers a request."""
    playbook = playbook_of(settings, thinking.agent, thinking.limits)
    return RulesReasoner(thinking.agent, modules, playbook, thinking.everywhere, likely)


def build_reasoners(
    settings: Settings,
    store: SqlStore,
    redactor: Redactor,
    modules: Mapping[str, AgentModule] | None = None,
    likely: Likely = nothing_likely,
) -> ReasonerAccess:
    """The rules, or a language model with the rules behind it.

    Args:
        settings: of the deployment.
        store: where the deployment keeps what was spent.
        redactor: of what a model is told.
        modules: of the agents, by name; loaded when not given.
        likely: how likely a request is for each agent.

    Raises:
        ConfigError: a module, a prompt or its pin is wrong.
    """
    models = settings.tree.models
    modules = load_modules(settings) if modules is None else modules
    rules = partial(open_rules, settings, modules, likely)
    if not models.thinks:
        return ReasonerAccess(rules)
    from workers.reasoning.fallback import FallbackReasoner  # noqa: PLC0415 - the SDK takes a second that the rules don't need
    from workers.reasoning.model.model_client import ModelClient  # noqa: PLC0415 - as above
    from workers.reasoning.model.prompts import PromptBook  # noqa: PLC0415 - as above
    from workers.reasoning.model.reasoner import ModelReasoner  # noqa: PLC0415 - as above
    from workers.reasoning.model.structured_call import StructuredCalls  # noqa: PLC0415 - as above

    client, book = ModelClient(models, redactor.value), PromptBook(pins=models.prompts)
    book.require({f"{settings.where(f'agents.{n}.module')}: {n}.module": m.PROMPTS for n, m in modules.items()})
    spending_limit = SpendingStore(store.database, models.budget)

    def over(rules: Rules) -> Reasoners:
        def open_reasoner(thinking: ReasoningContext) -> Reasoner:
            return FallbackReasoner(ModelReasoner(thinking, models, client, book, spending_limit), rules(thinking))

        return open_reasoner

    def call(errand: Errand) -> StructuredCalls:
        return StructuredCalls(errand, models, client, book, spending_limit)

    ping: dict[str, Callable[[], str]] = {role: partial(client.ping, role) for role in models.roles}
    access = ModelAccess(models.roles["summary"].model, book, call)
    return ReasonerAccess(over(rules), ping, access, client.close, over)
