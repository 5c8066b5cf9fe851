"""What the last deploys before a moment brought, as a tool's output."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Evidence, Fact, ToolOutput, rfc3339
from workers.language.nearest_names import nearest_names
from workers.sources.code.index import CodeIndex
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.commit_list_result import Span, show_span
from workers.sources.evidence.commit_range_result import Wanted, called, data_of, deploy_data, told_of
from workers.sources.evidence.search_hits import change_data, change_evidence
from workers.sources.git import open_repository
from workers.sources.history.commits import Change
from workers.sources.history.deployed_changes import DeployedChanges, Pair, deployed_changes, last_deploys

AT_ONCE = 4


@dataclass(frozen=True)
class Delivery:
    """What a deploy brought, and the repository that its commits are of; None when no repository has them."""

    deploy: DeployedChanges
    source: Source | None = None
    index: CodeIndex | None = None


def undeployed(services: Collection[str], wanted: Wanted) -> tuple[str, tuple[str, ...]]:
    """A sentence on the services that were never deployed, and the nearest names of those that were; empty when all
    were."""
    known = sorted({d.service for d in wanted.deploys})
    missing = [s for s in services if s.casefold() not in {k.casefold() for k in known}]
    if not missing:
        return "", ()
    return f"no deploy of {', '.join(missing)} is known", nearest_names(missing, known)


def find_deliveries(services: Collection[str], until: datetime, wanted: Wanted) -> list[Delivery]:
    """What the last deploys of some services brought, newest first; of all services that were deployed lately when
    none is named. Raises: ToolUnavailable: git failed."""
    pairs = last_deploys(wanted.deploys, services, wanted.environment, until)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda pair: find_delivery(pair, wanted), pairs))


def find_delivery(pair: Pair, wanted: Wanted) -> Delivery:
    """What a deploy brought, from the first repository that has its commit."""
    for source, index in wanted.opened:
        found = deployed_changes(pair, open_repository(source.path), source.name, wanted.query, wanted.k)
        if found is not None:
            return Delivery(found, source, index)
    return Delivery(DeployedChanges(pair[1], pair[0], (), 0, "no repository has its commit"))


def show_deliveries(
    deliveries: Sequence[Delivery], since: datetime | None, until: datetime, wanted: Wanted
) -> ToolOutput:
    """Deploys with their commits, the best for the question first; where no deploy is known, the commits of a span.

    Raises: ToolUnavailable: git failed."""
    found = carried(deliveries)
    deploys = tuple(delivery_evidence(d) for d in deliveries)
    if not deliveries:
        return show_span(Span(since, until, wanted.query, wanted.path, wanted.k), wanted.opened, wanted.problems)
    if not found:
        summary = f"{len(deliveries)} deploys, of none of which a commit is known"
        return ToolOutput(summary=summary, data=data_of(wanted, []), evidence=deploys)
    ranked = sorted(found, key=lambda row: (-row[1].score, -row[1].at.timestamp()))[: wanted.k]
    data = data_of(wanted, [change_data(d.source.name, one) for d, one in ranked if d.source])
    data["deploys"] = [deploy_data(d.deploy.deploy) | {"commits": d.deploy.count} for d in deliveries]
    first = deliveries[0].deploy.deploy
    return ToolOutput(
        summary=f"{len(deliveries)} deploys, the last {called(first)} at {rfc3339(first.at)}; {len(found)} commits",
        data=data,
        evidence=(*deploys, *(carried_evidence(d, one) for d, one in ranked)),
        reason="; ".join(wanted.problems),
    )


def carried(deliveries: Sequence[Delivery]) -> list[tuple[Delivery, Change]]:
    """The commits of some deploys, each once, with the earliest deploy that brought it."""
    found: dict[str, tuple[Delivery, Change]] = {}
    for delivery in deliveries:
        found |= {one.commit: (delivery, one) for one in delivery.deploy.changes}
    return list(found.values())


def carried_evidence(delivery: Delivery, change: Change) -> Evidence:
    """A commit, and the deploy that brought it: carried_by, carried_at, carried_service."""
    if delivery.source is None or delivery.index is None:
        raise ValueError("a delivery with commits has a repository")
    plain, deploy = change_evidence(delivery.source.name, change, delivery.index), delivery.deploy.deploy
    facts = {
        "carried_by": Fact(value=called(deploy), entity=deploy.service),
        "carried_at": Fact(value=rfc3339(deploy.at), unit="time", entity=deploy.service),
        "carried_service": Fact(value=deploy.service, entity=deploy.service),
    }
    return plain.model_copy(update={"facts": {**plain.facts, **facts}})


def delivery_evidence(delivery: Delivery) -> Evidence:
    """A deploy. Facts beside those of deploys: brought, how many commits; rollback; alone: why they are not surely its
    own."""
    found = delivery.deploy
    return told_of(found.deploy, dict(delivery_facts(found)))


def delivery_facts(found: DeployedChanges) -> Iterator[tuple[str, Fact]]:
    """What is known of what a deploy brought."""
    service = found.deploy.service
    if found.changes or not found.unsure:
        yield "brought", Fact(value=found.count, unit="count", entity=service)
    if found.is_rollback:
        yield "rollback", Fact(value="it took commits away and brought none", entity=service)
    if found.unsure:
        yield "alone", Fact(value=found.unsure, entity=service)
