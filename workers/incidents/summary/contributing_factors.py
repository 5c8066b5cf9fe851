"""Contributing factors: which of them tools show, and by what; every other one is a hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.contracts import Claim, Evidence
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.incidents.summary.external_events import names
from workers.incidents.summary.metric_impact import Measured, first_moved, time_of
from workers.incidents.summary.narrative import causes_in, symptoms_of
from workers.incidents.summary.program_posts import DEPLOY
from workers.incidents.summary.summary_types import Line, Summary
from workers.language.sentences import overlap, stems_of

NEAR = timedelta(hours=1)
SHARED = 0.5
"""Of the words of a metric's title, so many make a text one that speaks of it."""


@dataclass(frozen=True)
class Factor:
    """Something that may have contributed.

    ``line``: what people said, None when nobody spoke of it. ``known``: they said it as known rather than supposed.
    ``shown``: what tools returned of it, as claims to be checked.
    """

    line: Line | None
    known: bool = False
    shown: tuple[Claim, ...] = ()


def factors_of(summary: Summary, measured: Measured) -> list[Factor]:
    """What people hold to be behind it, the cause first, then deploys shortly before it that nobody spoke of."""
    causes = causes_in(summary)
    symptoms = symptoms_of(summary)
    known = [line for line in summary.known if line not in symptoms]
    known.sort(key=lambda line: Line(text=line.text, ts=line.ts) not in causes)
    found = [Factor(line, True, tuple(shown_of(line, measured))) for line in known]
    found += [Factor(line, False, tuple(shown_of(line, measured))) for line in summary.hypotheses]
    first = first_moved(measured)
    if first is None:
        return found
    said = " ".join(line.text.lower() for line in (*known, *summary.hypotheses, *summary.ruled_out))
    unsaid = (deploy for deploy in deploys_before(first, measured) if not is_named(said, deploy))
    return [*found, *(Factor(None, shown=(beside(deploy, first[1]),)) for deploy in unsaid)]


def shown_of(line: Line, measured: Measured) -> Iterator[Claim]:
    """What tools returned that a line speaks of: a deploy before a metric moved, and metrics that moved.

    A deploy alone shows nothing: it takes what moved after it, too.
    """
    low, first = line.text.lower(), first_moved(measured)
    if first is not None:
        yield from (beside(deploy, first[1]) for deploy in deploys_before(first, measured) if is_named(low, deploy))
    for metric in measured.of("metric"):
        if has_moved(metric) and speaks_of(line, metric):
            yield moved(metric)


def deploys_before(first: tuple[datetime, Evidence], measured: Measured) -> list[Evidence]:
    """The deploys of the hour before a metric moved."""
    onset, _ = first
    return [d for d in measured.of("deploy") if (at := time_of(d, "at")) and onset - NEAR <= at <= onset]


def is_named(said: str, deploy: Evidence) -> bool:
    """Whether a text names a deploy: its version, its commit, its time, or its service and that it went out."""
    version, commit, service = (text_of(deploy, key) for key in ("version", "commit", "service"))
    if names(said, version) or (len(commit) >= 7 and commit[:7].lower() in said):
        return True
    at = time_of(deploy, "at")
    return bool(DEPLOY.search(said)) and (names(said, service) or bool(at and f"{at:%H:%M}" in said))


def speaks_of(line: Line, metric: Evidence) -> bool:
    """Whether a line speaks of what a metric measures, such as an exhausted connection pool."""
    if text_of(metric, "role") in {"errors", "latency", "traffic"}:
        return False
    return overlap(stems_of(text_of(metric, "metric")), stems_of(line.text)) >= SHARED


def beside(deploy: Evidence, metric: Evidence) -> Claim:
    """A deploy, and what moved after it."""
    d, m = deploy.id, metric.id
    what = f"deploy {{{d}.service}} {{{d}.version}}, which went out at {{{d}.at}}."
    return Claim(template=f"{metric.title} moved {{lag({m}.onset_at,{d}.at)}} {what}", evidence=(m, d))


def moved(metric: Evidence) -> Claim:
    """A metric that moved."""
    k = metric.id
    at = f" at {{{k}.onset_at}}" if "onset_at" in metric.facts else ""
    level = "peak" if "peak" in metric.facts else "current"
    return Claim(template=f"{metric.title} {{move({k}.baseline,{k}.{level})}}{at}.", evidence=(k,))
