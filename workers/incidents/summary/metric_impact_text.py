"""What was measured of an incident as Markdown: a table, and sentences that passed the check of every answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from workers.contracts import Claim, Evidence
from workers.engine.anomaly import has_moved
from workers.grounding.ground import check_claim
from workers.grounding.health import text_of
from workers.grounding.value_format import say
from workers.incidents.summary.markdown_escape import in_link, plain, span, stamp
from workers.incidents.summary.metric_impact import Measured, failed_claims, time_of

NBSP = "\N{NO-BREAK SPACE}"
NOTHING = "_Not measured:_"


def measured_section(measured: Measured) -> list[str]:
    """The table with what belongs to it, and what could not be measured."""
    metrics = measured.of("metric")
    out: list[str] = []
    if metrics:
        out += [f"From {stamp(measured.start)} to {stamp(measured.end)}, times in UTC:", *head(measured)]
        out += [row(item, measured) for item in metrics]
        out += [f"- {said}" for said in sentences(measured)]
        out += [f"- {plain(item.title)}: `{item.locator.replace('`', ' ')}`" for item in metrics if not item.url]
    gaps = {"_Measured in part:_": measured.partly, "_Could not be measured:_" if metrics else NOTHING: measured.gaps}
    out += [f"{label} {'; '.join(map(plain, found))}." for label, found in gaps.items() if found]
    return out or [f"{NOTHING} no metric is known of what the channel names."]


def head(measured: Measured) -> tuple[str, str]:
    """The table's head. The end of what was measured is called by its time: a draft may be of that very minute."""
    return (
        f"| metric | before | worst | at {short(measured.end, measured)} | off its normal | query |",
        f"|{'---|' * 6}",
    )


def row(item: Evidence, measured: Measured) -> str:
    """One metric."""
    link = f"[open][{item.id}]" if item.url else "below"
    cells = (plain(item.title), before(item, measured), worst(item, measured), last(item, measured))
    return f"| {' | '.join((*cells, off_normal(item, measured), link))} |"


def before(item: Evidence, measured: Measured) -> str:
    """What it was compared with, and when that was unless just before."""
    of = text_of(item, "baseline_of")
    when = f" ({of})" if of.startswith("the same time") else ""
    return f"{value(item, 'baseline', measured)}{when}"


def worst(item: Evidence, measured: Measured) -> str:
    """The value that hurt most, with its time."""
    at = time_of(item, "peak_at")
    return f"{value(item, 'peak', measured)}{f' at {short(at, measured)}' if at else ''}"


def last(item: Evidence, measured: Measured) -> str:
    """What it was at the end; where samples end before, what was last known."""
    newest = time_of(item, "newest_at")
    if "current" in item.facts or newest is None:
        return value(item, "current", measured)
    return f"unknown; {value(item, 'last_known', measured)} at {short(newest, measured)}"


def off_normal(item: Evidence, measured: Measured) -> str:
    """From when until when it was not what it was before, and how long."""
    onset, back = time_of(item, "onset_at"), time_of(item, "recovered_at")
    if not has_moved(item):
        return "did not move"
    if onset is None:
        return "moved; no onset found"
    if back is None:
        return f"since {short(onset, measured)}, not back by {short(measured.end, measured)}"
    return f"{short(onset, measured)} to {short(back, measured)}, {span(onset, back)}"


def value(item: Evidence, name: str, measured: Measured) -> str:
    """A fact as every answer says it, number and unit on one line."""
    return say(item.facts[name], measured.voice).replace(" ", NBSP) if name in item.facts else "unknown"


def short(at: datetime, measured: Measured) -> str:
    """``09:05``, with its day where that is not the one it began on."""
    return f"{at:%H:%M}" if at.date() == measured.start.date() else f"{at:%Y-%m-%d %H:%M}"


def addresses(measured: Measured) -> list[str]:
    """Where the table's links lead, apart from it so that it can be read as it stands."""
    found = [(item.id, item.url) for item in measured.of("metric") if item.url]
    return ["\n".join(f"[{key}]: {in_link(url)}" for key, url in found)] if found else []


# --- sentences --------------------------------------------------------------------------------------------------------


def sentences(measured: Measured) -> list[str]:
    """Failed requests, deploys and alerts of the time; what does not hold is left out."""
    claims = [*failed_claims(measured.of("metric")), *went_out(measured.of("deploy")), *fired(measured.of("alert"))]
    return [plain(text) for claim in claims if (text := held(claim, measured))]


def held(claim: Claim, measured: Measured) -> str:
    """A claim's text when it holds against its evidence; else empty."""
    checked = check_claim(claim, {item.id: item for item in measured.evidence}, measured.voice)
    return "" if checked.struck else checked.claim.text


def went_out(deploys: Iterable[Evidence]) -> Iterator[Claim]:
    """The deploys."""
    for item in deploys:
        k = item.id
        commit = f" ({{{k}.commit}})" if "commit" in item.facts else ""
        yield Claim(template=f"Deploy {{{k}.service}} {{{k}.version}}{commit} went out at {{{k}.at}}.", evidence=(k,))


def fired(alerts: Iterable[Evidence]) -> Iterator[Claim]:
    """The alerts, and whether they stopped."""
    for item in alerts:
        k = item.id
        until = f" and stopped at {{{k}.until}}" if "until" in item.facts else ""
        yield Claim(template=f"Alert {{{k}.name}} fired at {{{k}.since}}{until}.", evidence=(k,))
