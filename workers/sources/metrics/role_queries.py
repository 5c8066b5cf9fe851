"""Ways to read a role on a server, and the PromQL that they are made of."""

from __future__ import annotations

from dataclasses import dataclass

from workers.sources.metrics.catalogue import Unit
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.name_words import singular


@dataclass(frozen=True)
class RoleQuery:
    """A way to read a role: PromQL with its title and unit. ``name`` is given where it is not the role's own."""

    score: float
    text: str
    title: str
    unit: Unit
    name: str = ""
    worse: str = "up"
    floor: float | None = None


def rated(name: str, fixed: str = "") -> str:
    """A counter's rate, summed."""
    return f"sum by ({{by}}) (rate({name}{{{fixed}{{filter}}}}[{{rate}}]))"


def counter_of(family: Family) -> tuple[str, str]:
    """The counter of how often something happened, with labels that single it out."""
    if family.kind == "counter" or family.probe.endswith("_count"):
        return family.probe, ""
    if family.probe.endswith("_bucket"):
        return family.probe, 'le="+Inf",'
    return f"{family.name}_count", ""


def share_of(bad: str, whole: str) -> str:
    """A ratio that is zero, not missing, where nothing was bad."""
    return f"({bad} or 0 * {whole}) / {whole}"


def scaled(text: str, factor: float) -> str:
    """An expression in the base unit."""
    return (
        text if factor == 1 else f"({text}) / {round(1 / factor)}" if "/" in text else f"{text} / {round(1 / factor)}"
    )


def worded(quantile: float) -> str:
    """A quantile as people say it."""
    return "median" if quantile == 0.5 else f"p{quantile * 100:g}"


def spoken(family: Family) -> str:
    """A family's name as words."""
    drop = {"total", "second", "byte", "ratio"} if len(family.words) > 2 else set()
    return " ".join(w for w in family.name.replace(":", "_").split("_") if w and singular(w) not in drop)
