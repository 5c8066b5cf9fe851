"""Words that software writes in more than one way, and the stems of words that say little in a question about code."""

from __future__ import annotations

from workers.language.stems import stem
from workers.language.stop_words import WEAK_WORDS

# Short and long forms, and near-synonyms of the trade: one line a group.
_SYMPTOMS = """
latency slow slower spike spikes spiky spiked error errors erroring p50 p90 p95 p99 timeout timeouts timing deploy
deployed deploys deployment release released incident outage degraded regression regressed failing fails broken went
gone going high higher low rising dropped traffic requests throughput 5xx
"""
_GROUPS = """
config configuration configure settings
init initialize initialization
route routing router endpoint
send emit publish
fetch retrieve
notify notification
num number
auth authentication authenticate authorization authorize login credentials
sync synchronize synchronization
async asynchronous
max maximum
min minimum
err error exception failure
msg message
param parameter argument
dir directory folder
tmp temp temporary
req request
res resp response reply
db database
conn connection
ctx context
env environment
impl implementation
cmd command
fn func function
obj object
len length
idx index
prev previous
cur current
addr address
attr attribute
btn button
img image
pkg package
spec specification
ver version
repo repository
delete remove destroy
create make build
retry backoff attempts
throttle limit quota
timeout deadline ttl expire expiry
cache memoize lru
log logging logger
schedule cron periodic
queue enqueue
encrypt encryption cipher
hash digest checksum
parse decode deserialize unmarshal
serialize encode marshal dump
validate validation validator verify check
middleware interceptor filter
socket websocket ws
cert certificate tls ssl
permission role acl access
stop shutdown close terminate
recover recovery restore
panic crash abort
split partition chunk
compress gzip deflate
metric stats telemetry instrumentation
lock mutex semaphore
"""
WEAK = frozenset(stem(w) for w in WEAK_WORDS)
SYMPTOMS = frozenset(stem(w) for w in _SYMPTOMS.split())


def alternates() -> dict[str, tuple[str, ...]]:
    """Stem -> other stems that may stand for it."""
    out: dict[str, dict[str, None]] = {}
    for line in _GROUPS.strip().splitlines():
        stems = [stem(w) for w in line.split()]
        for one in stems:
            out.setdefault(one, {}).update(dict.fromkeys(s for s in stems if s != one))
    return {k: tuple(v) for k, v in out.items()}


ALTERNATES = alternates()
