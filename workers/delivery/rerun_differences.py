"""What differs between two runs of the same question, in the units that people read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workers.contracts import Claim, Evidence, Fact, RequestLog, Scalar
from workers.delivery.cited_evidence import cited_evidence, described, said, voice_of
from workers.delivery.rich_text import clip, safe, unmarked
from workers.grounding.template_slots import REF, SLOT
from workers.grounding.value_format import Voice, steady

MAX_ROWS, MAX_FACTS = 8, 3
MAX_TITLE, MAX_VALUE = 120, 160
ABOUT_THE_RUN = frozenset(
    {
        "window_start",
        "window_end",
        "newest_at",
        "samples",
        "score",
        "onset_confidence",
        "peak_at",
        "change_pct",
        "metric",
    }
)
"""These move with every run, or are said by another fact."""
FIRST = ("state", "current", "direction", "baseline", "peak", "onset_at")
CALLED = {"direction": "trend"}
ENDED = {"ok": "found something", "empty": "found nothing", "timeout": "took too long", "error": "failed"}
Identity = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """One fact that both runs found, with different values."""

    name: str
    before: str
    after: str


def compare(before: RequestLog, after: RequestLog) -> tuple[str, ...]:
    """What differs, the headline first; what is said at the end when more than `MAX_ROWS` differ is how many.

    Metrics that moved by less than a tenth are as they were, as in an answer.

    Returns: lines of plain text, at least one.
    """
    rows = [*changed_facts(before, after), *found_and_gone(before, after), *steps_changed(before, after)]
    head = headline_row(before, after)
    if not rows and head.startswith("The headline is the same"):
        return ("Nothing that was checked has changed.",)
    shown = [head, *rows][:MAX_ROWS]
    more = len(rows) + 1 - len(shown)
    return (*shown, *([f"and {more:,} more"] if more else []))


def headline_row(before: RequestLog, after: RequestLog) -> str:
    """Whether it says the same, whatever day it says it on; else what it said."""
    if before.answer is None or after.answer is None:
        return "There was no answer then." if before.answer is None else "There is no answer now."
    first, last = before.answer.headline, after.answer.headline
    if first.text == last.text or meaning(first, before) == meaning(last, after):
        return "The headline is the same."
    return f"The headline was: “{clip(unmarked(first.text), 600)}”"


def meaning(claim: Claim, log: RequestLog) -> tuple[object, ...]:
    """A claim with the facts themselves in its slots, whatever number their evidence has; its text when it has none."""
    if not SLOT.search(claim.template):
        return (claim.text,)
    known = {e.id: e for e in log.evidence}
    parts: list[object] = [SLOT.sub("{}", claim.template)]
    for match in SLOT.finditer(claim.template):
        parts.append(match["fn"])
        for key, name in REF.findall(match[0]):
            fact = known[key].facts.get(name) if key in known else None
            parts.append((identity(known[key]) if key in known else key, name, fact.value if fact else None))
    return tuple(parts)


def identity(item: Evidence) -> Identity:
    """What makes evidence of two runs the same."""
    return item.kind, item.locator or item.title


def by_identity(log: RequestLog) -> dict[Identity, Evidence]:
    """The evidence of a run, cited ones first, then in its order."""
    out: dict[Identity, Evidence] = {}
    for item in (*cited_evidence(log), *log.evidence):
        out.setdefault(identity(item), item)
    return out


def changed_facts(before: RequestLog, after: RequestLog) -> Iterator[str]:
    """One line an evidence that both found: what it said and what it says."""
    then, now = by_identity(before), by_identity(after)
    voice = voice_of(after)
    for key in (k for k in now if k in then):
        changes = list(changes_of(then[key], now[key], voice))
        if changes:
            named = "; ".join(f"{c.name} {c.before} → {c.after}" for c in changes[:MAX_FACTS])
            more = f"; and {len(changes) - MAX_FACTS} more values" if len(changes) > MAX_FACTS else ""
            yield f"{clip(safe(now[key].title or now[key].locator), MAX_TITLE)}: {named}{more}"


def changes_of(before: Evidence, after: Evidence, voice: Voice) -> Iterator[Change]:
    """The facts of one evidence that changed, the telling ones first."""
    both = [n for n in after.facts if n in before.facts and n not in ABOUT_THE_RUN]
    for name in sorted(both, key=lambda n: FIRST.index(n) if n in FIRST else len(FIRST)):
        first, last = before.facts[name], after.facts[name]
        if unchanged(first, last, measured=after.kind == "metric"):
            continue
        was, now = (clip(safe(said(fact, voice)), MAX_VALUE) for fact in (first, last))
        if was != now:
            yield Change(CALLED.get(name) or re.sub(r"_at$", "", name).replace("_", " "), was, now)


def unchanged(first: Fact, last: Fact, *, measured: bool) -> bool:
    """The same value; for what is measured, nearly the same."""
    if first.value == last.value:
        return True
    return (
        measured and is_number(first.value) and is_number(last.value) and steady(float(first.value), float(last.value))
    )


def is_number(value: Scalar) -> bool:
    """A number, not a yes or no."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def found_and_gone(before: RequestLog, after: RequestLog) -> Iterator[str]:
    """Evidence that one answer cites and the other run did not find."""
    then, now = by_identity(before), by_identity(after)
    for item in cited_evidence(after):
        if identity(item) not in then:
            yield f"New: {clip(safe(described(item, voice_of(after))), 2 * MAX_TITLE)}"
    for item in cited_evidence(before):
        if identity(item) not in now:
            yield f"Not found any more: {clip(safe(described(item, voice_of(before))), 2 * MAX_TITLE)}"


def steps_changed(before: RequestLog, after: RequestLog) -> Iterator[str]:
    """Steps that ended otherwise than the last time."""
    then = {(c.step, c.name): c.status for c in before.tool_calls}
    for (step, tool), status in {(c.step, c.name): c.status for c in after.tool_calls}.items():
        was = then.get((step, tool), status)
        if was != status:
            name = clip(safe(f"{tool} ({step})" if step else tool), MAX_TITLE)
            yield f"{name}: {ENDED.get(was, was)} then, {ENDED.get(status, status)} now"
