"""Counters of the service itself: what came in, how long it waited, what became of it.

No label carries a user, a thread, a channel or a request id.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from workers.errors import StoreUnavailable
from workers.telemetry.agent_metrics import AgentMetrics, render_with_rate

Outcome = Literal["ok", "ambiguous", "found", "busy", "refused"]

ACK_S = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2, 3, 5)
WAIT_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)
STAGE_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@dataclass(frozen=True)
class LedgerState:
    """What a scrape shows of the ledger: requests by stage, how many are open, and the age of the oldest of these."""

    counts: Mapping[str, int]
    open: int
    oldest_open_s: float


class ServiceMetrics:
    """The service's counters, with those of the agents when they are given.

    Args:
        agents: shown with these; both count in one registry. Processes that share a folder need not give them.
    """

    def __init__(self, agents: AgentMetrics | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = agents.registry if agents else CollectorRegistry()
        self.gauges: tuple[Collector, ...] = ()
        self.events = self.counter("events_total", "Slack events received, repeats included.", "kind")
        self.taken = self.counter("questions_accepted_total", "Questions and replies committed.", "kind")
        self.repeats = self.counter("events_repeated_total", "Questions that Slack delivered again.")
        self.refusals = self.counter("events_refused_total", "Questions and replies not committed.", "reason")
        self.turned = self.counter("turned_away_total", "HTTP requests that were not read.", "door", "reason")
        self.untold: Tally[tuple[str, str]] = Tally()
        self.acks = self.histogram("ack_seconds", "From receipt to acknowledgement.", ACK_S, "transport")
        self.finals = self.counter("requests_finished_total", "Requests by final state.", "state")
        self.waits = self.histogram("queue_wait_seconds", "From acceptance to the first claim.", WAIT_S)
        self.stages = self.histogram("stage_seconds", "Time in one stage.", STAGE_S, "stage")
        self.lost = self.counter("leases_lost_total", "Leases that ended before their work did.")
        self.failures = self.counter("stage_failures_total", "Failures of a stage.", "stage")
        self.posts = self.counter("posts_total", "Replies posted to Slack, by outcome.", "outcome")

    def counter(self, name: str, words: str, *labels: str) -> Counter:
        """A counter with the app's prefix."""
        return Counter(f"oracle_{name}", words, labels, registry=self.registry)

    def histogram(self, name: str, words: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        """A histogram of seconds with the app's prefix."""
        return Histogram(f"oracle_{name}", words, labels, buckets=buckets, registry=self.registry)

    # --- where events come in ---------------------------------------------------------------------------------

    def received(self, kind: str) -> None:
        """Slack delivered something: ``mention``, ``message``, ``edit``, ``command``, ``action``, ``submission`` …"""
        self.events.labels(kind).inc()

    def accepted(self, kind: str) -> None:
        """A question or a reply was committed."""
        self.taken.labels(kind).inc()

    def repeated(self) -> None:
        """A question was known already."""
        self.repeats.inc()

    def refused(self, reason: str) -> None:
        """A question was not committed: ``too_long``, ``too_often``, ``outsider``, ``off``, ``store_unavailable`` …"""
        self.refusals.labels(reason).inc()
        self.untold["Slack", reason.replace("_", " ")] += 1

    def turned_away(self, door: str, reason: str) -> None:
        """A request was not even read: ``wrong token``, ``too large``, ``too slow`` … ``door``: a few fixed names."""
        self.turned.labels(door, reason).inc()
        self.untold[door, reason] += 1

    def take_untold(self) -> Tally[tuple[str, str]]:
        """What was refused since the last time, by door and reason; whoever cannot write it down gives it back."""
        taken, self.untold = self.untold, Tally()
        return taken

    def acked(self, transport: Literal["http", "socket"], seconds: float) -> None:
        """Slack has its acknowledgement."""
        self.acks.labels(transport).observe(seconds)

    # --- where they are worked on -----------------------------------------------------------------------------

    def queue_waited(self, seconds: float) -> None:
        """A request was claimed, this long after it was accepted."""
        self.waits.observe(seconds)

    def stage_done(self, stage: str, seconds: float) -> None:
        """A stage came to its checkpoint."""
        self.stages.labels(stage).observe(seconds)

    def failed(self, stage: str) -> None:
        """A stage failed and will be tried again, or not."""
        self.failures.labels(stage).inc()

    def lease_lost(self) -> None:
        """A worker found that someone else has its request now."""
        self.lost.inc()

    def posted(self, outcome: Outcome) -> None:
        """``ok``; ``ambiguous``: may stand or not; ``found``: stood already; ``busy``; ``refused``."""
        self.posts.labels(outcome).inc()

    def finished(self, state: str) -> None:
        """A request ended: ``done``, ``waiting`` or ``dead``."""
        self.finals.labels(state).inc()

    # --- showing ----------------------------------------------------------------------------------------------

    def render(self) -> bytes:
        """Everything in Prometheus' text format, summed over processes when they share a folder."""
        return render_with_rate(self.registry, *self.gauges)

    def watch(self, ledger: Callable[[], LedgerState]) -> None:
        """Show the ledger too, read at each scrape; it may raise StoreUnavailable."""
        self.gauges = (LedgerGauges(ledger),)


class LedgerGauges(Collector):
    """What the database says at the moment of the scrape."""

    def __init__(self, read: Callable[[], LedgerState]) -> None:
        self.read = read

    def collect(self) -> Iterator[Metric]:
        """``oracle_inbox_up`` always; the rest when the database answers."""
        up = "1 when the database answers."
        try:
            state = self.read()
        except StoreUnavailable:
            yield GaugeMetricFamily("oracle_inbox_up", up, value=0)
            return
        yield GaugeMetricFamily("oracle_inbox_up", up, value=1)
        yield GaugeMetricFamily("oracle_inbox_open", "Requests someone is waiting for.", value=state.open)
        yield GaugeMetricFamily(
            "oracle_inbox_oldest_unanswered_seconds", "Age of the oldest open request.", value=state.oldest_open_s
        )
        stages = GaugeMetricFamily("oracle_inbox_requests", "Requests at each stage.", labels=["stage"])
        for stage, number in sorted(state.counts.items()):
            stages.add_metric([stage], number)
        yield stages
