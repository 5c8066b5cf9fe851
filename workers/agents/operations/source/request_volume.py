"""get_request_volume: how many requests, and what they cost, over time by group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, func, select

from workers.agents.operations.source.hourly_sums import deployment_hours, user_hours
from workers.agents.operations.source.period_hours import GRANULARITIES, Cover, covers, periods
from workers.agents.operations.source.reader import Found, Reader, choose, number, stamp
from workers.agents.operations.source.tables import deployments, requests, users

GROUPS = ("tier", "model", "backend", "deployment")
Sums = dict[str, tuple[int, float]]


def get_request_volume(
    reader: Reader, group_by: str = "tier", since: str = "7 days ago", until: str = "", granularity: str = "day"
) -> Found:
    """Requests and cost of each group by day (of the asker's zone) or hour (of UTC).

    Returns: ``{data[{period, group, request_count, total_cost_usd}], totals{request_count, total_cost_usd}}``; a
    group without requests in a period has no row there; the first and the last period may be cut.

    Raises:
        ToolArgumentError: a parameter is wrong.
        StoreUnavailable: the database cannot be read.
    """
    group = choose("group_by", group_by or "tier", GROUPS)
    unit = choose("granularity", granularity or "day", GRANULARITIES)
    start, end = reader.window(since, until)
    cut = periods(start, end, unit, reader.zone)
    with reader.connect() as connection:
        counted = read_sums(connection, covers(connection, cut), by_user=group == "tier")
        grouped = [regroup(sums, group_names(connection, group)) for sums in counted]
    rows = [
        {
            "period": stamp(period.name),
            "group": name,
            "request_count": count,
            "total_cost_usd": number(cost),
        }
        for period, sums in zip(cut, grouped, strict=True)
        for name, (count, cost) in sorted(sums.items())
    ]
    totals = {
        "request_count": sum(count for sums in grouped for count, _ in sums.values()),
        "total_cost_usd": number(sum(cost for sums in grouped for _, cost in sums.values())),
    }
    more = {"window": (start, end), "granularity": unit, "group_by": group, "periods": cut, "sums": grouped}
    return Found({"data": rows, "totals": totals}, more)


def group_names(connection: Connection, group: str) -> Callable[[str], str]:
    """The group that a deployment, or a user for tiers, belongs to."""
    if group == "deployment":
        return str
    query: Select[Any]
    if group == "tier":
        query = select(users.c.id, users.c.tier_id)
    else:
        query = select(deployments.c.id, deployments.c[f"{group}_id"])
    names: dict[str, str] = {row[0]: row[1] for row in connection.execute(query)}
    return lambda name: names[name]


def regroup(sums: Sums, group_of: Callable[[str], str]) -> Sums:
    """Sums of deployments or users as sums of their groups."""
    found: Sums = {}
    for name, (count, cost) in sums.items():
        before, spent = found.get(group_of(name), (0, 0.0))
        found[group_of(name)] = (before + count, spent + cost)
    return found


def read_sums(connection: Connection, plan: Sequence[Cover], *, by_user: bool) -> list[Sums]:
    """For each period the number and cost of requests by user or by deployment."""
    table: Table = user_hours if by_user else deployment_hours
    name: Column[Any] = table.c.user_id if by_user else table.c.deployment_id
    found: list[Sums] = [{} for _ in plan]
    place = {hour: i for i, part in enumerate(plan) for hour in part.hours}
    if place:
        query = select(table.c.hour, name, table.c.request_count, table.c.cost_usd)
        inside = (table.c.hour >= min(place)) & (table.c.hour <= max(place))
        for hour, who, count, cost in connection.execute(query.where(inside)):
            if hour in place:
                add(found[place[hour]], who, count, cost)
    for i, part in enumerate(plan):
        for start, end in part.raw:
            for who, count, cost in connection.execute(raw_sums(start, end, by_user=by_user)):
                add(found[i], who, count, cost)
    return found


def raw_sums(start: datetime, end: datetime, *, by_user: bool) -> Select[Any]:
    """The same of a span, from the rows themselves."""
    r = requests.c
    who = r.user_id if by_user else r.deployment_id
    inside = (r.created_at >= start) & (r.created_at < end)
    return select(who, func.count(), func.sum(r.cost_usd)).where(inside).group_by(who)


def add(sums: Sums, name: str, count: int, cost: float) -> None:
    """Add to what there is."""
    before, spent = sums.get(name, (0, 0.0))
    sums[name] = (before + count, spent + cost)
