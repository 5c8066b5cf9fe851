"""Which sources a configuration has, as a policy names them; and settings in which some of them do not exist.

What is built from narrowed settings (tools, names, agents, plans) cannot tell of the rest: it is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from workers.access.policy import Asker, Audience, Kind, Policy, Rule, Thing, decide, means
from workers.settings.load import Settings
from workers.settings.schema import (
    ClusterSection,
    LaunchDarklyServer,
    LogSection,
    PrometheusSource,
    ReadServer,
    SavedPagesSection,
    ToolEntry,
    TracesSection,
)
from workers.settings.slices import own_source_kinds
from workers.settings.source_kinds import SourceKind
from workers.sources.connections.open_sources import POSTMORTEMS, code_sources, doc_sources

MCP = "mcp"
OWN = "own"
"""What a tool reads that is its asker's own: no source."""


@dataclass(frozen=True)
class Allowed:
    """All that one person may have shown to one audience."""

    agents: frozenset[str]
    tools: frozenset[str]
    sources: frozenset[str]

    @property
    def key(self) -> str:
        """What makes two of them the same one."""
        return "\n".join((*sorted(self.agents), "", *sorted(self.tools), "", *sorted(self.sources)))


def policy_of(settings: Settings) -> Policy | None:
    """The policy of a configuration; None when it has none."""
    rules = settings.tree.access.rules
    if rules is None:
        return None
    return Policy(
        tuple(
            Rule(one.who, one.agents, one.tools, one.sources, settings.where(f"access.rules.{i}"))
            for i, one in enumerate(rules)
        )
    )


def source_names(settings: Settings) -> tuple[str, ...]:
    """Every source of a configuration, ``KIND:NAME``."""
    found = (f"{kind}:{name}" for kind, one in source_kinds().items() for name in one.names(settings))
    return tuple(dict.fromkeys(found))


def things_of(settings: Settings) -> tuple[Thing, ...]:
    """Everything that a policy can give."""
    agents = (Thing("agent", name) for name in settings.tree.agents)
    tools = (Thing("tool", own, entry.reads is None and entry.module != MCP) for own, entry in tools_by_name(settings))
    return (*agents, *tools, *(Thing("source", name) for name in source_names(settings)))


def allowed_to(policy: Policy, settings: Settings, asker: Asker, audience: Audience) -> Allowed:
    """All that a person may have shown to an audience, of what a configuration has."""
    given = [thing for thing in things_of(settings) if decide(policy, asker, audience, thing).allowed]

    def of(kind: Kind) -> frozenset[str]:
        return frozenset(thing.name for thing in given if thing.kind == kind)

    return Allowed(of("agent"), of("tool"), of("source"))


def tools_by_name(settings: Settings) -> Iterator[tuple[str, ToolEntry]]:
    """Every tool by the name it has here, with its entry."""
    for name, entry in settings.tree.tools.items():
        for own in entry.names(name):
            yield own, entry


def rules_without_effect(settings: Settings) -> Iterator[str]:
    """A sentence on each name in a rule that is nobody's: a slip of the pen gives nothing."""
    policy = policy_of(settings)
    things = things_of(settings)
    for rule in policy.rules if policy else ():
        for kind, names in (("agent", rule.agents), ("tool", rule.tools), ("source", rule.sources)):
            known = [thing for thing in things if thing.kind == kind]
            for name in names:
                if not any(means(name, thing) for thing in known):
                    yield f"{rule.line}: there is no {kind} {name!r}"


# --- narrowed settings ----------------------------------------------------------------------------------------


def narrow(settings: Settings, allowed: Allowed) -> Settings:
    """Settings in which only what is allowed exists."""
    settings = replace(settings, shown=allowed.sources)
    for kind in source_kinds().values():
        settings = kind.narrow(settings)
    tree = settings.tree
    agents = {name: entry for name, entry in tree.agents.items() if name in allowed.agents}
    tools = {name: narrow_entry(name, entry, allowed) for name, entry in tree.tools.items()}
    default = settings.default_agent if settings.default_agent in agents else next(iter(agents), "")
    fallback = tree.oracle.fallback_agent if tree.oracle.fallback_agent in agents else ""
    core = tree.oracle.model_copy(update={"default_agent": default, "fallback_agent": fallback})
    patterns = {name: entry for name, entry in tree.patterns.items() if entry.agent in agents}
    update: dict[str, object] = {"oracle": core, "agents": agents, "tools": tools, "patterns": patterns}
    return replace(settings, tree=tree.model_copy(update=update))


def narrow_entry(name: str, entry: ToolEntry, allowed: Allowed) -> ToolEntry:
    """An entry with the tools that may be used; switched off when none may, or nothing that they read may be seen."""
    readable = any(reads_allowed(one, allowed.sources) for one in reads_of(name, entry))
    if not readable and entry.reads is not None:
        return entry.model_copy(update={"enabled": False})
    served = {given: own for own, given in entry.names(name).items() if own in allowed.tools}
    if not served or (entry.module == MCP and not readable):
        return entry.model_copy(update={"enabled": False})
    tools = tuple(one for one in entry.tools if one in served)
    return entry.model_copy(update={"tools": tools, "writes": tuple(one for one in entry.writes if one in served)})


def reads_of(name: str, entry: ToolEntry) -> tuple[str, ...]:
    """What the tools of an entry read: kinds, or single sources."""
    return (f"{MCP}:{name}",) if entry.module == MCP else entry.reads or ()


def reads_allowed(reads: str, sources: Iterable[str]) -> bool:
    """Whether something that a tool reads may be seen."""
    return reads == OWN or any(is_of(source, reads) for source in sources)


def is_of(source: str, reads: str) -> bool:
    """Whether a source is what a tool reads: it by its name, or one of that kind."""
    return source == reads or source.partition(":")[0] == reads


def sources_read(settings: Settings, tools: Iterable[str], shown: Iterable[str]) -> tuple[str, ...]:
    """Of the sources that are shown, those that some tools read; all of them for a tool of which nobody said."""
    entries, kept, names = dict(tools_by_name(settings)), set[str](), set(tools)
    place = {own: name for name, entry in settings.tree.tools.items() for own in entry.names(name)}
    everything = tuple(shown)
    for name in names:
        entry = entries.get(name)
        if entry is None or (entry.reads is None and entry.module != MCP):
            return tuple(sorted(everything))
        kept |= {source for source in everything for reads in reads_of(place[name], entry) if is_of(source, reads)}
    return tuple(sorted(kept))


def shows_line(settings: Settings, allowed: Allowed | None, tool: str, line: str) -> bool:
    """Whether a line on one of a tool's sources may be shown; it begins with the source's name where it has one.

    Args:
        settings: of the deployment, not narrowed.
        allowed: to whom it is shown; None: everything.
        tool: which told the line.
        line: as `workers.store.source_refreshes` keeps it.
    """
    if allowed is None:
        return True
    read = sources_read(settings, (tool,), source_names(settings))
    named = {source: source.partition(":")[2] for source in read}
    begun = {source: name for source, name in named.items() if line.startswith((f"{name}:", f"{name} "))}
    longest = max(map(len, begun.values()), default=0)
    meant = [source for source, name in begun.items() if len(name) == longest] or read
    return bool(meant) and all(source in allowed.sources for source in meant)


# --- the kinds that are no family's ----------------------------------------------------------------------------


def source_kinds() -> dict[str, SourceKind]:
    """Every kind of sources by its name."""
    return {**CORE_KINDS, **own_source_kinds()}


def named(*names: str) -> Callable[[Settings], tuple[str, ...]]:
    """Names that are the same in every configuration."""
    return lambda _: names


def document_names(settings: Settings) -> tuple[str, ...]:
    """Documents that are configured; the prose of a repository is the repository's."""
    return (*(one.name for one in doc_sources(settings) if one.beside is None), POSTMORTEMS)


def with_core(settings: Settings, **changes: object) -> Settings:
    """Settings with other values in ``oracle.yaml``."""
    core = settings.core.model_copy(update=changes)
    return replace(settings, tree=settings.tree.model_copy(update={"oracle": core}))


def emptied(source: str, **empty: object) -> Callable[[Settings], Settings]:
    """Leaves values of ``oracle.yaml`` empty where a source may not be seen."""
    return lambda settings: settings if settings.shows(source) else with_core(settings, **empty)


def shown_logs(settings: Settings) -> Settings:
    """With the logs alone that may be seen."""
    logs, none = settings.core.logs, LogSection()
    empty: dict[str, dict[str, object]] = {
        "files": {"paths": ()},
        "loki": {"loki": none.loki},
        "elasticsearch": {"elasticsearch": none.elasticsearch},
    }
    for name, change in empty.items():
        if not settings.shows(f"logs:{name}"):
            logs = logs.model_copy(update=change)
    return with_core(settings, logs=logs)


def shown_flags(settings: Settings) -> Settings:
    """With the servers of flags alone that may be seen."""
    flags = settings.core.flags
    empty = {"launchdarkly": LaunchDarklyServer(), "unleash": ReadServer()}
    hidden = {name: server for name, server in empty.items() if not settings.shows(f"flags:{name}")}
    return with_core(settings, flags=flags.model_copy(update=hidden))


def servers_over_mcp(settings: Settings) -> tuple[str, ...]:
    """The entries of tools that stand for a server's."""
    return tuple(name for name, entry in settings.tree.tools.items() if entry.module == MCP)


CORE_KINDS = {
    "repository": SourceKind(lambda settings: tuple(one.name for one in code_sources(settings))),
    "documents": SourceKind(document_names),
    "metrics": SourceKind(
        named("prometheus"), emptied("metrics:prometheus", prometheus=PrometheusSource(), samples="")
    ),
    "logs": SourceKind(named("files", "loki", "elasticsearch"), shown_logs),
    "traces": SourceKind(named("traces"), emptied("traces:traces", traces=TracesSection())),
    "flags": SourceKind(named("launchdarkly", "unleash", "told"), shown_flags),
    "cluster": SourceKind(named("kubernetes"), emptied("cluster:kubernetes", cluster=ClusterSection())),
    "deploys": SourceKind(named("told")),
    "alerts": SourceKind(named("told")),
    "pages": SourceKind(named("saved"), emptied("pages:saved", saved_pages=SavedPagesSection())),
    "web": SourceKind(named("internet")),
    MCP: SourceKind(servers_over_mcp),
}
"""What hooks told of is ``told``: deploys, alerts and changed flags."""
