"""A verdict as evidence: candidates with what speaks for and against each, what moved, what the logs say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from workers.agents.causes.source.candidates import Candidate, released
from workers.agents.causes.source.incident import LogPattern
from workers.agents.causes.source.onset import Move
from workers.agents.causes.source.symptoms import Symptoms
from workers.agents.causes.source.verdict import Verdict
from workers.contracts import Evidence, EvidenceKind, Fact
from workers.sources.evidence.deployed_changes_result import Delivery, carried, carried_evidence, delivery_evidence

MOST_RULED_OUT, MOST_MOVES, MOST_PATTERNS = 4, 6, 4
MOST_SAMPLES, MOST_LESSER = 240, 2
CAUSE, RIVAL, RULED_OUT, LESS_LIKELY = "cause", "rival", "ruled out", "less likely"
BRIEF = frozenset("commit short subject author at repository carried_by carried_at carried_service inert".split())
"""What is told of a commit that does not explain it."""
DECISIVE = -1.5
"""A reason of this weight rules a candidate out by itself."""
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
        *(pattern_evidence(i, p) for i, p in enumerate(symptoms.trouble[:MOST_PATTERNS], 1)),
    )


def connected_evidence(verdict: Verdict, deliveries: Sequence[Delivery], k: int) -> tuple[Evidence, ...]:
    """The verdict first, then the deploys that were weighed, ``k`` candidates at most (commits as commits of their
    repository), log patterns."""
    symptoms = verdict.symptoms
    commits = {one.commit: (delivery, one) for delivery, one in carried(deliveries)}
    ran = {(c.commit, d.deploy.deploy.at.timestamp()): (d, c) for d in deliveries for c in d.deploy.changes}
    found = []
    for role, candidate in shown(verdict)[:k]:
        plain = candidate_evidence(candidate, role, symptoms)
        if candidate.name in commits:
            since = (candidate.name, candidate.at or 0.0)  # the deploy that it was weighed by
            change = carried_evidence(*ran.get(since, commits[candidate.name]))
            if role not in {CAUSE, RIVAL}:  # nobody reads its lines
                kept = {name: fact for name, fact in change.facts.items() if name in BRIEF}
                change = change.model_copy(update={"facts": kept, "excerpt": change.title})
            plain = change.model_copy(update={"facts": {**plain.facts, **change.facts}})
        found.append(plain)
    patterns = (pattern_evidence(i, p) for i, p in enumerate(symptoms.trouble[:MOST_PATTERNS], 1))
    return (summary(verdict), *map(delivery_evidence, deliveries), *found, *patterns)


def shown(verdict: Verdict) -> list[tuple[str, Candidate]]:
    """The candidates that are told of, each with its role: beside what explains it the changes that lie nearest before
    the onset, and what else would have been likely; ruled out where one thing speaks against them decisively."""
    chosen = [(CAUSE, verdict.cause)] if verdict.cause else []
    chosen += [(RIVAL, c) for c in verdict.rivals]
    taken = {c.name for _, c in chosen}
    onset = verdict.symptoms.onset
    others = [c for c in verdict.candidates if c.name not in taken]
    released_last = sorted((c for c in others if c.at is not None and c.at <= onset), key=lambda c: -(c.at or 0.0))
    likely = dict.fromkeys((*others[:2], *released_last))
    return chosen + [(out_of(c), c) for c in list(likely)[:MOST_RULED_OUT]]


def out_of(candidate: Candidate) -> str:
    """The role of a candidate that does not explain it."""
    return RULED_OUT if any(r.weight <= DECISIVE for r in candidate.reasons) else LESS_LIKELY


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
    return Evidence(
        kind="incident",
        title=f"Incident of {first or incident.alert.metric}"[:200],
        locator="incident:verdict",
        facts=facts,
    )


def candidate_evidence(candidate: Candidate, role: str, symptoms: Symptoms) -> Evidence:
    """A candidate, what speaks for it and what against it."""
    name = candidate.name[:8] if candidate.kind == "commit" else candidate.name
    speaks_for = [r.text for r in sorted(candidate.reasons, key=lambda r: -r.weight) if r.weight > 0]
    against = [r.text for r in sorted(candidate.reasons, key=lambda r: r.weight) if r.weight < 0]
    said = "subject" if candidate.kind == "commit" else "said"
    words = {"role": role, "kind": candidate.kind, "short": name, said: candidate.title[:200]}
    told = speaks_for if role in {CAUSE, RIVAL} else speaks_for[:MOST_LESSER]
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


def pattern_evidence(number: int, pattern: LogPattern) -> Evidence:
    """Log lines of one shape that are new."""
    entity = pattern.service
    facts = {
        "service": Fact(value=entity, entity=entity),
        "pattern": Fact(value=pattern.text[:300], entity=entity),
        "more": Fact(value=pattern.grown_by, unit="count", entity=entity),
    }
    title, text = f"{entity}: {pattern.text}"[:200], pattern.text[:600]
    return Evidence(kind="log", title=title, locator=f"incident:logs#{number}", excerpt=text, facts=facts)


def rounded(value: float) -> float:
    """Three digits that count."""
    return float(f"{value:.3g}")


def moment_fact(at: float, entity: str) -> Fact:
    """A time."""
    return Fact(value=datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z"), unit="time", entity=entity)
