"""A verdict as evidence: candidates with what speaks for and against each, what moved, what the logs say."""

from __future__ import annotations

from datetime import UTC, datetime

from workers.contracts import Evidence, EvidenceKind, Fact
from workers.sources.causes.candidates import Candidate, released
from workers.sources.causes.onset import Move
from workers.sources.causes.symptoms import Symptoms
from workers.sources.causes.verdict import Verdict

MOST_RULED_OUT, MOST_MOVES, MOST_PATTERNS = 4, 6, 4
MOST_SAMPLES, MOST_LESSER = 240, 2
CAUSE, RIVAL, RULED_OUT = "cause", "rival", "ruled out"
KINDS: dict[str, EvidenceKind] = {"commit": "change", "flag": "flag"}
HIGH, MEDIUM = 0.85, 0.65
"""From so sure on a verdict is told with high and with medium confidence. See ``bench/README.md``."""


def verdict_evidence(verdict: Verdict) -> tuple[Evidence, ...]:
    """The verdict first, then candidates, series that moved, log patterns."""
    symptoms = verdict.symptoms
    moves = [m for m in symptoms.moves if m.series.service in {symptoms.first, symptoms.incident.alert.service}]
    moves += [m for m in symptoms.moves if m not in moves]
    return (
        summary(verdict),
        *(candidate_evidence(c, role, symptoms) for role, c in shown(verdict)),
        *(move_evidence(m) for m in moves[:MOST_MOVES]),
        *(
            Evidence(
                kind="log",
                title=f"{p.service}: {p.text}"[:200],
                locator=f"incident:logs#{i}",
                excerpt=p.text[:600],
                facts={
                    "service": Fact(value=p.service, entity=p.service),
                    "pattern": Fact(value=p.text[:300], entity=p.service),
                    "more": Fact(value=p.grown_by, unit="count", entity=p.service),
                },
            )
            for i, p in enumerate(symptoms.trouble[:MOST_PATTERNS], 1)
        ),
    )


def shown(verdict: Verdict) -> list[tuple[str, Candidate]]:
    """The candidates that are told of, each with its role: what is ruled out are the changes that lie nearest before
    the onset, and what else would have been likely."""
    chosen = [(CAUSE, verdict.cause)] if verdict.cause else []
    chosen += [(RIVAL, c) for c in verdict.rivals]
    taken = {c.name for _, c in chosen}
    onset = verdict.symptoms.onset
    others = [c for c in verdict.candidates if c.name not in taken]
    released_last = sorted((c for c in others if c.at is not None and c.at <= onset), key=lambda c: -(c.at or 0.0))
    likely = dict.fromkeys((*others[:2], *released_last))
    return chosen + [(RULED_OUT, c) for c in list(likely)[:MOST_RULED_OUT]]


def summary(verdict: Verdict) -> Evidence:
    """What is concluded, and how sure that is."""
    symptoms = verdict.symptoms
    incident, first = symptoms.incident, symptoms.first
    sure = "high" if verdict.confidence >= HIGH else "medium" if verdict.confidence >= MEDIUM else "low"
    words = {
        "alert": incident.alert.summary[:300],
        "service": incident.alert.service,
        "first": first,
        "cause_kind": verdict.cause.kind if verdict.cause else "unknown",
        "sure": sure,
        "commit": verdict.commit,
        "spread": ", ".join(symptoms.chain.victims),
        "spent_in": symptoms.costly[0] if len(symptoms.costly) > 1 else "",
    }
    counts = {
        "commits": len(incident.commits),
        "releases": len(incident.releases),
        "candidates": len(verdict.candidates),
    }
    facts = {name: Fact(value=value, entity=first) for name, value in words.items() if value}
    facts |= {name: Fact(value=value, unit="count", entity=first) for name, value in counts.items()}
    if symptoms.has_onset:
        facts["onset_at"] = moment_fact(symptoms.onset, first)
    return Evidence(kind="incident", title=f"Incident of {first}"[:200], locator="incident:verdict", facts=facts)


def candidate_evidence(candidate: Candidate, role: str, symptoms: Symptoms) -> Evidence:
    """A candidate, what speaks for it and what against it."""
    name = candidate.name[:8] if candidate.kind == "commit" else candidate.name
    speaks_for = [r.text for r in sorted(candidate.reasons, key=lambda r: -r.weight) if r.weight > 0]
    against = [r.text for r in sorted(candidate.reasons, key=lambda r: r.weight) if r.weight < 0]
    words = {"role": role, "kind": candidate.kind, "short": name, "subject": candidate.title[:200]}
    told = speaks_for if role != RULED_OUT else speaks_for[:MOST_LESSER]
    words |= {"for": "; ".join(told), "against": "; ".join(against)}
    if candidate.kind == "commit":
        commit = next(c for c in symptoms.incident.commits if c.sha == candidate.name)
        release = released(symptoms.incident, commit, symptoms.onset)
        words |= {"sha": commit.sha, "files": ", ".join(commit.files[:3])}
        words |= {"service": release.service, "version": release.version} if release else {}
    facts = {key: Fact(value=value, entity=name) for key, value in words.items() if value}
    if candidate.at is not None:
        facts["at"] = moment_fact(candidate.at, name)
    return Evidence(
        kind=KINDS.get(candidate.kind, "event"),
        title=f"{name} {candidate.title}"[:200],
        locator=f"incident:{candidate.kind}:{name}",
        facts=facts,
    )


def move_evidence(move: Move) -> Evidence:
    """A series that left its range, with its samples."""
    series, entity = move.series, move.series.service
    facts = {
        "metric_name": Fact(value=series.metric, entity=entity),
        "service": Fact(value=entity, entity=entity),
        "usual": Fact(value=rounded(move.usual), unit="number", entity=entity),
        "farthest": Fact(value=rounded(move.farthest), unit="number", entity=entity),
        "direction": Fact(value="rose" if move.rose else "fell", entity=entity),
        "onset_at": moment_fact(move.at, entity),
    }
    step = max(1, len(series.times) // MOST_SAMPLES)
    samples = tuple(zip(series.times[::step], series.values[::step], strict=True))[:MOST_SAMPLES]
    return Evidence(
        kind="metric",
        title=f"{series.metric} of {entity}"[:200],
        locator=f"incident:metrics:{entity}/{series.metric}",
        facts=facts,
        series=samples,
    )


def rounded(value: float) -> float:
    """Three digits that count."""
    return float(f"{value:.3g}")


def moment_fact(at: float, entity: str) -> Fact:
    """A time."""
    return Fact(value=datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z"), unit="time", entity=entity)
