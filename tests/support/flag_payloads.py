"""What LaunchDarkly and Unleash send of changed flags, after their documented shapes."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from typing import Any

AT_MS = 1_795_258_800_000
"""2026-11-21T11:00:00Z, in milliseconds since 1970."""


def plain_flag(**changes: Any) -> dict[str, Any]:
    """A change in Oracle's own form."""
    return {
        "flag": "new-cart",
        "service": "shop",
        "environment": "production",
        "before": False,
        "after": True,
        "who": "ana@example.com",
        "at": "2026-11-21T11:00:00Z",
        **changes,
    }


def launchdarkly_entry(flag: str = "new-cart", environments: tuple[str, ...] = ("production",), **changes: Any) -> Any:
    """An entry of the audit log, as a webhook sends it: a flag that was turned on."""
    resources = [f"proj/shop:env/{name}:flag/{flag};checkout" for name in environments]
    versions = {
        side: {
            "name": flag,
            "key": flag,
            "kind": "boolean",
            "environments": {name: {"on": on, "version": 3 + on, "lastModified": AT_MS + on} for name in environments},
        }
        for side, on in (("previousVersion", False), ("currentVersion", True))
    }
    return {
        "_id": f"id-{flag}-{'-'.join(environments)}",
        "_accountId": "65ac52faf4f907102dbb376f",
        "_links": {"site": {"href": f"/shop/production/features/{flag}", "type": "text/html"}},
        "date": AT_MS,
        "kind": "flag",
        "name": flag,
        "description": "",
        "shortDescription": "",
        "accesses": [{"action": "updateOn", "resource": resource} for resource in resources],
        "member": {"_id": "m1", "email": "ana@example.com", "firstName": "Ana", "lastName": "Lopes"},
        "titleVerb": "turned on the flag",
        "title": f"Ana Lopes turned on the flag {flag}",
        "target": {"name": flag, "resources": resources},
        **versions,
        **changes,
    }


def launchdarkly_signature(body: bytes, secret: str) -> str:
    """The header X-LD-Signature."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def unleash_event(kind: str = "feature-environment-enabled", at: datetime | None = None, **changes: Any) -> Any:
    """An event of Unleash."""
    return {
        "id": 842,
        "type": kind,
        "createdBy": "ben",
        "createdByUserId": 1,
        "createdAt": at.isoformat().replace("+00:00", "Z") if at else "2026-11-21T11:00:00.000Z",
        "data": None,
        "preData": None,
        "tags": [],
        "featureName": "new-cart",
        "project": "shop",
        "environment": "production",
        **changes,
    }
