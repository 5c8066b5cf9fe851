"""Rows that a query counted, in words: whose they are, what was counted, over which time."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from datetime import datetime

from workers.agents.operations.incident_query import LAST_ONE, LONGEST, SHORTEST
from workers.agents.operations.measures import NUMBER, RANKED
from workers.agents.operations.numeric_bounds import bounds_in
from workers.agents.operations.question_words import typed_sql
from workers.agents.operations.user_query import MISSED
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import number, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import capital, has
from workers.reasoning.deployment_parts import (
    Found,
    claim,
    deployment_claims,
    found_of,
    incident_claims,
    state_claim,
)
from workers.reasoning.request_counts import NOW, counted, has_span, is_few, said_span

MOST_ROWS = 10
MOST_PERIODS = 31
NAMES = tuple(
    """period day hour hour_of_day request_id incident_id user_id tier model_id backend_id deployment_id task_type error_code status
    experiment_id router_version target_id provider region""".split()
)
"""Columns that say whose row it is."""
SAID = {
    "request_count": "request",
    "error_count": "error",
    "timeout_count": "timeout",
    "failed_count": "failed request",
    "throttled_count": "throttled request",
    "token_count": "token",
    "input_token_count": "input token",
    "output_token_count": "output token",
    "sample_count": "scored request",
    "user_count": "user",
    "model_count": "model",
    "backend_count": "backend",
    "deployment_count": "deployment",
    "tier_count": "tier",
    "context_token_count": "context token",
    "incident_count": "incident",
}
"""Columns that are counts of something, with the noun of one."""
RESTS_ON = ("request_count", "sample_count")
"""Counts that the other figures of a row rest on."""
BESIDE = (
    "window_start",
    "window_end",
    "over_count",
    "group_count",
    "asked_for",
    "turn",
    "leads",
    "relation",
    "sla_missed",
    "missed_count",
    "error_target",
)
MOST_COMPARED = 2


def write_rows(brief: Brief) -> Draft:
    """The first row as the headline, the others below it, in the order that was asked for; then how things stand."""
    found = found_of(brief)
    rows = rows_of(found)
    if not rows:
        return write_none(brief, found)
    typed = bool(typed_sql(brief.question.text))
    head = row_headline(brief, rows)
    timed = is_timed(rows[0])
    most = MOST_PERIODS if timed else MOST_ROWS
    timed_total = timed and head.template.startswith(TOGETHER)
    rest = rows if timed_total else rows[MOST_COMPARED if is_of_times_alone(rows[0]) else 1 :]
    told = [e for e in rest if counts_something(e) or not counts_something(rows[0])]
    if has(rows[0], "missed_count") and MISSED.search(brief.question.text):
        told = [e for e in told if number(e, "sla_missed")]
    more = (Gap(text="More rows exist than are shown.", tool="safe_sql_query"),) if more_rows(brief, rows, most) else ()
    state = () if typed else (*state_claim(found), *deployment_claims(found, 3))
    return Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*impact_claims(found), *(claim(f"{say_row(e)}.", e) for e in told[: most - 1]), *state),
        missing=(*more, *brief.gaps),
        confidence="medium",
    )


def rows_of(found: Found) -> list[Evidence]:
    """What the query returned."""
    return [e for e in found.of_step("rows") if "#row-" in e.locator]


def write_none(brief: Brief, found: Found) -> Draft:
    """That nothing was found, of what, and why; a query that did not run to its end says nothing of the data."""
    ran = all(c.status in {"ok", "empty"} for c in brief.calls if c.step == "rows")
    told = next((g.text for g in brief.gaps if g.tool == "safe_sql_query"), "")
    asked = next((s for s in brief.intent.subjects), "")
    incident = any(s.id == "impact" for s in brief.plan.steps)
    bounds = bounds_in(brief.question.text)
    said = f"{asked} is not among the incidents in the operations data." if incident else NOTHING
    whose = f"Nothing fits “{' and '.join(b.said for b in bounds)}”." if bounds else ""
    nothing = Gap(text=whose or "Nothing in the data matches the question.", tool="safe_sql_query")
    others = [e for e in found.of_step("newest") if "#row-" in e.locator]
    state = () if incident else state_claim(found)
    return Draft(
        headline=Claim(template=said if ran else NOT_RUN),
        what_changed=incident_claims(found),
        metrics=(*(claim(f"{say_row(e)}.", e, incident_now(found, e)) for e in others), *state),
        missing=brief.gaps if told and not whose else (nothing, *brief.gaps),
        confidence="low",
    )


NOT_RUN = "I can't answer this: the query that counts it did not come to its end."
TOGETHER = "Total"
NOTHING = "I found no rows that answer this in the time asked for."


def row_headline(brief: Brief, rows: list[Evidence]) -> Claim:
    """What the first row says and over which time; of periods and budgets what they come to."""
    first = rows[0]
    k, when = first.id, counted_span(brief, first)
    total = next((name for name in first.facts if name.startswith("overall_")), "")
    if has(first, "over_count", "user_count"):
        over = f"{{{k}.over_count}} of {counted(first, 'user_count', 'user')} went over the daily budget"
        if text_of(first, "leads") not in {"", "the highest"}:
            return claim(f"{capital(text_of(first, 'leads'))}: {say_row(first)}{when}; {over}.", first)
        return claim(f"{over}{when}; the highest: {say_row(first)}.", first)
    if total and is_timed(first):
        return claim(f"{TOGETHER}{when}: {say_column(first, total)}; below by {period(first)}.", first)
    if has(first, "missed_count") and len(rows) > 1:
        noun = "user" if has(first, "user_count") else "tier"
        missed = f"{{{k}.missed_count}} of {counted(first, f'{noun}_count', noun)} missed what was promised{when}"
        return claim(f"{missed}{f'; the slowest: {say_row(first)}' if number(first, 'missed_count') else ''}.", first)
    if has(first, "period"):
        told = rows[:MOST_COMPARED] if is_of_times_alone(first) else rows[:1]
        return claim(f"{capital('; '.join(f'{say_row(e)}{said_span(e)}' for e in told))}.", *told)
    if has(first, "group_count", "asked_for"):
        noun = next((name for name in first.facts if name in NAMES), "row").removesuffix("_id").replace("_", " ")
        fit = "fits" if number(first, "group_count") == 1 else "fit"
        which = f"{counted(first, 'group_count', noun)} {fit} “{{{k}.asked_for}}”{when}"
        return claim(f"{which}; the first: {say_row(first)}.", first)
    if has(first, "asked_for"):
        return claim(f"{capital(say_row(first))}{when}: “{{{k}.asked_for}}”.", first)
    own = incident_now(found_of(brief), first) if has(first, "title") else None
    if has(first, "incident_id", "title", "incident_count") and len(rows) > 1:
        asked = brief.question.text
        lead = "the longest" if LONGEST.search(asked) else "the shortest" if SHORTEST.search(asked) else "the newest"
        return claim(f"{counted(first, 'incident_count', 'incident')} found; {lead}: {say_row(first)}.", first)
    if has(first, "relation"):
        return claim(f"{say_row(first)} {{{k}.relation}},{when or ' over all of it'}.", first)
    if has(first, "request_id"):
        return claim(f"Of the requests{when}: {say_row(first)}.", first)
    of_all = f"; total: {say_column(first, total)}" if total and len(rows) > 1 else ""
    return claim(f"{capital(say_row(first))}{when}{of_all}.", first, own)


def is_of_times_alone(item: Evidence) -> bool:
    """Whether nothing but times is compared."""
    return has(item, "period") and [name for name in item.facts if name in NAMES] == ["period"]


def incident_now(found: Found, row: Evidence) -> Evidence | None:
    """The active incident that a row tells of too, so that it is not told twice."""
    return next((e for e in found.active if text_of(e, "incident") == text_of(row, "incident_id")), None)


def period(item: Evidence) -> str:
    """What rows over time are told by."""
    return "day (UTC)" if has(item, "day") else "hour (UTC)" if has(item, "hour") else "hour of the day (UTC)"


def counted_span(brief: Brief, item: Evidence) -> str:
    """The time that rows were counted over."""
    if not has_span(item):
        return ""
    end = datetime.fromisoformat(text_of(item, "window_end"))
    if abs(brief.question.received_at - end) > NOW:
        return said_span(item)
    k = item.id
    if brief.intent.time_hints or has(item, "over_count"):
        return f" since {{{k}.window_start}}"
    return f" in the last {{span({k}.window_start,{k}.window_end)}}"


def more_rows(brief: Brief, rows: list[Evidence], most: int) -> bool:
    """Whether rows are missing that were asked for: of the top five there are no more."""
    asked = brief.question.text
    if NUMBER.search(asked) or RANKED.search(asked) or LAST_ONE.search(asked):
        return False
    summary = next((e for e in brief.evidence if e.step == "rows" and "has_more" in e.facts), None)
    shown = min(len(rows), most)
    return summary is not None and (text_of(summary, "has_more") == "yes" or number(summary, "row_count") > shown)


def counts_something(item: Evidence) -> bool:
    """Whether a row of a ranking is worth a line: nobody asks who had no timeouts."""
    first = next((name for name in item.facts if name.endswith("_count") and f"overall_{name}" in item.facts), "")
    return not first or number(item, first) > 0 or is_timed(item)


def is_timed(item: Evidence) -> bool:
    """Whether a row is of an hour or a day."""
    return any(has(item, name) for name in ("day", "hour", "hour_of_day"))


def impact_claims(found: Found) -> tuple[Claim, ...]:
    """How requests fared while an incident lasted."""
    rows = [e for e in found.of_step("impact") if "#row-" in e.locator]
    return tuple(
        claim(f"Requests to it while {{{e.id}.incident_id}} lasted: {figures_of(e)}.", e)
        for e in rows
        if has(e, "incident_id", "request_count")
    )


def say_row(item: Evidence) -> str:
    """``support-desk (premium): 120 errors, 4,000 requests, error rate 3 %``."""
    k = item.id
    if has(item, "incident_id", "title", "target_id", "status", "started_at"):
        return say_past_incident(item)
    if has(item, "over_count", "spent_usd"):
        left = f", {{{k}.left_usd}} USD left" if number(item, "left_usd") > 0 else ""
        share = f"budget share {{{k}.budget_share}}, " if has(item, "budget_share") else ""
        return f"{{{k}.user_id}} ({{{k}.tier}}): {share}spent {{{k}.spent_usd}} of {{{k}.daily_budget_usd}} USD{left}"
    owners = [f"{{{k}.{name}}}" for name in item.facts if name in NAMES]
    told = say_promise(item) if has(item, "latency_sla_ms", "p95_latency_ms") else figures_of(item)
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
    lasts = f" and has lasted {{{k}.duration_sec}} so far" if has(item, "duration_sec") else ""
    return f"{what}: {{{k}.status}}; started {{{k}.started_at}}{lasts}"


def say_promise(item: Evidence) -> str:
    """``p95 latency 1.1 s, promised 500 ms: missed; error rate 0.9 %, promised 1 %, of 1,114 requests``."""
    k = item.id
    late = f"p95 latency {{{k}.p95_latency_ms}}, promised {{{k}.latency_sla_ms}}: target {{{k}.latency_target}}"
    most = f", promised at most {{{k}.promised_error_rate}}" if has(item, "promised_error_rate") else ""
    kept = f": target {{{k}.error_target}}" if has(item, "error_target") and most else ""
    errors = f"; error rate {{{k}.error_rate}}{most}{kept}" if has(item, "error_rate") else ""
    return f"{late}{errors}, of {counted(item, 'request_count', 'request')}"


def figures_of(item: Evidence) -> str:
    """What was counted, without whose it is and over which time."""
    return ", ".join(say_column(item, name) for name in shown_of(item))


def shown_of(item: Evidence) -> list[str]:
    """The columns that hold figures."""
    return [n for n in item.facts if n not in NAMES and n not in BESIDE and not n.startswith("overall_")]


def say_column(item: Evidence, name: str) -> str:
    """A count by what it counts, another value by its name."""
    k, plain = item.id, name.removeprefix("overall_")
    plain = plain.removeprefix("total_") if plain != name else plain
    if plain in SAID and has(item, name):
        few = "only " if name in RESTS_ON and len(shown_of(item)) > 1 and is_few(item, name) else ""
        return f"{few}{counted(item, name, SAID[plain])}"
    if plain.endswith("_usd"):
        return f"{plain.removesuffix('_usd').replace('_', ' ').replace('avg', 'average')} {{{k}.{name}}} USD"
    words = plain.removesuffix("_ms").removesuffix("_at").replace("_", " ")
    words = re.sub(r"\bp(\d\d)(\d)\b", r"p\1.\2", words)  # p99.9
    words = words.replace("toks per sec", "tokens a second").replace("avg", "average").replace("max ", "highest ")
    return f"{words} {{{k}.{name}}}"
