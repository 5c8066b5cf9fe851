"""How a failure spread: the thing that failed first, and who failed as they rest on it.

A caller that waits for a callee fails after it, so a failure runs against the direction of calls; it runs likewise
from a node, a data store, a resolver or a gateway to whatever uses it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workers.agents.causes.source.incident import Incident

LATER_S = 900.0
"""What shows signs so much later than what alerts did not make it fail."""


@dataclass(frozen=True)
class FailureChain:
    """``origin``: what failed first; ``edges``: from what failed to what failed by it, nearest to the origin first;
    ``ill``: everything that shows signs, with when, in epoch seconds."""

    origin: str
    edges: tuple[tuple[str, str], ...]
    ill: dict[str, float]

    @property
    def victims(self) -> tuple[str, ...]:
        """What failed by the origin, nearest first."""
        return tuple(dict.fromkeys(target for _, target in self.edges))


def failure_chain(incident: Incident, signs: Mapping[str, float]) -> FailureChain:
    """The chain that explains most of what is ill: most others rest on its origin, and that on nothing ill.

    Args:
        incident: who calls and uses what, and what others told.
        signs: the services that show signs, with when each first did, in epoch seconds.
    """
    rests_on: dict[str, set[str]] = {}
    for who, what in incident.calls | incident.uses:
        rests_on.setdefault(who, set()).add(what)
    ill = dict(signs)
    for event in incident.notices:
        if event.thing and event.warns and event.at is not None:
            ill[event.thing] = min(ill.get(event.thing, float("inf")), event.at.timestamp())
    reached = {thing: spread(thing, rests_on, ill) for thing in ill}
    alerting = incident.alert.service
    until = ill.get(alerting, float("inf")) + LATER_S

    def worth(thing: str) -> tuple[bool, bool, int, int, float]:
        edges = reached[thing]
        hit = {thing, *(target for _, target in edges)}
        roots = sum(what in ill and ill[what] <= until for what in rests_on.get(thing, ()))
        return alerting in hit, ill[thing] <= until, len(hit), -roots, -ill[thing]

    origin = max(ill, key=worth, default=alerting)
    return FailureChain(origin, tuple(reached.get(origin, ())), ill)


def spread(origin: str, rests_on: dict[str, set[str]], ill: dict[str, float]) -> list[tuple[str, str]]:
    """The edges by which a failure reaches whatever is ill and rests on what it reached, nearest first."""
    out: list[tuple[str, str]] = []
    seen, waiting = {origin}, deque([origin])
    while waiting:
        source = waiting.popleft()
        for who in sorted(w for w, whats in rests_on.items() if source in whats and w in ill and w not in seen):
            seen.add(who)
            out.append((source, who))
            waiting.append(who)
    return out


def costly_callees(calls: Iterable[tuple[str, str]], costs: Mapping[str, float], start: str) -> tuple[str, ...]:
    """Where what a service lost is lost, the likeliest first.

    From the service down to the callee that explains what its caller lost, and so on; the last of them comes first,
    then the one before it, then the best that was passed over. The service itself is the last.

    Args:
        calls: caller and callee.
        costs: what each service lost, in one unit: the time added to a call times its calls, or failed calls.
        start: the service that is asked about.

    A name that is only a remote address (it ends in ``_remote``) is how a caller sees a service, and no service.
    """
    callees: dict[str, set[str]] = {}
    for caller, callee in calls:
        callees.setdefault(caller, set()).add(callee)
    path, passed = [start], list[str]()
    while True:
        least = EXPLAINING * costs.get(path[-1], 0.0)
        near = {n for n in callees.get(path[-1], ()) if n not in path and not n.endswith("_remote")}
        able = sorted((n for n in near if costs.get(n, 0.0) > 0 and costs[n] >= least), key=lambda n: (-costs[n], n))
        if not able:
            up = path[::-1]
            return (*up[:2], *[n for n in passed if n not in up][:1], *up[2:])
        path.append(able[0])
        passed += able[1:]


EXPLAINING = 0.5
"""A callee explains what its caller lost when it lost so large a share of that."""
