"""Stand-ins for LaunchDarkly's audit log and Unleash's events, after their documented APIs."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from tests.support.json_server import Answer, Refused

DAY = re.compile(r"IS:\d{4}-\d{2}-\d{2}")


def launchdarkly_api(entries: list[dict[str, Any]]) -> Answer:
    """``GET /api/v2/auditlog``: entries between two moments, both left out, newest first, at most 20."""

    def answer(path: str, params: dict[str, str]) -> Any:
        if path != "/api/v2/auditlog" or set(params) - {"before", "after", "limit", "spec", "q"}:
            raise Refused(404, "not found")
        limit = int(params.get("limit", "10"))
        if not 0 < limit <= 20:
            raise Refused(400, "limit must be at most 20")
        after, before = int(params.get("after", 0)), int(params.get("before", 10**15))
        fit = [e for e in entries if after < e["date"] < before]
        listed = sorted(fit, key=lambda e: e["date"], reverse=True)[:limit]
        hidden = ("previousVersion", "currentVersion")  # only one entry by itself shows these
        return {"items": [{k: v for k, v in e.items() if k not in hidden} for e in listed], "_links": {}}

    return answer


def unleash_api(events: list[dict[str, Any]], *, old: bool = False) -> Answer:
    """``GET /api/admin/search/events``, newest first; an ``old`` server has ``/api/admin/events`` alone."""

    def answer(path: str, params: dict[str, str]) -> Any:
        listed = sorted(events, key=lambda e: datetime.fromisoformat(e["createdAt"]), reverse=True)
        if old and path == "/api/admin/events":
            return {"version": 1, "events": listed}
        if old or path != "/api/admin/search/events":
            raise Refused(404, "not found")
        if set(params) - {"from", "to", "limit", "offset"} or int(params.get("limit", 50)) > 1_000:
            raise Refused(400, "unknown parameter")
        for name in {"from", "to"} & set(params):
            if not DAY.fullmatch(params[name]):
                raise Refused(400, f"{name} must match IS:yyyy-MM-dd")
        first, last = params.get("from", "IS:0")[3:], params.get("to", "IS:9")[3:]
        fit = [e for e in listed if first <= e["createdAt"][:10] <= last]
        start = int(params.get("offset", 0))
        return {"events": fit[start : start + int(params.get("limit", 50))], "total": len(fit)}

    return answer
