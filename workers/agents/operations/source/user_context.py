"""get_user_context: a user's tier, promise and budget today."""

from __future__ import annotations

from sqlalchemy import func, select

from workers.agents.operations.source.reader import Found, NotFound, Reader, nearest_ids, number
from workers.agents.operations.source.tables import requests, tiers, users
from workers.errors import ToolArgumentError
from workers.language.clock_times import midnight


def get_user_context(reader: Reader, user_id: str) -> Found:
    """A user, with what was used since midnight in the asker's zone.

    Returns: ``{user{id, tier, latency_sla_ms, daily_budget_usd, daily_budget_used_usd, daily_budget_remaining_usd,
    requests_today}}``; the latency is the user's own, else the tier's; what remains is never below 0.

    Raises:
        ToolArgumentError: no id is given.
        NotFound: there is no such user.
        StoreUnavailable: the database cannot be read.
    """
    wanted = user_id.strip()
    if not wanted:
        raise ToolArgumentError("user_id: it is empty")
    u, r = users.c, requests.c
    start = midnight(reader.now, reader.zone)
    sla = func.coalesce(u.latency_sla_override_ms, tiers.c.latency_sla_p95_ms).label("sla")
    with reader.connect() as connection:
        query = select(u.id, u.tier_id, u.daily_budget_usd, sla).join_from(users, tiers, tiers.c.id == u.tier_id)
        row = connection.execute(query.where(u.id == wanted)).first()
        if row is None:
            near, listed = nearest_ids(connection, wanted, users.c.id)
            raise NotFound(f"there is no user {wanted[:200]!r}{listed}", near)
        today = (r.user_id == wanted) & (r.created_at >= start) & (r.created_at < reader.now)
        used = connection.execute(select(func.count(), func.sum(r.cost_usd)).where(today)).one()
    spent = used[1] or 0.0
    user = {
        "id": row.id,
        "tier": row.tier_id,
        "latency_sla_ms": number(row.sla),
        "daily_budget_usd": number(row.daily_budget_usd),
        "daily_budget_used_usd": number(spent),
        "daily_budget_remaining_usd": number(max(row.daily_budget_usd - spent, 0.0)),
        "requests_today": used[0],
    }
    return Found({"user": user}, {"day_start": start})
