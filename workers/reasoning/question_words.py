"""Words of a question that point back or carry no subject."""

from __future__ import annotations

import re

from workers.language.stop_words import ASKED_VERBS, STOP_WORDS

FOLLOW_UP = re.compile(
    r"^(?:and|so|but|now|then|also|what about|how about|same|or|by)\b|"
    r"\b(?:it|its|that|this|those|them|they|there|same|one)\b",
    re.IGNORECASE,
)
SMALL_TALK = frozenset(
    "hey hi hm ok pls right thanks got go isn it's what's where's how's sent many much moment last latest recent"
    " nothing everything somebody somehow sometimes people together supposed point wrong happening".split()
)
SPANS = frozenset("day days hour hours week weekend month morning night deploy deployment release".split())
DOCUMENTS = frozenset("adr adrs architecture design diagram doc docs document overview runbook page parts".split())
ASKED = frozenset(
    "changing compute computed config count dropping endpoint fit ideas issue load number numbers order setup"
    " summarise talk talks touch understand walk".split()
)
OF_CODE = frozenset(
    "add change changed changes code configuration configured defined definition describe explain file files find give"
    " handle handled implemented live lives located look make part repo repository see set show summarize use wired"
    " work working works written".split()
)
STOP = STOP_WORDS | SMALL_TALK | SPANS | DOCUMENTS | ASKED | OF_CODE | ASKED_VERBS
"""Words of a question that name no subject."""
SYMPTOM = frozenset(
    """latency latencies slow slower slowness spike spikes spiked spiky error errors broken failing fail failed fails
    timeout timeouts down degraded outage incident incidents p50 p90 p95 p99 5xx 500 502 503 rate increase increased
    jump jumped drop dropped regression problem problems high elevated bad worse traffic requests request healthy
    health status alert alerts alerting paged pages throughput""".split()
)
