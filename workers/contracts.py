"""Every message that crosses a stage, a queue or the command line's JSON. Frozen; unknown fields are refused.

Times are timezone-aware and stand in JSON as RFC 3339. Units of facts are written in `Fact.unit`:
``s`` seconds, ``ratio`` 0..1, ``percent``, ``/s`` per second, ``count``, ``bytes``, ``time`` (RFC 3339 text),
``path``, ``lines`` (``path:start-end``), ``line`` (an integer), ``commit`` (full hash), ``url``, ``text``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

Scalar = str | int | float | bool


def rfc3339(moment: datetime) -> str:
    """Write a moment as RFC 3339 with seconds, ``Z`` for UTC."""
    text = moment.isoformat(timespec="seconds")
    return text.replace("+00:00", "Z")


Moment = Annotated[AwareDatetime, PlainSerializer(rfc3339, return_type=str, when_used="json")]


class Message(BaseModel):
    """Base of all contracts: immutable, strict about names."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


# --- what was asked -------------------------------------------------------------------------------------------


LOCAL_USER = "local"
"""Who sits at the command line."""


class Question(Message):
    """One question as it came in. ``context`` holds earlier messages of the thread, oldest first, and what it quotes;
    ``unread`` names files and pictures there of which nothing was read; ``remembered`` what its asker wanted
    remembered, newest first.

    In Slack: ``team`` is the installation that was addressed (a workspace, or an organisation) and ``asker_team`` the
    asker's own workspace; ``ts`` is the message that asks, empty for a command; ``thread_ts`` the thread that is
    answered in, empty until there is one; ``follows`` the request that its thread was answered last; ``event_id`` what
    Slack repeats when it delivers the same event again; ``edits`` the ts of the message whose new text this is;
    ``again`` the request that is run a second time; ``unasked``: the app was not addressed, so it speaks only when it
    has found something; ``late``: it was said while the app was away, and is read later; ``alert``: the name of the
    alert that it looks into then; ``clarified``: how often it was asked back and answered; ``relayed``: a program asks
    in its person's place, so that an order in it waits for the person; ``confirms``: the proposal of an earlier request
    that a person confirmed by this one, ``REQUEST_ID:PLACE``; ``project``: what the conversation is about that it
    belongs to, empty when it is in none; ``trace``: the request that delegated it, empty when a person asked.
    """

    request_id: str
    text: str
    asker: str = ""
    team: str = ""
    asker_team: str = ""
    channel: str = ""
    thread_ts: str = ""
    ts: str = ""
    event_id: str = ""
    edits: str = ""
    again: str = ""
    follows: str = ""
    unasked: bool = False
    late: bool = False
    alert: str = ""
    relayed: bool = False
    clarified: int = 0
    confirms: str = ""
    source: Literal["cli", "slack", "http", "alert"] = "cli"
    received_at: Moment
    timezone: str = "UTC"
    agent: str | None = None
    project: str = ""
    trace: str = ""
    context: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()

    @property
    def user(self) -> str:
        """Whose threads and memories it may read: ``TEAM/USER`` of Slack, the user of a token, `LOCAL_USER` here."""
        if self.source == "cli":
            return LOCAL_USER
        return f"{self.team}/{self.asker}" if self.team else self.asker

    @property
    def space(self) -> str:
        """Whose threads it is asked in: those of the channel, which everyone there may read; else the asker's own."""
        shared = self.source == "slack" and self.channel and not self.channel.startswith("D")
        return f"{self.team}/{self.channel}" if shared else self.user


def asker_of(user: str) -> dict[str, Any]:
    """The fields of a question that say whose it is: what `Question.user` was made of."""
    if user in {"", LOCAL_USER}:
        return {"source": "cli"}
    team, _, asker = user.rpartition("/")
    return {"source": "slack" if team else "http", "team": team, "asker": asker}


class Reply(Message):
    """What someone said to a clarifying question: a button's value, or a message in its thread.

    ``request_id`` and ``turn`` (which question back, from 0) are known for a button; a message is matched by its
    channel and thread.
    """

    text: str
    asker: str
    team: str
    channel: str
    thread_ts: str
    event_id: str
    ts: str = ""
    request_id: str = ""
    turn: int = 0
    received_at: Moment


class Route(Message):
    """Which agent answers (R1.1). ``task`` is the agent's task in ``config/agents.yaml``, or ``none``.

    ``caveat``: a sentence that stands above the answer. ``also``: what else was asked in the same message, and is for
    another agent.
    """

    task: str
    confidence: float = Field(ge=0, le=1)
    tools_allowed: tuple[str, ...] = ()
    sensitivity: Literal["low", "medium", "high"] = "low"
    priority: Literal["normal", "urgent"] = "normal"
    notes: str = ""
    caveat: str = ""
    also: str = ""


QuestionType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
"""A type of question, such as ``debug_incident``. Which there are is said by the agents (`ports.AgentModule`)."""


class Window(Message):
    """A span of time and the reason it was chosen."""

    start: Moment
    end: Moment
    why: str


class Option(Message):
    """One possible meaning of an ambiguous question. ``value`` replaces what was unclear."""

    value: str
    label: str
    reason: str = ""


class Ambiguity(Message):
    """A clarifying question with real candidates, best first. ``of_latency``: what is slow is asked about."""

    question: str
    options: tuple[Option, ...]
    of_latency: bool = False


class Intent(Message):
    """What the question is about (R0.3)."""

    question_type: QuestionType
    subjects: tuple[str, ...] = ()
    time_hints: tuple[str, ...] = ()
    window: Window | None = None
    ambiguity: Ambiguity | None = None


# --- what will be done ----------------------------------------------------------------------------------------


class Step(Message):
    """One planned tool call. ``args`` may hold slots such as ``{metric.onset_at|window.start}``."""

    id: str
    tool: str
    args: dict[str, Scalar]
    purpose: str
    after: tuple[str, ...] = ()


class Plan(Message):
    """A short explicit plan (R0.4). ``pattern`` is a name in the agent's ``patterns.yaml`` or ``NOVEL``."""

    pattern: str
    query_intent: str
    steps: tuple[Step, ...]
    uncertainties: tuple[str, ...] = ()
    verification_tips: tuple[str, ...] = ()


class PatternStep(Message):
    """One step of a known plan. ``when`` names a condition of the intent that must hold for the step to stay: that the
    question names an endpoint, service or deploy (named), that or asks how something behaves (measured), asks of the
    whole as it is now (unnamed), that what the tool reads is connected (connected), that its metric exists (known),
    names a file (file), two versions (range), asks for a person (who), for that of an identifier (origin), who is on
    call (on_call), or what a deploy or a version changed (change).

    An argument whose slots are all empty is left out.
    """

    id: str
    tool: str
    args: dict[str, Scalar]
    purpose: str
    after: tuple[str, ...] = ()
    when: Literal[
        "", "named", "measured", "unnamed", "connected", "known", "file", "who", "on_call", "origin", "range", "change"
    ] = ""


class PatternEntry(Message):
    """One known plan: an entry of an agent's ``patterns.yaml``, or of ``patterns.yaml`` in the configuration.

    ``requires``: slots that must have a value, else the question is a novel one.
    """

    query_intent: str
    requires: tuple[str, ...] = ()
    question_types: tuple[QuestionType, ...]
    agent: str = ""
    steps: tuple[PatternStep, ...]
    uncertainties: tuple[str, ...] = ()
    verification_tips: tuple[str, ...] = ()


class ValidPlan(Message):
    """A plan that passed its agent's validators. Only `engine.validate.check_plan` makes one."""

    plan: Plan
    checked: tuple[str, ...]


# --- what came back -------------------------------------------------------------------------------------------


class ToolCall(Message):
    """The record of one call (R1.6). Times are milliseconds since the first tool of the request was opened."""

    name: str
    args: dict[str, Scalar]
    start_ms: float
    end_ms: float
    status: Literal["ok", "empty", "timeout", "error", "denied"]
    attempt: int = 1
    cached: bool = False
    summary: str = ""
    step: str = ""


class Fact(Message):
    """One quotable value. ``entity`` says whose value it is, ``at`` when it held."""

    value: Scalar
    unit: str = "text"
    entity: str = ""
    at: Moment | None = None


EvidenceKind = Literal[
    "metric",
    "code",
    "change",
    "doc",
    "deploy",
    "alert",
    "incident",
    "row",
    "note",
    "message",
    "web",
    "log",
    "trace",
    "event",
    "flag",
    "tool",
]


class GraphNode(Message):
    """A thing in a small graph. ``kind``: what is drawn alike; ``weight``: 1 for what it is about, less for others."""

    id: str
    label: str
    kind: str
    weight: float = 0.5


class GraphEdge(Message):
    """How one thing of a small graph is joined to another, by their ids."""

    source: str
    target: str
    type: str


class Neighbourhood(Message):
    """A small graph to be drawn: at most some dozens of things, and how they are joined."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


class Evidence(Message):
    """Something a tool returned that an answer may rest on. Tools leave ``id`` empty; the engine numbers it.

    ``series`` holds the samples behind a metric: epoch seconds and values in the unit of its facts, at most 240.
    ``data`` is the JSON that a tool of others returned, of any shape, where the facts do not say it all.
    ``graph``: what lies around the things that it tells of, to be drawn.
    """

    id: str = ""
    kind: EvidenceKind
    title: str
    locator: str
    url: str | None = None
    excerpt: str = ""
    facts: dict[str, Fact] = Field(default_factory=dict)
    data: Any = None
    series: tuple[tuple[float, float], ...] = ()
    graph: Neighbourhood | None = None
    observed_at: Moment | None = None
    step: str = ""


class Proposal(Message):
    """A change that a person has to confirm before it is made.

    ``tool``, ``args``: the call that makes it, with what it expects to find (hashes, versions), so that it changes
    nothing when that is no longer so. ``title``: what it does, in one sentence; ``preview``: the change itself, as a
    short diff or a list of lines. ``key``: of several with the same one, the last holds what the others would do too.
    """

    tool: str
    args: dict[str, Any]
    title: str
    preview: str = ""
    key: str = ""


def name_proposal(request_id: str, number: int) -> str:
    """What a proposal is called: its request and its place among the proposals there, from 0."""
    return f"{request_id}:{number}"


def split_name(name: str) -> tuple[str, int]:
    """The request and the place of a proposal; -1 when it has none."""
    request_id, _, number = name.rpartition(":")
    return request_id, int(number) if number.isdecimal() and len(number) < 4 else -1


class ToolOutput(Message):
    """What a tool returns, and what the wrappers turn its failures into.

    ``data`` is the tool's documented JSON object. ``reason`` says why it is empty or failed; ``nearest`` holds
    names that do exist, best first. ``proposals``: changes that it would make, each waiting for a person.
    ``left_out``: the places of sentences that give orders to their reader, which are no longer in it.
    """

    status: Literal["ok", "empty", "timeout", "error", "denied"] = "ok"
    summary: str = ""
    data: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""
    nearest: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    left_out: tuple[str, ...] = ()


class Deploy(Message):
    """One deploy. ``source`` says where it is known from: ``deploys`` table, ``metrics`` or ``git tag``."""

    service: str
    version: str
    commit: str = ""
    at: Moment
    source: str = "deploys"
    environment: str = "production"


class AlertEvent(Message):
    """One alert as Alertmanager told of it. ``fingerprint`` and ``starts_at`` make it one.

    ``environment``: that of its labels, the configured one where they name none; empty when it is not known.
    """

    fingerprint: str
    name: str
    state: Literal["firing", "resolved"]
    starts_at: Moment
    ends_at: Moment | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    summary: str = ""
    runbook_url: str = ""
    generator_url: str = ""
    source: str = "alertmanager"
    environment: str = ""


class FlagChange(Message):
    """One change of a feature flag, or of a setting outside the code.

    ``change``: what was done, in words; ``before``, ``after``: what it was and is, empty where that is not told.
    ``source``: who told of it: ``webhook``, ``launchdarkly`` or ``unleash``. ``url``: where people look at the flag.
    """

    flag: str
    at: Moment
    service: str = ""
    environment: str = "production"
    change: str = ""
    before: str = ""
    after: str = ""
    who: str = ""
    source: str = "webhook"
    url: str = ""


class AlertNotification(Message):
    """One notification of Alertmanager: alerts that it groups under ``key``, and Alertmanager's own address (``url``).

    ``truncated``: how many alerts it left out; ``refused``: a sentence on each that could not be read.
    """

    key: str = ""
    url: str = ""
    truncated: int = 0
    refused: tuple[str, ...] = ()
    alerts: tuple[AlertEvent, ...] = ()


class MetricInfo(Message):
    """A metric that can be asked for by name."""

    name: str
    unit: str
    aliases: tuple[str, ...] = ()
    role: str = ""


class EntityInfo(Message):
    """A thing in a building that can be asked for by name: a lamp, a sensor, a door.

    ``id``: its name for machines, ``DOMAIN.NAME``; ``area``, ``floor``: where it is; each may have other names.
    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    area: str = ""
    area_aliases: tuple[str, ...] = ()
    floor: str = ""
    floor_aliases: tuple[str, ...] = ()
    device_class: str = ""

    @property
    def domain(self) -> str:
        """What kind of thing it is: ``light`` of ``light.desk``."""
        return self.id.partition(".")[0]


class Landscape(Message):
    """What this team's sources hold, so that questions are read against real names only.

    ``late``: tools whose names did not come in time.
    """

    metrics: tuple[MetricInfo, ...] = ()
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    alerts: tuple[str, ...] = ()
    deploys: tuple[Deploy, ...] = ()
    repositories: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    entities: tuple[EntityInfo, ...] = ()
    late: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that exists, for telling known ones from invented ones."""
        values = [v for found in self.labels.values() for v in found]
        metrics = [n for m in self.metrics for n in (m.name, *m.aliases)]
        deploys = [n for d in self.deploys for n in (d.service, d.version, d.commit, d.commit[:7]) if n]
        things = [n for e in self.entities for n in (e.id, e.name, *e.aliases, e.area, e.floor) if n]
        sources = (*self.repositories, *self.documents, *self.labels)
        all_of_them = (*values, *self.alerts, *sources, *metrics, *deploys, *things)
        return tuple(dict.fromkeys(all_of_them))

    def merged(self, other: Landscape) -> Landscape:
        """Join two landscapes, without repeats, in order."""
        labels = {
            k: tuple(dict.fromkeys((*self.labels.get(k, ()), *other.labels.get(k, ()))))
            for k in dict.fromkeys((*self.labels, *other.labels))
        }
        return Landscape(
            metrics=(*self.metrics, *other.metrics),
            labels=labels,
            alerts=tuple(dict.fromkeys((*self.alerts, *other.alerts))),
            deploys=tuple(sorted((*self.deploys, *other.deploys), key=lambda d: d.at)),
            repositories=tuple(dict.fromkeys((*self.repositories, *other.repositories))),
            documents=tuple(dict.fromkeys((*self.documents, *other.documents))),
            entities=tuple(dict.fromkeys((*self.entities, *other.entities))),
            late=tuple(dict.fromkeys((*self.late, *other.late))),
        )


NEAREST = "Nearest: "
"""How a headline begins that tells what lies nearest to a question, and does not answer it for sure."""


# --- what is said ---------------------------------------------------------------------------------------------


class Suspect(Message):
    """The span in which a cause probably went out; ``deploy`` is None when none is known near the onset."""

    since: Moment
    until: Moment
    deploy: Deploy | None = None
    onset: Moment | None = None
    words: str = ""


class Claim(Message):
    """One statement. ``template`` holds slots (``{E2.peak}``); ``text`` is filled by code from the evidence.

    ``arithmetic``: how each number of the text that stands in no evidence as it is written follows from those that do:
    ``1.9 s / 0.21 s = 9.05, written as nine times``. ``note``: ``advice`` marks a step that no evidence speaks for,
    ``unjudged`` a sentence of a model whose meaning no verifier judged.
    """

    template: str
    evidence: tuple[str, ...] = ()
    status: Literal["supported", "hypothesis"] = "supported"
    note: Literal["", "advice", "unjudged"] = ""
    text: str = ""
    arithmetic: tuple[str, ...] = ()


class Gap(Message):
    """Something that could not be found or checked, with what was tried."""

    text: str
    tool: str = ""
    tried: tuple[str, ...] = ()


SECTIONS = ("what_changed", "metrics", "code", "docs", "next_steps")
"""The parts of an answer below its headline, in the order they are read."""


class Menu(Message):
    """By what an answer can be narrowed: each option's ``value`` is put behind the question, which is then asked again.

    ``name``: what is chosen, such as ``Region``; ``kind``: what its values begin with, such as ``[region:``, so that a
    second choice takes the place of a first.
    """

    name: str
    kind: str
    options: tuple[Option, ...]


class Statements(Message):
    """A headline and claims by section: what a draft and an answer share. ``menus``: by what it can be narrowed."""

    headline: Claim
    what_changed: tuple[Claim, ...] = ()
    metrics: tuple[Claim, ...] = ()
    code: tuple[Claim, ...] = ()
    docs: tuple[Claim, ...] = ()
    next_steps: tuple[Claim, ...] = ()
    missing: tuple[Gap, ...] = ()
    menus: tuple[Menu, ...] = ()
    banner: str | None = None
    confidence: Literal["high", "medium", "low"] = "low"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All of them, the headline first."""
        return (self.headline, *(claim for section in SECTIONS for claim in getattr(self, section)))


class Draft(Statements):
    """What a reasoner writes: claims as templates, by section. Only grounding turns it into an `Answer`."""


class Answer(Statements):
    """What is posted. Made by `engine.ground.check_grounding`, or as a clarifying question or a refusal."""

    kind: Literal["answer", "clarify", "refusal"] = "answer"
    options: tuple[Option, ...] = ()
    tools_used: tuple[str, ...] = ()


class Verdict(Message):
    """What grounding says of one claim."""

    id: str
    verdict: Literal["supported", "hypothesis", "struck"]
    reason: str = ""


class Usage(Message):
    """Tokens and cost of the language model; zeros for the rules.

    ``input_tokens`` are those the prompt cache did not serve or take, as the Messages API counts them.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def uncached(self) -> int:
        """Those that the prompt cache did not serve."""
        return self.tokens - self.cache_read_tokens

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


Role = Literal["router", "investigator", "verifier", "summary", "style", "compression"]
"""What a language model is asked for; each has a model and limits of its own in ``config/models.yaml``."""


CallStatus = Literal["ok", "invalid", "refused", "cut", "timeout", "busy", "error", "budget", "resting"]


class ModelCall(Message):
    """One call of a language model, or why there was none.

    ``status``: ``ok``; ``invalid`` its answer could not be used; ``refused``; ``cut`` the stream ended early;
    ``timeout``; ``busy`` too many requests or overloaded; ``error``; ``budget`` not called, nothing was left;
    ``resting`` not called, the endpoint failed a moment ago. ``reason`` says what was wrong, for people.
    """

    role: Role
    model: str
    status: CallStatus
    ms: float = 0.0
    usage: Usage = Usage()
    prompt: str = ""
    reason: str = ""


def used_by(calls: Iterable[ModelCall]) -> Usage:
    """What calls used together."""
    return sum((call.usage for call in calls), Usage())


class RequestLog(Message):
    """Everything about one request; what ``oracle show`` prints and the store keeps.

    ``draft``: what a language model wrote at the end of its investigation; ``refuted``: which of its claims a verifier
    found not to follow from what they cite. ``left_out``: places of sentences that gave orders to their reader.
    ``view``: the sources that it may rest on, where a policy says who may see which; None where there was none.
    """

    request_id: str
    question: Question
    route: Route | None = None
    intent: Intent | None = None
    plan: Plan | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    left_out: tuple[str, ...] = ()
    view: tuple[str, ...] | None = None
    suspect: Suspect | None = None
    notes: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    draft: Draft | None = None
    refuted: tuple[Verdict, ...] = ()
    answer: Answer | None = None
    grounded: bool = False
    struck: tuple[Verdict, ...] = ()
    reasoner: str = "rules"
    model_calls: tuple[ModelCall, ...] = ()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    usage: Usage = Usage()

    @property
    def asks_back(self) -> bool:
        """Whether its answer is a clarifying question."""
        return self.answer is not None and self.answer.kind == "clarify"


# --- messages of a channel ------------------------------------------------------------------------------------------

Kind = Literal[
    "detected",
    "alert",
    "acknowledged",
    "declared",
    "deploy",
    "rollback",
    "change",
    "finding",
    "decision",
    "mitigated",
    "resolved",
    "correction",
    "other",
]
"""What an entry of the timeline tells of."""

Why = Literal["", "name", "topic", "declared"]
"""What says of a channel that it holds an incident besides its messages: its name, its topic or purpose, people."""


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One message of a channel as a person reads it: mentions by name, links spelled out, secrets taken out.

    ``thread_ts``: the message it replies to, empty at the top level. ``user``: who wrote it, an app's id too; ``name``:
    as people are shown; ``zone``: the IANA name of their zone, empty when it is not known. ``said``: whether it says
    something; joins and changed topics do not. ``edited_at``: when it got the words it has, None for its first ones;
    aware, UTC. ``reactions``: emoji name -> users, in the order they were added; those
    that came while the past was being read stand last. ``files``: their titles. Without pydantic's checks and their
    memory: thousands are held at a time, and `workers.slack_messages` has read each.
    """

    ts: str
    thread_ts: str = ""
    user: str = ""
    name: str = ""
    zone: str = ""
    text: str = ""
    bot: bool = False
    said: bool = True
    edited_at: datetime | None = None
    reactions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    at: datetime = field(init=False, repr=False, compare=False)
    """When it was written: aware, UTC."""

    @property
    def worded_at(self) -> datetime:
        """When it got the words it has."""
        return self.edited_at or self.at

    def __post_init__(self) -> None:
        """Read when it was written. Raises: ValueError: ``ts`` is none."""
        object.__setattr__(self, "at", moment_of(self.ts))


@dataclass(frozen=True)
class Written:
    """A message as it stands. ``version``: when it got its words, in seconds since the epoch."""

    message: ChannelMessage
    version: float


@dataclass(frozen=True)
class Deleted:
    """A message that stands no more. ``ts``: as Slack writes it, ``1763632330.000100``."""

    ts: str


@dataclass(frozen=True)
class Reacted:
    """A reaction that was added to a message, or taken away.

    ``ts``: of the message; ``name``: of the emoji, without colons; ``user``: an id; ``at``: seconds since the epoch.
    """

    ts: str
    name: str
    user: str
    added: bool
    at: float


Change = Written | Deleted | Reacted
"""What an event changes about a channel's messages."""


@dataclass(frozen=True)
class Page:
    """A page of history, without messages of the app's own in ``changes``.

    ``roots``: ts of the messages in it that a thread hangs on; ``oldest`` and ``newest``: ts of all in it, empty for an
    empty page. ``more``: it is not the last one.
    """

    changes: tuple[Written | Deleted, ...]
    roots: tuple[str, ...] = ()
    oldest: str = ""
    newest: str = ""
    more: bool = False


class Correction(Message):
    """What a person changed in the timeline; it wins over what was read, and stays.

    ``entry``: the id of the entry it changes, empty for a new one. ``was``: what that entry said then, or how that
    began; empty for a new one, and in what was kept before corrections had it. ``text``: empty when it stays as it is.
    ``removed``: the entry is gone.
    """

    entry: str = ""
    was: str = ""
    at: Moment | None = None
    kind: Kind = "other"
    text: str = ""
    removed: bool = False
    by: str = ""
    said_at: Moment


def moment_of(ts: str) -> datetime:
    """When a message was written. Raises: ValueError: that is no ts."""
    seconds, _, micros = ts.partition(".")
    return datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=int((micros or "0").ljust(6, "0")[:6]))


def order_of(ts: str) -> tuple[int, int]:
    """What messages sort by; a ts that is none comes first."""
    seconds, _, micros = ts.partition(".")
    return (int(seconds), int(micros or 0)) if seconds.isdecimal() and (micros or "0").isdecimal() else (0, 0)
