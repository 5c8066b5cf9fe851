"""Channels written as lines, for tests: ``09:12 Priya: text``, ``09:12 Grafana*: text`` of a program, ``09:12 Priya>:``
in the thread of the last message at the top level, `` {eyes Tom}`` for a reaction at the end."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from workers.contracts import ChannelMessage

LINE = re.compile(
    r"(?P<hour>\d\d):(?P<minute>\d\d) (?P<name>[^:*>]+?)(?P<bot>\*)?(?P<reply> ?>)?: "
    r"(?P<text>.*?)(?P<marks>(?: \{\w+ \w+\})*)$"
)
DAY = datetime(2026, 11, 20, tzinfo=UTC)


def channel(text: str, zones: dict[str, str] | None = None) -> tuple[ChannelMessage, ...]:
    """The messages of one day, in UTC; ``\\n`` written out breaks a line."""
    found: list[ChannelMessage] = []
    root = ""
    for number, line in enumerate(filter(None, map(str.strip, text.strip().splitlines()))):
        match = LINE.fullmatch(line)
        assert match, line
        at = DAY.replace(hour=int(match["hour"]), minute=int(match["minute"]))
        ts = f"{int(at.timestamp())}.{number:06}"
        name = match["name"].strip()
        marks: dict[str, tuple[str, ...]] = {}
        for emoji, who in re.findall(r"\{(\w+) (\w+)\}", match["marks"]):
            marks[emoji] = (*marks.get(emoji, ()), f"U{who}")
        found.append(
            ChannelMessage(
                ts=ts,
                thread_ts=root if match["reply"] else "",
                user=f"U{name}",
                name=name,
                zone=(zones or {}).get(name, ""),
                text=match["text"].replace("\\n", "\n"),
                bot=bool(match["bot"]),
                reactions=marks,
            )
        )
        root = root if match["reply"] else ts
    return tuple(found)


OUTAGE = """
09:12 Alertmanager*: [FIRING:1] CheckoutErrorRateHigh (checkout-api prod eu-west) error rate 4.8% > 1%
09:13 Priya: I'm looking
09:15 Priya: seeing a spike of 502s on checkout in eu-west, started around 09:09 UTC
09:16 Marek: declaring SEV2, I'm IC
09:17 Marek: @Priya can you post on the status page?
09:18 Lena: is it only eu-west?
09:19 Priya: yes, us-east looks fine
09:20 Marek: Impact: about 6% of checkouts fail with 502 in eu-west
09:22 Tom: I suspect the deploy b81f2c of checkout-api that went out at 09:06
09:23 Lena: could also be the database, connections look high
09:25 Tom: rolling back checkout-api to 7ac91d
09:31 Tom: rollback done
09:36 Priya: rollback didn't help, still at 4.5% errors
09:37 Lena: db is fine, p95 flat at 12ms, ruled out
09:40 Marek: let's freeze all deploys until this is resolved
09:40 Tom: +1
09:42 Priya: correction: it's 4% of checkouts, not 6
09:45 Lena: why only eu-west?
09:48 Priya: status page updated
09:55 Lena: found it: the payment gateway's TLS certificate in eu-west expired at 09:09
09:56 Lena: failing over the gateway to eu-central
09:57 Marek: next update at 10:15
10:02 Lena: failover complete, errors dropping
10:08 Priya: error rate back to normal
10:10 Marek: monitoring for 20 min
10:11 Marek: @Lena please file a ticket for automatic cert renewal
10:32 Marek: calling it resolved. Thanks all
10:33 Tom: I'll write the postmortem by Thursday
"""
"""A rollback that did not help, then the cause."""
