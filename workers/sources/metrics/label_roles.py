"""What part a label plays - endpoint, service, instance, version, region, status - by its values, helped by its
name; and which values of a status say that something failed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from workers.sources.metrics.name_words import ERRORS, SUCCESS, tokens

NAMES: Mapping[str, frozenset[str]] = {
    "status": frozenset(
        "status code outcome result success ok state verdict disposition class error exit rc ending fate".split()
    ),
    "version": frozenset("version release build revision rev tag image sha commit".split()),
    "instance": frozenset("pod instance host hostname node replica container task machine server worker shard".split()),
    "region": frozenset("region zone az dc datacenter location site cell".split()),
    "endpoint": frozenset(
        "endpoint route path uri url handler operation op action resource view api rpc page procedure method".split()
    ),
    "service": frozenset("service svc app application component job system module workload program".split()),
}
VALUES: Mapping[str, re.Pattern[str]] = {
    "status": re.compile(
        r"[1-5]\d\d|[1-5]xx|(?i:ok|success|successful|succeeded|error|err|fail|failed|failure|timeout|timed[_ -]?out|"
        r"exception|ko|nok|true|false|good|bad|completed|aborted|cancell?ed|rejected|client_error|server_error|"
        r"unavailable|internal|deadline_?exceeded|not_?found|unknown)"
    ),
    "verb": re.compile(r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|CONNECT|TRACE"),
    "region": re.compile(r"(?:us|eu|ap|sa|ca|af|me|il|asia|europe|australia|(?:north|south)america)-[a-z]+-?\d[a-z]?"),
    "endpoint": re.compile(r"(?:[A-Z]+ )?/\S*|[\w.]+/\w+|https?://\S+"),
    "version": re.compile(r"[vr]?\d+\.\d+(\.\d+)*([-+.]\w+)*|[vr]\d+|(?=[0-9a-f]*\d)[0-9a-f]{7,40}|\d{8}([-.]\w+)?"),
    "instance": re.compile(
        r"[\w.-]+:\d{2,5}|\d+\.\d+\.\d+\.\d+|[a-z0-9-]+-[a-z0-9]{4,10}-[a-z0-9]{4,6}|[a-z][\w.-]*?[-_.]?\d{1,4}"
    ),
}
CLEARLY = re.compile(
    r"(?i)ok|success\w*|succeeded|complete\w*|passed|done|served|handled|accepted|delivered|green|clean"
)
NEUTRAL = re.compile(r"(?i)hit|miss|retr\w*|skip\w*|pending|partial|cached|queued|running|redirect\w*|none|")
QUANTILE = re.compile(r"0?\.(\d{1,4})|(?i:p|q|pct|perc|percentile_?)_?(\d{2,4})|(\d{2})(?:th|%)")
BESIDE = re.compile(r"(?i)avg|mean|average|max|min|std\w*|count|sum|[01](\.0)?|p100")
MOST_OUTCOMES = 12
HIT, MISS = frozenset({"hit"}), frozenset({"miss", "missed"})
GRPC_BAD = ("2", "4", "8", "13", "14", "15")
WORD_BAD = (
    r"(?i).*(error|err|fail|timeout|timed.?out|exception|unavailable|internal|deadline|unknown|data.?loss|abort|crash|"
    r"refused|rejected|panic|fault|broken|shed|overload|oops|lost|drop|dead|unhealthy|defect|wrong).*|"
    r"ko|nok|nack|bad|5\d\d|5xx"
)
NOT_OURS = re.compile(r"(?i)client|4\d\d|4xx|cancel|invalid|not.?found|denied|unauth")
FINE = re.compile(
    r"(?i)[123]\d\d|[123]xx|ok|success\w*|succeeded|good|complete\w*|true|false|pass\w*|done|fine|"
    r"normal|served|handled|accepted|delivered|green|ack\w*|clean|0"
)


@lru_cache(maxsize=4_096)
def part_of(label: str, values: tuple[str, ...]) -> str:
    """The part that a label plays, or ""; the values decide, the name helps.

    Args:
        label: its name.
        values: those that it has.
    """
    if label in {"le", "quantile", "vmrange"} or ranked(values):
        return "within"
    words = frozenset(tokens(label))
    names = [p for p, known in NAMES.items() if known & words]
    shown = [p for p, pattern in VALUES.items() if values and all(pattern.fullmatch(v) for v in values)]
    named = max(names, key=lambda p: share(p, values), default="")  # a region_code is no status
    if "verb" in shown:
        return "verb"
    if shown and shown[0] == "status" and (named == "status" or any(not re.fullmatch(r"\w*\d{3}", v) for v in values)):
        return "status"
    if named == "status" and any(re.fullmatch(WORD_BAD, v) or FINE.fullmatch(v) for v in values):
        return "status"
    if not named and 2 <= len(values) <= MOST_OUTCOMES and any(CLEARLY.fullmatch(v) for v in values):
        return "status"
    if named and (named in shown or not shown or named in {"service", "instance"}):
        return named
    if "endpoint" in shown:
        return "endpoint"
    if named:
        return named
    return next((p for p in shown if p != "status"), "status" if shown else "")


def ranked(values: Sequence[str]) -> bool:
    """Whether the values of a label are quantiles, perhaps beside a mean and extremes."""
    told = [q for q in map(quantile_said, values) if q is not None]
    return len(told) >= 2 and min(told) > 0 and all(quantile_said(v) is not None or BESIDE.fullmatch(v) for v in values)


def quantile_said(value: str) -> float | None:
    """The quantile that a value names: 0.95, p95, 95th, median; None when it does not."""
    found = QUANTILE.fullmatch(value)
    if found:
        return float(f"0.{found[1] or found[2] or found[3]}")
    return 0.5 if value.lower() == "median" else None


def share(part: str, values: tuple[str, ...]) -> float:
    """How many of the values look like those of a part, 0 to 1."""
    pattern = VALUES.get(part)
    return sum(bool(pattern.fullmatch(v)) for v in values) / len(values) if pattern and values else 0.0


@lru_cache(maxsize=4_096)
def failing(label: str, values: tuple[str, ...]) -> str | None:
    """A regular expression for the values of a status that say that something failed on the serving side.

    Returns: None when the values do not tell what failed.
    """
    words, seen = frozenset(tokens(label)), set(values)
    lower = {v.lower() for v in seen}
    if lower <= {"true", "false"}:
        wrong = "true" if words & ERRORS else "false"
        return f"(?i){wrong}" if words & (ERRORS | {"success", "ok", "succeeded", "successful"}) else None
    if lower <= {"0", "1"}:
        return "0" if words & SUCCESS else "1" if words & (ERRORS | {"exit", "code", "rc", "status"}) else None
    if all(re.fullmatch(r"[1-5]\d\d|[1-5]xx|0", v) for v in seen):
        return "5.*" if seen else None
    if all(re.fullmatch(r"\d|1[0-6]", v) for v in seen) and "0" in seen:
        return "|".join(GRPC_BAD)
    bad = sorted(v for v in seen if re.fullmatch(WORD_BAD, v) and not NOT_OURS.search(v))
    fine = [v for v in seen if FINE.fullmatch(v)]
    if not bad and not fine:
        return None
    if not bad and any(CLEARLY.fullmatch(v) for v in fine):
        bad = sorted(v for v in seen - set(fine) if not NOT_OURS.search(v) and not NEUTRAL.fullmatch(v))
    return "|".join(re.escape(v).replace(r"\-", "-").replace(r"\ ", " ") for v in bad) if bad else WORD_BAD


def telling(label: str, values: Sequence[str]) -> bool:
    """Whether a label tells hits of a cache from misses."""
    lower = {v.lower() for v in values}
    return bool(label) and bool(lower & HIT) and bool(lower & MISS)
