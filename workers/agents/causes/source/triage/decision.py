"""The decision on each alert: page, or suppress, with why and how sure; one page for each incident."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workers.agents.causes.source.triage.batch import AlertBatch, FiredAlert
from workers.agents.causes.source.triage.rules import RULES, Case, Reason
from workers.language.alert_labels import gravity

ONE_INCIDENT_S = 3_600.0
"""Alerts that are farther apart are not of one incident, once the earlier one cleared."""
SAME_TIME_S = 180.0
"""Within this the order of alerts is that of their monitors, not of what failed: the gravest is paged."""
DUPLICATE_WEIGHT = -4.0


@dataclass(frozen=True)
class Decision:
    """What is done about an alert. ``duplicate_of``: the id of the alert that is paged for the same incident;
    ``confidence``: one half to one, that it is right."""

    alert: FiredAlert
    pages: bool
    reasons: tuple[Reason, ...]
    confidence: float
    duplicate_of: str = ""

    @property
    def deciding(self) -> tuple[Reason, ...]:
        """What speaks for the decision, the weightiest first."""
        sign = 1 if self.pages else -1
        return tuple(sorted((r for r in self.reasons if r.weight * sign > 0), key=lambda r: -abs(r.weight)))

    @property
    def against(self) -> tuple[Reason, ...]:
        """What speaks for the other one, the weightiest first."""
        return tuple(sorted((r for r in self.reasons if r not in self.deciding), key=lambda r: -abs(r.weight)))


def triage(batch: AlertBatch) -> tuple[Decision, ...]:
    """The decision on every alert, in the order of the batch."""
    decisions = [decide(Case(alert, batch)) for alert in batch.alerts]
    for group in incidents_of([d for d in decisions if d.pages], batch):
        root = root_of([d.alert for d in group])
        for one in group:
            if one.alert is not root:
                place = next(i for i, known in enumerate(decisions) if known is one)
                decisions[place] = duplicate(one, root)
    return tuple(decisions)


def decide(case: Case) -> Decision:
    """The decision on an alert by itself."""
    reasons = tuple(reason for rule in RULES for reason in rule(case))
    score = sum(r.weight for r in reasons)
    return Decision(case.alert, score > 0, reasons, 1 / (1 + math.exp(-abs(score))))


def incidents_of(decisions: Sequence[Decision], batch: AlertBatch) -> list[list[Decision]]:
    """The decisions that are of one incident: their log lines of trouble, or their metric, are the same, and they came
    soon after each other."""
    groups: list[list[Decision]] = []
    for one in sorted(decisions, key=lambda d: d.alert.at or 0.0):
        joined = next((g for g in groups if any(are_one(one.alert, other.alert, batch) for other in g)), None)
        if joined is None:
            groups.append([one])
        else:
            joined.append(one)
    return groups


def are_one(one: FiredAlert, other: FiredAlert, batch: AlertBatch) -> bool:
    """Whether two alerts that are worth a page tell of the same failure."""
    pattern = batch.pattern_by_id.get(one.pattern)
    alike = one.key == other.key or (one.pattern == other.pattern and pattern is not None and pattern.negative)
    first, second = sorted((one, other), key=lambda a: a.at or 0.0)
    return alike and (first.resolved_after_s is None or (second.at or 0.0) - (first.at or 0.0) <= ONE_INCIDENT_S)


def root_of(alerts: Sequence[FiredAlert]) -> FiredAlert:
    """The alert that is paged for all: the first; of those that came with it the gravest."""
    first = min(a.at or 0.0 for a in alerts)
    early = [a for a in alerts if (a.at or 0.0) - first <= SAME_TIME_S]
    return min(early, key=lambda a: (gravity(a.severity), a.at or 0.0))


def duplicate(one: Decision, root: FiredAlert) -> Decision:
    """The decision turned round: somebody is paged for the same incident."""
    pattern = "log lines" if one.alert.pattern == root.pattern else "metric"
    why = Reason(f"its {pattern} are those of {root.id}, for which somebody is paged", DUPLICATE_WEIGHT)
    if pattern == "metric":
        why = Reason(f"{root.id} is the same alert, for which somebody is paged", DUPLICATE_WEIGHT)
    return replace(one, pages=False, reasons=(why, *one.reasons), duplicate_of=root.id)
