"""Changes of flags as evidence: every value a named fact."""

from __future__ import annotations

from urllib.parse import quote

from workers.contracts import Evidence, Fact, FlagChange, rfc3339
from workers.language.environment_names import is_elsewhere

MOST_TITLE = 160


def change_evidence(change: FlagChange, environment: str) -> Evidence:
    """One change. ``environment``: the configured one; a change elsewhere is told as of its own."""
    entity = change.flag
    told = {"flag": change.flag, "change": change.change, "before": change.before, "after": change.after}
    told |= {"who": change.who, "service": change.service, "environment": change.environment, "told_by": change.source}
    facts = {name: Fact(value=value, entity=entity) for name, value in told.items() if value}
    facts["at"] = Fact(value=rfc3339(change.at), unit="time", entity=entity, at=change.at)
    elsewhere = is_elsewhere(change.environment, environment)
    place = f"{change.environment}: " if elsewhere else ""
    if elsewhere:
        facts["elsewhere"] = Fact(value=True, entity=entity)
    values = f": {change.before or '?'} → {change.after or '?'}" if change.before or change.after else ""
    where = quote(f"{change.environment}/{change.flag}", safe="/")
    return Evidence(
        kind="flag",
        title=f"{place}flag {change.flag} {change.change}{values}"[:MOST_TITLE],
        locator=f"flags://{where}@{rfc3339(change.at)}",
        url=change.url or None,
        excerpt=" · ".join(f"{name}: {fact.value}" for name, fact in facts.items()),
        facts=facts,
        observed_at=change.at,
    )
