"""A group of alerts as one message: which fire, since when, what they mean, and where to look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import AlertEvent
from workers.delivery.block_limits import weigh
from workers.delivery.cited_evidence import web_address
from workers.delivery.rich_text import clip, fallback, link, safe, words
from workers.delivery.rich_text_blocks import Block, Line, Words, block, bullets, header, lasted, moment, paragraph
from workers.incidents.summary.alert_labels import labels_of, shared_labels, things_of
from workers.ports import Post

HEADING, LABELS, SUMMARY = 150, 300, 400
ROOM = 12_400
"""Of a message's characters, as Slack counts blocks."""
SIZES = (20, 10, 5, 2, 1)
NOT_SHOWN = ("alertname", "severity")
"""Labels that stand in the heading."""


@dataclass(frozen=True)
class ShownGroup:
    """All that the message says. ``alerts``: those that fire first; ``url``: Alertmanager's address.

    ``again_at``: since when they fire again; ``unheard``: nobody told of them for so long that nobody knows.
    """

    alerts: Sequence[AlertEvent]
    began_at: datetime
    ended_at: datetime | None = None
    again_at: datetime | None = None
    unheard: bool = False
    told_at: datetime | None = None
    url: str = ""
    environment: str = ""


def render_group(shown: ShownGroup) -> Post:
    """The message, within Slack's limits: what does not fit is counted."""
    head, common = heading(shown), shared_labels(shown.alerts)
    for most in SIZES:
        parts = [paragraph(*standing(shown)), *about(shown, common), *listed(shown, common, most)]
        blocks = (header(head), block(*parts))
        if sum(map(weigh, blocks)) <= ROOM:
            break
    said = next((alert.summary for alert in shown.alerts if alert.summary), "")
    return Post(text=fallback(f"{head}: {said}" if said else head), blocks=blocks)


def heading(shown: ShownGroup) -> str:
    """Environment where it is another than questions are about, name, place, severity, state."""
    common = shared_labels(shown.alerts)
    name = common.get("alertname") or f"{len(shown.alerts)} alerts"
    parts = [shown.environment, name, *things_of(common), common.get("severity", ""), state_of(shown)]
    return clip(" · ".join(clip(safe(part), 60) for part in parts if part.strip()), HEADING)


def state_of(shown: ShownGroup) -> str:
    """How it stands, in a word or two."""
    if shown.ended_at:
        return "resolved"
    if shown.unheard:
        return "not heard of"
    return "firing again" if shown.again_at else "firing"


def standing(shown: ShownGroup) -> Iterable[Words]:
    """Since when, or for how long; how many."""
    firing = sum(alert.state == "firing" for alert in shown.alerts)
    if shown.ended_at:
        took = lasted((shown.ended_at - shown.began_at).total_seconds())
        yield from (words("resolved "), moment(shown.ended_at), words(f", lasted {took}, since "))
        yield moment(shown.began_at)
    elif shown.again_at:
        yield from (words("firing again since "), moment(shown.again_at), words(", first since "))
        yield moment(shown.began_at)
    else:
        yield from (words("since "), moment(shown.began_at))
    if len(shown.alerts) > 1:
        yield words(f" · {firing} of {len(shown.alerts)} firing" if firing else f" · {len(shown.alerts)} alerts")
    if shown.unheard and shown.told_at and not shown.ended_at:
        yield words(" · last told of ")
        yield from (moment(shown.told_at), words(": nobody knows whether it still fires"))


def about(shown: ShownGroup, common: Mapping[str, str]) -> Iterable[Block]:
    """The labels that all of them have, and Alertmanager's address."""
    said = named({name: value for name, value in common.items() if name not in NOT_SHOWN})
    address = web_address(shown.url)
    parts: list[Words] = [words(said)] if said else []
    if address:
        parts += [words(" · " if said else ""), link(address, "Alertmanager")]
    if parts:
        yield paragraph(*parts)


def listed(shown: ShownGroup, common: Mapping[str, str], most: int) -> Iterable[Block]:
    """Each alert, those that fire first."""
    items = [one_alert(alert, shown, common) for alert in shown.alerts[:most]]
    if len(shown.alerts) > most:
        items.append([words(f"and {len(shown.alerts) - most} more", italic=True)])
    if items:
        yield bullets(items)


def one_alert(alert: AlertEvent, shown: ShownGroup, common: Mapping[str, str]) -> Line:
    """What tells one alert from the others, since when it is, what it means, where to look."""
    own = {name: value for name, value in labels_of(alert).items() if common.get(name) != value}
    name = own.pop("alertname", "")
    parts: list[Words] = []
    if len(shown.alerts) > 1:
        told = " ".join(filter(None, (safe(name), named(own)))) or safe(alert.name)
        parts += [words(clip(told, LABELS) or "…", bold=True), words(" "), *times(alert)]
    if alert.summary.strip():
        parts += [words(" · " if parts else ""), words(clip(safe(alert.summary), SUMMARY))]
    source = "query" if alert.source == "alertmanager" else alert.source
    for url, label in ((alert.runbook_url, "runbook"), (alert.generator_url, source)):
        if web_address(url):
            parts += [words(" "), link(web_address(url), f"[{label}]")]
    return parts or [words(clip(safe(alert.name), LABELS) or "…")]


def times(alert: AlertEvent) -> Iterable[Words]:
    """Since when one fires, or how long it did."""
    if alert.ends_at:
        return (words("resolved "), moment(alert.ends_at))
    return (words("since "), moment(alert.starts_at))


def named(labels: Mapping[str, str]) -> str:
    """``instance=a:9100, shard=3``."""
    return clip(safe(", ".join(f"{name}={value}" for name, value in labels.items() if value)), LABELS)
