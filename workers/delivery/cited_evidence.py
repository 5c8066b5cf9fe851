"""Which evidence an answer rests on, which of it is shown, and how a person reads one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from workers.contracts import Answer, Claim, Evidence, Fact, Neighbourhood, RequestLog
from workers.engine.anomaly import has_moved
from workers.grounding.value_format import Voice, say

MIN_SAMPLES = 8
MAX_LINK = 1_000
SAME_SPAN = 0.1
"""By so much of its span a chart may have moved on, and shows the same."""
NOTES = {"": "", "advice": "General advice: ", "unjudged": "Meaning not checked: "}
"""What stands before a claim, by its note."""
WEB = re.compile(r"https?://[^\s/?#<>\"|\\]+[^\s<>\"|\\]*")
SECTIONS = (
    ("what_changed", "What changed"),
    ("metrics", "Metrics"),
    ("code", "Code"),
    ("docs", "Docs"),
    ("next_steps", "Next"),
)


INCIDENT_TITLES = {
    "incident_status": "How it stands",
    "incident_lead": "Lead",
    "incident_cause": "Cause",
    "incident_actions": "Actions",
    "incident_since": "Times",
    "incident_decisions": "Decisions",
    "incident_impact": "Impact",
}
"""What stands in place of `SECTIONS`' first title where a channel's own messages answer, by the type of question."""
CALENDAR_TITLES = {
    "calendar_day": "Appointments",
    "calendar_free": "At that time",
    "calendar_slots": "Free",
    "calendar_on_call": "On call",
    "calendar_create": "Mind",
    "calendar_move": "Mind",
}
"""The same where calendars answer."""


DEAL_TITLES = {
    "deal_precedents": "Nearest deals",
    "deal_lessons": "Nearest deals",
    "deal_profile": "On record",
    "deal_events": "Events",
    "deal_list": "Deals",
}
"""The same where records of deals answer."""
NUMBER_TITLES = dict.fromkeys(("deal_precedents", "deal_lessons", "deal_list"), "In numbers")
MEMO_TITLES = dict.fromkeys(("deal_precedents", "deal_lessons", "deal_profile"), "From the memos")
"""What stands in place of the titles of metrics and documents."""
RANKED_SECTIONS = {"deal_precedents": "what_changed", "deal_list": "what_changed", "deal_lessons": "docs"}
"""The section whose claims are a list, the best first, by the type of question: one numbered line each."""


def type_of(log: RequestLog) -> str:
    """The type of the question; empty when it was not read."""
    return log.intent.question_type if log.intent else ""


def titled_sections(log: RequestLog) -> tuple[tuple[str, str], ...]:
    """The sections of an answer with their titles."""
    kind = type_of(log)
    own = {
        "what_changed": (INCIDENT_TITLES | CALENDAR_TITLES | DEAL_TITLES).get(kind),
        "metrics": NUMBER_TITLES.get(kind),
        "docs": MEMO_TITLES.get(kind),
    }
    return tuple((key, own.get(key) or title) for key, title in SECTIONS)


def ranked_section(log: RequestLog) -> str:
    """The key of the section that is a ranked list; empty when none is."""
    return RANKED_SECTIONS.get(type_of(log), "")


def claims_of(answer: Answer) -> Iterator[Claim]:
    """Every claim, in the order in which it is shown."""
    yield answer.headline
    for key, _ in SECTIONS:
        yield from getattr(answer, key)


def label_of(claim: Claim) -> str:
    """What stands before a claim that is not proven; empty for one that is."""
    return "Hypothesis: " if claim.status == "hypothesis" else NOTES[claim.note]


def cited_evidence(log: RequestLog) -> list[Evidence]:
    """The evidence that any claim cites, once each, in order of first mention."""
    if log.answer is None:
        return []
    known = {e.id: e for e in log.evidence}
    keys = dict.fromkeys(k for claim in claims_of(log.answer) for k in claim.evidence)
    return [known[k] for k in keys if k in known]


def link_of(item: Evidence) -> str:
    """Its web address; empty when it has none that can be opened from a message."""
    return web_address(item.url or "")


def web_address(url: str) -> str:
    """An address that can be opened from a message; empty when it is none."""
    fits = len(url) <= MAX_LINK and url.isascii() and WEB.fullmatch(url)
    return url if fits else ""


def charted(log: RequestLog) -> tuple[Evidence, Evidence | None] | None:
    """The metric to draw, and the first other one that moved; only what headline or metrics claims cite."""
    if log.answer is None:
        return None
    known = {e.id: e for e in log.evidence if len(e.series) >= MIN_SAMPLES}
    keys = dict.fromkeys(k for claim in (log.answer.headline, *log.answer.metrics) for k in claim.evidence)
    items = [known[k] for k in keys if k in known]
    if not items:
        return None
    return items[0], next((e for e in items[1:] if has_moved(e)), None)


def charted_again(log: RequestLog, before: RequestLog | None) -> bool:
    """Whether the chart would show what that of the last answer in its thread shows."""
    now, then = charted(log), charted(before) if before else None
    if now is None or then is None:
        return False
    pairs = [(new, old) for new, old in zip(now, then, strict=True) if new or old]
    return all(new and old and shows_same(new, old) for new, old in pairs)


def graphed(log: RequestLog) -> Neighbourhood | None:
    """The small graph to draw: the first that the answer cites."""
    return next((item.graph for item in cited_evidence(log) if item.graph and item.graph.nodes), None)


def pictured_again(log: RequestLog, before: RequestLog | None) -> bool:
    """Whether its picture, chart or graph, would show what that of the last answer in its thread shows."""
    if charted(log):
        return charted_again(log, before)
    graph = graphed(log)
    return graph is not None and before is not None and not charted(before) and graph == graphed(before)


def shows_same(one: Evidence, other: Evidence) -> bool:
    """Whether two metrics are one, with the same onset, over nearly the same time."""
    same = (one.kind, one.locator, one.title) == (other.kind, other.locator, other.title)
    onsets = [moment_of(item, "onset_at") for item in (one, other)]
    spans = [item.series[-1][0] - item.series[0][0] for item in (one, other)]
    ends = abs(one.series[-1][0] - other.series[-1][0])
    return same and onsets[0] == onsets[1] and max(abs(spans[0] - spans[1]), ends) <= SAME_SPAN * max(spans)


def first_code(answer: Answer, known: Mapping[str, Evidence]) -> Evidence | None:
    """The first code with an excerpt that the headline or the code claims cite."""
    keys = dict.fromkeys(k for claim in (answer.headline, *answer.code) for k in claim.evidence)
    items = (known[k] for k in keys if k in known)
    return next((e for e in items if e.kind == "code" and e.excerpt.strip()), None)


# --- in words -------------------------------------------------------------------------------------------------


def voice_of(log: RequestLog) -> Voice:
    """The clock and the zone in which a request is spoken of."""
    return Voice(log.question.received_at, log.question.timezone)


def said(fact: Fact, voice: Voice) -> str:
    """A fact as a person would say it; as it stands when it is not of its unit."""
    try:
        return say(fact, voice)
    except (ValueError, OverflowError):
        return str(fact.value)


def moment_of(item: Evidence, name: str) -> datetime | None:
    """A fact of unit time; None when there is none."""
    fact = item.facts.get(name)
    try:
        moment = datetime.fromisoformat(str(fact.value)) if fact and fact.unit == "time" else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def window_of(item: Evidence) -> str:
    """``Nov 20 17:29 – Nov 21 17:29 UTC``: the span it was measured over; empty when it has none."""
    start, end = (moment_of(item, name) for name in ("window_start", "window_end"))
    return span(start, end) if start and end else ""


def span(start: datetime, end: datetime) -> str:
    """Two moments as a person writes them."""
    first, last = (f"{m:%b} {m.day} {m:%H:%M}" for m in (start.astimezone(UTC), end.astimezone(UTC)))
    return f"{first} – {last} UTC"


def described(item: Evidence, voice: Voice, window: str = "") -> str:
    """Kind, and what a person would call it: a metric by its title and values, a place by its locator.

    Args:
        item: the evidence.
        voice: how its values are said.
        window: the span that is named elsewhere already.
    """
    facts = item.facts
    what = [item.locator or item.title]
    if item.kind == "metric":
        values = dict.fromkeys(said(facts[name], voice) for name in ("baseline", "current") if name in facts)
        span = window_of(item)
        what = [item.title or item.locator, " → ".join(values), span if span != window else ""]
    elif item.kind in {"deploy", "alert", "incident"}:
        since = next((name for name in ("since", "at") if name in facts), "")
        when = said(facts[since], voice) if since else ""
        what = [item.title or item.locator, f"since {when}" if since == "since" else when]
    elif item.kind == "change":
        what = [item.locator, item.title]
    return " · ".join([with_kind(item, what[0]), *filter(None, what[1:])])


def with_kind(item: Evidence, name: str) -> str:
    """What it is called after what kind it is, which some names say themselves."""
    return name if name.startswith(f"{item.kind} ") else f"{item.kind} · {name}"
