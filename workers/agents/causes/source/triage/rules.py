"""What speaks for paging somebody for an alert and what for suppressing it; each rule reads one kind of evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from workers.agents.causes.source.triage.batch import AlertBatch, AlertPattern, Change, FiredAlert, name_words
from workers.agents.causes.source.triage.trajectory import UNKNOWN, Trajectory, follow, left_its_level
from workers.language.environment_labels import PRODUCTION, kind_of

FLAPPING_FIRES = 5
"""So often in an hour an alert flaps."""
SURGE_PCT, CALM_PCT = 100.0, 25.0
"""Log lines that grew by so much surge; by less than this they are as usual."""
NEAR, FAR = 1.1, 2.0
"""So many times its threshold a value is hardly beyond it, and far beyond."""
BOUNDED = 1.3
"""A level that is kept and no more than so many times its threshold may be the new usual one."""
FULL_PCT, ROOM_PCT = 95.0, 10.0
"""From here on a percentage is as good as full; so far from full there is room."""
FULL_SOON_MIN = 240.0
RECENT_CHANGE_S = 5_400.0
SPENDING = frozenset("cost costs spend spending budget usd token tokens".split())
"""Words of metrics that count what is used up or paid, not whether anything works."""
BUILDS, TESTS = frozenset({"ci", "e2e"}), frozenset({"test", "tests"})
"""Words of what builds and tries software."""
SERVES_USERS = frozenset({"canary", "integration", "integrations"})
"""Words that name an environment elsewhere, and in a service's name one that users reach."""
RELIABILITY = frozenset("error errors failure failures latency burn".split())


@dataclass(frozen=True)
class Reason:
    """One piece of evidence: above zero it speaks for a page, below for suppressing; as log-odds."""

    text: str
    weight: float


@dataclass(frozen=True)
class Case:
    """An alert among all that is known."""

    alert: FiredAlert
    batch: AlertBatch

    @cached_property
    def pattern(self) -> AlertPattern | None:
        """Its log lines."""
        return self.batch.pattern_by_id.get(self.alert.pattern)

    @cached_property
    def trajectory(self) -> Trajectory:
        """What its metric did after it fired."""
        series, alert = self.batch.series_of(self.alert), self.alert
        if series is None or alert.at is None or alert.threshold is None:
            return UNKNOWN
        until = self.batch.next_fire(alert)
        return follow(series, alert.at, alert.value, alert.threshold, alert.below, until)

    @cached_property
    def is_percentage(self) -> bool:
        """Whether its metric is full at a hundred."""
        return bool(name_words(self.alert.metric) & {"pct", "percent", "utilization"}) and not self.alert.below

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What was changed on its service shortly before, or is being worked on."""
        alert, found = self.alert, []
        for change in self.batch.changes:
            own = alert.service in change.services or bool(alert.release and alert.release == change.name)
            own = own or bool(alert.pattern and alert.pattern == change.pattern)
            end = change.until if change.until is not None else change.at + RECENT_CHANGE_S
            if own and alert.at is not None and change.at <= alert.at <= end:
                found.append(change)
        return tuple(found)


def number(value: float) -> str:
    """Three digits that count."""
    return f"{float(f'{value:.3g}'):,g}"


def weigh_trajectory(case: Case) -> Iterator[Reason]:
    """What the metric did after the alert."""
    alert, found = case.alert, case.trajectory
    first, last, worst = number(found.first), number(found.last), number(found.worst)
    threshold = number(alert.threshold) if alert.threshold is not None else ""
    if found.course == "ratchets":
        low = ", ".join(map(number, found.troughs))
        yield Reason(f"its lowest readings rise from cycle to cycle ({low}): it never comes back to where it was", 4.0)
    elif found.course == "climbs":
        yield Reason(f"it went from {first} to {last} and is still beyond {threshold}", 3.0)
    elif found.course == "stays":
        yield Reason(f"it is still at {last}, beyond {threshold}", 1.5)
    elif found.course == "falls":
        yield Reason(f"it fell from {worst} to {last} and goes on falling", -2.0)
    elif found.course == "recovered":
        yield Reason(f"it came back to {last}, within {threshold}", -3.5)
    elif found.course == "steady" and alert.threshold is not None:
        if is_bounded(case):
            yield Reason(f"it keeps level at {last}, little beyond {threshold}", -1.0)
        else:
            yield Reason(f"it stays at {last}, beyond {threshold}", 1.5)
    for series in case.batch.named_series(alert):
        moved = left_its_level(series)
        if series.metric != alert.metric and moved is not None:
            how = "left its level and did not come back" if moved else "is where it was"
            yield Reason(f"{series.metric} of {series.service} {how}", 1.5 if moved else -1.5)


def is_bounded(case: Case) -> bool:
    """Whether a level that is kept leaves room: little beyond the threshold, a percentage far from full."""
    last, threshold = case.trajectory.last, case.alert.threshold
    if threshold is None or not threshold or case.alert.below or last / threshold > BOUNDED:
        return False
    return not case.is_percentage or last <= 100.0 - ROOM_PCT


def weigh_limit(case: Case) -> Iterator[Reason]:
    """How near a percentage is to its end."""
    found = case.trajectory
    if not case.is_percentage or found.course in {"unknown", "recovered", "falls"} or is_spending(case):
        return
    if found.last >= FULL_PCT:
        yield Reason(f"it is as good as full: {number(found.last)} %", 1.0)
    elif found.is_worse and found.minutes_to_full <= FULL_SOON_MIN:
        yield Reason(f"at this pace it is full in {number(found.minutes_to_full)} minutes", 0.5)


def weigh_recurrence(case: Case) -> Iterator[Reason]:
    """Whether it clears by itself, and how often it fires."""
    alert, worse = case.alert, case.trajectory.is_worse
    if alert.resolved_after_s is not None:
        surging = case.pattern is not None and case.pattern.negative and case.pattern.growth_pct >= SURGE_PCT
        weight = -0.5 if worse else -2.0 if surging else -3.0
        yield Reason(f"it cleared by itself after {number(alert.resolved_after_s)} seconds", weight)
    else:
        yield Reason("it has not cleared", 1.0 if alert.fires > 1 else 1.5)
    if alert.fires >= FLAPPING_FIRES:
        yield Reason(f"it fired {alert.fires} times in an hour", -0.5 if worse else -2.0)


def weigh_pattern(case: Case) -> Iterator[Reason]:
    """What its log lines tell, and whether they grew."""
    pattern = case.pattern
    if pattern is None:
        return
    how = "grew" if pattern.growth_pct >= 0 else "fell"
    grown = f"“{pattern.text[:120]}” {how} by {number(abs(pattern.growth_pct))} %"
    if pattern.negative and pattern.growth_pct >= 0:
        yield Reason(f"trouble in the logs: {grown}", 2.0 if pattern.growth_pct >= SURGE_PCT else 1.0)
    elif pattern.growth_pct >= SURGE_PCT:
        yield Reason(f"many more log lines: {grown}", 0.5)
    elif pattern.growth_pct < CALM_PCT:
        yield Reason(f"the logs are as usual: {grown}", -1.0 if case.trajectory.is_worse else -2.0)


def weigh_size(case: Case) -> Iterator[Reason]:
    """How far beyond the threshold it fired."""
    value, threshold = case.alert.value, case.alert.threshold
    if value is None or not threshold or value == threshold:
        return
    times = threshold / max(value, 1e-12) if case.alert.below else value / threshold
    if times >= FAR:
        yield Reason(f"{number(value)} is far beyond {number(threshold)}", 0.5)
    elif times <= NEAR:
        yield Reason(f"{number(value)} is hardly beyond {number(threshold)}", -0.5)


def weigh_ownership(case: Case) -> Iterator[Reason]:
    """Whether somebody works on it already: the same log lines, or the same metric of the same service."""
    alert = case.alert
    for incident in case.batch.incidents:
        same = bool(alert.pattern) and alert.pattern == incident.pattern
        if same or alert.key == (incident.service, incident.metric):
            who = f", {incident.owner} works on it" if incident.owner else ""
            yield Reason(f"it is part of the open incident {incident.id}{who}", -8.0)
            return


def weigh_changes(case: Case) -> Iterator[Reason]:
    """Whether a deploy or planned work explains it, as far as that was said to go."""
    found, metric = case.trajectory, case.alert.metric
    calm = case.pattern is None or not case.pattern.negative
    explained = -1.0 if found.is_worse else -4.0
    for change in case.changes:
        limit = change.limit_of(metric)
        worst = max((v for v in (found.worst, case.alert.value) if v is not None and math.isfinite(v)), default=None)
        if limit is not None and worst is not None and not case.alert.below:
            if worst > limit:
                yield Reason(f"{number(worst)} is beyond the {number(limit)} that {change.name} was to reach", 2.0)
            else:
                yield Reason(
                    f"{number(worst)} is within the {number(limit)} that {change.name} was to reach", explained
                )
        elif change.until is not None:
            yield Reason(f"it fired during {change.name}, which is planned", explained)
            ended = (case.alert.at or 0.0) + found.minutes * 60 > change.until
            if ended and (found.is_worse or found.course in {"stays", "steady"}):
                yield Reason(f"{change.name} is over, and it is still at {number(found.last)}", 2.0)
        elif found.course == "steady" and calm:
            yield Reason(f"the level is new since {change.name}", -1.5)
        elif found.is_worse:
            yield Reason(f"it goes on getting worse since {change.name}", 0.5)


def weigh_place(case: Case) -> Iterator[Reason]:
    """Whether users can be hit: an environment that is not production, or a metric that counts spending. A name is
    weaker than a label: what is called a test may be one's product."""
    alert = case.alert
    named = (alert.environment, alert.service, alert.monitor)
    kinds = {kind_of(name) for name in named} - {""}
    words = {w for name in named for w in name_words(name)}
    trial = bool(kinds) and not words & SERVES_USERS
    if PRODUCTION not in kinds and (trial or words & BUILDS or name_words(alert.metric) & TESTS):
        labelled = kind_of(alert.environment) not in {"", PRODUCTION}
        yield Reason("it is of a place for trying things, where no users are", -8.0 if labelled else -5.0)
    if is_spending(case):
        yield Reason(f"{alert.metric} counts what is used up, not whether anything works", -5.0)


def is_spending(case: Case) -> bool:
    """Whether its metric counts what is used up or paid."""
    words = name_words(case.alert.metric)
    return bool(words & SPENDING) and not words & RELIABILITY and not case.alert.below


RULES: tuple[Callable[[Case], Iterator[Reason]], ...] = (
    weigh_trajectory,
    weigh_limit,
    weigh_recurrence,
    weigh_pattern,
    weigh_size,
    weigh_ownership,
    weigh_changes,
    weigh_place,
)
