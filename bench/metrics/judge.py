"""Whether an answer of metrics_query is right about a generated day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bench.metrics.dialects import Dialect
from bench.metrics.stage import Ask
from bench.metrics.world import STEP_S

NEAR_S = 2 * STEP_S
EARLY_S = 600  # a drift has no moment at which it begins
UNREAD = "not read in time"
SECONDS = {"s": 1.0, "seconds": 1.0, "ms": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class Row:
    """One question and what was right. A check that does not apply is absent."""

    scenario: str
    seed: int
    half: str
    dialect: str
    query: str
    checks: dict[str, bool]
    error_s: float | None
    took_s: float
    told: str
    notes: tuple[str, ...] = field(default=())


def judge(
    ask: Ask, dialect: Dialect, reply: Mapping[str, Any], usual: float | None
) -> tuple[dict[str, bool], float | None]:
    """Compare an answer with the truth.

    Args:
        ask: the question with its truth.
        dialect: how the server names things.
        reply: the JSON object.
        usual: median response time in seconds, for a question about latency.

    Returns: the checks by name, and how far the onset is off in seconds.
    """
    truth, checks = ask.truth, dict[str, bool]()
    named = f"{reply.get('promql') or ''} {reply.get('reason') or ''}"
    right = any(name in named for name in role_names(dialect, ask.metric))
    answered = reply.get("status") == "ok" or (truth.missing == "ended" and right and speaks_of_end(reply))
    checks["answered"] = answered
    checks["read in full"] = not any(UNREAD in str(g) for g in reply.get("gaps") or ())
    checks["metric"] = answered and right
    if ask.metric == "latency" and usual:
        checks["unit"] = answered and plausible(reply, usual)
    error = None
    if truth.quiet:
        if answered:  # what was not answered is counted above
            checks["no false alarm"] = not alarmed(reply)
    elif truth.ramp:
        checks["drift begin"] = answered and drifted(ask, reply)
    else:
        at = epoch((reply.get("onset") or {}).get("at"))
        error = at - truth.onset if at is not None and truth.onset is not None else None
        checks["onset"] = answered and error is not None and abs(error) <= NEAR_S
    if truth.direction:
        checks["direction"] = answered and direction_of(reply) == truth.direction
    if truth.culprit:
        checks["culprit"] = answered and (reply.get("culprit") or {}).get("value") in truth.culprit
    if truth.first:
        checks["first mover"] = answered and moved_first(ask, dialect, reply)
    if truth.missing:
        checks["missing told"] = tells_missing(ask, reply, answered=answered)
    return checks, error


def role_names(dialect: Dialect, role: str) -> tuple[str, ...]:
    """The server's names for what a question is about."""
    latency, traffic = dialect.latency, dialect.traffic.name
    total, count = latency.parts
    counts = tuple(filter(None, (traffic, latency.name + count, f"{latency.name}_bucket")))
    if role == "latency":
        return (latency.name if total == "_sum" else latency.name + total,)
    if role == "traffic":
        return counts
    if role == "errors":
        if dialect.errors.kind == "label":
            return counts if dialect.errors.timed else (traffic,)
        return (dialect.errors.name,)
    return (dialect.saturation.name,)


def epoch(text: Any) -> float | None:
    """RFC 3339 as epoch seconds."""
    return datetime.fromisoformat(text).timestamp() if isinstance(text, str) and text else None


def direction_of(reply: Mapping[str, Any]) -> str:
    """``rose``, ``fell`` or another word; by the change in percent where none is said."""
    said = reply.get("direction")
    if isinstance(said, str):
        return said
    change = reply.get("change_pct") or 0.0
    return "" if reply.get("onset") is None else "rose" if change > 0 else "fell"


def alarmed(reply: Mapping[str, Any]) -> bool:
    """Whether a change is claimed."""
    said = reply.get("direction") in {"rose", "fell"} and reply.get("moved", True) is not False
    return reply.get("onset") is not None or said


def drifted(ask: Ask, reply: Mapping[str, Any]) -> bool:
    """Whether a drift is noticed, and its onset, where one is given, lies in its first half or just before."""
    assert ask.truth.ramp is not None
    start, end = ask.truth.ramp
    at = epoch((reply.get("onset") or {}).get("at"))
    inside = at is None or start - EARLY_S <= at <= (start + end) / 2
    return inside and direction_of(reply) == ask.truth.direction


def plausible(reply: Mapping[str, Any], usual: float) -> bool:
    """Whether what was normal before is between the median and a high percentile, in the unit that is said."""
    value, scale = reply.get("baseline"), SECONDS.get(str(reply.get("unit")))
    if value is None:
        value = reply.get("current")
    return scale is not None and (value is None or usual / 2 <= value * scale <= usual * 12)


def moved_first(ask: Ask, dialect: Dialect, reply: Mapping[str, Any]) -> bool:
    """Whether the related metric of the right role has the right onset, and none is claimed to be earlier."""
    names = role_names(dialect, ask.truth.first)
    onsets = [(epoch(r.get("onset_at")), r) for r in reply.get("related") or ()]
    known = [(at, r) for at, r in onsets if at is not None]
    right = [
        at
        for at, r in known
        if (r.get("role") == ask.truth.first or any(n in f"{r.get('metric')} {r.get('promql')}" for n in names))
        and abs(at - ask.truth.first_onset) <= NEAR_S
    ]
    return bool(right) and all(at >= min(right) - NEAR_S for at, _ in known)


def speaks_of_end(reply: Mapping[str, Any]) -> bool:
    """Whether it says that there are no samples now."""
    return reply.get("status") in {"ok", "empty"} and (reply.get("current") is None or bool(reply.get("reason")))


def tells_missing(ask: Ask, reply: Mapping[str, Any], *, answered: bool) -> bool:
    """Whether missing samples, restarts and zeros are told from one another."""
    kind = ask.truth.missing
    if kind == "ended":
        return answered and speaks_of_end(reply) and not alarmed(reply)
    if not answered:
        return False
    values = [v for _, v in reply.get("series") or () if v is not None]
    if kind == "zero":
        current, top = reply.get("current"), max(values, default=0.0)
        return current is not None and current <= 0.02 * top
    if kind == "gap":
        told = [g for g in reply.get("gaps") or () if UNREAD not in str(g)]
        return bool(told or reply.get("reason")) and all(v > 0 for v in values) and not alarmed(reply)
    return all(v >= 0 for v in values) and not alarmed(reply)
