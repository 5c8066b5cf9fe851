"""What answers about the network are made of: what was counted, over which span, and what that cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.contracts import Claim, Evidence, Gap
from workers.grounding.health import number, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join

MOST_ROWS = 10
SILENT = timedelta(hours=1)
"""A sensor that was heard so much less recently than the others is told of."""


def of_step(brief: Brief, *steps: str) -> list[Evidence]:
    """What some steps found."""
    return [e for e in brief.evidence if e.step in steps]


def summary_of(items: Sequence[Evidence]) -> Evidence | None:
    """The first item of a tool's output, which counts and says what was looked at."""
    return next((e for e in items if has(e, "count", "span_start")), None)


def rows_of(items: Sequence[Evidence], *names: str) -> list[Evidence]:
    """The items below it that have some facts."""
    return [e for e in items if not has(e, "span_start") and has(e, *names)][:MOST_ROWS]


def during(item: Evidence) -> str:
    """The span that was looked at."""
    return f"from {{{item.id}.span_start}} to {{{item.id}.span_end}}"


def heard(item: Evidence) -> str:
    """When a sensor was heard last, and what that covers."""
    k = item.id
    since = f" and records go back to {{{k}.records_since}}" if has(item, "records_since") else ""
    return f"sensors were last heard at {{{k}.heard}}{since}" if has(item, "heard") else "no sensor was heard"


def counted(item: Evidence, thing: str) -> str:
    """``12 alerts``, with the worst severities in brackets."""
    k = item.id
    severities = [
        f"{{{k}.{name}}} of {item.facts[name].entity}" for name in sorted(item.facts) if name.startswith("severity_")
    ]
    return f"{{{k}.count}} {thing}" + (f" ({join(severities)})" if severities else "")


def about(item: Evidence) -> str:
    """What the rows were chosen by, as slots; empty when by nothing."""
    k = item.id
    said = [words.format(f"{{{k}.of_{name}}}") for name, words in CHOSEN.items() if has(item, f"of_{name}")]
    return ", ".join(said)


def of_words(named: str) -> str:
    """What rows were chosen by, behind what they are called."""
    return f" {'' if named.startswith(('from', 'to ', 'in ', 'dropped')) else 'of '}{named}" if named else ""


def each_of(item: Evidence) -> str:
    """How many there are of each of what is told apart: ``; site Bonn: 4; site Rome: 9``."""
    k = item.id
    each = (
        f"{{{k}.{n}_name}}: {{{k}.{n}}}" for n in item.facts if n.startswith("of_each") and f"{n}_name" in item.facts
    )
    return "; ".join(["", *each])


CHOSEN = {
    "address": "{}",
    "source": "from {}",
    "target": "to {}",
    "signature": "signature {}",
    "severity": "severity {}",
    "worst": "severity 1 to {}",
    "vlan": "VLAN {}",
    "action": "{}",
    "reason": "dropped by {}",
    "sensor": "sensor {}",
    "name": "{}",
    "hours": "in the hours {} of each day",
}
"""Conditions as a list of them is said after "of"."""


def none_found(item: Evidence, thing: str) -> Claim:
    """That there is none, over which span, and how far that may be trusted."""
    k = item.id
    named = about(item)
    last = f"; the last one was at {{{k}.last_alert}}" if has(item, "last_alert") else ""
    seen = f"; the sensors saw traffic of it last at {{{k}.last_seen}}" if has(item, "last_seen") else ""
    unseen = (
        "; the sensors have no record of it at all" if named and not seen and has(item, "of_address", "heard") else ""
    )
    template = f"No {thing}{of_words(named)} is recorded {during(item)}{last}{seen}{unseen}; {heard(item)}."
    return Claim(template=template, evidence=(k,))


def blind_spots(brief: Brief) -> tuple[Gap, ...]:
    """What the sensors could not tell: lines that nobody can read, and those that nobody has read yet."""
    first = summary_of(brief.evidence)
    if first is None:
        return ()
    gaps = []
    if has(first, "broken_lines"):
        why = text_of(first, "broken_why")
        many = f"{int(number(first, 'broken_lines')):,} lines of the sensors' logs could not be read"
        gaps.append(Gap(text=f"{many}{f' ({why})' if why else ''}."))
    for name, fact in first.facts.items():
        if name.startswith("ahead_"):
            hours = abs(number(first, name)) / 3_600
            way = "ahead of" if number(first, name) > 0 else "behind"
            gaps.append(
                Gap(
                    text=f"The clock of {fact.entity} is {hours:.3g} h {way} the others': its times are corrected.",
                    tool="ids_alerts",
                )
            )
    if has(first, "unread"):
        gaps.append(Gap(text=f"{int(number(first, 'unread')):,} bytes of the sensors' logs are not read yet."))
    if has(first, "silent_sensor", "silent_since", "heard"):
        since, heard_at = (datetime.fromisoformat(text_of(first, name)) for name in ("silent_since", "heard"))
        if heard_at - since > SILENT:
            name, moment = text_of(first, "silent_sensor"), f"{since:%Y-%m-%d %H:%M} UTC"
            gaps.append(Gap(text=f"Sensor {name} was last heard at {moment}: what it would see since is not known."))
    return tuple(gaps)
