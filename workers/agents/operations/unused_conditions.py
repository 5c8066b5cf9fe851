"""What a question says that no step took into account: bounds, names left out, further times, what is usual."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator

from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.numeric_bounds import bounds_in, picks, plain
from workers.agents.operations.question_words import NOW, typed_sql
from workers.agents.operations.time_comparison import USUAL
from workers.agents.operations.tool_coverage import OF_INCIDENT
from workers.agents.operations.validators import SQL_TOOL
from workers.contracts import Gap, Intent, Plan
from workers.reasoning.claim_phrases import join

BESIDE_TIME = re.compile(
    r"\b(?:\d+|an?|one|two|three|six|few|couple of) (?:\w+ )?(?:hours?|hrs?|minutes?|mins?|days?|weeks?) (?:before|after|until|leading up to|prior to|either side of)\b[^?,;]{0,30}",
    re.IGNORECASE,
)
NEAR_INCIDENT = re.compile(
    r"\b(?:before|until|leading up to|prior to|around) (?:the |that |this )?(?:last |previous |current )?(?:incident|outage|inc[-_ ]?\d+)(?: (?:began|started|ended))?\b",
    re.IGNORECASE,
)
ROSE = re.compile(
    r"\b(?:go(?:ne|es)? (?:up|down)|went (?:up|down)|r[io]se|increas\w+|decreas\w+|drop(?:ped)?|improv\w+|worsen\w*)\b",
    re.IGNORECASE,
)


def untold(inquiry: Inquiry, intent: Intent, plan: Plan) -> tuple[Gap, ...]:
    """One sentence on all that was left aside; nothing when there is none."""
    if typed_sql(inquiry.text):
        return ()
    asked = " ".join(str(value) for step in plan.steps for value in step.args.values())
    left = tuple(dict.fromkeys(said.strip() for said in left_aside(inquiry, intent, plan, asked) if said.strip()))
    listed = join([f"“{said}”" for said in left]) if left else ""
    return (Gap(text=f"I did not take into account: {listed}.", tool=SQL_TOOL),) if left else ()


def left_aside(inquiry: Inquiry, intent: Intent, plan: Plan, asked: str) -> Iterator[str]:
    """The words of each, as the question says them; ``asked``: the arguments of all steps."""
    text = inquiry.text
    if picks(text):
        yield from (b.said for b in bounds_in(text) if not is_bound_by(asked, b.number))
    for names in inquiry.parameters.excluded.values():
        yield from (f"without {name}" for name in names if not re.search(rf"\bnot [^;]*?\b{re.escape(name)}", asked))
    why = intent.window.why if intent.window else ""
    if len(intent.time_hints) > 1 and "as spans" not in asked:
        yield from (hint for hint in intent.time_hints if hint not in why and not NOW.fullmatch(hint))
    if "as spans" not in asked:
        told = any(step.tool == "get_latency_trends" for step in plan.steps)  # which tells what was before
        patterns = (BESIDE_TIME,) if told else (USUAL, BESIDE_TIME)
        yield from (match.group() for pattern in patterns for match in pattern.finditer(text))
    yield from (match.group() for match in NEAR_INCIDENT.finditer(text))
    if incident := OF_INCIDENT.search(text):
        if "join incidents" not in asked and "from incidents" not in asked:
            yield incident.group()
        elif incident["when"].lower() in {"since", "after"} and (rose := ROSE.search(text)):
            yield f"{rose.group()} (nothing before it was counted)"


def is_bound_by(asked: str, number: float) -> bool:
    """Whether a number stands in a condition, as it is, in milliseconds or as a share."""
    sizes = {plain(number), plain(number * 1000), plain(number / 100)}
    return any(re.search(rf"[<>=] {re.escape(size)}(?![\d.])", asked) for size in sizes)
