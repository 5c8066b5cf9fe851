"""Rows that a query counted, in words: whose they are, what was counted, over which time."""

from __future__ import annotations

import re
from datetime import datetime

from workers.agents.operations.inquiry import PAST, Inquiry
from workers.agents.operations.question_words import typed_sql
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import number, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import capital, has
from workers.reasoning.deployment_parts import Found, claim, found_of, incident_claims, state_claim
from workers.reasoning.request_counts import NOW, counted, has_span, is_few, said_span

MOST_ROWS, MOST_PERIODS = 10, 31
NAMES = tuple(
    """day hour hour_of_day request_id incident_id user_id tier model_id backend_id deployment_id task_type error_code
    status experiment_id router_version target_id provider region""".split()
)
"""Columns that say whose row it is."""
TIMED = ("day", "hour", "hour_of_day")
RESTS_ON = ("request_count", "sample_count")
"""Counts that the other figures of a row rest on."""
NOT_RUN = "I can't answer this: the query that counts it did not come to its end."
NOTHING = "I found no rows that answer this."


def write_rows(brief: Brief, inquiry: Inquiry) -> Draft:
    """The first row as the headline, the others below it, in the order that was asked for; then how things stand."""
    found = found_of(brief)
    rows = [e for e in found.of_step("rows") if "#row-" in e.locator]
    state = () if typed_sql(inquiry.text) else state_claim(found)
    if not rows:
        return write_none(brief, inquiry, found, state)
    head = row_headline(brief, rows)
    most = MOST_PERIODS if is_timed(rows[0]) else MOST_ROWS
    rest = [e for e in rows[0 if is_timed(rows[0]) and is_total(rows[0]) else 1 :] if is_worth_telling(e)]
    summary = next((e for e in brief.evidence if e.step == "rows" and "has_more" in e.facts), None)
    whole = typed_sql(inquiry.text) or is_timed(rows[0])  # of a ranking the first ones are what is asked for
    more = whole and summary is not None and (text_of(summary, "has_more") == "yes" or len(rows) > most)
    gaps = (Gap(text="More rows exist than are shown.", tool="safe_sql_query"),) if more else ()
    return Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*(claim(f"{say_row(e)}.", e) for e in rest[: most - 1]), *state),
        missing=(*gaps, *brief.gaps),
        confidence="medium",
    )


def write_none(brief: Brief, inquiry: Inquiry, found: Found, state: tuple[Claim, ...]) -> Draft:
    """That nothing was found; a query that did not run to its end says nothing of the data."""
    ran = all(c.status in {"ok", "empty"} for c in brief.calls if c.step == "rows")
    ids = inquiry.parameters.names.get("incident", ())
    said = f"{ids[0]} is not among the incidents in the operations data." if ids else NOTHING
    said = "I found no rows of incidents in the time asked for." if inquiry.kind == PAST and not ids else said
    return Draft(
        headline=Claim(template=said if ran else NOT_RUN),
        what_changed=incident_claims(found),
        metrics=() if ids else state,
        missing=brief.gaps or (Gap(text="Nothing in the data matches the question.", tool="safe_sql_query"),),
    )


def row_headline(brief: Brief, rows: list[Evidence]) -> Claim:
    """What the first row says and over which time; of periods what they come to."""
    first, when = rows[0], counted_span(brief, rows[0])
    total = next((name for name in first.facts if name.startswith("overall_")), "")
    if total and is_timed(first):
        return claim(f"Total{when}: {say_column(first, total)}; below by {period(first)}.", first)
    if has(first, "incident_id", "title", "incident_count") and len(rows) > 1:
        return claim(f"{counted(first, 'incident_count', 'incident')} found; the newest: {say_row(first)}.", first)
    if has(first, "request_id"):
        return claim(f"Of the requests{when}: {say_row(first)}.", first)
    of_all = f"; total: {say_column(first, total)}" if total and len(rows) > 1 else ""
    return claim(f"{capital(say_row(first))}{when}{of_all}.", first)


def period(item: Evidence) -> str:
    """What rows over time are told by."""
    return "day (UTC)" if has(item, "day") else "hour (UTC)" if has(item, "hour") else "hour of the day (UTC)"


def counted_span(brief: Brief, item: Evidence) -> str:
    """The time that rows were counted over."""
    if not has_span(item):
        return ""
    end, k = datetime.fromisoformat(text_of(item, "window_end")), item.id
    if abs(brief.question.received_at - end) > NOW:
        return said_span(item)
    return (
        f" since {{{k}.window_start}}"
        if brief.intent.time_hints
        else f" in the last {{span({k}.window_start,{k}.window_end)}}"
    )


def is_worth_telling(item: Evidence) -> bool:
    """Whether a row of a ranking is worth a line: nobody asks who had no timeouts."""
    first = next((name for name in item.facts if name.endswith("_count") and f"overall_{name}" in item.facts), "")
    return not first or number(item, first) > 0 or is_timed(item)


def is_timed(item: Evidence) -> bool:
    """Whether a row is of an hour or a day."""
    return any(has(item, name) for name in TIMED)


def is_total(item: Evidence) -> bool:
    """Whether it tells what all rows come to."""
    return any(name.startswith("overall_") for name in item.facts)


def say_row(item: Evidence) -> str:
    """``support-desk (premium): 120 errors, 4,000 requests, error rate 3 %``."""
    k = item.id
    if has(item, "incident_id", "title", "target_id", "status", "started_at"):
        return say_past_incident(item)
    owners = [f"{{{k}.{name}}}" for name in item.facts if name in NAMES]
    told = figures_of(item)
    if not owners:
        return told
    lead = f"{owners[0]} ({', '.join(owners[1:])})" if owners[1:] else owners[0]
    return f"{lead}: {told}" if told else lead


def say_past_incident(item: Evidence) -> str:
    """``INC-7 “Elevated latency” on lumen/east: resolved; lasted from … to … (1.5 hours)``."""
    k = item.id
    what = f"{{{k}.incident_id}} “{{{k}.title}}” on {{{k}.target_id}}"
    if has(item, "resolved_at"):
        lasted = f"from {{{k}.started_at}} to {{{k}.resolved_at}} ({{span({k}.started_at,{k}.resolved_at)}})"
        return f"{what}: {{{k}.status}}; it lasted {lasted}"
    return f"{what}: {{{k}.status}}; started {{{k}.started_at}}"


def figures_of(item: Evidence) -> str:
    """What was counted, without whose it is and over which time."""
    return ", ".join(say_column(item, name) for name in shown_of(item))


def shown_of(item: Evidence) -> list[str]:
    """The columns that hold figures."""
    beside = {*NAMES, "window_start", "window_end"}
    return [n for n in item.facts if n not in beside and not n.startswith("overall_")]


def say_column(item: Evidence, name: str) -> str:
    """A count by what it counts, another value by its name."""
    k, plain = item.id, name.removeprefix("overall_")
    plain = plain.removeprefix("total_") if plain != name else plain
    if plain.endswith("_count"):
        noun = plain.removesuffix("_count").replace("_", " ")
        noun = {"sample": "scored request", "failed": "failed request", "throttled": "throttled request"}.get(
            noun, noun
        )
        few = "only " if name in RESTS_ON and len(shown_of(item)) > 1 and is_few(item, name) else ""
        return f"{few}{counted(item, name, noun)}"
    if plain.endswith("_usd"):
        return f"{plain.removesuffix('_usd').replace('_', ' ').replace('avg', 'average')} {{{k}.{name}}} USD"
    words = plain.removesuffix("_ms").removesuffix("_at").replace("_", " ")
    words = re.sub(r"\bp(\d\d)(\d)\b", r"p\1.\2", words)  # p99.9
    return f"{words.replace('avg', 'average').replace('max ', 'highest ')} {{{k}.{name}}}"
