"""What follows from evidence by a count, a share of a unit, another zone or a length of time; and what does not."""

from __future__ import annotations

from typing import Any

from tests.support.each_row import each_row
from tests.support.latency_evidence import VOICE
from workers.contracts import Claim
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim

POD = {"data": {"container": "cart", "limits": {"memory": "768Mi"}}}
ROUTER = {
    "excerpt": "Nov 18 21:03:14.221 CET: %BGP: neighbor 10.0.0.9 Down\n  30 second input rate 7412000000 bits/sec"
}
NOTE = {"data": {"log": [{"at": "2026-11-14T02:39:40+01:00", "content": "Channel was stopped by hand."}]}}
COST = {"kind": "doc", "excerpt": "Models: otter-pro 19.53, otter-mini 4.02, finch 31.70 USD."}
WINDOW = {
    "kind": "metric",
    "facts": {
        "peak_at": {"value": "2026-11-17T00:00:00Z", "unit": "time"},
        "window_last": {"value": "2026-11-22T00:00:00Z", "unit": "time"},
        "window_start": {"value": "2026-11-16T00:00:00Z", "unit": "time"},
        "window_end": {"value": "2026-11-23T00:00:00Z", "unit": "time"},
    },
}
BATCHES = {
    "excerpt": "batch,rail,started,finished\nS-11,SEPA,2026-11-20T14:15:00Z,2026-11-20T14:23:45Z\n"
    "S-12,SIC,2026-11-20T15:00:00Z,2026-11-20T15:07:10Z\nS-13,SEPA,2026-11-20T15:15:00Z,2026-11-20T15:49:20Z"
}
PROXY = {
    "excerpt": "\n".join(
        f'{{"path":"/r/{i}","response_code":{code},"duration_ms":{ms}}}'
        for i, (code, ms) in enumerate(((200, 23), (503, 4), (200, 31), (503, 9), (200, 27)))
    )
}
DIFF = {"excerpt": "--- a/v.yaml\n+++ b/v.yaml\n@@ -1,2 +1,2 @@\n-        limit: 300\n+        limit: 30\n   name: x"}


@each_row(
    "item, true, false",
    [
        (POD, "Each container has three quarters of a GiB.", "Each container has a quarter of a GiB."),
        (POD, "The memory limit is 0.75 GiB.", "The memory limit is half a GiB."),
        (ROUTER, "The input rate is about 7.4 Gbit/s.", "The input rate is about 7.4 GB/s."),
        (ROUTER, "The input rate is 7,412 Mbit/s.", "The input rate is 7,612 Mbit/s."),
        (ROUTER, "The neighbor went down at 20:03 UTC.", "The neighbor went down at 19:03 UTC."),
        (NOTE, "A note was left at 02:39 local time.", "A note was left at 03:39 local time."),
        (COST, "otter-pro cost about $19.50.", "otter-pro cost about $17.00."),
        (
            COST,
            "Most went on three models: otter-pro, otter-mini and finch.",
            "Most went on five models: otter-pro, otter-mini and finch.",
        ),
        (WINDOW, "The window is between 16 and 23 November.", "The window is between 14 and 23 November."),
        (
            WINDOW,
            "It peaked on 17 November, five days before the last bucket.",
            "It peaked on 17 November, four days before the last bucket.",
        ),
        (BATCHES, "S-13 ran almost four times as long as S-11.", "S-13 ran seven times as long as S-11."),
        (
            PROXY,
            "The three successful requests took 81 ms between them.",
            "The three successful requests took 84 ms between them.",
        ),
        (PROXY, "The failed requests took 13 ms in total.", "The failed requests took 95 ms in total."),
        (DIFF, "The limit drops to a tenth of what it was.", "The limit drops to a third of what it was."),
    ],
)
def test_what_follows_stands_and_what_does_not_is_struck(item: dict[str, Any], true: str, false: str) -> None:
    evidence = evidence_from({"id": "E1", "kind": "tool", "title": "state of cart", "locator": "x", **item})
    for text, wanted in ((true, "supported"), (false, "struck")):
        done = check_claim(Claim(template=text, evidence=("E1",)), {"E1": evidence}, VOICE)
        assert done.verdict.verdict == wanted, (text, done.verdict.reason, done.claim.arithmetic)
