"""What moved, and what went out just before: the suspect span that later steps look into."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.contracts import Deploy, Evidence, Landscape, Suspect, Window, rfc3339

BEFORE = timedelta(hours=6)
LATER = timedelta(minutes=2)
REACH = timedelta(days=14)


def find_suspect(evidence: Sequence[Evidence], landscape: Landscape, window: Window) -> Suspect:
    """The last deploy before the onset, and the one before it; without an onset, the deploy the window starts at."""
    onset = first_onset(evidence)
    deploys = known_deploys(evidence, landscape)
    if onset:
        near = [d for d in deploys if onset - BEFORE <= d.at <= onset + LATER]
    else:
        near = [d for d in deploys if abs(d.at - window.start) < timedelta(minutes=1)]
        near = near or [d for d in deploys if window.start <= d.at <= window.end]
    words = moved_words(evidence)
    if not near:
        until = onset or window.end
        since = (onset - timedelta(hours=24)) if onset else window.start
        return Suspect(since=since, until=until, onset=onset, words=words)
    deploy = max(near, key=lambda d: d.at)
    earlier = [d for d in deploys if d.service == deploy.service and d.at < deploy.at]
    previous = max((d.at for d in earlier), default=deploy.at - timedelta(days=1))
    since = max(previous, deploy.at - REACH)
    until = deploy.at + timedelta(minutes=1)
    return Suspect(since=since, until=until, deploy=deploy, onset=onset, words=words)


def first_onset(evidence: Sequence[Evidence]) -> datetime | None:
    """The onset of the first metric that has one: tools list the asked metric first."""
    for item in evidence:
        fact = item.facts.get("onset_at")
        if item.kind == "metric" and fact:
            return datetime.fromisoformat(str(fact.value))
    return None


def known_deploys(evidence: Sequence[Evidence], landscape: Landscape) -> list[Deploy]:
    """Deploys that tools returned, and those of the landscape, oldest first."""
    out = {(d.service, d.version, rfc3339(d.at)): d for d in landscape.deploys}
    for item in evidence:
        if item.kind != "deploy" or "at" not in item.facts:
            continue
        values = {k: str(f.value) for k, f in item.facts.items()}
        found = Deploy(
            service=values.get("service", ""),
            version=values.get("version", ""),
            commit=values.get("commit", ""),
            at=datetime.fromisoformat(values["at"]),
            source=values.get("source", "metrics"),
        )
        out.setdefault((found.service, found.version, rfc3339(found.at)), found)
    return sorted(out.values(), key=lambda d: d.at)


def moved_words(evidence: Sequence[Evidence]) -> str:
    """Names of the metrics that moved with the asked one: what a runbook would call the cause."""
    moved = [e for e in evidence if e.kind == "metric" and has_moved(e)]
    names = [str(e.facts["metric"].value) if "metric" in e.facts else e.title for e in moved[1:4]]
    return " ".join(dict.fromkeys(names))


def has_moved(item: Evidence) -> bool:
    """Whether a metric's tool says it rose or fell."""
    direction = item.facts.get("direction")
    return direction is not None and direction.value in {"rose", "fell"}
