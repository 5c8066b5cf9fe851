"""What went wrong, where and when: the series that moved, the log lines that are new, the calls that fail."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from workers.agents.causes.source.failure_chain import FailureChain, costly_callees, failure_chain
from workers.agents.causes.source.incident import Incident, LogPattern
from workers.agents.causes.source.onset import Move, find_move
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS
from workers.language.tokens import split_identifier
from workers.sources.metrics.name_words import DEPENDENCY
from workers.sources.traces.span import Span

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]+")
MASK = re.compile(r"<\w+>")
"""What stands for the part of a log pattern that differs from line to line."""
LOAD = frozenset(
    "rps qps requests_per_sec request_rate requests_per_second requests_total throughput request_rate_rps".split()
)
"""Names of series that count what is asked of a service."""
IDENTIFIER = re.compile(r"\b[A-Za-z]+_\w{3,}\b|\b[a-z]+[A-Z]\w{4,}\b|\b[A-Z][a-z]+[A-Z]\w{3,}\b")
FAULT = re.compile(
    r"(?i)\bpanic|fatal error|traceback|null ?pointer|nil pointer|undefined|TypeError|KeyError|segfault|concurrent map|"
    r"does not exist|assertion"
)
TIMED = re.compile(r"duration|latency|response_time")
EARLY_S = 900.0
"""Moves so long before the alert's own are other stories."""


@dataclass(frozen=True)
class Symptoms:
    """What is wrong. ``onset``: epoch seconds of the first sign; ``moves``: series that left their range, first ones
    first."""

    incident: Incident
    moves: tuple[Move, ...]
    onset: float

    @property
    def has_onset(self) -> bool:
        """Whether anything says when it began."""
        return math.isfinite(self.onset)

    @cached_property
    def trouble(self) -> tuple[LogPattern, ...]:
        """Log patterns that tell of trouble and came with it, the most frequent first."""
        found = [p for p in self.incident.patterns if p.trouble and p.is_new]
        return tuple(sorted(found, key=lambda p: -p.grown_by))

    @cached_property
    def failing_spans(self) -> tuple[Span, ...]:
        """Calls that failed, or that took long and called nobody."""
        called = {(s.trace_id, s.parent_id) for s in self.incident.spans}
        leaves = [s for s in self.incident.spans if s.key not in called]
        slow = sorted(leaves, key=lambda s: -s.duration_ms)[:3]
        return tuple({s.key: s for s in (*(s for s in self.incident.spans if s.error), *slow)}.values())

    @cached_property
    def deepest_failures(self) -> tuple[Span, ...]:
        """The calls that failed and in which no other call failed."""
        above = {(s.trace_id, s.parent_id) for s in self.incident.spans if s.error}
        return tuple(s for s in self.incident.spans if s.error and s.key not in above)

    @cached_property
    def ill(self) -> dict[str, float]:
        """The services that show signs, with when each first did; those of logs alone at the onset."""
        found: dict[str, float] = {}
        for move in self.moves:
            if not is_load(move.series.metric):
                found[move.series.service] = min(found.get(move.series.service, math.inf), move.at)
        for pattern in self.trouble:
            found.setdefault(pattern.service, self.onset)
        return found

    @cached_property
    def words(self) -> Counter[str]:
        """The stems of everything that tells of the trouble, each as often as sources hold it."""
        alert = self.incident.alert
        texts = [alert.metric, alert.summary, *(p.text for p in self.trouble)]
        texts += [m.series.metric for m in self.moves if m.series.service in {alert.service, self.first}]
        texts += [span_text(s) for s in self.failing_spans]
        return Counter(w for text in texts for w in text_stems(text))

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Names of code that the trouble in logs and failing calls names."""
        texts = [p.text for p in self.trouble] + [span_text(s) for s in self.failing_spans if s.error]
        return frozenset(name for text in texts for name in IDENTIFIER.findall(text))

    @cached_property
    def program_fault(self) -> str:
        """A new line of the logs that tells of a fault of a program; empty when there is none."""
        return next((p.text for p in self.trouble if FAULT.search(p.text)), "")

    @cached_property
    def chain(self) -> FailureChain:
        """What failed first, and who failed by it."""
        return failure_chain(self.incident, self.ill)

    @cached_property
    def costly(self) -> tuple[str, ...]:
        """Where the time is spent that was added to calls of the alert's service, the likeliest first."""
        loads = {s.service: fmean(s.values) for s in self.incident.series if is_load(s.metric) and len(s.values)}
        slower = {m.series.service: m for m in self.moves if m.rose and TIMED.search(m.series.metric.lower())}
        costs = {name: (m.farthest - m.usual) * loads.get(name, 1.0) for name, m in slower.items()}
        return costly_callees(self.incident.calls, costs, self.incident.alert.service)

    @property
    def first(self) -> str:
        """What failed first."""
        return self.chain.origin

    @cached_property
    def entries(self) -> set[str]:
        """Services that nobody calls, as far as is known."""
        called = {b for _, b in self.incident.calls}
        return {s for s in self.incident.services if s not in called}


def read_symptoms(incident: Incident) -> Symptoms:
    """What is wrong by all that is known of an incident."""
    fired = incident.alert.at.timestamp() if incident.alert.at else math.inf
    moves = sorted(filter(None, (find_move(s, fired) for s in incident.series)), key=lambda m: m.at)
    own = [m for m in moves if m.series.service == incident.alert.service]
    alerting = min((m.at for m in own if m.series.metric == incident.alert.metric), default=math.inf)
    near = [m.at for m in own if m.at <= fired and (math.isinf(alerting) or m.at >= alerting - EARLY_S)]
    onset = min(near, default=min((m.at for m in moves if m.at <= fired), default=fired))
    return Symptoms(incident, tuple(m for m in moves if m.at >= onset - EARLY_S), onset)


def span_text(span: Span) -> str:
    """What a span tells: its name and attributes."""
    return " ".join((span.name, *(f"{name} {value}" for name, value in span.attributes.items())))


def is_load(metric: str) -> bool:
    """Whether a series counts what is asked of a service, not what it asks of others."""
    name = metric.lower()
    if DEPENDENCY & set(re.findall(r"[a-z]+", name)):
        return False
    return any(word in name for word in LOAD) and "error" not in name and "fail" not in name


def text_stems(text: str) -> set[str]:
    """The stems of a text that say something, names split into their words."""
    plain = MASK.sub(" ", text)
    found = {stem(part.lower()) for name in NAME.findall(plain) for part in (name, *split_identifier(name))}
    return {w for w in found if len(w) > 2 and w not in STOP_WORDS and w not in COMMON}


def spellings(text: str) -> dict[str, str]:
    """Each stem of a text as the text spells it."""
    return {stem(p.lower()): p.lower() for name in NAME.findall(text) for p in (name, *split_identifier(name))}


COMMON = frozenset(
    stem(w) for w in "service http error request status code level above below over failed observed for ratio".split()
)


def inverse_frequency(texts: Iterable[set[str]]) -> dict[str, float]:
    """How telling each word is: high for one that few of some texts hold."""
    counted: Counter[str] = Counter()
    total = 0
    for words in texts:
        total += 1
        counted.update(words)
    return {w: math.log((1 + total) / n) for w, n in counted.items()}
