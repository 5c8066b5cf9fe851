"""A stack trace that is pasted, or places in code named with their lines: the innermost frame that exists here."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Plan, Question, Step
from workers.grounding.health import text_of
from workers.language.message_parts import read_parts
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import code_claim, has, last_change_claims, lines_of

STEP, TOOL = "trace", "repo_search"
LONGEST_TRACE, MOST_PLACES, MOST_CALLERS = 20_000, 4, 3
PLACE = re.compile(
    r"(?<![\w./:-])(?P<path>/?(?:[\w@.-]+/)*[\w-]+\.(?!com\b|org\b|io\b)[A-Za-z]\w{0,5})"
    r"(?::|\"?,? (?:on |in |at )?(?:line|Zeile|línea) |#L)(?P<line>\d{1,6})\b"
)
"""A file with a line, as people and tools write it."""


def trace_in(text: str) -> str:
    """What a message pastes of a trace, else the places that it names, as a trace; empty without any."""
    parts = read_parts(text)
    if parts.frames:
        return parts.pasted[:LONGEST_TRACE]
    places = dict.fromkeys((match["path"], match["line"]) for match in PLACE.finditer(parts.own))
    return "\n".join(f'File "{path}", line {line}' for path, line in places)


def with_trace(plan: Plan, question: Question, playbook: Playbook) -> Plan:
    """A plan that first reads the frames of a trace."""
    query = trace_in(question.text)
    if not query or not (playbook.tools is None or TOOL in playbook.tools):
        return plan
    step = Step(id=STEP, tool=TOOL, args={"query": query, "k": MOST_PLACES}, purpose="read the frames of the trace")
    return plan.model_copy(update={"steps": (step, *plan.steps[: playbook.max_steps - 1])})


def write_trace(brief: Brief) -> Draft | None:
    """The lines of the innermost frame that exists here, then those that called it; None without one."""
    frames = [item for item in brief.evidence if item.step == STEP and has(item, "frame_line")]
    if not frames:
        return None
    first, k = frames[0], frames[0].id
    symbol = f" (`{{{k}.symbol}}`)" if text_of(first, "symbol") else ""
    author = f"{{{k}.last_author}}" if has(first, "last_author") else ""
    said = f": `{{{k}.frame_text}}`" if has(first, "frame_text") else lines_of(first)
    return Draft(
        headline=Claim(template=f"{{{k}.frame_line}}{symbol}{said}", evidence=(k,)),
        code=(
            *last_change_claims(first, author),
            *(code_claim(c, "Called from ") for c in frames[1 : 1 + MOST_CALLERS]),
        ),
        confidence="high",
    )
