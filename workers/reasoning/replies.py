"""PURE. The objects that a language model answers with, and what of them may be used.

Each reader turns a reply into a contract or raises `Unusable` with a sentence that tells the model what to mend.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.contracts import (
    Ambiguity,
    Claim,
    Draft,
    Gap,
    Intent,
    Landscape,
    Option,
    Plan,
    Question,
    QuestionType,
    Scalar,
    Step,
    Window,
)
from workers.engine.known import unknown_specifics, veil
from workers.engine.style import read_zone
from workers.engine.validate import check_plan
from workers.errors import PlanRejected
from workers.ports import Brief, Thinking, ToolSpec
from workers.reasoning.time_hints import Moment, read_hints
from workers.reasoning.untrusted import visible

SLOT = re.compile(r"\{([^{}]*)\}")
NAMED = frozenset({"url", "lines", "path", "endpoint", "commit", "version", "person", "quote"})
"""What arguments may only hold when it is known; names of symbols may be guessed, a search finds them or not."""
MOST_OPTIONS, MOST_CLAIMS, MOST_NUMBER, MOST_WORDS = 5, 8, 10**15, 1_000
LONGEST_WINDOW, OLDEST_WINDOW = timedelta(days=90), timedelta(days=3_650)
PURPOSE = {
    "metrics_query": "look at the metrics",
    "repo_search": "search the code",
    "doc_search": "search the documents",
}


class Unusable(ValueError):
    """A reply that cannot be used; the sentence says what to mend."""


class ReplyModel(BaseModel):
    """Base of all replies: unknown fields are left out rather than refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def schema_of(model: type[ReplyModel]) -> dict[str, Any]:
    """The JSON schema of a reply."""
    return model.model_json_schema()


# --- router ---------------------------------------------------------------------------------------------------


class RouteReply(ReplyModel):
    """Which agent answers, and how sure that is."""

    agent: str
    confidence: float = Field(ge=0, le=1)


# --- intent ---------------------------------------------------------------------------------------------------


class ClarifyReply(ReplyModel):
    """A question back."""

    question: str = Field(max_length=300)
    options: list[str]


class IntentReply(ReplyModel):
    """What a question is about; ``start`` and ``end`` in RFC 3339 when a time is named."""

    question_type: QuestionType
    subjects: list[str]
    time_hints: list[str]
    start: str | None = None
    end: str | None = None
    clarify: ClarifyReply | None = None


def said_by(question: Question) -> str:
    """All that people wrote."""
    return "\n".join((question.text, *question.context))


def known_to(question: Question, landscape: Landscape) -> str:
    """All that a plan may name: what people wrote, and what exists."""
    return "\n".join((said_by(question), *landscape.names))


def spelt(words: str, known: str) -> str:
    """Words as they stand in what is known, whole names only; nothing when they don't."""
    ends = r"(?![\w/-]|\.\w)" if re.search(r"[/.]", words) else r"(?!\w)"
    starts = r"(?<![\w/.-])" if re.search(r"[/.]", words) else r"(?<!\w)"
    found = re.search(starts + re.escape(words) + ends, known, re.IGNORECASE)
    return found.group() if found else ""


def intent_from(reply: IntentReply, question: Question, landscape: Landscape, now: datetime) -> Intent:
    """Raises: Unusable: it names what nobody named."""
    known = known_to(question, landscape)
    subjects = [(s, spelt(s.strip(), known)) for s in reply.subjects if s.strip()]
    for subject, name in subjects:
        if not name:
            raise Unusable(f"the subject {subject!r} stands in neither the question nor the list of names")
    hints = [(h, spelt(h.strip(), said_by(question))) for h in reply.time_hints if h.strip()]
    for hint, words in hints:
        if not words:
            raise Unusable(f"the time hint {hint!r} is not in the words of the question")
    time_hints = tuple(words for _, words in hints)[:4]
    return Intent(
        question_type=reply.question_type,
        subjects=tuple(dict.fromkeys(name for _, name in subjects))[:4],
        time_hints=time_hints,
        window=window_from(reply, time_hints, question, landscape, now),
        ambiguity=ambiguity_from(reply.clarify, question, landscape),
    )


def window_from(
    reply: IntentReply, hints: Sequence[str], question: Question, landscape: Landscape, now: datetime
) -> Window | None:
    """What the hints mean to the rules; else the span that the reply gives, when it can be one."""
    moment = Moment(now, read_zone(question.timezone), landscape.deploys)
    if found := read_hints(" , ".join(hints), moment)[1]:
        return found
    try:
        start, end = datetime.fromisoformat(reply.start or ""), datetime.fromisoformat(reply.end or "")
    except ValueError:
        return None
    if start.tzinfo is None or end.tzinfo is None or not hints:
        return None
    end = min(end, now)
    if not timedelta(0) < end - start <= LONGEST_WINDOW or now - start > OLDEST_WINDOW:
        return None
    return Window(start=start, end=end, why=f"“{hints[0]}”")


def ambiguity_from(reply: ClarifyReply | None, question: Question, landscape: Landscape) -> Ambiguity | None:
    """Raises: Unusable: its options or its words name what does not exist."""
    if reply is None:
        return None
    names = {n.lower(): n for n in landscape.names}
    wrong = [o for o in reply.options if o.strip().lower() not in names]
    if wrong or not reply.options:
        raise Unusable(f"options must be names from the list; {wrong[0] if wrong else 'none'} is not")
    asked = " ".join(visible(reply.question).split())
    if odd := invented(asked, known_to(question, landscape)):
        raise Unusable(f"the clarifying question names {odd[0]}, which nobody named")
    values = dict.fromkeys(names[o.strip().lower()] for o in reply.options)
    return Ambiguity(question=asked, options=tuple(Option(value=v, label=v) for v in values)[:MOST_OPTIONS])


# --- plan -----------------------------------------------------------------------------------------------------


class StepReply(ReplyModel):
    """A planned call; its arguments are checked against the tool's own schema."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    tool: str
    args: dict[str, Any]
    purpose: str = Field(max_length=200)
    after: list[str] = []


class PlanReply(ReplyModel):
    """A plan."""

    query_intent: str = Field(max_length=200)
    steps: list[StepReply] = Field(min_length=1)
    uncertainties: list[str] = []
    verification_tips: list[str] = []


def plan_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """The schema of a plan over the agent's tools: each with its own arguments."""
    texts = {"type": "array", "items": {"type": "string"}}

    def step(tool: ToolSpec) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "id": {"type": "string"},
            "tool": {"const": tool.name},
            "args": dict(tool.parameters),
            "purpose": {"type": "string"},
            "after": texts,
        }
        return {"type": "object", "properties": fields, "required": list(fields)}

    fields = {
        "query_intent": {"type": "string"},
        "steps": {"type": "array", "items": {"anyOf": [step(t) for t in tools]}},
        "uncertainties": texts,
        "verification_tips": texts,
    }
    return {"type": "object", "properties": fields, "required": list(fields)}


def plan_from(reply: PlanReply, question: Question, intent: Intent, thinking: Thinking, name: str) -> Plan:
    """Raises: Unusable: a rule of the agent, a tool's arguments, or a name that nobody named."""
    known = known_to(question, thinking.landscape)
    steps = tuple(step_from(s, known) for s in reply.steps)
    for step in steps:
        check_args(step, steps, known, thinking)
    plan = Plan(
        pattern=name,
        query_intent=plain(reply.query_intent, known) or "answer the question",
        steps=steps,
        uncertainties=tuple(t for u in reply.uncertainties[:4] if (t := plain(u, known))),
        verification_tips=tuple(t for v in reply.verification_tips[:4] if (t := plain(v, known))),
    )
    try:
        check_plan(plan, intent, thinking.landscape, thinking.limits)
    except PlanRejected as error:
        raise Unusable(str(error)) from error
    return plan


def plain(text: str, known: str) -> str:
    """A sentence that names nothing unknown, as it is shown; else nothing."""
    clean = " ".join(visible(text).split())
    return "" if invented(clean, known) else clean


def invented(text: str, known: str, kinds: frozenset[str] | None = None) -> tuple[str, ...]:
    """What a text names that nobody named, in its own letters or in those that they look like."""
    forms = dict.fromkeys((text, unicodedata.normalize("NFKC", text)))
    return tuple(odd for form in forms for odd in unknown_specifics(form, known, kinds))


def args_of(given: Mapping[str, Any]) -> dict[str, Scalar]:
    """Arguments as a tool takes them: plain values, texts as they can be seen."""
    out: dict[str, Scalar] = {}
    for name, value in given.items():
        if isinstance(value, str):
            out[visible(name)] = visible(value)
        elif isinstance(value, int | float) and abs(value) < MOST_NUMBER:
            out[visible(name)] = value
    return out


def step_from(reply: StepReply, known: str) -> Step:
    """A step whose purpose may be shown."""
    purpose = plain(reply.purpose, known) or PURPOSE.get(reply.tool, "look further")
    return Step(id=reply.id, tool=reply.tool, args=args_of(reply.args), purpose=purpose, after=tuple(reply.after))


def check_args(step: Step, steps: Sequence[Step], known: str, thinking: Thinking) -> None:
    """Raises: Unusable: wrong arguments, a slot that nothing fills, or an invented place."""
    whole = {k: v for k, v in step.args.items() if not (isinstance(v, str) and SLOT.search(v))}
    if len(whole) == len(step.args) and (mistake := thinking.toolbox.mistakes(step.tool, step.args)):
        raise Unusable(f"step {step.id}: {mistake}")
    before = earlier(step, steps)
    if any(len(str(v)) > MOST_WORDS for v in step.args.values()):
        raise Unusable(f"step {step.id}: an argument is longer than {MOST_WORDS:,} characters")
    for value in map(str, step.args.values()):
        for name in (n for names in SLOT.findall(value) for n in names.split("|") if n):
            if name.partition(".")[0] not in before | {"suspect", "window"}:
                raise Unusable(f"step {step.id}: nothing fills the slot {name!r}; name its step in `after`")
        for gap in (" ", ""):  # a slot that stays empty joins what stands on its sides
            if odd := invented(SLOT.sub(gap, value), known, NAMED):
                raise Unusable(f"step {step.id}: nobody named {odd[0]}; ask for what is known, in plain words")


def earlier(step: Step, steps: Sequence[Step]) -> set[str]:
    """The ids of all steps that a step waits for."""
    waits = {s.id: s.after for s in steps}
    found, todo = set[str](), list(step.after)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(waits.get(name, ()))
    return found


# --- refined query --------------------------------------------------------------------------------------------


class RefineReply(ReplyModel):
    """Better arguments, or none."""

    args: dict[str, Any] | None = None


def refine_schema(tool: ToolSpec) -> dict[str, Any]:
    """Arguments of one tool, or null."""
    args = {"anyOf": [dict(tool.parameters), {"type": "null"}]}
    return {"type": "object", "properties": {"args": args}, "required": ["args"]}


def args_from(reply: RefineReply, step: Step, known: str, thinking: Thinking) -> dict[str, Scalar] | None:
    """Raises: Unusable."""
    if not reply.args:
        return None
    args = args_of(reply.args)
    check_args(step.model_copy(update={"args": args}), (), known, thinking)
    return args


# --- answer ---------------------------------------------------------------------------------------------------


class ClaimReply(ReplyModel):
    """One claim."""

    template: str = Field(max_length=2_000)
    evidence: list[str]
    status: Literal["supported", "hypothesis"]


class DraftReply(ReplyModel):
    """An answer."""

    headline: ClaimReply
    what_changed: list[ClaimReply] = []
    metrics: list[ClaimReply] = []
    code: list[ClaimReply] = []
    docs: list[ClaimReply] = []
    next_steps: list[ClaimReply] = []
    missing: list[str] = []
    confidence: Literal["high", "medium", "low"] = "low"


def draft_from(reply: DraftReply, brief: Brief) -> Draft:
    """A draft; whatever it claims is checked by grounding. Raises: Unusable: it cites what does not exist."""
    ids = {e.id for e in brief.evidence}
    sections = {name: getattr(reply, name) for name in ("what_changed", "metrics", "code", "docs", "next_steps")}
    for claim in (reply.headline, *(c for claims in sections.values() for c in claims)):
        if odd := [i for i in claim.evidence if i not in ids]:
            raise Unusable(f"there is no evidence {odd[0]}")
    if not reply.headline.template.strip():
        raise Unusable("the headline is empty")
    gaps = (*brief.gaps, *(Gap(text=" ".join(visible(m).split())[:400]) for m in reply.missing[:6] if m.strip()))
    return Draft(
        headline=claim_from(reply.headline),
        **{name: tuple(map(claim_from, claims[:MOST_CLAIMS])) for name, claims in sections.items()},
        missing=tuple(dict.fromkeys(gaps)),
        confidence=reply.confidence,
    )


def claim_from(reply: ClaimReply) -> Claim:
    """A claim with what can be seen of its template."""
    template = " ".join(visible(reply.template).split())
    return Claim(template=template, evidence=tuple(dict.fromkeys(reply.evidence)), status=reply.status)


# --- style, compression ---------------------------------------------------------------------------------------


class StyledClaim(ReplyModel):
    """Better words for one claim."""

    id: int
    template: str


class StyleReply(ReplyModel):
    """Better words for some claims."""

    claims: list[StyledClaim]


def templates_from(reply: StyleReply, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The new template of each claim, the old one where there is none."""
    new: Mapping[int, str] = {c.id: " ".join(visible(c.template).split()) for c in reply.claims}
    return tuple(new.get(i) or claim.template for i, claim in enumerate(claims))


class CompressReply(ReplyModel):
    """Earlier messages in fewer words."""

    summary: str = Field(max_length=6_000)


def summary_from(reply: CompressReply, said: str) -> str:
    """A summary that names only what stood in the messages: later stages take it for what people wrote."""
    clean = unicodedata.normalize("NFKC", visible(reply.summary))
    return veil(clean, said)
