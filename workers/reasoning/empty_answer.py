"""What is said when nothing was found: so much, what was tried, and the nearest names that exist."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import NEAREST, Claim, Draft, Gap
from workers.language.nearest_names import SHOWN_NEAREST, ranked_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import join

MOST_NEAR = 5
SOURCES = {
    "metrics_query": "metrics and alerts",
    "repo_search": "code and commits",
    "doc_search": "documents",
    "memory_search": "notes and threads",
}
"""What answers rest on mostly, by tool."""
WENT_WRONG = {"timeout": "did not answer in time", "error": "failed", "denied": "was not run"}
LATE = re.compile(r"\bdid not answer within\b")
HOLDS_NONE = re.compile(r"\b(?:is|are) connected\b|\bno metric is named\b|\bno commit \S+ ")
"""Answers that are told as errors."""
NOT_CONNECTED = re.compile(r"\b(?:is|are) connected\b")
CONNECT_MODEL = Gap(
    text="A language model would answer this: set ANTHROPIC_API_KEY, or see docs/models.md.", tool="language model"
)
"""How one is connected: what the reader can do next."""
GENERAL = Gap(
    text="If this is general knowledge, it is out of reach without a language model: set ANTHROPIC_API_KEY, or see"
    " docs/models.md.",
    tool="language model",
)


def as_nearest(draft: Draft, without_model: str) -> Draft:
    """A draft that does not answer for sure: what lies nearest, and how a model is connected; once is enough.

    Args:
        draft: what was found.
        without_model: why the language model that is connected did not answer; empty when none is connected.
    """
    if draft.headline.template.startswith(NEAREST):
        return draft
    head = draft.headline.model_copy(update={"template": f"{NEAREST}{draft.headline.template}"})
    connect = () if without_model else (CONNECT_MODEL,)
    missing = (*connect, *draft.missing)
    return draft.model_copy(update={"headline": head, "missing": missing, "confidence": "low"})


def name_unused(words: Sequence[str]) -> tuple[Gap, ...]:
    """The words of a question that its answer does not take into account; nothing when there are none."""
    said = ", ".join(f"“{word}”" for word in words)
    return (Gap(text=f"Not taken into account: {said}.", tool="question"),) if words else ()


def name_meant(words: Sequence[str]) -> tuple[Gap, ...]:
    """The words of a question that its answer says in others, if it does."""
    said = ", ".join(f"“{word}”" for word in words)
    return (Gap(text=f"Read by their meaning alone: {said}.", tool="question"),) if words else ()


def write_nothing(brief: Brief, text: str) -> Draft:
    """Nothing found: said as such, with everything that was tried, and never as "all fine"."""
    gaps = brief.gaps or tuple(
        Gap(text=f"{c.name}: nothing that speaks of it", tool=c.name, tried=(str(c.args.get("query", "")),))
        for c in brief.calls
    )
    if (lost := unanswered(brief)) and not HOLDS_NONE.search(text):
        answered = len({c.name for c in brief.calls}) > len(lost_tools(brief))
        text = f"{lost}, so I can't tell{'; the other sources hold nothing about it' if answered else ''}."
    if near := nearest_names(brief):
        text = f"{text} {near}"
    idle = {g.tool for g in gaps if NOT_CONNECTED.search(g.text)}
    heard = {c.name for c in brief.calls if c.status != "error"} - idle
    if gaps and not heard and all(NOT_CONNECTED.search(g.text) for g in gaps):
        text = (
            "No source is connected that could answer this: name one with --repo, --docs or --prometheus, or in config."
        )
    told = tuple(gap.model_copy(update={"text": gap.text.removesuffix(SHOWN_NEAREST)}) for gap in gaps)
    return Draft(headline=Claim(template=text), missing=(*told, *list_checked(brief), *list_unasked(brief)))


def list_checked(brief: Brief) -> tuple[Gap, ...]:
    """Which tools were asked, and how often; nothing when none was."""
    tried: dict[str, int] = {}
    for call in brief.calls:
        tried[call.name] = tried.get(call.name, 0) + 1
    times = {1: "once", 2: "twice"}
    checked = ", ".join(f"{name} {times.get(n, f'{n} times')}" for name, n in tried.items())
    return (Gap(text=f"Checked: {checked}."),) if checked else ()


def list_unasked(brief: Brief) -> tuple[Gap, ...]:
    """Sources that no tool asked and no gap names; nothing when no tool was asked at all."""
    named = {call.name for call in brief.calls} | {gap.tool for gap in brief.gaps}
    unasked = [what for tool, what in SOURCES.items() if tool not in named]
    return (Gap(text=f"Not asked: {join(unasked)}."),) if brief.calls and unasked else ()


def lost_tools(brief: Brief) -> dict[str, str]:
    """Tools of which a call came to no result, with how: what they would have said is not known, not missing."""
    last = {(c.name, c.step): c for c in brief.calls}
    lost = [c for c in last.values() if c.status in WENT_WRONG and not HOLDS_NONE.search(c.summary)]
    late = [c.name for c in lost if c.status == "timeout" or LATE.search(c.summary)]
    return {c.name: WENT_WRONG["timeout" if c.name in late else c.status] for c in lost}


def unanswered(brief: Brief, *tools: str) -> str:
    """“NAME did not answer in time”, of some tools or of any; empty when all of them answered."""
    lost = {name: how for name, how in lost_tools(brief).items() if name in tools or not tools}
    groups = {how: [name for name in lost if lost[name] == how] for how in dict.fromkeys(lost.values())}
    return join([f"{join(names)} {how}" for how, names in groups.items()]) if groups else ""


def nearest_names(brief: Brief) -> str:
    """For an endpoint that is not known: those that are, the nearest first."""
    asked = next((s for s in brief.intent.subjects if s.startswith("/")), "")
    known = brief.landscape.labels.get("endpoint", ())
    if not asked or asked in known or not known:
        return ""
    near = ranked_names(asked, known, MOST_NEAR)
    return f"Endpoints with metrics here: {join(near)}."
