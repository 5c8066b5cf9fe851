"""The faults a demo can have. Each is a well-meant change in a folder of its own under ``faults/``."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "faults"
DEFAULT = "cache_never_hits"
EARLIEST_MINUTE, LATEST_MINUTE = 8 * 60, 18 * 60


@dataclass(frozen=True)
class Effect:
    """What the fault does to one signal (see `examples.shop.signals`).

    ``to`` is the level it reaches ``ramp_minutes`` after it begins, which is ``lead_minutes`` before the
    endpoint's onset. A ``fixed`` level is the same for every
    seed and at every hour: a limit that is hit.
    """

    signal: str
    key: str
    to: float
    lead_minutes: int = 0
    ramp_minutes: int = 2
    fixed: bool = False


@dataclass(frozen=True)
class FiringAlert:
    """An alert of the tree's rules that the fault sets off, active ``after_minutes`` from the onset."""

    name: str
    labels: tuple[tuple[str, str], ...]
    after_minutes: int = 1


@dataclass(frozen=True)
class Fault:
    """One fault. ``deploy_minute`` is the minute of the day (UTC), ``strength`` scales its effects."""

    kind: str
    endpoint: str
    subject: str
    body: str
    author: str
    deploy_minute: int
    onset_minutes: int
    version: str
    files: tuple[str, ...]
    runbook: str
    alerts: tuple[FiringAlert, ...]
    effects: tuple[Effect, ...]
    strength: float = 1.0
    neighbour_after: bool = False

    def level(self, effect: Effect, base: float) -> float:
        """The level an effect that is not fixed reaches from ``base``, at this fault's strength."""
        return base * math.exp(self.strength * math.log(effect.to / base))

    def contents(self) -> dict[str, str]:
        """The changed files: path in the tree -> text."""
        folder = FOLDER / self.kind / "tree"
        return {path: (folder / path).read_text(encoding="utf-8") for path in self.files}


def fault_kinds() -> tuple[str, ...]:
    """All kinds, in alphabetical order."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/fault.yaml")))


def load_fault(kind: str) -> Fault:
    """Read ``faults/<kind>/fault.yaml``."""
    raw: dict[str, Any] = yaml.safe_load((FOLDER / kind / "fault.yaml").read_text(encoding="utf-8"))
    hour, minute = map(int, raw.pop("at").split(":"))
    alerts = tuple(
        FiringAlert(a["name"], tuple(sorted(a["labels"].items())), a.get("after_minutes", 1)) for a in raw.pop("alerts")
    )
    effects = tuple(Effect(**effect) for effect in raw.pop("effects"))
    files = tuple(raw.pop("files"))
    return Fault(kind=kind, deploy_minute=hour * 60 + minute, alerts=alerts, effects=effects, files=files, **raw)


def draw_fault(seed: int) -> Fault:
    """The fault of a seed. Seed 0 is the default, as its file describes it.

    Other seeds choose the kind, move the deploy by up to 90 minutes within 08:00 to 18:00, and vary how long the
    effect takes to show, how strong it is, and on which side of the deploy a neighbour deploys.
    """
    if seed == 0:
        return load_fault(DEFAULT)
    rng = random.Random(seed)  # noqa: S311 - a demo, not a secret
    fault = load_fault(rng.choice(fault_kinds()))
    minute = fault.deploy_minute + rng.randint(-90, 90)
    lead = max(effect.lead_minutes for effect in fault.effects)
    return replace(
        fault,
        deploy_minute=min(max(minute, EARLIEST_MINUTE), LATEST_MINUTE),
        onset_minutes=max(rng.randint(1, 4), lead + 1),
        strength=rng.uniform(0.85, 1.12),
        neighbour_after=rng.random() < 0.5,
    )
