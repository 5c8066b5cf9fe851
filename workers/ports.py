"""The protocols the engine speaks; everything that does I/O stands behind one of them."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol

from workers.contracts import (
    Ambiguity,
    Answer,
    Claim,
    Draft,
    Evidence,
    Gap,
    Intent,
    Landscape,
    ModelCall,
    Page,
    PatternEntry,
    Plan,
    Proposal,
    Question,
    RequestLog,
    Scalar,
    Step,
    Suspect,
    ToolCall,
    ToolOutput,
    Verdict,
)

logger = logging.getLogger(__name__)


class Clock(Protocol):
    """Time, injected so that a question can be asked as of any moment."""

    def now(self) -> datetime:
        """The moment questions are answered as of: aware, UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Milliseconds that only ever go forward, for durations."""
        ...


ALL_TEAMS = "*"


@dataclass(frozen=True)
class ToolContext:
    """For whom and as of when a tool runs. ``timezone`` is the asker's IANA name or a fixed offset; ``team`` the
    workspace whose own drafts may be read, `ALL_TEAMS` on the command line, where the files themselves can be; ``user``
    whose threads and memories may be read, see `Question.user`; ``space`` whose threads too, see `Question.space`.
    ``apart``: what that user keeps alone stays out of what others in the channel read.
    ``session``: new whenever a request's tools are opened; what calls propose is seen by others of the same session.
    ``ask``: answers a question by the agent that it names, for a tool that delegates; None where nobody does.
    """

    request_id: str
    agent: str
    now: datetime
    timezone: str = "UTC"
    team: str = ""
    user: str = ""
    space: str = ""
    apart: bool = False
    session: str = field(default_factory=lambda: uuid.uuid4().hex, compare=False)
    ask: Callable[[Question], RequestLog] | None = field(default=None, repr=False, compare=False)

    @property
    def kept_apart(self) -> bool:
        """Whether others read the answer, and nothing that the asker keeps alone may stand in it."""
        return self.apart and self.space not in {"", self.user}

    @property
    def spaces(self) -> tuple[str, ...]:
        """Whose threads may be read: the asker's own, then those of the channel."""
        if self.kept_apart:
            return (self.space,)
        return tuple(dict.fromkeys(filter(None, (self.user, self.space))))


@dataclass(frozen=True)
class Limits:
    """One agent's limits (``config/agents.yaml``)."""

    tools: tuple[str, ...]
    max_tool_calls: int
    overflow: str
    tool_timeout_ms: int
    tools_total_ms: int
    parallel: bool
    refine: int
    max_steps: int
    validators: tuple[str, ...]
    replan: int = 0
    max_turns: int = 15
    evidence_tokens: int = 6_000
    keep_answers_s: int = 0


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a planner sees it. ``parameters``: the JSON schema of its arguments. ``purpose``: what a call is for,
    in words for people, where a model gives none that can be shown.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    purpose: str = "look further"


class ToolSession(Protocol):
    """The tools of one request, with its budget. Calls never raise: a failure is a status."""

    def call(self, step: str, name: str, args: Mapping[str, Scalar], attempt: int = 1) -> tuple[ToolCall, ToolOutput]:
        """Run one tool through the wrappers."""
        ...

    def carry_out(self, step: str, proposal: Proposal) -> tuple[ToolCall, ToolOutput]:
        """Make a change that a person confirmed, once. It never raises either."""
        ...

    def late(self, *, wait: bool = False) -> tuple[tuple[ToolCall, ToolOutput], ...]:
        """Calls that a time limit ended and that have come to a result since, each told once.

        ``wait``: wait for the first of them, as long as the time for all tools lasts.
        """
        ...


class Toolbox(Protocol):
    """All tools."""

    def open(self, context: ToolContext, limits: Limits) -> ToolSession:
        """Start the tool budget of one request."""
        ...

    def landscape(self, context: ToolContext) -> Landscape:
        """The real names in every source (metrics, labels, deploys, repositories, documents)."""
        ...

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        """The agent's tools."""
        ...

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        """What is wrong with a tool's arguments, in a sentence; empty when nothing is."""
        ...


@dataclass(frozen=True)
class Brief:
    """All a reasoner may write from: nothing else exists for it.

    ``without_model``: why the language model that is connected does not write; empty when it does or there is none.
    """

    question: Question
    intent: Intent
    plan: Plan
    landscape: Landscape
    evidence: tuple[Evidence, ...]
    calls: tuple[ToolCall, ...]
    gaps: tuple[Gap, ...] = ()
    suspect: Suspect | None = None
    notes: tuple[str, ...] = ()
    without_model: str = ""


TodoItem = tuple[str, Literal["pending", "active", "done"]]
"""One item of the list of what is still to do, as people see it, and how far it is."""


@dataclass(frozen=True)
class CheckedClaim:
    """A claim of a draft as it would be shown. ``id``: ``headline``, or its section and place, ``metrics.1``.

    ``failure``: why it may not be shown; empty when it may.
    """

    id: str
    text: str
    evidence: tuple[str, ...]
    status: str
    failure: str = ""


class Workbench(Protocol):
    """What an investigation works with: the agent's tools, the claim checker, and the people who watch."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All that the calls returned so far, numbered: ``E1`` stays the same piece for the whole request."""
        ...

    @property
    def calls_left(self) -> int:
        """How many more tool calls the agent's limits allow."""
        ...

    def call(self, steps: Sequence[Step]) -> tuple[ToolOutput, ...]:
        """Run calls side by side, in the order they are given; their evidence is numbered."""
        ...

    def check(self, draft: Draft, question_type: str) -> tuple[CheckedClaim, ...]:
        """Hold every claim of a draft against the evidence."""
        ...

    def show(self, todo: Sequence[TodoItem]) -> None:
        """Show what is still to do."""
        ...


@dataclass(frozen=True)
class Finding:
    """What an investigation came to: a draft, or a question back.

    ``refuted``: claims of the draft that a verifier found not to follow from what they cite, by their ids.
    """

    draft: Draft | None = None
    question_type: str = ""
    refuted: tuple[Verdict, ...] = ()
    ambiguity: Ambiguity | None = None


# --- what an agent is -----------------------------------------------------------------------------------------


def unchecked(tool: str, args: Mapping[str, Scalar]) -> str:
    """No tool is at hand to check its arguments."""
    del tool, args
    return ""


@dataclass(frozen=True)
class Asked:
    """What a plan has to serve: the question's words, what was read from them, what exists, what is allowed.

    ``mistakes``: what is wrong with a tool's arguments, see `Toolbox.mistakes`. ``rules``: the validators of the agent
    itself, by name. ``first_tools``: see `AgentModule.FIRST_TOOLS`.
    """

    question: str
    intent: Intent
    landscape: Landscape
    limits: Limits
    mistakes: Callable[[str, Mapping[str, Scalar]], str] = unchecked
    rules: Mapping[str, Rule] = field(default_factory=dict)
    first_tools: tuple[str, ...] = ()


Rule = Callable[[Plan, Asked], str]
"""Why a plan breaks a rule, in words; empty when it does not."""


@dataclass(frozen=True)
class Need:
    """Data that must be there before an agent or a tool is of use.

    ``met`` is given `workers.settings.load.Settings`; ``lacks`` is what an asker is told when it says no: what is
    missing, and how to connect it.
    """

    met: Callable[[Any], bool]
    lacks: str


TaskStep = Callable[[Any, Any], Iterable[tuple[str, bool]]]
"""Works on `workers.store.database.Database` under `workers.settings.load.Settings`, and yields lines for the log, each
with whether that is well."""


def do_nothing(database: Any, settings: Any) -> Iterable[tuple[str, bool]]:
    """There is nothing to do."""
    del database, settings
    return ()


@dataclass(frozen=True)
class BackgroundTask:
    """What a family does by the clock, in a worker, beside answering; it is contributed as one of its ``tasks``.

    ``every_s``: seconds between two runs under ``Settings``; None where it has nothing to do. ``run``: one run; several
    workers may be at it. ``forget``: removes what is too old, once an hour. ``reset``: removes all that runs have kept,
    since their sources were exchanged, as when `oracle demo` builds them anew.
    """

    every_s: Callable[[Any], float | None]
    run: TaskStep
    forget: TaskStep = do_nothing
    reset: TaskStep = do_nothing


@dataclass(frozen=True)
class Playbook:
    """What the functions of an agent's module work with beside the question.

    ``patterns``: its known plans by name, in the order of their file. ``tools``: those it has, any when None.
    """

    patterns: Mapping[str, PatternEntry]
    max_steps: int = 8
    tools: tuple[str, ...] | None = None


def claim_nothing(question: Question, landscape: Landscape) -> float:
    """It is asked only when it is the default agent, or by name."""
    del question, landscape
    return 0.0


def disclaim_nothing(question: Question, landscape: Landscape) -> bool:
    """Whatever is likely its own may be."""
    del question, landscape
    return False


def no_phrase(question: Question, landscape: Landscape) -> bool:
    """No text as a whole was given a meaning."""
    del question, landscape
    return False


def no_order(question: Question, landscape: Landscape) -> Proposal | None:
    """Nothing is done at once."""
    del question, landscape
    return None


def replan_nothing(brief: Brief, playbook: Playbook) -> Plan | None:
    """There is no other way to look."""
    del brief, playbook
    return None


def refine_nothing(step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
    """There is no better query."""
    del step, output, intent
    return None


def weigh_by_nothing(ambiguity: Ambiguity) -> Step | None:
    """The options stay in their order."""
    del ambiguity
    return None


def keep_options(
    ambiguity: Ambiguity, output: ToolOutput, now: datetime, timezone: str
) -> tuple[Ambiguity, tuple[Evidence, ...]]:
    """The options stay in their order."""
    del output, now, timezone
    return ambiguity, ()


def no_values() -> Mapping[str, Any]:
    """A prompt of its own asks for nothing."""
    return {}


@dataclass(frozen=True)
class AgentModule:
    """What the Python package of an agent exports, by these names; those with a default may be missing.

    A package is named by ``module:`` in ``config/agents.yaml`` and has its known plans beside it, in ``patterns.yaml``.
    All functions are pure: they read what they are given and return what is asked for; tools are run by the engine.

    ``read_intent(question, landscape, now, playbook)``: what a question is about. Its type is one of
    ``QUESTION_TYPES``; an ambiguity in it is asked back.
    ``make_plan(question, intent, landscape, playbook)``: the tool calls that answer it.
    ``write_answer(brief, playbook)``: the answer as claims with slots over ``brief.evidence``.
    ``QUESTION_TYPES``: each type of question -> what it is, in words that a language model chooses by.
    ``KNOWLEDGE_TYPES``: those of a general notion, which may be answered without evidence when nothing of the team's
    systems is named.
    ``VALIDATORS``: rules for plans by name, to be named under ``validators:`` of an entry.
    ``NEEDS``: data that it needs by name, to be named under ``needs:`` of an entry, of an agent or a tool.
    ``FIRST_TOOLS``: tools that come first among steps which are added to a plan.
    ``PLAN_SLOTS``: names that it fills in the arguments of known plans, ``{name}``; the engine fills facts of earlier
    steps.
    ``PROMPTS``, ``prompt_values()``: files of ``prompts/`` that stand before those of planner and synthesis, and their
    inputs; ``contracts``, the agent's tools in a line each, is always given.
    ``claim(question, landscape)``: how sure it is, by form or names, that a question is its own, 0 to 1. A claim from
    0.9 on comes before what the router learned from ``examples.yaml`` in the package's folder; that of an agent without
    examples from 0.5 on. ``landscape`` has the names of all sources.
    ``owns_phrase(question, landscape)``: whether people gave this very text a meaning, as the name of a routine; such a
    text is the agent's before anything that was learned is asked. ``landscape`` has the names of all sources.
    ``disclaim(question, landscape)``: whether the names in a question say that it is not its own, however it is worded;
    it is then the default agent's.
    ``read_order(question, landscape)``: what the asker orders in so many words and may have at once, as it changes only
    what is theirs alone and can be taken back, or was approved beforehand in the configuration; None: it is no such
    order. ``landscape`` has the names of the agent's own sources.
    ``replan(brief, playbook)``: further steps after some failed or found nothing (``brief.gaps``); None: nothing left.
    ``refine_query(step, output, intent)``: arguments for the one retry of an empty or failed step; None: none better.
    ``options_step(ambiguity)``, ``weigh_options(ambiguity, output, now, timezone)``: the call that tells how likely the
    options of a question back are, and the options by what it returned, with the evidence for it.
    """

    read_intent: Callable[[Question, Landscape, datetime, Playbook], Intent]
    make_plan: Callable[[Question, Intent, Landscape, Playbook], Plan]
    write_answer: Callable[[Brief, Playbook], Draft]
    QUESTION_TYPES: Mapping[str, str]
    KNOWLEDGE_TYPES: Collection[str] = frozenset()
    VALIDATORS: Mapping[str, Rule] = field(default_factory=dict)
    NEEDS: Mapping[str, Need] = field(default_factory=dict)
    FIRST_TOOLS: tuple[str, ...] = ()
    PLAN_SLOTS: Collection[str] = frozenset()
    PROMPTS: tuple[str, ...] = ()
    prompt_values: Callable[[], Mapping[str, Any]] = no_values
    claim: Callable[[Question, Landscape], float] = claim_nothing
    owns_phrase: Callable[[Question, Landscape], bool] = no_phrase
    disclaim: Callable[[Question, Landscape], bool] = disclaim_nothing
    read_order: Callable[[Question, Landscape], Proposal | None] = no_order
    replan: Callable[[Brief, Playbook], Plan | None] = replan_nothing
    refine_query: Callable[[Step, ToolOutput, Intent], dict[str, Scalar] | None] = refine_nothing
    options_step: Callable[[Ambiguity], Step | None] = weigh_by_nothing
    weigh_options: Callable[[Ambiguity, ToolOutput, datetime, str], tuple[Ambiguity, tuple[Evidence, ...]]] = (
        keep_options
    )


def unmet_needs(modules: Iterable[AgentModule], settings: Any) -> dict[str, str]:
    """What is lacking, by the names of needs. ``settings``: as `Need.met` is given them."""
    needs = {name: need for module in modules for name, need in module.NEEDS.items()}
    return {name: lacks for name, need in needs.items() if (lacks := lack_of(name, need, settings))}


def lack_of(name: str, need: Need, settings: Any) -> str:
    """What is lacking of one need, empty when nothing is. One that cannot be checked is not met."""
    try:
        return "" if need.met(settings) else need.lacks
    except Exception as error:  # noqa: BLE001 - the mistake of one module must not end the others
        return f"the need {name!r} cannot be checked: {type(error).__name__}: {error}"


def own_word(
    agent: str, say: Callable[[Question, Landscape], float], question: Question, landscape: Landscape
) -> float:
    """What an agent says of a question by ``claim``, ``disclaim`` or ``owns_phrase``; nothing when it fails, as others
    may answer it."""
    try:
        return say(question, landscape)
    except Exception:
        logger.exception("agent %s cannot say whether a question is its own", agent)
        return 0.0


Likely = Callable[[Question], Mapping[str, float]]
"""How likely a request is for each agent, unsafe, or nothing that any agent does; the sum is 1. Empty: not known."""


def nothing_likely(question: Question) -> Mapping[str, float]:
    """Nothing was learned."""
    del question
    return {}


# --- who thinks -----------------------------------------------------------------------------------------------


def not_interrupted() -> None:
    """Nobody takes the request away."""


@dataclass(frozen=True)
class ReasoningContext:
    """For which request a reasoner thinks, and as which agent (``module``).

    ``calls``: what the stages before asked of a language model. ``tone``: how the channel wants answers worded, empty
    for plain. ``check`` raises LeaseLost when the request was taken away; it is called from time to time while a model
    writes. ``everywhere``: the names in all sources, not only in those of the agent.
    """

    question: Question
    agent: str
    limits: Limits
    toolbox: Toolbox
    landscape: Landscape
    module: AgentModule
    calls: tuple[ModelCall, ...] = ()
    check: Callable[[], None] = not_interrupted
    tone: str = ""
    everywhere: Callable[[], Landscape] = Landscape

    def asked(self, question: str, intent: Intent) -> Asked:
        """What a plan for a question has to serve."""
        return Asked(
            question,
            intent,
            self.landscape,
            self.limits,
            self.toolbox.mistakes,
            self.module.VALIDATORS,
            self.module.FIRST_TOOLS,
        )


@dataclass(frozen=True)
class Errand:
    """What is thought about outside a request's stages: as `ReasoningContext`, with no tools; nobody takes it away."""

    question: Question
    calls: tuple[ModelCall, ...] = ()
    check: Callable[[], None] = not_interrupted


Compressor = Callable[[Sequence[str], int], str]
"""Sums up texts, oldest first, in at most so many words. Raises: ModelFailed."""


class Reasoner(Protocol):
    """Who thinks about one request: the rules, or a language model behind the same questions."""

    @property
    def name(self) -> str:
        """``rules``, or the model that wrote last."""
        ...

    @property
    def drives(self) -> bool:
        """Whether a language model investigates, rather than a plan being run."""
        ...

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """What was asked of a language model for this request so far, the calls of earlier stages included."""
        ...

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Which of several agents (name -> description) answers, and how sure that is, 0 to 1."""
        ...

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """Earlier messages in fewer words; the last ones stay as they are."""
        ...

    def read_intent(self, question: Question, landscape: Landscape, now: datetime) -> Intent:
        """Classify the question and find its subjects, hints and window."""
        ...

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """Choose the steps."""
        ...

    def replan(self, brief: Brief) -> Plan | None:
        """Further steps after some of ``brief.plan`` failed or found nothing (``brief.gaps``); None: nothing left."""
        ...

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """Arguments for the one retry after an empty or failed step, or None when there is no better query."""
        ...

    def investigate(self, brief: Brief, bench: Workbench) -> Finding | None:
        """Call tools until the question can be answered, and write the answer; ``brief.plan`` is advice.

        Returns: what it came to; None when nobody drives, so that the plan is to be run.
        """
        ...

    def write_answer(self, brief: Brief) -> Draft:
        """Write claims as templates over the evidence of a plan."""
        ...

    def tell_found(self, draft: Draft, answer: Answer, brief: Brief) -> Draft:
        """A model's draft that tells first what its own evidence answers, where ``answer``, what of it holds, withholds
        that; else the same draft."""
        ...

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Better wording of each claim's template, in order; the same templates when there is none."""
        ...


Reasoners = Callable[[ReasoningContext], Reasoner]
"""Who thinks about a request."""


class Store(Protocol):
    """Where requests and their logs are kept."""

    def save(self, log: RequestLog) -> None:
        """Insert or replace the log of one request."""
        ...

    def load(self, request_id: str) -> RequestLog:
        """Read it back. Raises: RequestNotFound."""
        ...


@dataclass(frozen=True)
class Place:
    """Where a message goes: a channel, and the thread in it; an empty ``thread_ts`` is the channel itself."""

    channel: str
    thread_ts: str = ""
    team: str = ""


@dataclass(frozen=True)
class Post:
    """One message: blocks, and the text that stands for them in notifications and where blocks cannot be shown."""

    text: str
    blocks: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Picture:
    """A PNG, with a title and the words that stand for it (``alt``)."""

    name: str
    title: str
    alt: str
    png: bytes


@dataclass(frozen=True)
class Document:
    """A text as a file: its name in the workspace, its title, Markdown."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class ThreadMessage:
    """One message of a thread as a person reads it. ``ours``: this app wrote it; ``app``: another one did.

    ``text``: its author's own words, empty in an app's; ``quoted``: what stands in it besides, as one text that says
    whose words these are; ``unread``: files and pictures of which nothing was read.
    """

    user: str
    text: str
    ts: str
    ours: bool = False
    app: bool = False
    quoted: str = ""
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChannelInfo:
    """A channel as Slack tells of it. ``is_shared``: with another company."""

    name: str = ""
    topic: str = ""
    purpose: str = ""
    is_member: bool = False
    is_archived: bool = False
    is_private: bool = False
    is_shared: bool = False


@dataclass(frozen=True)
class Recipient:
    """For whom a stream is shown: a person, and that person's workspace."""

    user: str
    team: str


Chunk = dict[str, Any]
"""A part of a stream: ``plan_update``, ``task_update`` or ``markdown_text`` (slack_sdk.models.messages.chunk)."""
SessionStatus = Literal["processing", "active", "suspended", "closed"]


@dataclass(frozen=True)
class Belonging:
    """What Slack says of a person. ``groups``: ids of user groups; ``member``: of the workspace, and no guest."""

    groups: frozenset[str] = frozenset()
    member: bool = False


@dataclass(frozen=True)
class Standing:
    """Who asks, and who reads the answer beside them. ``outside``: people of other companies are in the channel."""

    belonging: Belonging = Belonging()
    outside: bool = True


class Visibility:
    """What may be shown to an asker and to whoever else reads the answer. Without a policy: everything, as it is here.

    ``apart``: what the asker keeps alone stays out of what others read.
    """

    apart: ClassVar[bool] = False

    def rests_on(self, log: RequestLog) -> tuple[str, ...] | None:
        """The sources that what was found so far may rest on; None where nobody asks for them."""
        return log.view

    def shows(self, log: RequestLog) -> bool:
        """Whether what another request found may be shown."""
        del log
        return True

    def check_readers(self, log: RequestLog, proposal: Proposal) -> tuple[str, str]:
        """Why a change may not be made, as it would tell its readers what they may not see; and who they are.

        Each is empty when there is nothing to say.
        """
        del log, proposal
        return "", ""


class Chat(Protocol):
    """The door to where people are, in one workspace.

    Every method but `timezone` raises ChatUnavailable, ChatBusy and ChatRefused.
    """

    def post(self, place: Place, post: Post, key: str, *, lossy: bool = False) -> str:
        """Post one message, marked with ``key`` in its metadata. Never tries twice.

        A ``lossy`` one waits for nothing: it is ChatBusy as soon as the channel is.

        Returns: its ts.
        """
        ...

    def whisper(self, place: Place, user: str, post: Post) -> None:
        """Tell one person something in a channel or thread, which nobody else there reads."""
        ...

    def find(self, place: Place, key: str) -> str | None:
        """The ts of the message that `post` marked with ``key`` there, or None."""
        ...

    def update(self, place: Place, ts: str, post: Post, key: str = "") -> None:
        """Replace what a message says; ``key`` keeps its mark."""
        ...

    def upload(self, picture: Picture) -> str:
        """Store a picture for use in a message. Returns: its file id."""
        ...

    def share(self, place: Place, document: Document, comment: str) -> None:
        """Post a text as a file, with a word on it. Never tries twice."""
        ...

    def holds(self, place: Place, name: str) -> bool:
        """Whether a thread holds a file of ours with that name."""
        ...

    def permalink(self, place: Place, ts: str) -> str:
        """The address of a message, for a link to it."""
        ...

    def team(self) -> str:
        """The id of the workspace."""
        ...

    def direct(self, user: str) -> str:
        """The channel of the direct messages with a person. Returns: its id."""
        ...

    def timezone(self, user: str) -> str:
        """The IANA name of a person's zone; empty when it cannot be told."""
        ...

    def belonging(self, user: str) -> Belonging:
        """The user groups that a person is in, and whether they are a full member of the workspace."""
        ...

    def has_outsiders(self, channel: str) -> bool:
        """Whether people of other companies are in a channel."""
        ...

    def about(self, channel: str) -> ChannelInfo:
        """A channel's name, topic and purpose, and whether the app is a member."""
        ...

    def join(self, channel: str) -> None:
        """Become a member of a public channel."""
        ...

    def pin(self, place: Place, ts: str, *, pinned: bool = True) -> None:
        """Pin a message, or take its pin away; one that is so already is no error."""
        ...

    def page(self, place: Place, *, after_ts: str = "", before_ts: str = "", most: int) -> Page:
        """A page of messages: a channel's newest, or a thread's oldest replies."""
        ...

    def identity(self) -> tuple[str, str]:
        """Our own bot id and user id."""
        ...

    def conversations(self) -> tuple[tuple[str, bool], ...]:
        """The ids of all channels and direct messages that the app is a member of; the second: whether it is direct."""
        ...

    def raw_page(self, place: Place, *, after_ts: str, cursor: str = "", most: int) -> tuple[tuple[Any, ...], str]:
        """Message objects as they came, of a channel (newest first) or a thread, and the cursor of the next page."""
        ...

    def called(self, user: str) -> tuple[str, str]:
        """What people call someone, or an app, and their IANA zone; each empty when that is not known."""
        ...

    def thread(self, place: Place, before_ts: str, most: int) -> tuple[ThreadMessage, ...]:
        """The messages of a thread before one, progress left out, at most so many, oldest first; with an app's that
        it hangs on."""
        ...

    def start_stream(self, place: Place, recipient: Recipient, chunks: Sequence[Chunk]) -> str:
        """Begin a message that grows; lossy: ChatBusy as soon as the channel is. Returns: its ts."""
        ...

    def append_stream(self, place: Place, ts: str, chunks: Sequence[Chunk]) -> None:
        """Let it grow. ChatRefused with `message_not_in_streaming_state` once it has ended or expired."""
        ...

    def stop_stream(self, place: Place, ts: str, chunks: Sequence[Chunk], key: str) -> None:
        """Its last part; the message is marked with ``key``."""
        ...

    def set_status(self, place: Place, status: str) -> None:
        """What the app is doing, below the thread, for two minutes at most; empty clears it."""
        ...

    def set_session(self, place: Place, status: SessionStatus, title: str = "", initiator: str = "") -> None:
        """Where an agent session of a thread stands; ``processing`` shows a Stop button. The first call names it."""
        ...


Chats = Callable[[str], Chat]
"""The chat of a workspace, by its id. Raises: ChatRefused: the app is not installed there."""


# --- what is served over MCP ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedText:
    """A text that can be read: by its ``id``, which stands in its address, and a name for people."""

    id: str
    name: str
    description: str = ""


class ServedTexts(Protocol):
    """Texts of one kind that a client of MCP lists and reads: its resources.

    ``scheme``: what their addresses begin with, ``note://``; the id follows. ``template``: of an address, by RFC 6570.
    ``name``, ``title`` and ``description`` tell what they are. They are Markdown. ``source``: of what, as a policy
    names it, ``notes:vault``; ``own``: of whoever reads them.
    """

    scheme: str
    template: str
    source: str
    name: str
    title: str
    description: str

    def page(self, user: str, skip: int, most: int) -> tuple[Sequence[ListedText], int]:
        """Some of those that a person may read, after leaving out some, and how many there are.

        Raises: ToolUnavailable, StoreUnavailable: they cannot be read.
        """
        ...

    def read(self, user: str, text_id: str) -> str:
        """One of them. Raises: ToolArgumentError: there is none for this person. ToolUnavailable, StoreUnavailable."""
        ...

    def close(self) -> None:
        """Nobody reads them any more."""
        ...
