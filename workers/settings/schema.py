"""The sections of ``config/*.yaml``: every key, its default and its range."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from workers.contracts import PatternEntry, Role
from workers.settings.remote_addresses import read_remote_address

ANY_TEAM = "any"
TeamId = Annotated[str, Field(pattern=r"^([TE][A-Z0-9]+|any)$")]
WEB_ADDRESS = r"^(https?://\S+)?$"
DATABASE_ADDRESS = r"^(\w[\w+]*://.*)?$"
CLOCK_SPAN = r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$"
ChannelId = Annotated[str, Field(pattern=r"^(([TE][A-Z0-9]+/)?[CG][A-Z0-9]+)?$")]


NAMES_PATHS = "names paths"
"""In the type of a key: its value is a path, or several."""
NamedPath = Annotated[str, NAMES_PATHS]
"""A path that has to exist."""


class Section(BaseModel):
    """Base of every section: unknown keys are mistakes. ``MADE``: what its paths name is made when it is written."""

    MADE: ClassVar[bool] = False

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class RepositorySource(Section):
    """A git repository: a folder (``path``), or elsewhere (``url``: https, ssh or file), of which a copy is kept.

    ``permalink`` is a template with {commit} {path} {start} {end}.
    """

    path: str = ""
    url: str = ""
    name: str = ""
    branch: str = ""
    permalink: str = ""

    @property
    def called(self) -> str:
        """Its name: as configured, else of its folder or address."""
        return self.name or (read_remote_address(self.url).name if self.url else Path(self.path).name)


class DocumentSource(Section):
    """Documents: a folder (``path``), a git repository elsewhere (``repository``, with ``path`` a folder inside it and
    its ``branch``), or a web site (``site``), of which at most ``pages`` are read, one every ``pause_s`` seconds.

    ``url`` is a template of links with {path} {anchor}. ``private``: the site may lie at a private address.
    """

    path: str = ""
    repository: str = ""
    branch: str = ""
    site: str = ""
    pages: int = Field(500, ge=1, le=20_000)
    pause_s: float = Field(1.0, ge=0, le=60)
    private: bool = False
    name: str = ""
    url: str = ""


class FetchSection(Section):
    """How often what lies elsewhere is looked at, in seconds, and how long one look at a repository may take."""

    every_s: float = Field(300, ge=5, le=86_400)
    sites_every_s: float = Field(86_400, ge=60, le=2_592_000)
    timeout_s: float = Field(1_800, ge=1, le=86_400)


class PrometheusSource(Section):
    """A server that speaks the Prometheus HTTP API. An empty ``url`` means the embedded sample store.

    ``tenant`` is sent as X-Scope-OrgID. Of ``bearer_token``, ``bearer_token_file`` and ``username`` one is given.
    """

    url: str = Field("", pattern=WEB_ADDRESS)
    headers: dict[str, str] = Field(default_factory=dict)
    timeout_ms: int = Field(5_000, ge=10, le=60_000)
    tenant: str = ""
    bearer_token: str = ""
    bearer_token_file: str = ""
    username: str = ""
    password: str = ""
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    insecure_skip_verify: bool = False


class Limit(Section):
    """Sizes beyond which input is refused with a sentence. ``confirm_min``: minutes that a proposed change waits."""

    question_chars: int = Field(4_000, ge=100, le=50_000)
    context_messages: int = Field(50, ge=0, le=500)
    user_per_hour: int = Field(60, ge=1, le=100_000)
    channel_per_hour: int = Field(600, ge=1, le=100_000)
    confirm_min: float = Field(60, gt=0, le=10_080)


def listed(value: object) -> object:
    """Words between commas, as a variable of the environment has them, as a list."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


class SlackSection(Section):
    """The Slack app. An empty ``api_url`` is Slack's own; without an ``app_token`` events come over HTTP.

    With ``client_id`` and ``client_secret`` several workspaces can install it (OAuth), and no ``bot_token`` is needed.
    ``teams`` are the ids of workspaces and organisations that may do so, ``any`` lets all; people of these, and of the
    workspace that installed the app, may ask, those of other companies in a shared channel as ``outsiders`` says.
    ``admins`` are user ids that may change settings beside each workspace's own administrators; ``clarified_by`` says
    who may answer a clarifying question. ``missed_hours``: what was said to the app while it was away is answered when
    it is back, if it is not older; 0: never. ``tones``: channel -> how a language model words answers there, in a
    sentence; no fact changes.
    """

    bot_token: str = ""
    app_token: str = ""
    signing_secret: str = ""
    api_url: str = ""
    client_id: str = ""
    client_secret: str = ""
    public_url: str = ""
    teams: Annotated[tuple[TeamId, ...], BeforeValidator(listed)] = ()
    outsiders: Literal["refuse", "answer"] = "refuse"
    name: str = "oracle"
    command: str = Field("/oracle", pattern=r"^/[a-z0-9_-]{1,31}$")
    admins: tuple[str, ...] = ()
    clarified_by: Literal["asker", "anyone"] = "asker"
    missed_hours: float = Field(24, ge=0, le=168)
    tones: dict[ChannelId, Annotated[str, Field(max_length=200)]] = Field(default_factory=dict)


class WebSection(Section):
    """Where the bot listens: Slack's events over HTTP, hooks, health and metrics."""

    host: str = "127.0.0.1"
    port: int = Field(3000, ge=0, le=65_535)


class HookSection(Section):
    """What may tell of deploys, alerts and flags over HTTP. Without a secret an address is closed.

    ``token`` is sent as a bearer token, as a password or in a header of its own, or signs: docs/hooks.md lists who does
    which. ``github_secret``, ``launchdarkly_secret`` and ``sentry_secret`` sign the webhooks of those.
    """

    token: str = ""
    github_secret: str = ""
    launchdarkly_secret: str = ""
    sentry_secret: str = ""


def is_pattern(pattern: str) -> str:
    """A regular expression. Raises: ValueError."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression ({error})") from error
    return pattern


class PostmortemSection(Section):
    """How long metrics may take for the draft of a postmortem, for which nobody waits: ``tool_timeout_ms`` for one
    query, ``tools_total_ms`` for all of them; a request to Prometheus still has ``prometheus.timeout_ms``.
    """

    tool_timeout_ms: int = Field(15_000, ge=10, le=60_000)
    tools_total_ms: int = Field(60_000, ge=10, le=120_000)


class IncidentSection(Section):
    """Channels that hold an incident: by name (``channels``, a regular expression), or because their topic or purpose
    holds one of ``markers``. ``join``: public ones are joined without an invitation.

    A summary is renewed when nothing more came for ``settle_s``, and after ``every_min`` minutes at the latest.
    An incident ends by itself when its channel said that it is over and nothing more for ``settled_min`` minutes.
    ``unprompted_per_hour``: what may be said there beside that. ``reactions``: emoji -> what it says of a message.

    ``alerts_channel``: the id of the channel with one thread for each group of alerts, after its workspace's id and a
    slash where there are several workspaces; empty: alerts are kept, and not posted. ``alert_channels``:
    ``label=value`` -> another one. ``postmortem``: the limits of its draft.
    """

    channels: Annotated[str, AfterValidator(is_pattern)] = r"^(inc|incident|sev\d|outage)[-_]"
    markers: tuple[str, ...] = ()
    join: bool = False
    settle_s: float = Field(15, ge=0, le=3_600)
    every_min: float = Field(5, ge=0.1, le=1_440)
    settled_min: float = Field(30, ge=0, le=10_080)
    unprompted_per_hour: float = Field(1, ge=0, le=60)
    reactions: dict[str, Literal["acknowledged", "done"]] = Field(default_factory=dict)
    alerts_channel: ChannelId = ""
    alert_channels: dict[Annotated[str, Field(pattern=r"^[^=]+=")], ChannelId] = Field(default_factory=dict)
    postmortem: PostmortemSection = PostmortemSection()


class WorkerSection(Section):
    """How questions are worked on. Seconds; a lease must outlive several heartbeats."""

    concurrency: int = Field(2, ge=1, le=64)
    lease_s: float = Field(20, ge=1, le=600)
    heartbeat_s: float = Field(5, ge=0.2, le=120)
    sweep_s: float = Field(2, ge=0.2, le=60)
    max_failures: int = Field(3, ge=1, le=20)
    max_lost_leases: int = Field(10, ge=1, le=100)
    keep_days: float = Field(90, ge=1, le=3_650)


class KeepSection(Section):
    """For how many days each kind is kept; 0: for ``worker.keep_days``. ``logs``: rotated ones of `log_file`.

    ``requests``: questions, answers and their evidence; ``threads``: what was said in threads; ``contexts``: what
    conversations are about; ``channels``: messages of followed channels and incidents; ``events``: deploys, alerts and
    changes of flags that were told of; ``counts``: what was spent and refused.
    """

    requests: float = Field(0, ge=0, le=3_650)
    threads: float = Field(0, ge=0, le=3_650)
    contexts: float = Field(0, ge=0, le=3_650)
    channels: float = Field(0, ge=0, le=3_650)
    events: float = Field(0, ge=0, le=3_650)
    counts: float = Field(0, ge=0, le=3_650)
    logs: float = Field(30, ge=0, le=3_650)


class SavedPagesSection(Section):
    """A folder of web pages that somebody saved, HTML, Markdown or PDF; ``path`` empty: there is none."""

    path: str = ""


class TracesSection(Section):
    """Where traces are read from: a Tempo or a Jaeger at ``url``, or ``files`` (JSON or JSON lines, ``*`` for several).

    ``tenant`` is sent as X-Scope-OrgID. ``page``: the address of a span in a browser, with {trace_id} and {span_id}.
    ``timeout_ms``: of one request; ``most_bytes``: of one answer or file.
    """

    backend: Literal["tempo", "jaeger"] = "tempo"
    url: str = Field("", pattern=WEB_ADDRESS)
    token: str = ""
    tenant: str = ""
    files: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    page: str = Field("", pattern=WEB_ADDRESS)
    timeout_ms: int = Field(3_000, ge=10, le=60_000)
    most_bytes: int = Field(100_000_000, ge=1_000, le=2_000_000_000)
    ca_file: str = ""

    @model_validator(mode="after")
    def has_one_place(self) -> TracesSection:
        """Raises: ValueError: both a server and files."""
        if self.url and self.files:
            raise ValueError("either url or files says where traces are")
        return self


class ReadServer(Section):
    """A server that is only read. ``username`` and ``password`` count where there is no ``token``."""

    url: str = Field("", pattern=WEB_ADDRESS)
    token: str = ""
    username: str = ""
    password: str = ""
    timeout_ms: int = Field(4_000, ge=10, le=60_000)
    ca_file: str = ""


class LokiServer(ReadServer):
    """A Grafana Loki. ``token``: a bearer's; ``tenant``: sent as ``X-Scope-OrgID``; ``selector``: which streams;
    ``most``: lines that it gives for one request, its ``max_entries_limit_per_query``.
    """

    tenant: str = ""
    selector: str = Field('{service_name=~".+"}', pattern=r"^\{.+\}$")
    most: int = Field(5_000, ge=1, le=100_000)


class ElasticsearchServer(ReadServer):
    """An Elasticsearch or an OpenSearch. ``token``: an API key; ``index``: names between commas, with ``*``;
    ``time_field``: the field of a line's time; ``page``: lines of one request.
    """

    index: str = Field("logs-*", min_length=1)
    time_field: str = Field("@timestamp", min_length=1)
    page: int = Field(1_000, ge=1, le=10_000)


class LogSection(Section):
    """Logs, which are only read: files, folders and paths with ``*``, live ones, rotated ones, ``.gz``; servers.

    ``timezone``: of times in files that name none.
    """

    paths: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    timezone: str = "UTC"
    loki: LokiServer = LokiServer()
    elasticsearch: ElasticsearchServer = ElasticsearchServer()


class LaunchDarklyServer(ReadServer):
    """A LaunchDarkly. ``token``: an access token that may read; ``project``: its key, empty = all of them."""

    url: str = Field("https://app.launchdarkly.com", pattern=r"^https?://\S+$")
    project: str = ""


class FlagSection(Section):
    """Feature flags, whose changes are only read, beside those that are told over HTTP.

    ``most``: changes that are read at most of a span.
    """

    launchdarkly: LaunchDarklyServer = LaunchDarklyServer()
    unleash: ReadServer = ReadServer()
    most: int = Field(1_000, ge=20, le=20_000)


class ClusterSection(ReadServer):
    """Events of a Kubernetes cluster, which are only read: of its API, of files, or of both.

    ``files``: of ``kubectl get events -o json`` or JSON lines, with ``*``; ``namespaces``: empty = all of them;
    ``environment``: which the cluster is of, empty where its namespaces say that; ``page``: events of one request;
    ``most``: events that are read at most.
    """

    files: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    namespaces: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    environment: str = ""
    page: int = Field(500, ge=1, le=10_000)
    most: int = Field(10_000, ge=1, le=200_000)
    most_bytes: int = Field(100_000_000, ge=1_000, le=2_000_000_000)


class Core(Section):
    """``config/oracle.yaml``."""

    timezone: str = "auto"
    default_agent: str = ""
    fallback_agent: str = ""
    environment: str = "production"
    log_user_text: Literal["full", "redacted", "hash"] = "full"
    log_file: str = ""
    database_url: str = ""
    redis_url: str = ""
    slack: SlackSection = SlackSection()
    web: WebSection = WebSection()
    hooks: HookSection = HookSection()
    worker: WorkerSection = WorkerSection()
    keep_days: KeepSection = KeepSection()
    incidents: IncidentSection = IncidentSection()
    repositories: tuple[RepositorySource, ...] = ()
    documents: tuple[DocumentSource, ...] = ()
    fetch: FetchSection = FetchSection()
    prometheus: PrometheusSource = PrometheusSource()
    samples: str = ""
    saved_pages: SavedPagesSection = SavedPagesSection()
    logs: LogSection = LogSection()
    traces: TracesSection = TracesSection()
    flags: FlagSection = FlagSection()
    cluster: ClusterSection = ClusterSection()
    secrets: tuple[str, ...] = ()
    limits: Limit = Limit()


class ToolEntry(Section):
    """One tool in ``config/tools.yaml``. ``options`` are checked by the tool's own model.

    ``needs``: data without which no agent has the tool, by a name that an agent's module has under ``NEEDS``.
    ``requires``: variables of the environment without which it is off. ``agents``: who has it, beside agents that list
    it themselves.
    ``at_start``: a question reads of it before any tool is called, as it names what its source has or keeps an index;
    by the name of a need: only when that is met. Other entries of this project, and those whose own need is unmet, are
    imported when they are first called.
    ``tools``, ``writes``: of an entry that stands for the tools of a server, those that may be used, as the server
    calls them; those under ``writes`` change something and wait for a person. Each is called ``ENTRY_TOOL`` here.
    ``reads``: kinds of sources (``repository``) or single ones (``network:netbox``) that it reads or changes; ``own``:
    what its asker keeps, which is no source. Without it a policy gives the tool only to who is named with its name.
    """

    module: str
    enabled: bool = True
    timeout_ms: int | None = Field(None, ge=10, le=120_000)
    cache_ttl_s: int = Field(0, ge=0, le=86_400)
    at_start: bool | str = False
    needs: str = ""
    requires: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] | None = None
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def unset(self) -> tuple[str, ...]:
        """The variables that it requires and that are not set."""
        return tuple(name for name in self.requires if not os.environ.get(name))

    @property
    def on(self) -> bool:
        """Whether it is there at all."""
        return self.enabled and not self.unset

    def starts(self, unmet: Collection[str]) -> bool:
        """Whether a question reads of it before any tool is called, when these needs are unmet."""
        return bool(self.at_start) and self.at_start not in unmet and self.needs not in unmet

    def names(self, entry: str) -> dict[str, str]:
        """Its tools by the name each has here -> the one a server gives it; of a plain tool its own.

        Args:
            entry: the name it has in ``config/tools.yaml``.
        """
        served = (*self.tools, *self.writes)
        return {served_name(entry, tool): tool for tool in served} or {entry: entry}


MOST_NAME_CHARS = 64
"""Of a tool, as providers of models take it; letters, digits, ``_`` and ``-``."""


def served_name(entry: str, tool: str) -> str:
    """What a server's tool is called here: ``github_search_issues``; one too long ends in a hash of the whole."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", tool if tool.startswith(f"{entry}_") else f"{entry}_{tool}")
    if len(name) <= MOST_NAME_CHARS:
        return name
    return f"{name[: MOST_NAME_CHARS - 9]}_{hashlib.sha256(tool.encode()).hexdigest()[:8]}"


class AgentEntry(Section):
    """One agent in ``config/agents.yaml``.

    ``module``: the Python package with what is its own (`workers.ports.AgentModule`). ``needs``: data without which it
    does not answer, by a name that an agent's module has under ``NEEDS``. ``validators``: rules that its plans are held
    to, the engine's or the module's. ``tool_timeout_ms``: of one call; ``tools_total_ms``: of all calls of a question;
    their defaults are the limits of an agent that a question is routed to in passing, one that investigates
    sets more. ``keep_answers_s``: how long a sure answer is given again to the same question, unless something was
    deployed, indexed or changed meanwhile; 0 = never. ``sensitivity``: of what it tells and
    does.
    """

    module: str
    description: str
    task: str
    tools: tuple[str, ...]
    sensitivity: Literal["low", "medium", "high"] = "low"
    max_tool_calls: int = Field(12, ge=1, le=100)
    overflow: Literal["log", "stop"] = "stop"
    max_steps: int = Field(8, ge=1, le=20)
    tool_timeout_ms: int = Field(800, ge=10, le=120_000)
    tools_total_ms: int = Field(1_500, ge=10, le=600_000)
    parallel: bool = True
    needs: str = ""
    replan: Literal[0, 1] = 0
    max_turns: int = Field(15, ge=1, le=15)
    evidence_tokens: int = Field(6_000, ge=200, le=200_000)
    keep_answers_s: int = Field(0, ge=0, le=86_400)
    refine: Literal[0, 1] = 1
    validators: tuple[str, ...] = ()


WHO = (
    r"^(everyone|workspace:[TE][A-Z0-9]+|person:([TE][A-Z0-9]+/)?[UW][A-Z0-9]+|group:([TE][A-Z0-9]+/)?S[A-Z0-9]+"
    r"|channel:([TE][A-Z0-9]+/)?[CG][A-Z0-9]+|token:[^*]{1,200})$"
)
SOURCE_NAME = r"^([a-z]+:.{1,300}|\*)$"
Listed = BeforeValidator(listed)


class AccessRule(Section):
    """One rule of ``config/access.yaml``: each of ``who`` may ask these agents, use these tools, see these sources.

    ``who``: ``everyone`` (members of the workspace, no guests), ``workspace:T…``, ``group:S…`` (a user group of Slack),
    ``person:U…``, ``channel:C…`` (who asks there, and who reads it), ``token:NAME`` (a program).
    ``sources``: ``KIND:NAME``, with ``*`` for several: ``repository:shop``, ``documents:*``.
    """

    who: Annotated[tuple[Annotated[str, Field(pattern=WHO)], ...], Listed]
    agents: Annotated[tuple[str, ...], Listed] = ()
    tools: Annotated[tuple[str, ...], Listed] = ()
    sources: Annotated[tuple[Annotated[str, Field(pattern=SOURCE_NAME)], ...], Listed] = ()


class Access(Section):
    """``config/access.yaml``. Without ``rules`` there is no policy; with an empty list nobody may anything."""

    rules: tuple[AccessRule, ...] | None = None


ANTHROPIC = "anthropic"


class Endpoint(Section):
    """Where a model is called.

    ``provider``: ``anthropic`` is any server of the Messages API, by its own SDK; other names are those of litellm
    (``openai``, ``azure``, ``bedrock``, ``vertex_ai``, ``ollama`` …), which it then needs (`pip install .[providers]`).
    An empty ``base_url`` is the provider's own; ``auth_token`` is sent as a bearer token.
    """

    provider: str = Field("anthropic", pattern=r"^[a-z0-9_]+$")
    base_url: str = Field("", pattern=WEB_ADDRESS)
    api_key: str = ""
    auth_token: str = ""

    @property
    def connected(self) -> bool:
        """Whether there is anything to call: Anthropic's own wants a key, others may take theirs from elsewhere."""
        return bool(self.api_key or self.auth_token or self.base_url) or self.provider != ANTHROPIC


class Price(Section):
    """US dollars a million tokens; ``cache_write`` and ``cache_read``: input that the prompt cache took or served."""

    input: float = Field(0.0, ge=0)
    output: float = Field(0.0, ge=0)
    cache_write: float = Field(0.0, ge=0)
    cache_read: float = Field(0.0, ge=0)


class RoleEntry(Endpoint):
    """One role: its model and limits. An empty endpoint is that of all roles; the price comes from ``prices``.

    ``effort``: how much a model that can choose thinks; empty is its own default. ``thinking_tokens``: what it may
    think before it answers, 0 for none. ``context_chars``: how long a conversation may grow before results of its early
    turns are shortened.
    """

    model: str = Field(min_length=1)
    max_tokens: int = Field(2_000, ge=16, le=20_000)
    deadline_s: float = Field(30, gt=0, le=250)
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = ""
    thinking_tokens: int = Field(0, ge=0, le=16_000)
    context_chars: int = Field(400_000, ge=20_000)
    price: Price | None = None
    enabled: bool = True


class Budget(Section):
    """What a question, a person and everybody may use: seconds of thinking, tokens of all sorts, US dollars."""

    request_s: float = Field(240, gt=0, le=600)
    request_tokens: int = Field(200_000, ge=0)
    request_usd: float = Field(1.0, ge=0)
    user_day_tokens: int = Field(4_000_000, ge=0)
    user_day_usd: float = Field(10.0, ge=0)
    day_tokens: int = Field(40_000_000, ge=0)
    day_usd: float = Field(100.0, ge=0)


class Models(Section):
    """``config/models.yaml``. ``prompts`` pins a prompt to an older version: ``router: "1.0"``.

    ``reasoner: claude``, the name of before, means what ``model`` does.
    """

    reasoner: Literal["auto", "rules", "model", "claude"] = "auto"
    endpoint: Endpoint = Endpoint()
    roles: dict[Role, RoleEntry] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: Budget = Budget()
    prompts: dict[str, str] = Field(default_factory=dict)

    def endpoint_of(self, role: RoleEntry) -> Endpoint:
        """Where a role's model is called: a role with an address of its own brings its own key."""
        if "provider" in role.model_fields_set or role.base_url or role.api_key or role.auth_token:
            own = "provider" in role.model_fields_set
            provider = role.provider if own else self.endpoint.provider
            address = role.base_url or ("" if own else self.endpoint.base_url)
            return Endpoint(provider=provider, base_url=address, api_key=role.api_key, auth_token=role.auth_token)
        return self.endpoint

    @property
    def thinks(self) -> bool:
        """Whether a language model is asked at all."""
        if self.reasoner == "auto":
            return any(self.endpoint_of(role).connected for role in self.roles.values())
        return self.reasoner != "rules"


class Tree(Section):
    """All six files. ``sections``: those of ``oracle.yaml`` that families bring, by their keys."""

    oracle: Core = Core()
    tools: dict[str, ToolEntry] = Field(default_factory=dict)
    agents: dict[str, AgentEntry] = Field(default_factory=dict)
    patterns: dict[str, PatternEntry] = Field(default_factory=dict)
    models: Models = Models()
    access: Access = Access()
    sections: dict[str, Any] = Field(default_factory=dict)


ADDRESS_FORM = "an address that begins with https:// or http://"
SPAN_FORM = "a span of the day such as 09:00-18:00"
FORMS = {
    WEB_ADDRESS: ADDRESS_FORM,
    r"^https?://\S+$": ADDRESS_FORM,
    r"^((https?|webcal)://\S+)?$": "an address that begins with https://, http:// or webcal://",
    DATABASE_ADDRESS: "an address such as sqlite:////srv/context.db or postgresql://user@host/name",
    CLOCK_SPAN: SPAN_FORM,
    f"^$|{CLOCK_SPAN}": SPAN_FORM,
    r"^([TE][A-Z0-9]+|any)$": "the id of a workspace (T…) or an organisation (E…), or any",
    r"^(([TE][A-Z0-9]+/)?[CG][A-Z0-9]+)?$": "the id of a channel such as C0123ABCD, or T0123ABCD/C0123ABCD",
    r"^/[a-z0-9_-]{1,31}$": "a slash and at most 31 small letters and digits, such as /oracle",
    r"^[^=]+=": "label=value, such as team=payments",
    r"^[a-zA-Z]{2}([-_][a-zA-Z]{2,8})?$": "a language such as en or pt-BR",
    r"^(scene|script)\.[a-z0-9_]+$": "the id of a scene or script, such as scene.good_night",
    r"^\{.+\}$": 'a selector of streams, such as {service_name=~".+"}',
    r"^[a-z][a-z0-9_]{0,40}$": "a name in small letters with underscores, such as debug_incident",
    r"^[a-z0-9_]+$": "a provider's name such as anthropic, openai or ollama",
    WHO: "everyone, workspace:T…, group:S…, person:U…, channel:C… or token:NAME",
    SOURCE_NAME: "KIND:NAME such as repository:shop or documents:*, or * for all",
}
"""The patterns of this file -> what they ask for, as the end of "must be"."""
