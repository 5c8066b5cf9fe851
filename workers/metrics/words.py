"""PURE. Words of the field in metric names, label names and label values: what they say of a metric's meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+[a-z]*")

TIME_UNITS = {
    **dict.fromkeys(("second", "sec"), 1.0),
    **dict.fromkeys(("millisecond", "milli", "ms", "msec"), 1e-3),
    **dict.fromkeys(("microsecond", "micro", "us", "usec"), 1e-6),
    **dict.fromkeys(("nanosecond", "nano", "ns", "nsec"), 1e-9),
}
SIZES = frozenset("byte octet bit kilobyte megabyte size length payload row item record batch age".split())
LATENCY = frozenset(
    "latency duration dur time timer timing elapsed delay took rt rtt response handling processing wait roundtrip lag "
    "runtime".split()
)
TRAFFIC = frozenset(
    "request req call hit query invocation operation op transaction txn tx message handled served processed response "
    "event rps qps rpc http grpc job command completed finished order visit throughput execution".split()
)
ERRORS = frozenset(
    "error err fail failed failing failure exception fault rejected rejection refused refusal aborted abort timeout "
    "panic crash crashed dropped unsuccessful broken bad fatal 5xx 500 ko nok nack unavailable problem denied declined "
    "lost discarded invalid unhealthy dead incomplete incident mistake undelivered unprocessed oops defect".split()
)
SUCCESS = frozenset("success successful succeeded ok good completed passed ack acked".split())
SATURATION = frozenset(
    "utilization utilisation utilized usage used busy load saturation saturated occupancy pool queue queued depth "
    "backlog lag pending waiting inflight flight active thread concurrency concurrent connection cpu memory mem heap "
    "rss full fullness capacity slot worker throttled disk limit resident quota fd goroutine free available "
    "idle".split()
)
LIMITS = frozenset("max limit capacity size maximum total quota allowed ceiling".split())
CONFIGURED = frozenset("config configured spec setting concurrency parallelism".split())  # numbers that somebody chose
IN_USE = frozenset("used active busy inuse use current acquired open taken checked occupied".split())
FREE = frozenset("free idle available unused remaining headroom".split())
CACHE = frozenset("cache cached memo".split())
DEPENDENCY = frozenset(
    "db database sql query client upstream downstream outbound outgoing external backend dependency remote egress "
    "peer store storage statement table third partner".split()
)
MONITORING = frozenset(
    "scrape gc exporter alert alertmanager rule tsdb metric telemetry collector process go python ruby jvm build info "
    "created start clock up".split()
)
SHARES = frozenset("ratio fraction share percent percentage pct utilization utilisation proportion".split())
PERCENTS = frozenset("percent percentage pct".split())
RATES = frozenset("rps qps rate".split())


@lru_cache(maxsize=8_192)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a name in lower case and singular, in order."""
    return tuple(singular(w.lower()) for w in CAMEL.findall(text.replace("_", " ")))


def singular(word: str) -> str:
    """A word without the ending of the plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us")):
        return word[:-1]
    return word


def has(words: Iterable[str], vocabulary: frozenset[str]) -> int:
    """How many of some words belong to a vocabulary."""
    return len(vocabulary.intersection(words))


def time_factor(words: Iterable[str]) -> float | None:
    """Seconds in the unit of time that stands among some words; None when none does."""
    return next((TIME_UNITS[w] for w in words if w in TIME_UNITS), None)
