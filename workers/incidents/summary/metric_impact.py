"""What metrics say of an incident: which are kept, and what each said before, at worst and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from workers.contracts import Claim, Evidence, Fact, Message, Moment, ToolOutput
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.grounding.value_format import Voice

ROLES = ("errors", "latency", "traffic")
"""What people feel, the most telling first; anything else is told only when it moved."""
MOST_ROWS, MOST_DEPLOYS, MOST_ALERTS = 8, 5, 5
LATER = timedelta(days=366)


class Measured(Message):
    """What was measured of an incident from ``start`` to ``end``. ``evidence``: numbered, metrics before deploys before
    alerts; ``gaps``: what could not be measured and why, ``partly``: what was, but not to the end; each a sentence.
    """

    start: Moment
    end: Moment
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()

    def of(self, kind: str) -> list[Evidence]:
        """Its evidence of a kind."""
        return [item for item in self.evidence if item.kind == kind]

    @property
    def voice(self) -> Voice:
        """Says times in UTC with their day and year: what is kept is read later."""
        return Voice(now=self.end + LATER)


def gather(start: datetime, end: datetime, answers: Iterable[tuple[str, ToolOutput]]) -> Measured:
    """What the answers to some queries say of an incident.

    Args:
        start: of what was asked for, aware.
        end: likewise.
        answers: what was asked for, ``error_ratio endpoint=/pay``, with what the tool returned, in the order they are
            told.
    """
    metrics: dict[tuple[str, str], Evidence] = {}
    others: dict[tuple[str, str], Evidence] = {}
    gaps: dict[str, dict[str, None]] = {}
    partly: dict[str, dict[str, None]] = {}
    for asked, output in answers:
        metric = asked.partition(" ")[0]
        if why := why_missing(output):
            some = any(text_of(item, "metric_name") == metric for item in output.evidence)
            (partly if some else gaps).setdefault(why, {})[asked] = None
        for item in output.evidence:
            if item.kind == "metric" and (text_of(item, "metric_name") == metric or has_moved(item)):
                metrics.setdefault((text_of(item, "metric_name"), item.title), item)
            elif item.kind in {"deploy", "alert"}:
                others.setdefault((item.title, item.locator), item)
    found = [*told_metrics(metrics.values()), *told_deploys(others.values(), start, end), *told_alerts(others.values())]
    numbered = tuple(item.model_copy(update={"id": f"E{n}"}) for n, item in enumerate(found, 1))
    return Measured(start=start, end=end, evidence=numbered, gaps=said(gaps), partly=said(partly))


def why_missing(output: ToolOutput) -> str:
    """Why a metric could not be measured, or not to the end; empty when it was."""
    why = {"timeout": "the tool did not answer in time", "denied": "the tool was not run"}.get(output.status, "")
    told = output.reason or ("" if output.status == "ok" else output.summary or "nothing came back")
    return "; ".join(filter(None, (why, told)))


def said(gaps: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Each reason once, behind what it holds for."""
    return tuple(f"{', '.join(metrics)}: {why}" for why, metrics in gaps.items())


def told_metrics(found: Iterable[Evidence]) -> list[Evidence]:
    """The metrics that are told, what people feel first; of each role what moved first."""

    def rank(item: Evidence) -> tuple[int, bool]:
        role = text_of(item, "role")
        return (ROLES.index(role) if role in ROLES else len(ROLES), not has_moved(item))

    return sorted(found, key=rank)[:MOST_ROWS]


def told_deploys(found: Iterable[Evidence], start: datetime, end: datetime) -> list[Evidence]:
    """The deploys within the time, oldest first; of many the earliest, which may be behind it."""
    known = [(at, item) for item in found if item.kind == "deploy" and (at := time_of(item, "at"))]
    return [item for at, item in sorted(known, key=lambda pair: pair[0]) if start <= at <= end][:MOST_DEPLOYS]


def told_alerts(found: Iterable[Evidence]) -> list[Evidence]:
    """The alerts that fired, the first one first."""
    fired = [(at, item) for item in found if item.kind == "alert" and (at := time_of(item, "since"))]
    return [item for _, item in sorted(fired, key=lambda pair: pair[0])][:MOST_ALERTS]


def time_of(item: Evidence, name: str) -> datetime | None:
    """A fact as a moment in UTC; None when it is not known."""
    fact: Fact | None = item.facts.get(name)
    try:
        return datetime.fromisoformat(str(fact.value)).astimezone(UTC) if fact else None
    except ValueError:
        return None


def first_moved(measured: Measured) -> tuple[datetime, Evidence] | None:
    """What people feel that moved first, and when; None when nothing did."""
    felt = [m for m in measured.of("metric") if has_moved(m) and text_of(m, "role") in ROLES[:2]]
    known = [(at, m) for m in felt if (at := time_of(m, "onset_at"))]
    return min(known, key=lambda pair: pair[0], default=None)


def worst_of(evidence: Sequence[Evidence], role: str) -> Evidence | None:
    """The metric of a role with the highest peak."""
    known = [item for item in evidence if text_of(item, "role") == role and "peak" in item.facts]
    return max(known, key=lambda item: float(item.facts["peak"].value), default=None)


def failed_claims(evidence: Iterable[Evidence]) -> list[Claim]:
    """How many requests failed, where that was counted."""
    counted = [item for item in evidence if {"failed", "requests"} <= item.facts.keys()]
    return [Claim(template=failed_of(item), evidence=(item.id,)) for item in counted]


def failed_of(item: Evidence) -> str:
    """A template of how many requests failed."""
    return f"{{{item.id}.failed}} of {{{item.id}.requests}} requests{owner_of(item)} failed in this time."


def owner_of(item: Evidence) -> str:
    """`` of /pay``; empty for what is measured of everything."""
    entity = item.facts["metric"].entity if "metric" in item.facts else ""
    return f" of {entity}" if entity not in {"", "all"} else ""
