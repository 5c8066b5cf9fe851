"""Candidates for the cause of an incident, each with what speaks for it and against it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workers.agents.causes.source.incident import Commit, Incident, LogPattern, Notice, Release
from workers.agents.causes.source.onset import Move
from workers.agents.causes.source.symptoms import Symptoms, inverse_frequency, is_load, span_text, spellings, text_stems
from workers.language.route_notation import ROUTE
from workers.sources.history.change_effects import Effects, effects_of

Kind = Literal["commit", "flag", "traffic", "upstream", "infrastructure", "data"]
HOST_NAME = re.compile(r"(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}", re.IGNORECASE)
HOST = re.compile(r"\b(?:[a-z0-9-]{1,63}\.){1,5}(?:com|net|org|io|dev|cloud|co|app|ai)\b", re.IGNORECASE)
NEAR_S, HOUR_S = 900.0, 3600.0
SAME_WORDS, CARRIED_SHARE = 2, 0.3
PROBATION_MIN, TWO_HOURS_MIN = 360.0, 120.0
"""What has run for longer than the first without a fault is less and less likely to be behind it."""
EXACT_S = 120.0
"""How exactly the moments of an onset and of a change are known."""
TOGETHER_S = 240.0
"""What got ill within so long of the onset got ill with it."""
FLAG_EFFECT, COINCIDENCE, FLAG_MIN, FLAG_LATE_MIN = 0.8, 3.0, 2.0, 60.0
"""What a flag does is not known; it acts at once, so that it was changed by chance just before is unlikely."""
SHORTEST_SHA = 7
BASE = re.compile(r"|api|v\d+|rest|internal", re.IGNORECASE)
VERSIONS = frozenset("version revision commit release image_tag build".split())
"""Labels that tell which version runs."""
PLACES = frozenset("instance node pod host hostname zone availability_zone region cluster shard".split())
"""Labels that tell on what it runs."""
GROWN = 1.5
"""From this ratio on more is asked than usual."""


@dataclass(frozen=True)
class Reason:
    """One thing that speaks for a candidate, or (negative weight) against it."""

    text: str
    weight: float


@dataclass(frozen=True)
class Candidate:
    """What may have caused it. ``name``: sha, flag, or a short name; ``at``: epoch seconds from which it was there."""

    kind: Kind
    name: str
    title: str
    at: float | None
    reasons: tuple[Reason, ...]
    leads: bool = False
    """A commit that does something, names the affected endpoint, and came with the deploy just before the onset."""
    lags: bool = False
    """A commit that does nothing, or that an earlier deploy brought."""

    @property
    def score(self) -> float:
        """What speaks for it less what speaks against it."""
        return sum(r.weight for r in self.reasons)


def candidates_of(symptoms: Symptoms) -> tuple[Candidate, ...]:
    """Every candidate, the likeliest first.

    A commit that does nothing, or that an earlier deploy brought, stands behind those of the deploy just before the
    onset that name the affected endpoint.
    """
    found = [*commit_candidates(symptoms), *flag_candidates(symptoms), *traffic(symptoms), *outside(symptoms)]
    leading = {c.name for c in found if c.leads}
    return tuple(sorted(found, key=lambda c: (bool(leading) and c.lags, -c.score)))


# --- changes ----------------------------------------------------------------------------------------------------


def commit_candidates(symptoms: Symptoms) -> Iterator[Candidate]:
    """Commits, with how they came to run before the onset and whether they can have done it."""
    incident = symptoms.incident
    effects = {c.sha: effects_of(c.files, c.diff) for c in incident.commits}
    telling = inverse_frequency(effects[c.sha].words | text_stems(" ".join(c.files)) for c in incident.commits)
    brought = {c.sha: released(incident, c, symptoms.onset) for c in incident.commits}
    last = max((r.at for r in brought.values() if r), default=None)
    asked = endpoint_stems(incident.alert.summary)
    for commit in incident.commits:
        release = brought[commit.sha]
        reasons = [
            *order_reasons(incident, commit, release, symptoms),
            *effect_reasons(effects[commit.sha]),
            *word_reasons(commit, effects[commit.sha], symptoms, telling),
            *place_reasons(incident, commit, release, symptoms),
            *fault_reasons(effects[commit.sha], symptoms),
            *experiment_reasons(incident, release),
            *elsewhere_reasons(symptoms, commit),
        ]
        at = release.at.timestamp() if release else None
        inert, newest = bool(effects[commit.sha].inert), release is not None and release.at == last
        near = at is not None and symptoms.onset - at <= PROBATION_MIN * 60
        named = bool(asked & text_stems(" ".join((commit.title, *commit.files))))
        leads = newest and near and named and not inert
        yield Candidate("commit", commit.sha, commit.title, at, tuple(reasons), leads, inert or not newest)


def endpoint_stems(text: str) -> set[str]:
    """The stems of the endpoints that a text names, without what every endpoint begins with."""
    parts = (part for route in ROUTE.findall(text) for part in route.split("/") if not BASE.fullmatch(part))
    return text_stems(" ".join(parts))


def released(incident: Incident, commit: Commit, onset: float, service: str = "") -> Release | None:
    """The deploy by which a commit came to run before the onset: its own, or one whose range of commits holds it.

    Args:
        service: only its deploys count; empty: those of all.
    """
    own = [r for r in incident.releases if r.is_of(commit) or commit.sha in (r.holds or ())]
    own = [r for r in own if service in ("", r.service)]
    services = services_of(incident, commit)
    ran = services or {incident.alert.service}  # what is shared runs in what is ill by the deploy of that
    own = [r for r in own if r.is_of(commit) or r.service in ran] or own
    if own:
        return min((r for r in own if r.at.timestamp() <= onset + EXACT_S), key=lambda r: r.at, default=None)
    for release in incident.ordered_releases:
        if service not in ("", release.service):
            continue
        reached = incident.commit_times.get(release.commit) or release.at
        if (
            release.holds is not None
            or release.at.timestamp() > onset + EXACT_S
            or commit.at is None
            or commit.at > reached
        ):
            continue
        if not services or release.service in services:
            return release
    return None


def services_of(incident: Incident, commit: Commit) -> set[str]:
    """The services that a commit's files are of, by the names of their folders; none of what is shared."""
    parts = {p.lower() for f in commit.files for p in re.split(r"[/._-]", f)[:-1]}
    paths, named = "/".join(commit.files).lower(), set()
    for service in incident.services:
        short = re.sub(r"[-_]?(?:service|svc|server|api)$", "", service.lower())
        words = {w for w in re.split(r"[-_\d]+", short) if len(w) > 2}
        whole = re.search(rf"(?<![a-z0-9]){re.escape(service.lower())}(?![a-z0-9])", paths)
        if short in parts or whole or (words and words <= parts):
            named.add(service)
    return named


def taken_back(incident: Incident, release: Release, onset: float) -> Release | None:
    """The deploy before the onset by which a service went back to what ran before a release; None when none did."""
    own = [r for r in incident.ordered_releases if r.service == release.service]
    before = {r.commit for r in own if r.at < release.at and r.commit}
    later = (r for r in own if r.at > release.at and r.at.timestamp() <= onset)
    return next((r for r in later if r.commit in before), None)


def order_reasons(incident: Incident, commit: Commit, release: Release | None, symptoms: Symptoms) -> Iterator[Reason]:
    """Whether it ran before the onset, and for how long."""
    if release is None:
        if any(r.is_of(commit) for r in incident.releases):
            yield Reason("it was deployed after the onset", -3.0)
        elif commit.at is not None and commit.at.timestamp() > symptoms.onset + EXACT_S:
            yield Reason("it was made after the onset", -3.0)
        else:
            yield Reason("no deploy before the onset is known to hold it", -1.0)
        return
    if back := taken_back(incident, release, symptoms.onset):
        yield Reason(f"{back.service} {back.version} took it back before the onset".replace("  ", " "), -3.0)
        return
    minutes = max(0.0, symptoms.onset - release.at.timestamp()) / 60
    own = release.is_of(commit)
    how = f"deployed with {release.service} {release.version}".strip()
    weight = 0.3 * math.exp(-minutes / 180) + (0.4 if own else 0.2)
    yield Reason(f"{how}, {lasted(minutes)} before the onset", weight)
    if minutes > PROBATION_MIN:
        yield Reason(f"it ran {lasted(minutes)} without it", -0.4 * math.log1p(minutes / PROBATION_MIN))


def lasted(minutes: float) -> str:
    """A span in the unit that fits it."""
    return f"{minutes:.0f} min" if minutes < TWO_HOURS_MIN else f"{minutes / 60:.0f} h"


def experiment_reasons(incident: Incident, release: Release | None) -> Iterator[Reason]:
    """What a version that runs beside others, or that was taken back, tells."""
    if release is None:
        return
    part, version = incident.part, release.version.removeprefix("v")
    if part and part.label in VERSIONS:
        same = part.value.removeprefix("v") == version or is_sha_of(part.value, release.commit)
        told = f"{part.share:.0%} of it is in {part.label} {part.value}"
        yield Reason(told, 1.0) if same else Reason(f"{told}, another than the one that brought it", -1.0)
    later = [r for r in incident.releases if r.service == release.service and r.at > release.at]
    back = [r for r in later if incident.recovered and abs((r.at - incident.recovered).total_seconds()) <= NEAR_S]
    earlier = {r.commit for r in incident.releases if r.service == release.service and r.at < release.at} - {""}
    if any(r.commit in earlier for r in back):
        yield Reason("it went away when the version before was deployed again", 1.2)


def elsewhere_reasons(symptoms: Symptoms, commit: Commit) -> Iterator[Reason]:
    """Whether services are ill at the same time that do not run the commit, and neither call one that does nor are
    called by it: what asks more or otherwise makes ill whom it asks."""
    incident = symptoms.incident
    linked = {name for call in incident.calls for name in call}
    known = {r.service for r in incident.releases} & linked
    running = {s for s in known if runs(incident, commit, s, symptoms.onset)}
    if not running:
        return
    reached = running | {callee for caller, callee in incident.calls if caller in running}
    waiting = list(reached)
    while waiting:
        callee = waiting.pop()
        callers = {a for a, b in incident.calls if b == callee} - reached
        reached |= callers
        waiting += callers
    apart = sorted(
        s for s, at in symptoms.ill.items() if s in known - reached and abs(at - symptoms.onset) <= TOGETHER_S
    )
    if apart:
        yield Reason(f"{', '.join(apart[:3])} got ill as well and does not run it", -0.8)


def runs(incident: Incident, commit: Commit, service: str, onset: float) -> bool:
    """Whether a service had a commit deployed before the onset."""
    return released(incident, commit, onset, service) is not None


def is_sha_of(value: str, commit: str) -> bool:
    """Whether a label's value is the sha of a commit, or its beginning."""
    short, long = sorted((value.lower(), commit.lower()), key=len)
    return len(short) >= SHORTEST_SHA and long.startswith(short)


def effect_reasons(effects: Effects) -> Iterator[Reason]:
    """Whether its diff can do anything."""
    if effects.inert:
        yield Reason(effects.inert, -1.5)
    else:
        yield Reason(", ".join(effects.kinds), 2.2 * effects.strength)


def word_reasons(commit: Commit, effects: Effects, symptoms: Symptoms, telling: dict[str, float]) -> Iterator[Reason]:
    """Whether it touches what went wrong: words that few other commits and the trouble have in common."""
    words = (effects.words | text_stems(" ".join(commit.files))) & set(symptoms.words)
    worth = {w: telling.get(w, 0.0) * math.log1p(symptoms.words[w]) for w in words}
    total = sum(worth.values())
    if total > 0:
        spelled = spellings(" ".join((*commit.files, commit.diff, commit.title)))
        named = [spelled.get(w, w) for w in sorted(worth, key=lambda w: (-worth[w], w))[:4]]
        able = 0.4 + 0.6 * effects.strength
        yield Reason(f"touches what the trouble speaks of: {', '.join(named)}", 2.0 * able * (1 - math.exp(-total / 5)))


def fault_reasons(effects: Effects, symptoms: Symptoms) -> Iterator[Reason]:
    """Whether the logs tell of a fault of a program, and name what the change touches."""
    if effects.inert:
        return
    touched = sorted(n for n in symptoms.identifiers if n.lower() in effects.names)
    if touched:
        yield Reason(f"the trouble names {touched[0]}, which it changes", 1.3)
    if fault := symptoms.program_fault:
        yield Reason(f"the logs tell of a fault of the program: “{fault[:80]}”", 0.5)


def place_reasons(incident: Incident, commit: Commit, release: Release | None, symptoms: Symptoms) -> Iterator[Reason]:
    """Whether it is of a service that is ill, or of one that such a one rests on."""
    services = services_of(incident, commit) or ({release.service} if release and release.is_of(commit) else set())
    if not any((symptoms.first, incident.alert.service)):
        return
    if not services:
        yield Reason("shared code", 0.2)
    elif services & ({symptoms.first, incident.alert.service}):
        yield Reason(
            f"of {', '.join(sorted(services & {symptoms.first, incident.alert.service}))}, where it began", 0.4
        )
    elif services & set(symptoms.ill):
        yield Reason("of a service that is ill", 0.1)
    elif any((a, b) in incident.calls or (b, a) in incident.calls for a in services for b in symptoms.ill):
        yield Reason("of a service beside one that is ill", 0.0)
    else:
        yield Reason("of a service that is well", -0.8)


def flag_candidates(symptoms: Symptoms) -> Iterator[Candidate]:
    """Flags and settings that were changed: they act at once, so the nearer before the onset, the likelier."""
    incident = symptoms.incident
    for flag in incident.flags:
        at = flag.at.timestamp()
        minutes = (symptoms.onset - at) / 60
        shared = text_stems(f"{flag.name} {flag.change}") & set(symptoms.words)
        if minutes * 60 < -EXACT_S:
            reasons = [Reason("changed after the onset", -3.0)]
        else:
            told = f"changed {lasted(max(0.0, minutes))} before the onset"
            reasons = [Reason(told, FLAG_EFFECT + COINCIDENCE * math.exp(-max(0.0, minutes) / FLAG_MIN))]
            if minutes > FLAG_LATE_MIN:
                reasons.append(Reason(f"it was so for {lasted(minutes)} without it", -1.0))
        if flag.service in {symptoms.first, incident.alert.service}:
            reasons.append(Reason(f"of {flag.service}, where it began", 0.8))
        elif flag.service in incident.services and flag.service not in symptoms.ill:
            reasons.append(Reason(f"of {flag.service}, which is well", -1.5))
        if shared:
            reasons.append(Reason(f"named as the trouble is: {', '.join(sorted(shared))}", 0.3 * min(3, len(shared))))
        yield Candidate("flag", flag.name, flag.change, at, tuple(reasons))


# --- what is no change ------------------------------------------------------------------------------------------


def traffic(symptoms: Symptoms) -> Iterator[Candidate]:
    """More is asked of the services where requests come in, and was before anything else moved."""
    grown = [m for m in symptoms.moves if is_load(m.series.metric) and m.rose and m.ratio >= GROWN]
    entries = [m for m in grown if m.series.service in symptoms.entries]
    steady = [s for s in symptoms.incident.series if is_load(s.metric) and s.service in symptoms.entries]
    if not entries and (steady or len({m.series.service for m in grown}) < 2):
        return
    first = max(entries or grown, key=lambda m: m.ratio)
    early = first.at <= symptoms.onset + 120
    reasons = [
        Reason(
            f"{first.series.metric} of {first.series.service} rose {first.ratio:.1f} times",
            1.5 + math.log2(first.ratio),
        )
    ]
    reasons.append(Reason("before the rest moved", 0.8) if early else Reason("after the rest moved", -1.5))
    if fault := symptoms.program_fault:
        reasons.append(Reason(f"the logs tell of a fault of the program: “{fault[:80]}”", -2.0))
    yield Candidate("traffic", "traffic", "more requests than usual", first.at, tuple(reasons))


def outside(symptoms: Symptoms) -> Iterator[Candidate]:
    """Something that no change of ours made fail: a host outside, what carries the services, what a provider tells."""
    host, of_host = failing_host(symptoms)
    carrier, of_carrier = failing_carrier(symptoms)
    thing, of_thing = first_mover(symptoms)
    place, of_place = failing_place(symptoms)
    notice, of_notice = nearest_notice(symptoms)
    reasons = [*of_host, *of_carrier, *of_thing, *of_place, *of_notice]
    if not reasons:
        return
    of_machine = bool(thing or place or (notice and notice.is_event))
    kind: Kind = "infrastructure" if carrier or (of_machine and not host) else "upstream"
    name = carrier or host or thing or place or (notice.source if notice else "")
    at = notice.at.timestamp() if notice and notice.at else None
    reasons += together(symptoms)
    yield Candidate("data" if carrier == RECORD else kind, name, f"{name} fails", at, tuple(reasons))


def failing_host(symptoms: Symptoms) -> tuple[str, list[Reason]]:
    """The host outside that most of the trouble names, or where most of the failing calls end."""
    logged = {p.text: p.grown_by for p in symptoms.trouble}
    called = {f"{s.trace_id}/{s.span_id} {span_text(s)}": 1 for s in symptoms.failing_spans if s.error}
    shares: defaultdict[str, float] = defaultdict(float)
    for texts in (logged, called):
        for text, count in texts.items():
            for host in set(HOST.findall(text.lower())):
                shares[host] += count / sum(texts.values())
    ours = own_services(symptoms)
    ends = Counter(s.service for s in symptoms.deepest_failures if s.service not in ours)
    for service, count in ends.items():
        if HOST_NAME.fullmatch(service):
            shares[service] += count / len(symptoms.deepest_failures)
    if not shares:
        return "", []
    name, share = max(shares.items(), key=lambda pair: pair[1])
    return name, [Reason(f"calls to {name} fail", 1.0 + min(1.0, share))]


def failing_carrier(symptoms: Symptoms) -> tuple[str, list[Reason]]:
    """What carries services, where most of the new trouble in the logs is about it."""
    carrier, telling, share = carrier_of(symptoms)
    if not carrier:
        return "", []
    said = f"“{telling[0].text[:120]}”: {carrier}, {share:.0%} of what is new in the logs"
    return carrier, [Reason(said, 1.2 + 1.5 * share)]


def first_mover(symptoms: Symptoms) -> tuple[str, list[Reason]]:
    """What is none of the services and moved no later than they did."""
    if not (moved := platform_moves(symptoms)):
        return "", []
    thing = moved[0].series
    said = f"{thing.metric} of {thing.service}, which is none of the services, moved first"
    return thing.service, [Reason(said, 1.2)]


def failing_place(symptoms: Symptoms) -> tuple[str, list[Reason]]:
    """The one machine or place that carries what moved."""
    part = symptoms.incident.part
    if part is None or part.label not in PLACES:
        return "", []
    name = f"{part.label} {part.value}"
    rollouts = [r for r in symptoms.incident.releases if abs(symptoms.onset - r.at.timestamp()) <= HOUR_S]
    weight = 0.5 if rollouts else 2.0  # a rollout may have reached this place alone
    return name, [Reason(f"{part.share:.0%} of it is in {name}", weight * part.share)]


def nearest_notice(symptoms: Symptoms) -> tuple[Notice | None, list[Reason]]:
    """What others told of trouble nearest to the onset, within an hour of it."""
    apart = {
        n: abs(symptoms.onset - n.at.timestamp())
        for n in symptoms.incident.notices
        if n.at is not None and is_trouble(n)
    }
    near = [n for n in apart if apart[n] <= HOUR_S and not (n.is_event and is_after(n, symptoms.onset))]
    if not near:
        return None, []
    closest = min(near, key=lambda n: apart[n])
    same = len(text_stems(" ".join(n.text for n in near)) & set(symptoms.words)) >= SAME_WORDS
    weight = (1.5 if same else 0.5) + 1.5 * math.exp(-apart[closest] / NEAR_S)
    return closest, [Reason(f"{closest.source} tells: {closest.text[:160]}", weight)]


def is_after(notice: Notice, onset: float) -> bool:
    """Whether something began after an onset: it may be what the trouble did."""
    return notice.at is not None and notice.at.timestamp() > onset + EXACT_S


def together(symptoms: Symptoms) -> list[Reason]:
    """That services are ill which do not call each other."""
    ill, calls = symptoms.ill, symptoms.incident.calls
    apart = [s for s in ill if not any(a == s and b in ill for a, b in calls)]
    if len(apart) < 2:
        return []
    return [Reason(f"{len(apart)} services that do not call each other are ill", 0.4 * min(4, len(apart) - 1))]


def platform_moves(symptoms: Symptoms) -> list[Move]:
    """Series of what is neither deployed nor called (nodes, resolvers, jobs) that moved no later than ours."""
    incident = symptoms.incident
    ours = own_services(symptoms) | {s for call in incident.calls for s in call}
    return [m for m in symptoms.moves if m.series.service not in ours and m.at <= symptoms.onset + 60]


def own_services(symptoms: Symptoms) -> set[str]:
    """The services that changes are made of."""
    incident = symptoms.incident
    ours = {r.service for r in incident.releases} | {f.service for f in incident.flags} | {incident.alert.service}
    return ours | {s for c in incident.commits for s in services_of(incident, c)}


def carrier_of(symptoms: Symptoms) -> tuple[str, list[LogPattern], float]:
    """What carries services and is what most of the new trouble in the logs is about; its patterns and their share."""
    total = max(1, sum(p.grown_by for p in symptoms.trouble))
    best: tuple[str, list[LogPattern], float] = ("", [], 0.0)
    for name, words in INFRASTRUCTURE.items():
        said = {p: len(words & set(re.findall(r"[a-z0-9]+", p.text.lower()))) for p in symptoms.trouble}
        telling = sorted((p for p in said if said[p]), key=lambda p: -said[p])
        share = max(sum(p.grown_by for p in telling) / total, len(telling) / max(1, len(symptoms.trouble)))
        if share >= CARRIED_SHARE and share > best[2]:
            best = (name, telling, share)
    return best


QUIET = frozenset("operational operating-normally ok healthy resolved completed up none info".split())


def is_trouble(notice: Notice) -> bool:
    """Whether a notice tells of trouble."""
    return notice.status not in QUIET and not notice.status.startswith(("operat", "normal", "resolv"))


RECORD = "a record"
INFRASTRUCTURE = {
    "name resolution": frozenset("lookup nxdomain servfail enotfound coredns resolver dns getaddrinfo".split()),
    "a certificate": frozenset("x509 certificate tls expired handshake".split()),
    "a disk": frozenset("enospc disk inode volume pvc".split()),
    "a node": frozenset("node notready evicted kubelet preempted cordoned taint unschedulable".split()),
    "a quota": frozenset("quota limitexceeded".split()),
    RECORD: frozenset("record_id poison malformed corrupt redelivering offset unparsable dlq".split()),
}
"""What carries services, by the words of its trouble in logs."""
